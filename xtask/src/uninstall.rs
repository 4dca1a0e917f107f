//! `cargo xtask uninstall`: our registrations, links and binaries go; settings, state and backups of the user stay.
//! For the operator.

use std::fs;

use shared::catalog::Catalog;
use shared::host::Host;
use shared::settings::UserFile;

use crate::installer::manifest::Manifest;
use crate::installer::places::Installation;
use crate::installer::rail::only_the_operator;
use crate::installer::registration::{Settings, names};
use crate::installer::{deploy, links};
use crate::say::{list, note, say};

/// Takes everything away that installing put there.
pub(crate) fn run(yes: bool) -> anyhow::Result<()> {
    let host = Host::real();
    only_the_operator(&host, "cargo xtask uninstall", yes)?;
    let catalog = Catalog::built_in()?;
    let installation = Installation::of_this_user()?;
    let mut manifest = Manifest::read(&installation)?;
    // A hook of an older version may be registered that the catalog no longer knows.
    let binaries: Vec<String> = manifest.files.keys().cloned().chain(names(&catalog)).collect();
    let unregistered = Settings::read(&installation, binaries.clone())?.unregister(&host)?;
    if unregistered.is_some() {
        say(format_args!("no longer registered in {}", installation.show(&installation.settings)));
    }
    let unlinked = unlink(&installation, &catalog, &binaries)?;
    let removed = remove(&installation, &mut manifest)?;
    if unregistered.is_none() && unlinked.is_empty() && removed.is_empty() {
        say("nothing is installed");
    }
    let kept = [&installation.requirements, &installation.state];
    let mut kept: Vec<String> =
        kept.iter().filter(|path| path.exists()).map(|path| installation.show(path)).collect();
    if !UserFile::at(&installation.settings)?.backups().is_empty() {
        kept.push("the backups beside settings.json".to_owned());
    }
    if !kept.is_empty() {
        say(format_args!("kept: {}", list(&kept)));
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

fn remove(installation: &Installation, manifest: &mut Manifest) -> anyhow::Result<Vec<String>> {
    let mut removed = Vec::new();
    let binaries: Vec<String> = manifest.files.keys().cloned().collect();
    for binary in binaries {
        if deploy::remove(installation, manifest, &binary)? {
            removed.push(binary);
        } else {
            let path = installation.show(&installation.deployed(&binary));
            note(format_args!("{path} was changed since it was installed and stays; remove it yourself"));
        }
    }
    manifest.write(installation)?;
    // Only an empty folder goes: the user's own scripts may live here.
    let _ = fs::remove_dir(&installation.hooks);
    if !removed.is_empty() {
        say(format_args!("removed {} from {}", list(&removed), installation.show(&installation.hooks)));
    }
    Ok(removed)
}
