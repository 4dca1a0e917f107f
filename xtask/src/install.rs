//! `cargo xtask install` and `enable`: build, copy, link, register, switch on, prove. Every step may be repeated: what is
//! right already is left alone. Nothing is copied before the user's settings were read and understood.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{bail, ensure};
use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;
use shared::settings::FileError;

use crate::installer::artifacts::Binaries;
use crate::installer::choose::{Wish, choose, wants_rules, wants_status_line};
use crate::installer::client_settings::{Choice, Settings};
use crate::installer::enabled::Enabled;
use crate::installer::links::{self, Linked};
use crate::installer::places::{Installation, Scope, Where};
use crate::installer::prove::prove;
use crate::installer::registration::{is_switched_off, names, switched_on};
use crate::installer::{artifacts, deploy};
use crate::say::{blocks, diff, list, note, say};

/// Where the binaries come from.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Source {
    /// Take the binaries from this folder instead of building them
    #[arg(long, value_name = "DIR")]
    prebuilt: Option<PathBuf>,
}

/// What is asked for on the command line.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line, independent of each other")]
pub(crate) struct Arguments {
    /// Register these hooks, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "HOOK", conflicts_with = "all")]
    hooks: Vec<String>,
    /// Register every hook
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    place: Where,
    /// Set the client's status line, in the place of another one too
    #[arg(long)]
    statusline: bool,
    /// Let Claude run the hooks' harmless commands without asking
    #[arg(long)]
    allow_rules: bool,
    #[command(flatten)]
    source: Source,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Ask nothing: take the ticked defaults
    #[arg(long)]
    yes: bool,
}

/// `cargo xtask install`.
pub(crate) fn run(root: &Path, arguments: &Arguments) -> anyhow::Result<()> {
    let wish = match arguments {
        Arguments { all: true, .. } => Wish::All,
        Arguments { hooks, .. } if !hooks.is_empty() => Wish::Named(hooks.clone()),
        Arguments { yes: true, .. } => Wish::Defaults,
        _ => Wish::Ask,
    };
    let extras =
        Extras { rules: arguments.allow_rules, status_line: arguments.statusline, may_ask: !arguments.yes };
    let catalog = Catalog::built_in()?;
    let plan = Plan::make(&catalog, Installation::at(&arguments.place)?, &wish, &extras)?;
    if arguments.dry_run { plan.show() } else { plan.carry_out(root, &arguments.source) }
}

/// `cargo xtask enable HOOK`.
pub(crate) fn enable(root: &Path, hook: String, place: &Where, source: &Source) -> anyhow::Result<()> {
    let catalog = Catalog::built_in()?;
    let wish = Wish::Named(vec![hook]);
    let plan = Plan::make(&catalog, Installation::at(place)?, &wish, &Extras::default())?;
    plan.carry_out(root, source)
}

/// What is wanted beside hooks.
#[derive(Debug, Default)]
struct Extras {
    rules: bool,
    status_line: bool,
    may_ask: bool,
}

impl Extras {
    /// Whether the status line is set. A project's own settings cannot name a program of the user's.
    fn status_line(
        &self,
        installation: &Installation,
        settings: &Settings,
        hooks: &[&HookEntry],
    ) -> anyhow::Result<bool> {
        if installation.scope != Scope::Project && hooks.iter().any(|hook| hook.status_line.is_some()) {
            return wants_status_line(settings.present.status_line.as_ref(), self.status_line, self.may_ask);
        }
        if self.status_line {
            note("no hook registered here prints a status line: --statusline has no effect");
        }
        Ok(false)
    }
}

/// What will be there in the end.
struct Plan<'a> {
    catalog: &'a Catalog,
    installation: Installation,
    settings: Settings,
    /// Chosen now.
    chosen: Vec<&'a HookEntry>,
    /// Chosen now or registered before, in the order of the catalog.
    choice: Choice<'a>,
}

impl<'a> Plan<'a> {
    fn make(
        catalog: &'a Catalog,
        installation: Installation,
        wish: &Wish,
        extras: &Extras,
    ) -> anyhow::Result<Self> {
        let settings = Settings::read(&installation, catalog)?;
        let before = settings.hooks(catalog);
        let yaml = installation.file(&installation.requirements)?.read()?;
        let is_off = |hook: &HookEntry| is_switched_off(yaml.as_deref(), hook);
        let chosen = choose(catalog, &before, is_off, wish)?;
        let is_registered = |hook: &&HookEntry| before.contains(hook) || chosen.contains(hook);
        let hooks: Vec<&HookEntry> = catalog.hooks.iter().filter(is_registered).collect();
        let allow_rules = wants_rules(&settings.missing_rules(&hooks), extras.rules, extras.may_ask)?;
        let status_line = extras.status_line(&installation, &settings, &hooks)?;
        let choice = Choice { hooks, allow_rules, status_line };
        let plan = Self { catalog, installation, settings, chosen, choice };
        plan.refuse_early()?;
        Ok(plan)
    }

