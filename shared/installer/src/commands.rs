//! The command line of the installer: `req hooks` for users without the source tree, and the same verbs of `cargo xtask`, which
//! builds the programs first and names their folder. The small commands are here. Results go to stdout, progress to stderr.

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::Subcommand;
use shared::host::Host;
use shared::state::Store;
use shared::switches::{Position, Switches};

use crate::catalog::HookEntry;
use crate::doctor::{self, managed_settings};
use crate::manifest::Manifest;
use crate::places::{Installation, Removing, Scope};
use crate::programs::{self, orphans};
use crate::registration::{find, starts_ours};
use crate::requirements::{self, Lines, switched_off};
use crate::say::{Voice, list, not_for_claude, note, only_the_operator, say};
use crate::settings::{Choice, Settings};
use crate::source::Source;
use crate::uninstall::{self, prune};
use crate::{install, status};

#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Copy the hooks to ~/.claude/hooks, register the chosen ones, and prove that they work
    #[command(after_help = "Example: req hooks install --hooks rate-awareness,requirements-check --dry-run")]
    Install(install::Install),
    /// Remove what install put there; your settings and the hooks' data stay
    #[command(after_help = "Example: req hooks uninstall")]
    Uninstall(uninstall::Arguments),
    /// Register a hook and switch it on
    #[command(after_help = "Example: req hooks enable stop-momentum")]
    Enable(install::Enable),
    /// Switch a hook off and remove its registration
    #[command(after_help = "Example: req hooks disable stop-momentum --scope local --project ~/code/shop")]
    Disable(Disable),
    /// Show what is installed, registered and switched on, and where these differ
    #[command(after_help = "Example: req hooks status --json")]
    Status(status::Arguments),
    /// Undo the last change of ours in settings.json; again: bring that change back
    #[command(after_help = "Example: req hooks undo")]
    Undo(Removing),
    /// Set Claude Code's status line; one that is there is printed below it
    #[command(after_help = "Example: req hooks statusline")]
    Statusline {
        /// As with the other commands; this one asks nothing
        #[arg(long)]
        yes: bool,
    },
}

impl Command {
    /// The project whose local files the command may write.
    pub fn local_project(&self, host: &Host) -> Option<PathBuf> {
        let place = match self {
            Self::Install(wanted) => &wanted.how.place,
            Self::Enable(wanted) => &wanted.how.place,
            Self::Disable(wanted) => &wanted.removing.place,
            _ => return None,
        };
        (place.scope == Scope::Local).then(|| Installation::at(host, place, Voice::Req).ok()?.project)?
    }
}

pub fn run(command: &Command, host: &Host, voice: Voice) -> anyhow::Result<()> {
    match command {
        Command::Install(wanted) => install::run(host, wanted, voice),
        Command::Uninstall(wanted) => uninstall::run(host, wanted, voice),
        Command::Enable(wanted) => install::enable(host, wanted, voice),
        Command::Disable(wanted) => disable(host, wanted, voice),
        Command::Status(wanted) => status::run(host, wanted, voice),
        Command::Undo(wanted) => undo(host, wanted, voice),
        Command::Statusline { .. } => statusline(host, voice),
    }
}

#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Disable {
    /// The hook's name
    pub(crate) hook: String,
    #[command(flatten)]
    pub(crate) removing: Removing,
}

pub(crate) fn disable(host: &Host, wanted: &Disable, voice: Voice) -> anyhow::Result<()> {
    let Disable { hook: name, removing: Removing { place, yes } } = wanted;
    let installation = Installation::at(host, place, voice)?;
    let hook = find(installation.catalog, name)?;
    only_the_operator(host, &installation.line(format_args!("disable {name}")), *yes)?;
    installation.alone(|| {
        // First what works at once in running sessions. If that fails, the registration goes all the same.
        let off = requirements::change(&installation, |text| switched_off(text, hook));
        if matches!(off, Ok(true)) {
            say(format_args!("switched {name} off in {}", installation.show(&installation.requirements)));
        }
        let settings = Settings::read(&installation)?;
        let mut hooks = settings.hooks();
        hooks.retain(|other| *other != hook);
        let others = settings.to(&Choice { hooks, ..Choice::default() })?;
        if settings.put(host, &others)?.is_some() {
            let file = installation.show(&installation.settings);
            say(format_args!("{name} is no longer registered in {file}"));
        } else if matches!(off, Ok(false)) {
            say(format_args!("{name} is off and not registered; nothing was changed"));
        }
        switch_left_on(&installation, hook).iter().for_each(say);
        off.map(drop)
    })
}

/// A sentence about a switch that stays on: another registration may start the hook still.
fn switch_left_on(installation: &Installation, hook: &HookEntry) -> Option<String> {
    let name = &hook.name;
    let is_on = Switches::read(&Store::at(&installation.state)).position(name, None) == Position::On;
    // A switch never turns on what costs money and is off in the files.
    (is_on && !hook.costs_money).then(|| {
        format!(
            "the switch of {name} is on and wins over the file; to leave it to the file, type: {name} auto"
        )
    })
}

