//! `uninstall`: our registrations, links and binaries go. The user's settings, state and backups stay, unless `--purge` removes them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use client_settings::UserFile;
use shared::catalog::Catalog;
use shared::config::{SCHEMA_FILE, SCHEMA_TITLE, read_text};
use shared::host::Host;

use crate::ask::{agreed, can_ask};
use crate::client_settings::Settings;
use crate::manifest::Manifest;
use crate::places::{Installation, Scope, Where};
use crate::rail::only_the_operator;
use crate::registration::names;
use crate::say::{list, note, say};
use crate::voice::Voice;
use crate::{deploy, links};

/// Data that we cannot find without knowing the user's projects.
const STAYS_IN_PROJECTS: &str = "marks and waivers stay in each repository, in .git/requirements, and what pause-recorder kept \
                                 in each project, in .claude/sessions; to be rid of them, remove those folders";

/// A longer schema is none of ours, in bytes.
const MAX_SCHEMA_BYTES: u64 = 1024 * 1024;

/// The command line.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Where,
    /// Remove your settings of the hooks, their state and the backups too
    #[arg(long)]
    purge: bool,
    /// Show what would go, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Where there is no terminal: yes, I mean it
    #[arg(long)]
    yes: bool,
}

/// Takes away what installing put there: from a project its registrations, from the user everything.
pub fn run(host: &Host, arguments: &Arguments, voice: Voice) -> anyhow::Result<()> {
    let installation = Installation::at(host, &arguments.place, voice)?;
    let purge = arguments.purge;
    let is_users = installation.scope == Scope::User;
    ensure!(!purge || is_users, "--purge is for your own installation: leave --scope away");
    let line = installation.line("uninstall") + if purge { " --purge" } else { "" };
    let catalog = Catalog::built_in()?;
    let removal = Removal { host, installation: &installation, catalog: &catalog, purge };
    if arguments.dry_run {
        return removal.show().map(drop);
    }
    only_the_operator(host, &line, arguments.yes)?;
    if !arguments.yes {
        removal.confirm()?;
    }
    installation.alone(|| if is_users { removal.carry_out() } else { removal.leave_project() })
}

struct Removal<'a> {
    host: &'a Host,
    installation: &'a Installation,
    catalog: &'a Catalog,
    purge: bool,
}