    /// Whatever could be refused is refused before anything is built or copied.
    fn refuse_early(&self) -> anyhow::Result<()> {
        let Self { installation, chosen, .. } = self;
        if let Some(paid) = chosen.iter().find(|hook| hook.costs_money && installation.scope != Scope::User) {
            bail!(
                "{} spends your money, so only your own file switches it on: cargo xtask enable {}",
                paid.name,
                paid.name
            );
        }
        self.settings.with(installation, self.catalog, &self.choice)?;
        self.requirements()?;
        Ok(())
    }

    /// The configuration of this scope, before and after.
    fn requirements(&self) -> anyhow::Result<(Option<String>, Option<String>)> {
        let file = self.installation.file(&self.installation.requirements)?;
        let before = file.read()?;
        let after = switched_on(before.as_deref(), &self.chosen).map_err(|refused| file.refused(refused))?;
        Ok((before, after))
    }

    fn show(&self) -> anyhow::Result<()> {
        let Self { installation, settings, .. } = self;
        let all = names(self.catalog);
        say(format_args!(
            "would build {} and copy to {}",
            list(&all),
            installation.show(&installation.hooks)
        ));
        let commands: Vec<&String> = self.catalog.hooks.iter().flat_map(|hook| &hook.commands).collect();
        say(format_args!("would link {} into {}", list(&commands), installation.show(&installation.bin)));
        let after = settings.with(installation, self.catalog, &self.choice)?;
        let settings_name = installation.show(&installation.settings);
        let (before_yaml, after_yaml) = self.requirements()?;
        let diffs = [
            diff(&settings_name, settings.text.as_deref().unwrap_or_default(), &after.unwrap_or_default()),
            diff(
                &installation.show(&installation.requirements),
                &before_yaml.unwrap_or_default(),
                &after_yaml.unwrap_or_default(),
            ),
        ];
        diffs.iter().filter(|diff| !diff.is_empty()).for_each(say);
        if diffs.iter().all(String::is_empty) {
            say(format_args!("{settings_name} would stay as it is"));
        }
        self.name_the_rest();
        Ok(())
    }

    fn carry_out(&self, root: &Path, source: &Source) -> anyhow::Result<()> {
        deploy_all(root, &self.installation, self.catalog, source)?;
        self.installation.alone(|| {
            self.register()?;
            self.switch_on()
        })?;
        let all_proved = self.report()?;
        self.name_the_rest();
        self.warn_of_a_shared_local_file();
        let obstacles = Settings::read(&self.installation, self.catalog)?.obstacles();
        obstacles.iter().for_each(note);
        if all_proved && obstacles.is_empty() {
            return Ok(());
        }
        bail!("not every registered hook does what it promises; see above")
    }

    fn register(&self) -> anyhow::Result<()> {
        let Self { installation, catalog, .. } = self;
        // As they are now: other commands may have come first while this one was building or asking.
        let settings = Settings::read(installation, catalog)?;
        let there = settings.hooks(catalog);
        let is_wanted = |hook: &&HookEntry| there.contains(hook) || self.chosen.contains(hook);
        let choice = Choice { hooks: catalog.hooks.iter().filter(is_wanted).collect(), ..self.choice };
        let backup = settings.register(&Host::real(), installation, catalog, &choice)?;
        if let Some(backup) = backup {
            let names: Vec<&str> = choice.hooks.iter().map(|hook| hook.name.as_str()).collect();
            note(format_args!(
                "registered {} in {}",
                list(&names),
                installation.show(&installation.settings)
            ));
            if settings.text.is_some() {
                note(format_args!("  before: {}", installation.show(&backup)));
            }
        }
        Ok(())
    }

    fn switch_on(&self) -> anyhow::Result<()> {
        let file = self.installation.file(&self.installation.requirements)?;
        let edit =
            |text: Option<&str>| switched_on(text, &self.chosen).map_err(|refused| file.refused(refused));
        if file.change::<FileError>(edit)? {
            let names: Vec<&str> = self.chosen.iter().map(|hook| hook.name.as_str()).collect();
            let file = self.installation.show(&self.installation.requirements);
            note(format_args!("{} switched on in {file}", list(&names)));
        }
        Ok(())
    }

