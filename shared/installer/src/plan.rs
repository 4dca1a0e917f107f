//! The plan of an installation: whatever can be refused is refused while it is made, and the same plan is shown or carried out. It
//! asks its questions once, and reads the settings again before it changes them.

use anyhow::{bail, ensure};
use client_settings::FileError;
use config_edit::Refused;
use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use crate::ask::{agreed, can_ask};
use crate::choose::{Wish, choose, wants_rules, wants_status_line};
use crate::client_settings::{Choice, Settings};
use crate::deploy::{self, May};
use crate::ending::{Ending, name_the_rest};
use crate::judge::{self, Judge};
use crate::places::{Installation, Scope};
use crate::rail::{is_claude, not_for_claude};
use crate::registration::{is_switched_off, names, starts_ours, switched_on};
use crate::say::{diff, list, note, say};
use crate::source::Source;

/// What is wanted beside hooks.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    /// Their permission rules.
    pub(crate) rules: bool,
    /// The status line, even where there is another one.
    pub(crate) status_line: bool,
    pub(crate) judge: Option<Judge>,
    /// Questions may be asked, where there is a terminal.
    pub(crate) may_ask: bool,
}

impl Extras {
    /// Whether the status line is set.
    fn status_line(
        &self,
        installation: &Installation,
        settings: &Settings<'_>,
        hooks: &[&HookEntry],
    ) -> anyhow::Result<bool> {
        let line = installation.voice.line("statusline");
        let elsewhere = format!("the status line is set in your own settings only: {line}");
        let there = settings.present.status_line.as_ref();
        let foreign = there.filter(|there| !there.is_ours).and_then(|there| there.command.as_deref());
        let why_not = if installation.scope != Scope::User {
            &*elsewhere
        } else if hooks.iter().all(|hook| hook.status_line.is_none()) {
            "no hook registered here prints a status line"
        } else if foreign.is_some_and(|line| starts_ours(line, hooks)) {
            "your status line starts ours already"
        } else {
            return wants_status_line(there, self.status_line, self.may_ask);
        };
        if self.status_line {
            note(format_args!("--statusline has no effect: {why_not}"));
        }
        Ok(false)
    }
}

/// The state after the installation.
pub(crate) struct Plan<'a> {
    catalog: &'a Catalog,
    installation: &'a Installation,
    settings: Settings<'a>,
    /// Chosen now.
    chosen: Vec<&'a HookEntry>,
    /// Chosen now or registered before, in the order of the catalog.
    choice: Choice<'a>,
    /// How a model is asked, where that is to be written.
    judge: Option<Judge>,
}

impl<'a> Plan<'a> {
    /// Finds out what is wanted, asking where that is open.
    pub(crate) fn make(
        catalog: &'a Catalog,
        installation: &'a Installation,
        wish: &Wish,
        extras: &Extras,
        source: &Source<'_>,
    ) -> anyhow::Result<Self> {
        let settings = Settings::read(installation, catalog)?;
        let before = settings.hooks();
        let yaml = installation.file(&installation.requirements)?.read()?;
        let is_off = |hook: &HookEntry| is_switched_off(yaml.as_deref(), hook);
        let chosen = choose(catalog, &before, is_off, wish)?;
        let is_registered = |hook: &&HookEntry| before.contains(hook) || chosen.contains(hook);
        let hooks: Vec<&HookEntry> = catalog.hooks.iter().filter(is_registered).collect();
        let allow_rules = wants_rules(&settings.missing_rules(&hooks), extras.rules, extras.may_ask)?;
        let status_line = extras.status_line(installation, &settings, &hooks)?;
        let choice = Choice { hooks, allow_rules, status_line };
        let judge = judge::chosen(extras.judge, &chosen, yaml.as_deref(), extras.may_ask)?;
        let plan = Self { catalog, installation, settings, chosen, choice, judge };
        plan.refuse_early()?;
        source.ensure_has(&plan.chosen)?;
        Ok(plan)
    }

    /// Refuses whatever can be refused before anything is built or copied.
    fn refuse_early(&self) -> anyhow::Result<()> {
        let Self { installation, chosen, .. } = self;
        if let Some(paid) = chosen.iter().find(|hook| hook.costs_money && installation.scope != Scope::User) {
            let line = installation.voice.line(format_args!("enable {}", paid.name));
            bail!("{} spends your money, so only your own file switches it on: {line}", paid.name);
        }
        self.diffs().map(drop)
    }