/// Makes the status line of our hook Claude Code's, whether that hook is registered or not. The previous line is printed below it,
/// and comes back with `undo` or `uninstall`.
pub(crate) fn statusline(host: &Host, voice: Voice) -> anyhow::Result<()> {
    let installation = Installation::of_this_user(host, voice)?;
    let printer = installation.catalog.hooks.iter().find(|hook| hook.status_line.is_some());
    let hook = printer.context("no hook prints a status line: there is nothing to set")?;
    let name = &hook.name;
    not_for_claude(host, &installation.line("statusline"))?;
    ensure!(
        Manifest::read(&installation)?.vouches_for(&installation, name),
        "{name} is not installed, or was changed since: {}",
        voice.install_again()
    );
    installation.alone(|| {
        let settings = Settings::read(&installation)?;
        let there = settings.foreign_line().and_then(|there| there.command.as_deref());
        if there.is_some_and(|line| starts_ours(line, &[hook])) {
            say(format_args!("your status line starts that of {name} already; nothing was changed"));
            return Ok(());
        }
        let Some(backup) = settings.put(host, &settings.with_status_line(hook)?)? else {
            say(format_args!("{name} prints the status line already; nothing was changed"));
            return Ok(());
        };
        say(format_args!(
            "{name} prints the status line now, by {}",
            installation.show(&installation.settings)
        ));
        if settings.text.is_some() {
            note(format_args!("  backup: {}", installation.show(&backup)));
        }
        Ok(())
    })
}

/// Puts our parts of the settings back as they were before the last change; the user's later changes stay. The present text becomes a
/// backup in turn, so a second undo brings it back.
pub(crate) fn undo(host: &Host, wanted: &Removing, voice: Voice) -> anyhow::Result<()> {
    let installation = Installation::at(host, &wanted.place, voice)?;
    only_the_operator(host, &installation.line("undo"), wanted.yes)?;
    let name = installation.show(&installation.settings);
    let diffs = installation.alone(|| {
        let settings = Settings::read(&installation)?;
        let backup = settings
            .newest_backup()
            .with_context(|| format!("there is no backup of {name}: nothing to undo"))?;
        ensure!(
            installation.hooks.is_dir() || !settings.hooks().is_empty(),
            "the programs are gone, so the registrations that undo brings back would start nothing; \
             install them again: {}",
            installation.line("install")
        );
        let change = settings.as_in(backup)?;
        let diffs = settings.diffs(&change, &Lines::default())?;
        settings.put(host, &change)?;
        Ok(diffs)
    })?;
    diffs.iter().for_each(say);
    if diffs.is_empty() {
        say(format_args!("{name} is as it was; nothing was changed"));
    } else {
        say(format_args!(
            "{name}: our parts are as they were before our last change; to take this back, type: {}",
            installation.line("undo")
        ));
    }
    doctor::of(host, &installation, &managed_settings())?.wrong().for_each(say);
    Ok(())
}

/// Copies what differs and links the commands. Settings stay as they are, but for entries of programs that `prunes` removes.
pub fn sync(host: &Host, prunes: bool, from: Option<std::path::PathBuf>, voice: Voice) -> anyhow::Result<()> {
    let installation = Installation::of_this_user(host, voice)?;
    let changed = programs::install(&installation, &Source::of(from, voice)?, None)?;
    let orphans = orphans(&Manifest::read(&installation)?, installation.catalog);
    if prunes {
        prune(host, &installation)?;
    } else if !orphans.is_empty() {
        let folder = installation.show(&installation.hooks);
        let (all, line) = (list(&orphans), voice.prune());
        say(format_args!("no hook of this version owns {all} in {folder}; `{line}` removes it"));
    }
    if orphans.is_empty() && !changed {
        say("everything is up to date");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::{CommandFactory as _, Parser};
    use shared::hook::Effect as _;
    use shared::host::{Environment, Host, Places};
    use shared::state::ensure_private;
    use shared::switches::{Position, Turn};

    use super::{Command, find, run, switch_left_on};
    use crate::places::{Installation, Scope};
    use crate::say::Voice;

    #[derive(Parser)]
    #[command(name = "req hooks")]
    struct Line {
        #[command(subcommand)]
        command: Command,
    }

    #[test]
    fn each_command_has_an_example_that_can_be_typed() {
        let line = Line::command();
        line.clone().debug_assert();
        for command in line.get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let example = help.strip_prefix("Example: req hooks ").unwrap_or_default();
            assert!(example.starts_with(command.get_name()), "{}: {help}", command.get_name());
            let words = ["req hooks"].into_iter().chain(example.split(' '));
            assert!(Line::try_parse_from(words).is_ok(), "{help}");
        }
    }

    #[test]
    fn switch_that_stays_on_is_named() {
        let scratch = tempfile::tempdir().unwrap();
        let installation = Installation::scratch(scratch.path(), Scope::User);
        ensure_private(&installation.state).unwrap();
        let places = Places { state_dir: Some(installation.state.clone()), ..Places::default() };
        let (free, paid) = ("stop-momentum", "tempo-stop");
        for (name, position, is_named) in [
            (free, Position::Auto, false),
            (free, Position::Off, false),
            (free, Position::On, true),
            (paid, Position::On, false),
        ] {
            Turn::everywhere(name, position).carry_out(&places, Host::real().now()).unwrap();
            let said = switch_left_on(&installation, find(installation.catalog, name).unwrap());
            let is_line = said.is_some_and(|said| said.ends_with(&format!("type: {name} auto")));
            assert_eq!(is_line, is_named, "{position:?}");
        }
    }

    /// The error for a user with this home. No person at a terminal answers, wherever the tests run.
    fn error(home: &Path, words: &[&str]) -> String {
        let line = Line::try_parse_from(["req hooks"].iter().chain(words)).expect("a command line");
        let environment =
            Environment { home: Some(home.to_owned()), inside_claude: true, ..Environment::default() };
        run(&line.command, &Host { environment, ..Host::real() }, Voice::Req).unwrap_err().to_string()
    }

    #[test]
    fn denials_name_lines_of_req() {
        let scratch = tempfile::tempdir().unwrap();
        for words in [&["undo"][..], &["uninstall", "--purge"], &["disable", "rate-awareness"]] {
            let error = error(scratch.path(), words);
            assert!(error.ends_with(&format!("type: req hooks {}", words.join(" "))), "{error}");
        }
    }
}
