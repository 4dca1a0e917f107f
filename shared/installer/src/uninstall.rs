//! `uninstall`: our registrations, links and binaries go; settings, state and backups of the user stay, unless
//! `--purge` removes them. For the operator.

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
use crate::{deploy, foretell, links};

/// Where nobody looks who does not know the projects.
const STAYS_IN_PROJECTS: &str = "marks and waivers stay in each repository, in .git/requirements, and what pause-recorder kept \
                                 in each project, in .claude/sessions; to be rid of them, remove those folders";

/// A schema longer than this is none of ours, in bytes.
const MAX_SCHEMA_BYTES: u64 = 1024 * 1024;

/// What is asked for on the command line.
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
    let purge = if arguments.purge { " --purge" } else { "" };
    let line = installation.line("uninstall") + purge;
    ensure!(
        !arguments.purge || installation.scope == Scope::User,
        "--purge is for your own installation: leave --scope away"
    );
    let catalog = Catalog::built_in()?;
    if arguments.dry_run {
        return foretell(&installation, &catalog, arguments.purge).map(|_| ());
    }
    only_the_operator(host, &line, arguments.yes)?;
    if !arguments.yes {
        confirm(&installation, &catalog, arguments.purge)?;
    }
    installation.alone(|| carry_out(host, &installation, &catalog, arguments.purge))
}

/// Says what would go and what would stay. Returns whether anything would go.
fn foretell(installation: &Installation, catalog: &Catalog, purge: bool) -> anyhow::Result<bool> {
    let commands = commands(&Manifest::read(installation)?, catalog);
    let mut told = foretell::changes(installation, catalog, &commands)?;
    let something = !told.is_empty();
    let data = if installation.scope == Scope::User { shown_data(installation)? } else { Vec::new() };
    match (data.is_empty(), purge) {
        (true, _) => {}
        (false, true) => {
            told.push(format!("would remove for good: {}", list(&data)));
            told.push(STAYS_IN_PROJECTS.to_owned());
        }
        (false, false) => told.push(format!("would stay: {} (--purge removes that too)", list(&data))),
    }
    if told.is_empty() {
        told.push("nothing is installed".to_owned());
    }
    if installation.scope == Scope::User {
        told.extend(stays_elsewhere(installation));
    }
    told.iter().for_each(say);
    Ok(something || (purge && !data.is_empty()))
}

/// Nothing goes unseen, and what goes for good only after a yes that was typed.
fn confirm(installation: &Installation, catalog: &Catalog, purge: bool) -> anyhow::Result<()> {
    if !purge && !can_ask() {
        return Ok(());
    }
    match (foretell(installation, catalog, purge)?, purge) {
        (false, _) => Ok(()),
        (true, true) => agreed("Remove it for good?", false),
        (true, false) => agreed("Remove it?", true),
    }
}

