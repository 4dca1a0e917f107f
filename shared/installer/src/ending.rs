//! The end of an installation: the registered hooks, doctor's findings, and the next line to type. It changes nothing.

use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use crate::doctor::{self, Finding, Report, Severity, managed_settings};
use crate::links;
use crate::places::Installation;
use crate::say::{blocks, say};

/// The sections that are about what was just registered. State and configuration are as they were before.
const OF_HOOKS: [&str; 4] = ["Binaries", "Registrations", "In force", "Proofs"];

/// The command that reports everything, and that sets up a project.
const COMMAND: &str = "req";

/// The doctor's report on an installation.
pub(crate) struct Ending<'a> {
    installation: &'a Installation,
    catalog: &'a Catalog,
    report: Report,
}

impl<'a> Ending<'a> {
    pub(crate) fn of(
        host: &Host,
        installation: &'a Installation,
        catalog: &'a Catalog,
    ) -> anyhow::Result<Self> {
        let report = doctor::of(host, installation, &managed_settings())?;
        Ok(Self { installation, catalog, report })
    }

    /// Shows each of these hooks with its proof, how to silence it and how to disable it.
    pub(crate) fn show(&self, hooks: &[&HookEntry]) -> anyhow::Result<()> {
        let rows: Vec<Vec<String>> = hooks.iter().map(|hook| self.row(hook)).collect::<Result<_, _>>()?;
        if !rows.is_empty() {
            say(blocks(&["hook", "registered", "proved", "first words", "silence", "off for good"], &rows));
        }
        Ok(())
    }

    fn row(&self, hook: &HookEntry) -> anyhow::Result<Vec<String>> {
        let events: Vec<&str> = hook.events.iter().map(|entry| entry.event.as_str()).collect();
        Ok(vec![
            hook.name.clone(),
            events.join(", "),
            self.report.proof_of(&hook.name),
            hook.first_words.clone(),
            links::typed(self.installation, hook, &hook.silence)?,
            self.installation.line(format_args!("disable {}", hook.name)),
        ])
    }

    /// Says what is wrong.
    pub(crate) fn tell_wrong(&self) {
        self.report.findings().filter(|finding| finding.severity >= Severity::Warning).for_each(say);
    }

    /// Says the doctor's last sentence.
    pub(crate) fn tell_verdict(&self) -> anyhow::Result<()> {
        let all = self.typed("doctor")?;
        let all = all.map_or_else(|| ".".to_owned(), |line| format!("; {line} tells all of it."));
        say(self.report.summary.trim_end_matches('.').to_owned() + &all);
        Ok(())
    }

    /// Says how a project begins, where a hook is registered that a project is set up for.
    pub(crate) fn tell_next(&self, hooks: &[&HookEntry]) -> anyhow::Result<()> {
        let is_set_up = hooks.iter().any(|hook| hook.commands.iter().any(|command| command == COMMAND));
        if let Some(line) = self.typed("init")?.filter(|_| is_set_up) {
            say(format_args!("Next, in a project of yours: {line}"));
        }
        Ok(())
    }

    /// The line of our command as it can be typed, if that command is installed.
    fn typed(&self, words: &str) -> anyhow::Result<Option<String>> {
        let is_there = self.installation.deployed(COMMAND).is_file();
        let mut hooks = self.catalog.hooks.iter().filter(|_| is_there);
        let hook = hooks.find(|hook| hook.commands.iter().any(|command| command == COMMAND));
        let line = format!("{COMMAND} {words}");
        hook.map(|hook| links::typed(self.installation, hook, &line)).transpose()
    }

    /// The registered hooks do what they promise.
    pub(crate) fn holds(&self) -> bool {
        let is_of_hooks = |name: &str| OF_HOOKS.contains(&name);
        let sections = self.report.sections.iter().filter(|section| is_of_hooks(&section.name));
        let is_broken = |finding: &Finding| finding.severity == Severity::Broken;
        !sections.flat_map(|section| &section.findings).any(is_broken)
    }
}

/// Names the hooks that are not registered.
pub(crate) fn name_the_rest(installation: &Installation, catalog: &Catalog, hooks: &[&HookEntry]) {
    let rest: Vec<&HookEntry> = catalog.hooks.iter().filter(|hook| !hooks.contains(hook)).collect();
    if rest.is_empty() {
        return;
    }
    say(if hooks.is_empty() { "No hook is registered. To register one:" } else { "Not registered:" });
    let lines: Vec<String> =
        rest.iter().map(|hook| installation.line(format_args!("enable {}", hook.name))).collect();
    let width = lines.iter().map(String::len).max().unwrap_or_default();
    for (hook, line) in rest.iter().zip(lines) {
        say(format_args!("  {line:width$}   {}", hook.summary));
    }
}
