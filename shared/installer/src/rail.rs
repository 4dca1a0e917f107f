//! Commands that loosen something belong to the user at a terminal, not to Claude.

use anyhow::bail;
use shared::host::Host;
use shared::operator::{Standing, refusal, standing};

/// Lets the user pass; without a terminal only with `--yes`, below Claude never. `line` is what the user would type.
pub(crate) fn only_the_operator(host: &Host, line: &str, yes: bool) -> anyhow::Result<()> {
    decide(standing(host), line, yes)
}

/// Lets everybody pass but Claude: for what was asked for by a flag of its own. `line` is what the user would type.
pub(crate) fn not_for_claude(host: &Host, line: &str) -> anyhow::Result<()> {
    decide(standing(host), line, true)
}

/// Commands of Claude's shell, and whatever else Claude started.
pub(crate) fn is_claude(host: &Host) -> bool {
    standing(host) == Standing::InsideClaude
}

fn decide(standing: Standing, line: &str, yes: bool) -> anyhow::Result<()> {
    match standing {
        Standing::Operator => Ok(()),
        Standing::NoTerminal if yes => Ok(()),
        Standing::NoTerminal => {
            bail!("there is no terminal; if a script of yours is to do this, it says: {line} --yes")
        }
        Standing::InsideClaude => bail!(refusal(line)),
    }
}

#[cfg(test)]
mod tests {
    use shared::operator::Standing;

    use super::decide;

    #[test]
    fn yes_stands_for_a_terminal_but_never_lets_claude_pass() {
        for (standing, yes, passes) in [
            (Standing::Operator, false, true),
            (Standing::NoTerminal, false, false),
            (Standing::NoTerminal, true, true),
            (Standing::InsideClaude, false, false),
            (Standing::InsideClaude, true, false),
        ] {
            assert_eq!(decide(standing, "cargo xtask undo", yes).is_ok(), passes, "{standing:?} {yes}");
        }
    }
}
