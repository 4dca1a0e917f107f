//! `uninstall`: our registrations, links and programs go. The user's settings, state and backups stay, unless `--purge` removes them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use client_settings::UserFile;
use shared::catalog::Catalog;
use shared::config::{SCHEMA_FILE, SCHEMA_TITLE, read_text};
use shared::host::Host;

use crate::ask::{agreed, can_ask};
use crate::manifest::Manifest;
use crate::places::{Installation, Scope, Where};
use crate::programs::all_names;
use crate::rail::only_the_operator;
use crate::say::{list, note, say};
use crate::settings::{Change, Settings};
use crate::voice::Voice;
use crate::{links, programs};

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

/// Removes what installing put there: from a project its registrations, from the user everything.
pub(crate) fn run(host: &Host, arguments: &Arguments, voice: Voice) -> anyhow::Result<()> {
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
            return Ok(self.would_leave(installation).into_iter().collect());
        }
        let places = installation.and_registered_elsewhere()?;
        let own = places.iter().filter(|place| place.scope != Scope::Project);
        let mut lines: Vec<String> = own.filter_map(|place| self.would_leave(place)).collect();
        let linked: Vec<String> =
            self.commands()?.into_iter().filter(|it| links::leads_to_us(installation, it)).collect();
        let files: Vec<String> = Manifest::read(installation)?.files.into_keys().collect();
        for (names, folder) in [(linked, &installation.bin), (files, &installation.hooks)] {
            if !names.is_empty() {
                lines.push(format!("would remove {} from {}", list(&names), installation.show(folder)));
            }
        }
        Ok(lines)
    }

    /// The parts that would go from one settings file.
    fn would_leave(&self, place: &Installation) -> Option<String> {
        let settings = match Settings::read(place, self.catalog) {
            Ok(settings) => settings,
            Err(error) => return Some(format!("cannot tell what would go from it: {error:#}")),
        };
        let parts = settings.parts();
        let from = settings.chained().map_or_else(String::new, |chained| {
            let (key, file) = (chained.key.join("."), place.show(&place.requirements));
            format!(", and {key} from {file}; the status line that was there before comes back")
        });
        let is_something = !parts.is_empty() || !from.is_empty();
        is_something
            .then(|| format!("would remove {} from {}{from}", list(&parts), place.show(&place.settings)))
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
        let (mut something, failed) = self.leave_settings()?;
        something |= self.unlink()?;
        something |= self.remove_programs()?;
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
        failed.map_or(Ok(()), |error| Err(error.context("not everything was taken away")))
    }

    /// Returns whether anything was registered, and why a settings file could not be freed: that does not stop the rest.
    fn leave_settings(&self) -> anyhow::Result<(bool, Option<anyhow::Error>)> {
        let (mut something, mut failed) = (false, None);
        for place in self.installation.and_registered_elsewhere()? {
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
        Ok((something, failed))
    }

    fn unregister(&self, place: &Installation) -> anyhow::Result<bool> {
        let settings = Settings::read(place, self.catalog)?;
        let is_changed = settings.put(self.host, &Change::default())?.is_some();
        if is_changed {
            let mut parts = settings.parts();
            if parts.is_empty() {
                parts.push("our permission rules".to_owned());
            }
            say(format_args!("removed {} from {}", list(&parts), place.show(&place.settings)));
        }
        Ok(is_changed)
    }

    fn unlink(&self) -> anyhow::Result<bool> {
        let mut unlinked = Vec::new();
        for command in self.commands()? {
            if links::unlink(self.installation, &command)? {
                unlinked.push(command);
            }
        }
        let bin = self.installation.show(&self.installation.bin);
        if !unlinked.is_empty() {
            say(format_args!("removed {} from {bin}", list(&unlinked)));
        }
        if self.purge && fs::read_dir(&self.installation.bin).is_ok_and(|mut all| all.next().is_none()) {
            say(format_args!("{bin} is empty now and stays, as it may have been there before"));
        }
        Ok(!unlinked.is_empty())
    }

    fn remove_programs(&self) -> anyhow::Result<bool> {
        let all: Vec<String> = Manifest::read(self.installation)?.files.into_keys().collect();
        let removed = programs::remove(self.installation, self.catalog, &all)?;
        if !removed.is_empty() {
            let folder = self.installation.show(&self.installation.hooks);
            say(format_args!("removed {} from {folder}", list(&removed)));
        }
        Ok(!removed.is_empty())
    }

    /// Every name that may lead to us.
    fn commands(&self) -> anyhow::Result<BTreeSet<String>> {
        let files = Manifest::read(self.installation)?.files.into_keys();
        Ok(files.chain(all_names(self.catalog)).collect())
    }
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
    Manifest::change(installation, |manifest| manifest.settings.clear())?;
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
