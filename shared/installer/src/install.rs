//! `install` and `enable`: copy, link, register, switch on, prove. The [`Plan`] is made first, and whatever can be refused is refused
//! then. The same plan is shown or carried out, and each step leaves alone what is right already.

use std::path::PathBuf;

use crate::catalog::{Catalog, HookEntry};
use anyhow::{bail, ensure};
use shared::host::Host;

use crate::doctor::{self, Report, Severity, managed_settings};
use crate::places::{Installation, Scope, Where};
use crate::programs;
use crate::registration::{find, starts_ours};
use crate::requirements::{self, Judge, KEY, Lines, backend, chosen_judge, enabled_in, next_for_judge};
use crate::say::{
    Voice, agreed, can_ask, chosen_hooks, confirmed, is_claude, names_of, not_for_claude, note, say,
};
use crate::settings::{Choice, Settings};
use crate::source::Source;
use crate::uninstall::prune;

#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line, independent of each other")]
pub struct Install {
    /// Register these hooks, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "HOOK", conflicts_with = "all")]
    pub(crate) hooks: Vec<String>,
    /// Register every hook
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) how: How,
    /// Set Claude Code's status line; one that is there is printed below it
    #[arg(long)]
    pub(crate) statusline: bool,
    /// Let Claude run the hooks' harmless commands without asking
    #[arg(long)]
    pub(crate) allow_rules: bool,
    /// Remove installed programs that no hook owns, and their registration
    #[arg(long)]
    pub(crate) prune: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Enable {
    /// The hook's name
    pub(crate) hook: String,
    #[command(flatten)]
    pub(crate) how: How,
}

/// The options of the commands that register hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct How {
    #[command(flatten)]
    pub(crate) place: Where,
    /// Take the hooks from this folder, as an unpacked archive has them; else from the one this program lies in
    #[arg(long, value_name = "DIR", alias = "prebuilt")]
    pub(crate) from: Option<PathBuf>,
    /// How hooks that ask a model do it
    #[arg(long, value_enum)]
    pub(crate) judge: Option<Judge>,
    /// Ask nothing: take the ticked defaults
    #[arg(long)]
    pub(crate) yes: bool,
}

pub(crate) fn run(host: &Host, wanted: &Install, voice: Voice) -> anyhow::Result<()> {
    carry_out(host, wanted, voice, false)
}

/// Registers one hook and switches it on; its files are brought up to date first.
pub(crate) fn enable(host: &Host, wanted: &Enable, voice: Voice) -> anyhow::Result<()> {
    let Enable { hook, how } = wanted.clone();
    carry_out(host, &Install { hooks: vec![hook], how, ..Install::default() }, voice, true)
}

/// `is_brief`: the command asks only for the way to a model, and reports only the chosen hooks.
fn carry_out(host: &Host, wanted: &Install, voice: Voice, is_brief: bool) -> anyhow::Result<()> {
    let installation = Installation::at(host, &wanted.how.place, voice)?;
    let source = Source::of(wanted.how.from.clone(), voice)?;
    let line = source.line(&installation, &words(wanted));
    // Only the user gives permission rules and the status line away.
    if !wanted.dry_run && (wanted.allow_rules || wanted.statusline) {
        not_for_claude(host, &line)?;
    }
    let may_ask = !wanted.how.yes && !is_claude(host) && can_ask();
    let plan = Plan::make(&installation, &source, wanted, may_ask, is_brief)?;
    if wanted.dry_run {
        return plan.show();
    }
    // A hook that costs money is its payer's to switch on.
    if plan.chosen.iter().any(|hook| hook.costs_money) {
        not_for_claude(host, &line)?;
    }
    if !is_brief {
        let diffs = plan.diffs()?;
        diffs.iter().for_each(say);
        if !diffs.is_empty() && !wanted.how.yes && can_ask() {
            agreed("Shall settings.json be changed like this? What is there is kept as a backup", true)?;
        }
    }
    // Whoever works in the source tree may build from it.
    let known_only = (voice == Voice::Req && is_claude(host)).then_some(line.as_str());
    let changed = plan.apply(host, known_only)?;
    plan.end(host, changed)?;
    if wanted.prune {
        prune(host, &Installation::of_this_user(host, voice)?)?;
    }
    Ok(())
}

