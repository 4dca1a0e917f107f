//! What the doctor says of an installation that was just made: only what is wrong, and its last sentence.

use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use crate::doctor::{self, Finding, Report, Severity, managed_settings};
use crate::links;
use crate::places::Installation;
use crate::say::say;

/// The sections that are about what was just registered. What stands in the settings beside it may be somebody else's;
/// what of that is in the way of ours is found without the doctor. State and configuration were as they are before.
const OF_HOOKS: [&str; 3] = ["Binaries", "In force", "Proofs"];

/// The command that tells all of it, and that sets up a project.
const COMMAND: &str = "req";

/// Says what is wrong with the user's own installation. Returns whether what was registered holds.
///
/// # Errors
/// As [`doctor::run`].
pub(crate) fn tell(host: &Host, installation: &Installation, catalog: &Catalog) -> anyhow::Result<bool> {
    let report = doctor::of_the_user(host, &managed_settings())?;
    wrong(&report).for_each(say);
    let all = typed(installation, catalog, "doctor")?;
    let all = all.map_or_else(|| ".".to_owned(), |line| format!("; {line} tells all of it."));
    say(report.summary.trim_end_matches('.').to_owned() + &all);
    Ok(holds(&report))
}

/// Says how a project begins, where a hook is registered that a project is to be set up for.
///
/// # Errors
/// The manifest cannot be read.
pub(crate) fn tell_next(installation: &Installation, hooks: &[&HookEntry]) -> anyhow::Result<()> {
    if let Some(hook) = hooks.iter().find(|hook| hook.commands.iter().any(|command| command == COMMAND)) {
        let line = links::typed(installation, hook, &format!("{COMMAND} init"))?;
        say(format_args!("Next, in a project of yours: {line}"));
    }
    Ok(())
}

/// The line as it can be typed, if that command is deployed.
fn typed(installation: &Installation, catalog: &Catalog, words: &str) -> anyhow::Result<Option<String>> {
    let is_there = installation.deployed(COMMAND).is_file();
    let mut hooks = catalog.hooks.iter().filter(|_| is_there);
    let hook = hooks.find(|hook| hook.commands.iter().any(|command| command == COMMAND));
    hook.map(|hook| links::typed(installation, hook, &format!("{COMMAND} {words}"))).transpose()
}

fn wrong(report: &Report) -> impl Iterator<Item = &Finding> {
    report.findings().filter(|finding| finding.severity >= Severity::Warning)
}

fn holds(report: &Report) -> bool {
    let of_hooks = report.sections.iter().filter(|section| OF_HOOKS.contains(&section.name.as_str()));
    of_hooks.flat_map(|section| &section.findings).all(|finding| finding.severity != Severity::Broken)
}

#[cfg(test)]
mod tests {
    use super::{OF_HOOKS, holds, wrong};
    use crate::doctor::{Finding, Report, Section};

    fn report(section: &str, finding: Finding) -> Report {
        Report::new(vec![Section::new(section, vec![Finding::ok("fine"), finding])])
    }

    #[test]
    fn only_what_is_broken_of_the_hooks_makes_an_installation_fail() {
        for section in OF_HOOKS {
            assert!(!holds(&report(section, Finding::broken("b"))), "{section}");
            assert!(holds(&report(section, Finding::warning("w"))), "{section}");
        }
        for section in ["Registrations", "Configuration", "State", "Client", "Start-up"] {
            assert!(holds(&report(section, Finding::broken("b"))), "{section}");
        }
    }

    #[test]
    fn notes_and_what_is_well_are_left_to_the_doctor() {
        assert_eq!(wrong(&report("State", Finding::note("n"))).count(), 0);
        assert_eq!(wrong(&report("State", Finding::warning("w"))).count(), 1);
        assert_eq!(wrong(&report("State", Finding::broken("b"))).count(), 1);
    }
}