    /// The configuration of this scope, before and after.
    fn requirements(&self) -> anyhow::Result<(Option<String>, Option<String>)> {
        let file = self.installation.file(&self.installation.requirements)?;
        let before = file.read()?;
        let chained = match self.settings.to_be_chained(&self.choice)? {
            Some(chained) => chained.put_into(before.as_deref()),
            None => Ok(before.clone()),
        };
        let after = chained.and_then(|text| self.switched_on(text.as_deref()));
        Ok((before, after.map_err(|refused| file.refused(refused))?))
    }

    /// The configuration with the chosen hooks switched on, and how they ask a model.
    fn switched_on(&self, text: Option<&str>) -> Result<Option<String>, Refused> {
        let text = switched_on(text, &self.chosen)?;
        match self.judge {
            Some(judge) => judge.put_into(text.as_deref()).map(Some),
            None => Ok(text),
        }
    }

    /// Leaves a hook that costs money to its payer: Claude does not switch it on.
    pub(crate) fn ensure_payer(&self, host: &Host, source: &Source<'_>) -> anyhow::Result<()> {
        let paid = self.chosen.iter().filter(|hook| hook.costs_money);
        let paid: Vec<&str> = paid.map(|hook| hook.name.as_str()).collect();
        if paid.is_empty() {
            return Ok(());
        }
        let judge = self.judge.map_or_else(String::new, |judge| format!(" --judge {}", judge.word()));
        let words = format!("install --hooks {}{judge}", paid.join(","));
        not_for_claude(host, &source.line(self.installation, &words))
    }

    /// Reports what would change.
    pub(crate) fn show(&self, source: &Source<'_>) -> anyhow::Result<()> {
        let Self { installation, catalog, .. } = self;
        let to = installation.show(&installation.hooks);
        match source {
            Source::Whole(_) => say(format_args!("would build {} and copy to {to}", list(&names(catalog)))),
            Source::Folder(_) if source.is_deployed_to(installation) => {
                say(format_args!("would copy nothing: the hooks are in {to} already"));
            }
            Source::Folder(folder) => {
                let there: Vec<String> = source.binaries(&catalog.hooks)?.into_keys().collect();
                say(format_args!("would copy {} from {} to {to}", list(&there), installation.show(folder)));
            }
        }
        let commands: Vec<&String> = catalog.hooks.iter().flat_map(|hook| &hook.commands).collect();
        say(format_args!("would link {} into {}", list(&commands), installation.show(&installation.bin)));
        let diffs = self.diffs()?;
        diffs.iter().for_each(say);
        if diffs.is_empty() {
            say(format_args!("{} would stay as it is", installation.show(&installation.settings)));
        }
        name_the_rest(installation, catalog, &self.choice.hooks);
        Ok(())
    }

    /// Shows on a terminal what changes in the user's files, and goes on only with a yes.
    pub(crate) fn agree(&self) -> anyhow::Result<()> {
        let diffs = self.diffs()?;
        if diffs.is_empty() || !can_ask() {
            return Ok(());
        }
        diffs.iter().for_each(say);
        agreed("Shall it be changed like this? What is there is kept as a backup", true)
    }

    /// The changes in the user's files, one text for each file.
    fn diffs(&self) -> anyhow::Result<Vec<String>> {
        let Self { installation, settings, .. } = self;
        let after = settings.with(&self.choice)?;
        let (before_yaml, after_yaml) = self.requirements()?;
        let changes = [
            (&installation.settings, settings.text.clone(), after),
            (&installation.requirements, before_yaml, after_yaml),
        ];
        let diffs = changes.into_iter().map(|(file, before, after)| {
            diff(&installation.show(file), &before.unwrap_or_default(), &after.unwrap_or_default())
        });
        Ok(diffs.filter(|diff| !diff.is_empty()).collect())
    }

