//! `cargo xtask install` and `enable`: build, copy, link, register, switch on, prove. Every step may be repeated: what is
//! right already is left alone. Nothing is copied before the user's settings were read and understood.

use std::path::Path;

use anyhow::{bail, ensure};
use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;
use shared::settings::{FileError, UserFile};

use crate::installer::artifacts::Binaries;
use crate::installer::choose::{Wish, choose, registered_switched_off};
use crate::installer::enabled::Enabled;
use crate::installer::links::{self, Linked};
use crate::installer::places::Installation;
use crate::installer::prove::prove;
use crate::installer::registration::{Settings, names, switched_on};
use crate::installer::{artifacts, deploy};
use crate::say::{blocks, diff, list, note, say};

/// Which settings file the hooks are registered in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Scope {
    /// `~/.claude/settings.json`: yours, for every project.
    User,
}

/// What is asked for on the command line.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Register these hooks, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "HOOK", conflicts_with = "all")]
    hooks: Vec<String>,
    /// Register every hook
    #[arg(long)]
    all: bool,
    /// Where the hooks are registered: in your own settings, for every project
    #[arg(long, value_enum, default_value_t = Scope::User, hide_possible_values = true)]
    scope: Scope,
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
    let Scope::User = arguments.scope;
    let catalog = Catalog::built_in()?;
    let plan = Plan::make(&catalog, &wish)?;
    if arguments.dry_run { plan.show() } else { plan.carry_out(root) }
}

/// `cargo xtask enable HOOK`.
pub(crate) fn enable(root: &Path, hook: String) -> anyhow::Result<()> {
    let catalog = Catalog::built_in()?;
    Plan::make(&catalog, &Wish::Named(vec![hook]))?.carry_out(root)
}

/// What will be there in the end.
struct Plan<'a> {
    catalog: &'a Catalog,
    installation: Installation,
    settings: Settings,
    /// Chosen now.
    chosen: Vec<&'a HookEntry>,
    /// Chosen now, registered before, or registered without being switched on; in the order of the catalog.
    registered: Vec<&'a HookEntry>,
}

impl<'a> Plan<'a> {
    fn make(catalog: &'a Catalog, wish: &Wish) -> anyhow::Result<Self> {
        let installation = Installation::of_this_user()?;
        let settings = Settings::read(&installation, names(catalog))?;
        let before = settings.hooks(catalog);
        let chosen = choose(catalog, &before, wish)?;
        let requirements = UserFile::at(&installation.requirements)?.read()?;
        let silent = registered_switched_off(catalog, wish, requirements.as_deref());
        let is_registered =
            |hook: &&HookEntry| before.contains(hook) || chosen.contains(hook) || silent.contains(hook);
        let registered = catalog.hooks.iter().filter(is_registered).collect();
        let plan = Self { catalog, installation, settings, chosen, registered };
        // Whatever could be refused is refused before anything is built or copied.
        plan.settings.with(&plan.installation, &plan.registered)?;
        plan.requirements()?;
        Ok(plan)
    }

    /// The user's global configuration, before and after.
    fn requirements(&self) -> anyhow::Result<(Option<String>, Option<String>)> {
        let file = UserFile::at(&self.installation.requirements)?;
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
        let after = settings.with(installation, &self.registered)?;
        let settings_name = installation.show(&installation.settings);
        let (before_yaml, after_yaml) = self.requirements()?;
        let diffs = [
            diff(&settings_name, settings.text.as_deref().unwrap_or_default(), &after),
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

    fn carry_out(&self, root: &Path) -> anyhow::Result<()> {
        deploy_all(root, &self.installation, self.catalog)?;
        self.register()?;
        self.switch_on()?;
        let all_proved = self.report()?;
        self.name_the_rest();
        for obstacle in Settings::read(&self.installation, names(self.catalog))?.obstacles() {
            note(obstacle);
        }
        if all_proved { Ok(()) } else { bail!("not every registered hook does what it promises; see above") }
    }

    fn register(&self) -> anyhow::Result<()> {
        let Self { installation, settings, .. } = self;
        let backup = settings.register(&Host::real(), installation, &self.registered)?;
        if let Some(backup) = backup {
            let names: Vec<&str> = self.registered.iter().map(|hook| hook.name.as_str()).collect();
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
        let file = UserFile::at(&self.installation.requirements)?;
        let edit =
            |text: Option<&str>| switched_on(text, &self.chosen).map_err(|refused| file.refused(refused));
        if file.change::<FileError>(edit)? {
            note(format_args!("switched on in {}", self.installation.show(&self.installation.requirements)));
        }
        Ok(())
    }

    /// The table at the end. Returns whether each registered hook was proved.
    fn report(&self) -> anyhow::Result<bool> {
        let installation = &self.installation;
        let entries = Settings::read(installation, names(self.catalog))?.registered;
        let mut all_proved = true;
        let mut rows = Vec::new();
        let mut remarks = Vec::new();
        for hook in &self.registered {
            let events: Vec<&str> = hook.events.iter().map(|entry| entry.event.as_str()).collect();
            let proof = prove(installation, hook, &entries);
            all_proved &= proof.is_ok();
            rows.push(vec![
                hook.name.clone(),
                events.join(", "),
                proof.unwrap_or_else(|error| format!("NO: {error:#}")),
                hook.first_words.clone(),
                links::typed(installation, hook, &hook.silence)?,
                format!("cargo xtask disable {}", hook.name),
            ]);
            let Some(enabled) = Enabled::ask(installation, &hook.name)? else { continue };
            if !enabled.acts {
                let (name, set_by) = (&hook.name, &enabled.set_by);
                let way_on = enabled.way_on(name);
                remarks.push(format!("{name} is registered, but switched off by {set_by}; {way_on}"));
            }
            remarks.extend(enabled.problems);
        }
        if !rows.is_empty() {
            say(blocks(&["hook", "registered", "proved", "first words", "silence", "off for good"], &rows));
        }
        remarks.iter().for_each(say);
        Ok(all_proved)
    }

    /// What is there and was not chosen.
    fn name_the_rest(&self) {
        let rest: Vec<&HookEntry> =
            self.catalog.hooks.iter().filter(|hook| !self.registered.contains(hook)).collect();
        if rest.is_empty() {
            return;
        }
        if self.registered.is_empty() {
            say("No hook is registered. To register one:");
        } else {
            say("Not registered:");
        }
        for hook in rest {
            say(format_args!("  cargo xtask enable {}   {}", hook.name, hook.summary));
        }
    }
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
) -> anyhow::Result<Deployed> {
    let all = names(catalog);
    for name in &all {
        let folder = root.join("hooks").join(name);
        ensure!(folder.is_dir(), "config/hooks.yaml names {name}, but there is no {}", folder.display());
    }
    let hooks: Vec<&str> = all.iter().map(String::as_str).collect();
    let binaries = artifacts::for_installation(root, &hooks)?;
    let copied = deploy::copy(installation, &binaries)?;
    if !copied.is_empty() {
        note(format_args!("copied {} to {}", list(&copied), installation.show(&installation.hooks)));
    }
    let linked = link_all(installation, catalog)?;
    Ok(Deployed { binaries, changed: !copied.is_empty() || linked })
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