fn words(wanted: &Install) -> String {
    let hooks = (!wanted.hooks.is_empty()).then(|| format!(" --hooks {}", wanted.hooks.join(",")));
    let flags = [(wanted.all, "all"), (wanted.statusline, "statusline"), (wanted.allow_rules, "allow-rules")];
    let flags = flags.iter().filter(|(is_given, _)| *is_given).map(|(_, flag)| format!(" --{flag}"));
    let judge = wanted.how.judge.map(|judge| format!(" --judge {}", judge.word()));
    ["install".to_owned()].into_iter().chain(hooks).chain(flags).chain(judge).collect()
}

struct Plan<'a> {
    installation: &'a Installation,
    source: &'a Source,
    settings: Settings<'a>,
    chosen: Vec<&'static HookEntry>,
    /// Chosen now or registered before, in the order of the catalog.
    choice: Choice,
    no_line: Option<String>,
    /// The way to a model, where it is to be written.
    judge: Option<Judge>,
    is_brief: bool,
}

impl<'a> Plan<'a> {
    /// Finds out what is wanted, asks where that is open, and refuses whatever can be refused before anything is copied.
    fn make(
        installation: &'a Installation,
        source: &'a Source,
        wanted: &Install,
        may_ask: bool,
        is_brief: bool,
    ) -> anyhow::Result<Self> {
        let settings = Settings::read(installation)?;
        let before = settings.hooks();
        let yaml = requirements::read(installation)?;
        let asks = may_ask && !is_brief;
        let chosen = choose(installation.catalog, &before, yaml.as_deref(), wanted, asks)?;
        if let Some(paid) = chosen.iter().find(|hook| hook.costs_money && installation.scope != Scope::User) {
            let line = installation.voice.line(format_args!("enable {}", paid.name));
            bail!("{} spends your money, so only your own file switches it on: {line}", paid.name);
        }
        let is_registered = |hook: &&HookEntry| before.contains(hook) || chosen.contains(hook);
        let hooks = installation.catalog.hooks.iter().filter(is_registered).collect::<Vec<_>>();
        let allow_rules = wants_rules(&settings.missing_rules(&hooks), wanted.allow_rules, asks)?;
        let no_line = why_no_line(installation, &settings, &hooks, wanted.statusline, asks)?;
        if let Some(why) = no_line.as_ref().filter(|_| wanted.statusline) {
            note(format_args!("--statusline has no effect: {why}"));
        }
        let judge = judge_for(wanted.how.judge, &chosen, yaml.as_deref(), may_ask)?;
        let choice = Choice { hooks, allow_rules, status_line: no_line.is_none() };
        let plan = Self { installation, source, settings, chosen, choice, no_line, judge, is_brief };
        plan.diffs()?;
        source.ensure_has(&plan.chosen)?;
        Ok(plan)
    }

