//! Deployed files of an older version that no hook of the catalog owns any more: found, reported, and removed with their entries.

use shared::catalog::Catalog;
use shared::host::Host;

use crate::client_settings::Settings;
use crate::manifest::Manifest;
use crate::places::Installation;
use crate::registration::names;
use crate::say::{list, note, say};
use crate::{deploy, links};

/// The deployed files that neither are a hook of the catalog, nor one of its commands or helpers.
pub fn orphans(manifest: &Manifest, catalog: &Catalog) -> Vec<String> {
    let others = catalog.hooks.iter().flat_map(|hook| hook.commands.iter().chain(&hook.helpers).cloned());
    let owned: Vec<String> = names(catalog).into_iter().chain(others).collect();
    manifest.files.keys().filter(|file| !owned.contains(file)).cloned().collect()
}

/// Says that they are there, and what removes them.
pub fn name_orphans(installation: &Installation, orphans: &[String]) {
    let (voice, folder) = (installation.voice, installation.show(&installation.hooks));
    say(format_args!(
        "no hook of {} owns {} in {folder}; `{}` removes it",
        voice.origin(),
        list(orphans),
        voice.prune()
    ));
}

/// Removes them and their entries in every settings file; one that was changed since it was deployed stays.
pub fn prune(
    host: &Host,
    installation: &Installation,
    catalog: &Catalog,
    orphans: &[String],
) -> anyhow::Result<()> {
    installation.alone(|| remove(host, installation, catalog, orphans))
}

fn remove(
    host: &Host,
    installation: &Installation,
    catalog: &Catalog,
    orphans: &[String],
) -> anyhow::Result<()> {
    for place in installation.and_registered_elsewhere()? {
        if Settings::read(&place, catalog)?.forget(host, orphans)?.is_some() {
            say(format_args!("no longer registered in {}: {}", place.show(&place.settings), list(orphans)));
        }
    }
    for orphan in orphans {
        let is_command = catalog.hooks.iter().any(|hook| hook.commands.contains(orphan));
        if !is_command {
            links::unlink(installation, orphan)?;
        }
    }
    let removed = deploy::remove(installation, orphans)?;
    for orphan in orphans {
        if removed.contains(orphan) {
            say(format_args!("removed {orphan}"));
        } else {
            note(format_args!("{orphan} was changed since it was installed and stays"));
        }
    }
    Ok(())
}