impl Removal<'_> {
    /// Reports what would go and what would stay. Returns whether anything would go.
    fn show(&self) -> anyhow::Result<bool> {
        let installation = self.installation;
        let is_users = installation.scope == Scope::User;
        let mut lines = self.changes()?;
        let something = !lines.is_empty();
        let data = if is_users { shown_data(installation)? } else { Vec::new() };
        match (data.is_empty(), self.purge) {
            (true, _) => {}
            (false, true) => {
                lines.push(format!("would remove for good: {}", list(&data)));
                lines.push(STAYS_IN_PROJECTS.to_owned());
            }
            (false, false) => lines.push(format!("would stay: {} (--purge removes that too)", list(&data))),
        }
        if lines.is_empty() {
            lines.push("nothing is installed".to_owned());
        }
        lines.extend(stays_elsewhere(installation).filter(|_| is_users));
        lines.iter().for_each(say);
        Ok(something || (self.purge && !data.is_empty()))
    }

    /// One sentence for each file or folder that would be changed.
    fn changes(&self) -> anyhow::Result<Vec<String>> {
        let installation = self.installation;
        if installation.scope != Scope::User {
            return Ok(self.entries_in(installation).into_iter().collect());
        }
        let places = installation.and_registered_elsewhere()?;
        let own = places.iter().filter(|place| place.scope != Scope::Project);
        let mut lines: Vec<String> = own.filter_map(|place| self.entries_in(place)).collect();
        let mut removed = |names: Vec<&str>, folder| {
            if !names.is_empty() {
                lines.push(format!("would remove {} from {}", list(&names), installation.show(folder)));
            }
        };
        let manifest = Manifest::read(installation)?;
        let commands = self.commands(&manifest);
        let linked = commands.iter().filter(|command| links::leads_to_us(installation, command));
        removed(linked.map(String::as_str).collect(), &installation.bin);
        removed(manifest.files.keys().map(String::as_str).collect(), &installation.hooks);
        Ok(lines)
    }

    /// What would go from one settings file.
    fn entries_in(&self, place: &Installation) -> Option<String> {
        let settings = match Settings::read(place, self.catalog) {
            Ok(settings) => settings,
            Err(error) => return Some(format!("cannot tell what would go from it: {error:#}")),
        };
        let hooks: BTreeSet<&str> =
            settings.present.ours().filter_map(|entry| entry.name.as_deref()).collect();
        let mut names: Vec<&str> = hooks.into_iter().collect();
        if settings.present.status_line.as_ref().is_some_and(|line| line.is_ours) {
            names.push("the status line");
        }
        let from = settings.chained().map_or_else(String::new, |chained| {
            let (key, file) = (chained.key.join("."), place.show(&place.requirements));
            format!(", and {key} from {file}; the status line that was there before comes back")
        });
        let is_something = !names.is_empty() || !from.is_empty();
        is_something
            .then(|| format!("would remove {} from {}{from}", list(&names), place.show(&place.settings)))
    }

    /// Shows on a terminal what goes, and goes on only with a yes. Data goes only after a typed yes.
    fn confirm(&self) -> anyhow::Result<()> {
        if !self.purge && !can_ask() {
            return Ok(());
        }
        match (self.show()?, self.purge) {
            (false, _) => Ok(()),
            (true, true) => agreed("Remove it for good?", false),
            (true, false) => agreed("Remove it?", true),
        }
    }

    fn leave_project(&self) -> anyhow::Result<()> {
        if !self.unregister(self.installation)? {
            let file = self.installation.show(&self.installation.settings);
            say(format_args!("nothing is registered in {file}"));
        }
        Ok(())
    }

    fn carry_out(&self) -> anyhow::Result<()> {
        let installation = self.installation;
        let (something, failed) = self.take_away()?;
        let purged = if self.purge { purge_data(installation)? } else { Vec::new() };
        if !purged.is_empty() {
            say(format_args!("removed for good: {}", list(&purged)));
            say(STAYS_IN_PROJECTS);
        }
        if !something && purged.is_empty() {
            say("nothing is installed");
        }
        let kept = shown_data(installation)?;
        if !kept.is_empty() {
            say(format_args!("kept: {}; {}", list(&kept), installation.voice.purge()));
        }
        stays_elsewhere(installation).iter().for_each(say);
        if self.purge && is_empty(&installation.bin) {
            let bin = installation.show(&installation.bin);
            say(format_args!("{bin} is empty now and stays, as it may have been there before"));
        }
        failed.map_or(Ok(()), |error| Err(error.context("not everything was taken away")))
    }

    /// Removes registrations, links and binaries. Returns whether there were any, and why a settings file could not be freed: that
    /// does not stop the rest.
    fn take_away(&self) -> anyhow::Result<(bool, Option<anyhow::Error>)> {
        let installation = self.installation;
        let commands = self.commands(&Manifest::read(installation)?);
        let (mut something, mut failed) = (false, None);
        for place in installation.and_registered_elsewhere()? {
            if place.scope == Scope::Project {
                note(format_args!(
                    "{} is the team's and stays; its entries do nothing where Barbless is not installed. To remove them: {}",
                    place.show(&place.settings),
                    place.line("uninstall")
                ));
                continue;
            }
            match self.unregister(&place) {
                Ok(there) => something |= there,
                Err(error) => failed = Some(error),
            }
        }
        something |= unlink(installation, commands)?;
        something |= remove(installation)?;
        Ok((something, failed))
    }

    fn unregister(&self, place: &Installation) -> anyhow::Result<bool> {
        let backup = Settings::read(place, self.catalog)?.unregister(self.host)?;
        if backup.is_some() {
            say(format_args!("no longer registered in {}", place.show(&place.settings)));
        }
        Ok(backup.is_some())
    }

    /// Every name that may lead to us.
    fn commands(&self, manifest: &Manifest) -> BTreeSet<String> {
        let commands = self.catalog.hooks.iter().flat_map(|hook| hook.commands.clone());
        commands.chain(manifest.files.keys().cloned()).chain(names(self.catalog)).collect()
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// The data of the hooks and the installer: the configuration with its schema and what `req init` kept of older ones, the state, and
/// the backups of projects' files. Those of settings.json come last, apart.
fn data(installation: &Installation) -> anyhow::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let configuration = &installation.requirements;
    let schema = Some(configuration.with_file_name(SCHEMA_FILE)).filter(|path| is_our_schema(path));
    let kept = [configuration.clone()].into_iter().chain(before(configuration));
    let kept = kept.chain([installation.own_state(), installation.backups()]).chain(schema);
    let named = kept.filter(|path| path.symlink_metadata().is_ok()).collect();
    let backups = UserFile::at(&installation.settings)?.backups().into_iter().map(|backup| backup.path);
    Ok((named, backups.collect()))
}

