//! Everything between the commands and a person: output, questions on a terminal, the command line that messages name, and what only
//! the user may do. Results go to stdout, progress and notes to stderr, colour only to a terminal.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use crate::catalog::HookEntry;
use anyhow::{anyhow, bail, ensure};
use clap::ValueEnum;
use console::Term;
use inquire::list_option::ListOption;
use inquire::{Confirm, InquireError, MultiSelect};
use shared::host::Host;
use shared::operator::{Standing, refusal, standing};
use shared::text::cut;
use similar::TextDiff;

/// The characters around a line of the list: the box before it, the sign of a cut behind it.
const TICK_BOX: usize = 8;

const UNANSWERED: &str = "no answer; nothing was changed";

/// A result. A reader that has gone away is no error.
pub fn say(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}

pub fn note(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

pub(crate) fn diff(name: &str, before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut unified = diff.unified_diff();
    unified.context_radius(2).missing_newline_hint(false).header(name, name);
    unified.to_string().trim_end().to_owned()
}

pub fn list<S: AsRef<str>>(words: &[S]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

pub fn word_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

pub(crate) fn names_of(hooks: &[&HookEntry]) -> String {
    list(&hooks.iter().map(|hook| hook.name.as_str()).collect::<Vec<_>>())
}

/// The command line whose words messages name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// `cargo xtask`, which builds.
    Xtask,
    /// `req hooks`, which takes what is there.
    Req,
}

impl Voice {
    pub fn line(self, words: impl Display) -> String {
        let program = if self == Self::Xtask { "cargo xtask" } else { "req hooks" };
        format!("{program} {words}")
    }

    /// The line that copies the programs again. A `req` in the user's path is an installed one: it lies beside what has to be
    /// replaced.
    pub fn install_again(self) -> String {
        let archive = "install --from <the unpacked archive>";
        self.line(if self == Self::Xtask { "sync" } else { archive })
    }

    pub fn prune(self) -> String {
        self.line(if self == Self::Xtask { "sync --prune" } else { "install --prune" })
    }
}

/// How a program of `cargo xtask` ends: 0 done, 1 failed or refused, 64 wrong usage.
pub fn ended(result: Result<anyhow::Result<()>, clap::Error>) -> ExitCode {
    match result {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(error)) => note(format_args!("error: {error:#}")),
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(64) } else { ExitCode::SUCCESS };
        }
    }
    ExitCode::FAILURE
}

pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

pub(crate) fn confirmed(question: &str, default: bool) -> anyhow::Result<bool> {
    answered(Confirm::new(question).with_default(default).prompt())
}

pub(crate) fn agreed(question: &str, default: bool) -> anyhow::Result<()> {
    ensure!(confirmed(question, default)?, "nothing was changed");
    Ok(())
}

/// The hooks to switch on, out of these, each shown with its purpose and price.
pub(crate) fn chosen_hooks(
    open: Vec<&HookEntry>,
    is_ticked: impl Fn(&HookEntry) -> bool,
) -> anyhow::Result<Vec<&HookEntry>> {
    if open.is_empty() {
        return Ok(open);
    }
    let width = open.iter().map(|hook| hook.name.len()).max().unwrap_or_default();
    // A line that is wrapped splits words; the pages have the rest.
    let max_chars = usize::from(Term::stderr().size().1).saturating_sub(TICK_BOX).max(width);
    let line = |hook: &&HookEntry| {
        let price = if hook.costs_money { "costs money: " } else { "" };
        cut(&format!("{:width$}  {price}{}", hook.name, hook.summary), max_chars)
    };
    let ticked: Vec<usize> = (0..open.len()).filter(|index| is_ticked(open[*index])).collect();
    let question = "Which hooks shall be switched on? (space ticks, Enter goes on; none is fine)";
    let lines = open.iter().map(line).collect();
    let names = |chosen: &[ListOption<&String>]| {
        chosen.iter().map(|option| open[option.index].name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let asked = MultiSelect::new(question, lines).with_default(&ticked);
    let chosen = answered(asked.with_page_size(open.len()).with_formatter(&names).raw_prompt())?;
    Ok(chosen.iter().map(|option| open[option.index]).collect())
}

/// Leaving with a key is an answer, too.
pub(crate) fn answered<T>(answer: Result<T, InquireError>) -> anyhow::Result<T> {
    answer.map_err(|error| match error {
        InquireError::OperationCanceled | InquireError::OperationInterrupted => anyhow!(UNANSWERED),
        error => anyhow!("{UNANSWERED}: the terminal gave none ({error})"),
    })
}

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
        Standing::InsideClaude => bail!(refusal(line)),
        Standing::NoTerminal if !yes => {
            bail!("there is no terminal; if a script of yours is to do this, it says: {line} --yes")
        }
        Standing::Operator | Standing::NoTerminal => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use shared::operator::Standing::{InsideClaude, NoTerminal, Operator};

    use super::{decide, diff, list};

    #[test]
    fn list_reads_like_a_sentence() {
        assert_eq!([list::<&str>(&[]), list(&["a"]), list(&["a", "b", "c"])], ["", "a", "a, b and c"]);
    }

    #[test]
    fn diff_shows_changed_lines_and_nothing_for_equal_texts() {
        assert_eq!(diff("f", "a\n", "a\n"), "");
        assert_eq!(diff("f", "a\nb\n", "a\nc\n"), "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c");
    }

    #[test]
    fn yes_stands_for_a_terminal_but_never_lets_claude_pass() {
        for (standing, yes, passes) in [
            (Operator, false, true),
            (NoTerminal, false, false),
            (NoTerminal, true, true),
            (InsideClaude, false, false),
            (InsideClaude, true, false),
        ] {
            assert_eq!(decide(standing, "cargo xtask undo", yes).is_ok(), passes, "{standing:?} {yes}");
        }
    }
}