    fn lines(&self) -> Lines<'_> {
        Lines { on: &self.chosen, judge: self.judge, chained: None }
    }

    fn diffs(&self) -> anyhow::Result<Vec<String>> {
        self.settings.diffs(&self.settings.to(&self.choice)?, &self.lines())
    }

    fn show(&self) -> anyhow::Result<()> {
        let Self { installation, source, .. } = self;
        let copied = source.preview(installation)?;
        let linked = programs::preview_of_links(installation);
        let lines: Vec<String> = copied.into_iter().chain(linked).chain(self.diffs()?).collect();
        lines.iter().for_each(say);
        if lines.is_empty() {
            say("nothing would change");
        }
        name_the_rest(installation, &self.choice.hooks);
        Ok(())
    }

    fn apply(&self, host: &Host, known_only: Option<&str>) -> anyhow::Result<bool> {
        let copied = programs::install(self.installation, self.source, known_only)?;
        let (registered, switched) =
            self.installation.alone(|| Ok((self.register(host)?, self.switch_on()?)))?;
        Ok(copied || registered || switched)
    }

    fn register(&self, host: &Host) -> anyhow::Result<bool> {
        let installation = self.installation;
        // Read again: another command may have come first while this one was building or asking.
        let settings = Settings::read(installation)?;
        let there = settings.hooks();
        let is_wanted = |hook: &&HookEntry| there.contains(hook) || self.chosen.contains(hook);
        let choice =
            Choice { hooks: installation.catalog.hooks.iter().filter(is_wanted).collect(), ..self.choice };
        let Some(backup) = settings.put(host, &settings.to(&choice)?)? else { return Ok(false) };
        let file = installation.show(&installation.settings);
        let new: Vec<&HookEntry> =
            choice.hooks.iter().copied().filter(|hook| !there.contains(hook)).collect();
        note(if new.is_empty() {
            format!("updated {file}")
        } else {
            format!("registered {} in {file}", names_of(&new))
        });
        if settings.text.is_some() {
            note(format_args!("  backup: {}", installation.show(&backup)));
        }
        Ok(true)
    }

    fn switch_on(&self) -> anyhow::Result<bool> {
        let before = requirements::read(self.installation)?;
        let is_off =
            |hook: &&HookEntry| !requirements::enabled_in(before.as_deref(), hook).unwrap_or(hook.enabled);
        let turned: Vec<&HookEntry> = self.chosen.iter().copied().filter(is_off).collect();
        let changed = requirements::change(self.installation, |text| self.lines().put_into(text))?;
        if changed && !turned.is_empty() {
            let file = self.installation.show(&self.installation.requirements);
            note(format_args!("{} switched on in {file}", names_of(&turned)));
        }
        if let Some(judge) = self.judge.filter(|_| changed) {
            let word = judge.word();
            note(format_args!(
                "judge.backend: {word}, for every hook that asks a model; limits and what is sent: req docs judge"
            ));
        }
        Ok(changed)
    }

    fn end(&self, host: &Host, changed: bool) -> anyhow::Result<()> {
        let is_brief = self.is_brief;
        if !changed && !is_brief {
            say("everything is in its place already; nothing was changed");
        }
        let hooks = if is_brief { &self.chosen } else { &self.choice.hooks };
        let report = self.report(host, hooks)?;
        if !is_brief {
            name_the_rest(self.installation, hooks);
            say(format_args!("{}; req doctor tells all of it.", report.summary.trim_end_matches('.')));
        }
        let has_key = host.variable(KEY).is_some();
        next_for_judge(self.installation, hooks, has_key)?.iter().for_each(say);
        let is_set_up = hooks.iter().any(|hook| hook.commands.iter().any(|command| command == "req"));
        if changed && is_set_up && !is_brief {
            say("Next, in a project of yours: req init");
        }
        Ok(())
    }

    /// Shows these hooks, each with its proof and the ways to silence it, the status line, and what is wrong.
    fn report(&self, host: &Host, hooks: &[&HookEntry]) -> anyhow::Result<Report> {
        let report = doctor::of(host, self.installation, &managed_settings())?;
        for hook in hooks {
            say(self.block(&report, hook));
        }
        if let Some(printer) = hooks.iter().find(|hook| hook.status_line.is_some()) {
            say(self.status_line_sentence(printer));
        }
        report.wrong().for_each(say);
        // State and configuration are as they were before.
        let of_hooks = ["Binaries", "Registrations", "In force", "Proofs"];
        let ours = report.sections.iter().filter(|section| of_hooks.contains(&section.name.as_str()));
        let mut of_hooks = ours.flat_map(|section| &section.findings);
        let is_broken = of_hooks.any(|finding| finding.severity == Severity::Broken);
        ensure!(!is_broken, "not every registered hook does what it promises; see above");
        Ok(report)
    }

    fn block(&self, report: &Report, hook: &HookEntry) -> String {
        let events: Vec<&str> = hook.events.iter().map(|entry| entry.event.as_str()).collect();
        let (name, off) = (&hook.name, self.installation.line(format_args!("disable {}", hook.name)));
        format!(
            "{name}\n  registered                    {}\n  proved                        {}\n  \
             first message                 {}\n  to silence it, in a terminal  {}\n  off for good                  {off}",
            events.join(", "),
            report.proof_of(name),
            hook.first_words,
            hook.silence
        )
    }

    fn status_line_sentence(&self, printer: &HookEntry) -> String {
        match &self.no_line {
            Some(why) => format!("The status line is not set: {why}"),
            None if self.settings.foreign_line().is_some() || self.settings.chained().is_some() => {
                format!("{} prints the status line, and yours below it", printer.name)
            }
            None => format!("{} prints the status line", printer.name),
        }
    }
}