    /// The table at the end. Returns whether each registered hook was proved.
    fn report(&self) -> anyhow::Result<bool> {
        let installation = &self.installation;
        let entries = Settings::read(installation, self.catalog)?.present.hooks;
        let mut all_proved = true;
        let mut rows = Vec::new();
        let mut remarks = Vec::new();
        for hook in &self.choice.hooks {
            let events: Vec<&str> = hook.events.iter().map(|entry| entry.event.as_str()).collect();
            let proof = prove(installation, hook, &entries);
            all_proved &= proof.is_ok();
            rows.push(vec![
                hook.name.clone(),
                events.join(", "),
                proof.unwrap_or_else(|error| format!("NO: {error:#}")),
                hook.first_words.clone(),
                links::typed(installation, hook, &hook.silence)?,
                format!("cargo xtask disable {}{}", hook.name, installation.flags()),
            ]);
            remarks.extend(remarks_on(installation, hook)?);
        }
        if !rows.is_empty() {
            say(blocks(&["hook", "registered", "proved", "first words", "silence", "off for good"], &rows));
        }
        remarks.dedup();
        remarks.iter().for_each(say);
        Ok(all_proved)
    }

    /// What is there and was not chosen.
    fn name_the_rest(&self) {
        let hooks = &self.choice.hooks;
        let rest: Vec<&HookEntry> = self.catalog.hooks.iter().filter(|hook| !hooks.contains(hook)).collect();
        if rest.is_empty() {
            return;
        }
        if hooks.is_empty() {
            say("No hook is registered. To register one:");
        } else {
            say("Not registered:");
        }
        for hook in rest {
            let flags = self.installation.flags();
            say(format_args!("  cargo xtask enable {}{flags}   {}", hook.name, hook.summary));
        }
    }

    /// The local file names paths of this user's; in git it would break everybody else's sessions.
    fn warn_of_a_shared_local_file(&self) {
        let Installation { scope: Scope::Local, project: Some(project), settings, .. } = &self.installation
        else {
            return;
        };
        let mut git = Command::new("git");
        git.args(["check-ignore", "--quiet"]).arg(settings).current_dir(project);
        let status = git.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        // 1: not ignored; anything else: no repository, or no git.
        if status.is_ok_and(|status| status.code() == Some(1)) {
            let name = self.installation.show(settings);
            note(format_args!("{name} names paths of yours and is not ignored by git: add it to .gitignore"));
        }
    }
}

/// What the user should know of a hook that is registered.
pub(crate) fn remarks_on(installation: &Installation, hook: &HookEntry) -> anyhow::Result<Vec<String>> {
    let Some(enabled) = Enabled::ask(installation, &hook.name)? else { return Ok(Vec::new()) };
    let mut remarks = Vec::new();
    if !enabled.acts {
        let (name, set_by) = (&hook.name, &enabled.set_by);
        let way_on = enabled.way_on(name, installation);
        remarks.push(format!("{name} is registered, but switched off by {set_by}; {way_on}"));
    }
    remarks.extend(enabled.problems);
    Ok(remarks)
}

/// What deploying did.
pub(crate) struct Deployed {
    /// Everything that was built.
    pub(crate) binaries: Binaries,
    /// Something was copied or linked.
    pub(crate) changed: bool,
}

/// Builds every hook, copies what differs and links the commands.
pub(crate) fn deploy_all(
    root: &Path,
    installation: &Installation,
    catalog: &Catalog,
    source: &Source,
) -> anyhow::Result<Deployed> {
    let all = names(catalog);
    let hooks: Vec<&str> = all.iter().map(String::as_str).collect();
    let binaries = match &source.prebuilt {
        Some(folder) => artifacts::prebuilt(folder, &catalog.hooks)?,
        None => built(root, &hooks)?,
    };
    let copied = deploy::copy(installation, &binaries)?;
    if !copied.is_empty() {
        note(format_args!("copied {} to {}", list(&copied), installation.show(&installation.hooks)));
    }
    let linked = link_all(installation, catalog)?;
    Ok(Deployed { binaries, changed: !copied.is_empty() || linked })
}

fn built(root: &Path, hooks: &[&str]) -> anyhow::Result<Binaries> {
    for name in hooks {
        let folder = root.join("hooks").join(name);
        ensure!(folder.is_dir(), "config/hooks.yaml names {name}, but there is no {}", folder.display());
    }
    artifacts::for_installation(root, hooks)
}

fn link_all(installation: &Installation, catalog: &Catalog) -> anyhow::Result<bool> {
    let mut made = Vec::new();
    for hook in &catalog.hooks {
        for command in &hook.commands {
            match links::link(installation, hook, command)? {
                Linked::Made => made.push(command),
                Linked::Kept => {}
                Linked::Foreign(path) => {
                    let deployed = installation.deployed(&hook.name);
                    note(format_args!(
                        "{} is not ours and stays; the command is {}",
                        installation.show(&path),
                        installation.show(&deployed)
                    ));
                }
            }
        }
    }
    if !made.is_empty() {
        note(format_args!("linked {} into {}", list(&made), installation.show(&installation.bin)));
    }
    if !links::is_in_path(installation) {
        note(format_args!(
            "{} is not in your PATH: add it, or type the whole path of a command",
            installation.show(&installation.bin)
        ));
    }
    Ok(!made.is_empty())
}
