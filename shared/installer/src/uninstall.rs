//! `uninstall`: our registrations, links and binaries go; settings, state and backups of the user stay, unless
//! `--purge` removes them. For the operator.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use inquire::Confirm;
use shared::catalog::Catalog;
use shared::host::Host;
use shared::settings::UserFile;

use crate::client_settings::Settings;
use crate::manifest::Manifest;
use crate::places::{Installation, Scope, Where};
use crate::rail::only_the_operator;
use crate::registration::names;
use crate::say::{list, note, say};
use crate::voice::Voice;
use crate::{deploy, links};

/// What is asked for on the command line.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Where,
    /// Remove your settings of the hooks, their state and the backups too
    #[arg(long)]
    purge: bool,
    /// Where there is no terminal: yes, I mean it
    #[arg(long)]
    yes: bool,
}

/// Takes away what installing put there: from a project its registrations, from the user everything.
pub fn run(host: &Host, arguments: &Arguments, voice: Voice) -> anyhow::Result<()> {
    let installation = Installation::at(host, &arguments.place, voice)?;
    let purge = if arguments.purge { " --purge" } else { "" };
    let line = installation.line("uninstall") + purge;
    only_the_operator(host, &line, arguments.yes)?;
    ensure!(
        !arguments.purge || installation.scope == Scope::User,
        "--purge is for your own installation: leave --scope away"
    );
    if arguments.purge && !arguments.yes {
        confirm_purge(&installation)?;
    }
    let catalog = Catalog::built_in()?;
    installation.alone(|| carry_out(host, &installation, &catalog, arguments.purge))
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
    }
    if !something && purged.is_empty() {
        say("nothing is installed");
    }
    name_what_is_kept(installation)?;
    match failed {
        Some(error) => Err(error.context("not everything was taken away")),
        None => Ok(()),
    }
}

/// Registrations, links and binaries. Returns whether there were any, and what a settings file could not be freed for: the
/// others are none the worse for it.
fn take_away(
    host: &Host,
    installation: &Installation,
    catalog: &Catalog,
) -> anyhow::Result<(bool, Option<anyhow::Error>)> {
    let manifest = Manifest::read(installation)?;
    let binaries: Vec<String> = manifest.files.keys().cloned().chain(names(catalog)).collect();
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
    something |= !unlink(installation, catalog, &binaries)?.is_empty();
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

fn confirm_purge(installation: &Installation) -> anyhow::Result<()> {
    let data: Vec<String> = data(installation)?.iter().map(|path| installation.show(path)).collect();
    if data.is_empty() {
        return Ok(());
    }
    let question = format!("Remove for good: {}?", list(&data));
    let sure =
        Confirm::new(&question).with_default(false).prompt().context("no answer; nothing was changed")?;
    ensure!(sure, "nothing was changed");
    Ok(())
}

/// What the hooks and the installer keep of the user's: the configuration, the state, the backups of settings.json.
fn data(installation: &Installation) -> anyhow::Result<Vec<PathBuf>> {
    let backups = UserFile::at(&installation.settings)?.backups().into_iter().map(|backup| backup.path);
    let of_projects = installation.backups();
    let kept = [&installation.requirements, &installation.state, &of_projects];
    let kept = kept.into_iter().filter(|path| path.symlink_metadata().is_ok()).cloned();
    Ok(kept.chain(backups).collect())
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
        if is_folder && path == installation.state && !is_our_state_folder(installation, &path) {
            note(format_args!(
                "{} was named by CLAUDE_HOOK_STATE_DIR and stays; remove it yourself",
                path.display()
            ));
            continue;
        }
        // Of a link only the link goes: what it leads to is kept elsewhere on purpose.
        let gone = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        gone.with_context(|| format!("removing {}", path.display()))?;
        removed.push(installation.show(&path));
    }
    Ok(removed)
}

/// A folder that the environment names could be anything.
fn is_our_state_folder(installation: &Installation, path: &PathBuf) -> bool {
    installation.hooks.parent().map(|config| config.join("hook-state")).as_ref() == Some(path)
}

fn name_what_is_kept(installation: &Installation) -> anyhow::Result<()> {
    let of_projects = installation.backups();
    let is_backup =
        |path: &&PathBuf| ![&installation.requirements, &installation.state, &of_projects].contains(path);
    let data = data(installation)?;
    let mut kept: Vec<String> =
        data.iter().filter(|path| !is_backup(path)).map(|path| installation.show(path)).collect();
    if data.iter().any(|path| is_backup(&path)) {
        kept.push("the backups beside settings.json".to_owned());
    }
    if !kept.is_empty() {
        let purge = installation.voice.line("uninstall --purge");
        say(format_args!("kept: {} (`{purge}` removes it)", list(&kept)));
    }
    Ok(())
}

fn unlink(
    installation: &Installation,
    catalog: &Catalog,
    binaries: &[String],
) -> anyhow::Result<Vec<String>> {
    let mut commands: Vec<String> = catalog.hooks.iter().flat_map(|hook| hook.commands.clone()).collect();
    commands.extend_from_slice(binaries);
    commands.sort();
    commands.dedup();
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
    let mut removed = Vec::new();
    for binary in Manifest::read(installation)?.files.into_keys() {
        if deploy::remove(installation, &binary)? {
            removed.push(binary);
        } else {
            let path = installation.show(&installation.deployed(&binary));
            note(format_args!("{path} was changed since it was installed and stays; remove it yourself"));
        }
    }
    // Only an empty folder goes: the user's own scripts may live here.
    let _ = fs::remove_dir(&installation.hooks);
    if !removed.is_empty() {
        say(format_args!("removed {} from {}", list(&removed), installation.show(&installation.hooks)));
    }
    Ok(removed)
}