/// The hooks to register. `registered` ones stay registered whatever is chosen and are not asked for again.
fn choose(
    catalog: &'static Catalog,
    registered: &[&HookEntry],
    yaml: Option<&str>,
    wanted: &Install,
    may_ask: bool,
) -> anyhow::Result<Vec<&'static HookEntry>> {
    let is_payer = may_ask && wanted.how.place.scope == Scope::User;
    let is_ticked = |hook: &HookEntry| is_ticked(hook, yaml, is_payer);
    if !wanted.hooks.is_empty() {
        return wanted.hooks.iter().map(|name| find(catalog, name)).collect();
    }
    if !wanted.all && may_ask {
        let open = catalog.hooks.iter().filter(|hook| !registered.contains(hook)).collect();
        return chosen_hooks(open, is_ticked);
    }
    Ok(catalog.hooks.iter().filter(|hook| wanted.all || is_ticked(hook)).collect())
}

/// The configuration decides, else the catalog. Only the payer's answer to the question registers a hook that costs money.
fn is_ticked(hook: &HookEntry, yaml: Option<&str>, is_payer: bool) -> bool {
    match enabled_in(yaml, hook) {
        Some(is_on) => is_on && (is_payer || !hook.costs_money),
        None => hook.ticked,
    }
}

/// Whether these permission rules are added: they loosen what Claude Code asks about, so nobody gets them unasked.
fn wants_rules(missing: &[String], is_given: bool, may_ask: bool) -> anyhow::Result<bool> {
    if missing.is_empty() || is_given || !may_ask {
        return Ok(is_given);
    }
    confirmed(&format!("Shall Claude run these without asking you? {}", missing.join(", ")), false)
}

/// Why the status line is not set; `None`: it is. Hooks learn from it what they cannot learn elsewhere, so it is set where there is
/// none. Another one is replaced, and printed below, only when asked for.
fn why_no_line(
    installation: &Installation,
    settings: &Settings<'_>,
    hooks: &[&HookEntry],
    is_given: bool,
    may_ask: bool,
) -> anyhow::Result<Option<String>> {
    let line = installation.voice.line("statusline");
    let foreign = settings.foreign_line();
    if installation.scope != Scope::User {
        return Ok(Some(format!("it is set in your own settings only: {line}")));
    }
    if hooks.iter().all(|hook| hook.status_line.is_none()) {
        return Ok(Some("no hook registered here prints a status line".to_owned()));
    }
    if foreign.and_then(|there| there.command.as_deref()).is_some_and(|there| starts_ours(there, hooks)) {
        return Ok(Some("your status line starts ours already".to_owned()));
    }
    if is_given || settings.present.status_line.as_ref().is_some_and(|there| there.is_ours) {
        return Ok(None);
    }
    let (question, why) = match foreign {
        None => ("Shall Barbless print Claude Code's status line?", "you declined it; to set it"),
        Some(_) => (
            "There is a status line already. Shall Barbless print its own, and yours below it? Uninstalling gives it back",
            "yours stays; to print both",
        ),
    };
    let is_wanted = if may_ask { confirmed(question, foreign.is_none())? } else { foreign.is_none() };
    Ok((!is_wanted).then(|| format!("{why}, type: {line}")))
}

/// The way to a model for these hooks: given, or asked for where none is chosen yet. `None`: nothing is to be written.
fn judge_for(
    given: Option<Judge>,
    hooks: &[&HookEntry],
    yaml: Option<&str>,
    may_ask: bool,
) -> anyhow::Result<Option<Judge>> {
    let paid: Vec<&HookEntry> = hooks.iter().copied().filter(|hook| hook.costs_money).collect();
    if paid.is_empty() || given.is_some() || backend(yaml).is_some() || !may_ask {
        return Ok(given.filter(|_| !paid.is_empty()));
    }
    chosen_judge(&paid).map(Some)
}

fn name_the_rest(installation: &Installation, hooks: &[&HookEntry]) {
    let rest: Vec<&HookEntry> =
        installation.catalog.hooks.iter().filter(|hook| !hooks.contains(hook)).collect();
    if rest.is_empty() {
        return;
    }
    say(if hooks.is_empty() { "No hook is registered. To register one:" } else { "Not registered:" });
    for hook in rest {
        say(format_args!("  {}  {}", installation.line(format_args!("enable {}", hook.name)), hook.summary));
    }
}

#[cfg(test)]
mod tests;