/// What `req init --force` kept of a file it replaced: `.before`, and `.before-` with the time.
fn before(file: &Path) -> BTreeSet<PathBuf> {
    let start = file.file_name().map(|name| format!("{}.before", name.display())).unwrap_or_default();
    let is_kept = |path: &PathBuf| {
        let rest = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_prefix(&start));
        rest.is_some_and(|rest| rest.chars().all(|letter| letter == '-' || letter.is_ascii_digit()))
    };
    let folder = file.parent().and_then(|folder| fs::read_dir(folder).ok());
    folder.into_iter().flatten().flatten().map(|entry| entry.path()).filter(is_kept).collect()
}

/// A folder that the environment names could be anything: only the user removes it.
fn stays_elsewhere(installation: &Installation) -> Option<String> {
    let state = &installation.state;
    let is_there = *state != installation.own_state() && state.symlink_metadata().is_ok();
    let shown = installation.show(state);
    is_there.then(|| format!("{shown} was named by CLAUDE_HOOK_STATE_DIR and stays; remove it yourself"))
}

/// The schema for the user's editor. One with another title is somebody else's.
fn is_our_schema(path: &Path) -> bool {
    read_text(path, None, MAX_SCHEMA_BYTES).is_ok_and(|text| text.contains(SCHEMA_TITLE))
}

fn shown_data(installation: &Installation) -> anyhow::Result<Vec<String>> {
    let (named, backups) = data(installation)?;
    let mut shown: Vec<String> = named.iter().map(|path| installation.show(path)).collect();
    if !backups.is_empty() {
        shown.push("the backups beside settings.json".to_owned());
    }
    Ok(shown)
}

fn purge_data(installation: &Installation) -> anyhow::Result<Vec<String>> {
    Manifest::change(installation, |manifest| {
        manifest.settings.clear();
        Ok(())
    })?;
    let _ = fs::remove_dir(&installation.hooks);
    let (named, backups) = data(installation)?;
    let mut removed = Vec::new();
    for path in named.into_iter().chain(backups) {
        // Of a link only the link goes.
        let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        let gone = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        gone.with_context(|| format!("removing {}", path.display()))?;
        removed.push(installation.show(&path));
    }
    Ok(removed)
}

fn unlink(installation: &Installation, commands: BTreeSet<String>) -> anyhow::Result<bool> {
    let mut unlinked = Vec::new();
    for command in commands {
        if links::unlink(installation, &command)? {
            unlinked.push(command);
        }
    }
    if !unlinked.is_empty() {
        say(format_args!("removed {} from {}", list(&unlinked), installation.show(&installation.bin)));
    }
    Ok(!unlinked.is_empty())
}

fn remove(installation: &Installation) -> anyhow::Result<bool> {
    let all: Vec<String> = Manifest::read(installation)?.files.into_keys().collect();
    let removed = deploy::remove(installation, &all)?;
    for binary in all.iter().filter(|binary| !removed.contains(binary)) {
        let path = installation.show(&installation.deployed(binary));
        note(format_args!("{path} was changed since it was installed and stays; remove it yourself"));
    }
    // Only an empty folder goes: the user's own scripts may live here.
    let _ = fs::remove_dir(&installation.hooks);
    if !removed.is_empty() {
        say(format_args!("removed {} from {}", list(&removed), installation.show(&installation.hooks)));
    }
    Ok(!removed.is_empty())
}