fn carry_out(host: &Host, installation: &Installation, catalog: &Catalog, purge: bool) -> anyhow::Result<()> {
    if installation.scope != Scope::User {
        if !unregister(host, installation, catalog)? {
            say(format_args!("nothing is registered in {}", installation.show(&installation.settings)));
        }
        return Ok(());
    }
    let (something, failed) = take_away(host, installation, catalog)?;
    let purged = if purge { purge_data(installation)? } else { Vec::new() };
    if !purged.is_empty() {
        say(format_args!("removed for good: {}", list(&purged)));
        say(STAYS_IN_PROJECTS);
    }
    if !something && purged.is_empty() {
        say("nothing is installed");
    }
    name_what_is_kept(installation)?;
    if purge && is_empty(&installation.bin) {
        say(format_args!(
            "{} is empty now and stays, as it may have been there before",
            installation.show(&installation.bin)
        ));
    }
    match failed {
        Some(error) => Err(error.context("not everything was taken away")),
        None => Ok(()),
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Registrations, links and binaries. Returns whether there were any, and what a settings file could not be freed for: the
/// others are none the worse for it.
fn take_away(
    host: &Host,
    installation: &Installation,
    catalog: &Catalog,
) -> anyhow::Result<(bool, Option<anyhow::Error>)> {
    let manifest = Manifest::read(installation)?;
    let commands = commands(&manifest, catalog);
    let (mut something, mut failed) = (false, None);
    for place in installation.and_registered_elsewhere()? {
        if place.scope == Scope::Project {
            note(format_args!(
                "{} is the team's and stays; its entries do nothing where Barbless is not installed. To remove them: {}",
                place.show(&place.settings),
                place.line("uninstall")
            ));
        } else {
            match unregister(host, &place, catalog) {
                Ok(there) => something |= there,
                Err(error) => failed = Some(error),
            }
        }
    }
    something |= !unlink(installation, commands)?.is_empty();
    something |= !remove(installation)?.is_empty();
    Ok((something, failed))
}

fn unregister(host: &Host, place: &Installation, catalog: &Catalog) -> anyhow::Result<bool> {
    let backup = Settings::read(place, catalog)?.unregister(host, place)?;
    if backup.is_some() {
        say(format_args!("no longer registered in {}", place.show(&place.settings)));
    }
    Ok(backup.is_some())
}

/// What the hooks and the installer keep of the user's: the configuration with its schema and what `req init` kept of older
/// ones, the state, the backups of projects' files and those of settings.json.
fn data(installation: &Installation) -> anyhow::Result<Vec<PathBuf>> {
    let backups = UserFile::at(&installation.settings)?.backups().into_iter().map(|backup| backup.path);
    Ok(named(installation).into_iter().chain(backups).collect())
}

/// The same without the backups of settings.json.
fn named(installation: &Installation) -> Vec<PathBuf> {
    let schema =
        Some(installation.requirements.with_file_name(SCHEMA_FILE)).filter(|path| is_our_schema(path));
    let kept = [installation.requirements.clone()].into_iter().chain(before(&installation.requirements));
    let kept = kept.chain([installation.own_state(), installation.backups()]).chain(schema);
    kept.filter(|path| path.symlink_metadata().is_ok()).collect()
}

/// What `req init --force` kept of a file it replaced: `.before`, and `.before-` with the time.
fn before(file: &Path) -> Vec<PathBuf> {
    let start = file.file_name().map(|name| format!("{}.before", name.display())).unwrap_or_default();
    let is_kept = |path: &PathBuf| {
        let rest = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_prefix(&start));
        rest.is_some_and(|rest| rest.chars().all(|letter| letter == '-' || letter.is_ascii_digit()))
    };
    let folder = file.parent().and_then(|folder| fs::read_dir(folder).ok());
    let mut kept: Vec<PathBuf> =
        folder.into_iter().flatten().flatten().map(|entry| entry.path()).filter(is_kept).collect();
    kept.sort();
    kept
}

/// A folder that the environment names could be anything: nobody but the user removes it.
fn stays_elsewhere(installation: &Installation) -> Option<String> {
    let state = &installation.state;
    let is_there = *state != installation.own_state() && state.symlink_metadata().is_ok();
    is_there.then(|| {
        let shown = installation.show(state);
        format!("{shown} was named by CLAUDE_HOOK_STATE_DIR and stays; remove it yourself")
    })
}

/// The copy of the schema for the user's editor. One with another title is somebody else's.
fn is_our_schema(path: &Path) -> bool {
    read_text(path, None, MAX_SCHEMA_BYTES).is_ok_and(|text| text.contains(SCHEMA_TITLE))
}

fn shown_data(installation: &Installation) -> anyhow::Result<Vec<String>> {
    let named = named(installation);
    let mut shown: Vec<String> = named.iter().map(|path| installation.show(path)).collect();
    if data(installation)?.len() > named.len() {
        shown.push("the backups beside settings.json".to_owned());
    }
    Ok(shown)
}

fn purge_data(installation: &Installation) -> anyhow::Result<Vec<String>> {
    let mut removed = Vec::new();
    Manifest::change(installation, |manifest| {
        manifest.settings.clear();
        Ok(())
    })?;
    let _ = fs::remove_dir(&installation.hooks);
    for path in data(installation)? {
        let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        // Of a link only the link goes: what it leads to is kept elsewhere on purpose.
        let gone = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        gone.with_context(|| format!("removing {}", path.display()))?;
        removed.push(installation.show(&path));
    }
    Ok(removed)
}

fn name_what_is_kept(installation: &Installation) -> anyhow::Result<()> {
    let kept = shown_data(installation)?;
    if !kept.is_empty() {
        say(format_args!("kept: {}; {}", list(&kept), installation.voice.purge()));
    }
    if let Some(stays) = stays_elsewhere(installation) {
        say(stays);
    }
    Ok(())
}

/// Every name that may lead to us.
fn commands(manifest: &Manifest, catalog: &Catalog) -> Vec<String> {
    let commands = catalog.hooks.iter().flat_map(|hook| hook.commands.clone());
    let mut commands: Vec<String> =
        commands.chain(manifest.files.keys().cloned()).chain(names(catalog)).collect();
    commands.sort();
    commands.dedup();
    commands
}

fn unlink(installation: &Installation, commands: Vec<String>) -> anyhow::Result<Vec<String>> {
    let mut unlinked = Vec::new();
    for command in commands {
        if links::unlink(installation, &command)? {
            unlinked.push(command);
        }
    }
    if !unlinked.is_empty() {
        say(format_args!("removed {} from {}", list(&unlinked), installation.show(&installation.bin)));
    }
    Ok(unlinked)
}

fn remove(installation: &Installation) -> anyhow::Result<Vec<String>> {
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
    Ok(removed)
}