    /// Carries the plan out. At the end the doctor reports.
    pub(crate) fn carry_out(&self, host: &Host, source: &Source<'_>) -> anyhow::Result<()> {
        let changed = self.apply(host, source)?;
        if !changed {
            say("everything is in its place already; nothing was changed");
        }
        let hooks = &self.choice.hooks;
        let ending = self.report(host, hooks)?;
        name_the_rest(self.installation, self.catalog, hooks);
        ending.tell_verdict()?;
        judge::next(self.installation, hooks)?.iter().for_each(say);
        if changed { ending.tell_next(hooks) } else { Ok(()) }
    }

    /// Carries the plan out, and shows the hooks that were chosen.
    pub(crate) fn carry_out_briefly(&self, host: &Host, source: &Source<'_>) -> anyhow::Result<()> {
        self.apply(host, source)?;
        self.report(host, &self.chosen)?;
        judge::next(self.installation, &self.chosen)?.iter().for_each(say);
        Ok(())
    }

    /// Shows these hooks, and what is wrong.
    fn report(&self, host: &Host, hooks: &[&HookEntry]) -> anyhow::Result<Ending<'_>> {
        let ending = Ending::of(host, self.installation, self.catalog)?;
        ending.show(hooks)?;
        ending.tell_wrong();
        ensure!(ending.holds(), "not every registered hook does what it promises; see above");
        Ok(ending)
    }

    /// Copies, links, registers, switches on. Returns whether anything had to be done.
    fn apply(&self, host: &Host, source: &Source<'_>) -> anyhow::Result<bool> {
        let hooks = self.chosen_names().join(",");
        let hooks = if hooks.is_empty() { hooks } else { format!(" --hooks {hooks}") };
        let line = source.line(self.installation, &format!("install{hooks}"));
        // Whoever works in the source tree may build from it.
        let is_given = matches!(source, Source::Folder(_));
        let may = if is_given && is_claude(host) { May::Known(&line) } else { May::Any };
        let deployed = deploy::everything(self.installation, self.catalog, source, may)?.changed;
        let (registered, switched) =
            self.installation.alone(|| Ok((self.register(host)?, self.switch_on()?)))?;
        Ok(deployed || registered || switched)
    }

    fn chosen_names(&self) -> Vec<&str> {
        self.chosen.iter().map(|hook| hook.name.as_str()).collect()
    }

    /// Returns whether the file was changed.
    fn register(&self, host: &Host) -> anyhow::Result<bool> {
        let Self { installation, catalog, .. } = self;
        // Read again: another command may have come first while this one was building or asking.
        let settings = Settings::read(installation, catalog)?;
        let there = settings.hooks();
        let is_wanted = |hook: &&HookEntry| there.contains(hook) || self.chosen.contains(hook);
        let choice = Choice { hooks: catalog.hooks.iter().filter(is_wanted).collect(), ..self.choice };
        let Some(backup) = settings.register(host, &choice)? else { return Ok(false) };
        let file = installation.show(&installation.settings);
        let new = choice.hooks.iter().filter(|hook| !there.contains(hook));
        let new: Vec<&str> = new.map(|hook| hook.name.as_str()).collect();
        if new.is_empty() {
            note(format_args!("brought {file} up to date"));
        } else {
            note(format_args!("registered {} in {file}", list(&new)));
        }
        if settings.text.is_some() {
            note(format_args!("  before: {}", installation.show(&backup)));
        }
        Ok(true)
    }

    /// Returns whether the file was changed.
    fn switch_on(&self) -> anyhow::Result<bool> {
        let file = self.installation.file(&self.installation.requirements)?;
        let mut turned = Vec::new();
        let edit = |text: Option<&str>| {
            let changes = |hook: &&HookEntry| !matches!(switched_on(text, &[*hook]), Ok(after) if after.as_deref() == text);
            turned = self.chosen.iter().copied().filter(changes).map(|hook| hook.name.as_str()).collect();
            self.switched_on(text).map_err(|refused| file.refused(refused))
        };
        let changed = file.change::<FileError>(edit)?;
        if changed {
            let file = self.installation.show(&self.installation.requirements);
            if !turned.is_empty() {
                note(format_args!("{} switched on in {file}", list(&turned)));
            }
            if let Some(judge) = self.judge {
                let word = judge.word();
                note(format_args!(
                    "judge.backend: {word}, for every hook that asks a model; limits and what is sent: req docs judge"
                ));
            }
        }
        Ok(changed)
    }
}

#[cfg(test)]
mod tests;
