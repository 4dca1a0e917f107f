//! `cargo xtask sync`: build, copy what differs, link. Settings are not touched, but for entries of files that `--prune`
//! removes because no hook of this source tree owns them any more.

use std::path::Path;

use shared::catalog::Catalog;
use shared::host::Host;

use crate::install::{Source, deploy_all};
use crate::installer::client_settings::Settings;
use crate::installer::manifest::Manifest;
use crate::installer::places::Installation;
use crate::installer::{deploy, links};
use crate::say::{list, note, say};

/// Brings the deployed binaries up to date.
pub(crate) fn run(root: &Path, prune: bool, source: &Source) -> anyhow::Result<()> {
    let catalog = Catalog::built_in()?;
    let installation = Installation::of_this_user()?;
    let done = deploy_all(root, &installation, &catalog, source)?;
    let manifest = Manifest::read(&installation)?;
    let orphans: Vec<String> =
        manifest.files.into_keys().filter(|file| !done.binaries.contains_key(file)).collect();
    match (orphans.is_empty(), prune) {
        (false, true) => installation.alone(|| remove(&installation, &catalog, &orphans))?,
        (false, false) => {
            let folder = installation.show(&installation.hooks);
            say(format_args!(
                "no hook of this source tree owns {} in {folder}; `cargo xtask sync --prune` removes it",
                list(&orphans)
            ));
        }
        (true, _) if !done.changed => say("everything is up to date"),
        (true, _) => {}
    }
    Ok(())
}

fn remove(installation: &Installation, catalog: &Catalog, orphans: &[String]) -> anyhow::Result<()> {
    for place in installation.and_registered_elsewhere()? {
        if Settings::read(&place, catalog)?.forget(&Host::real(), &place, orphans)?.is_some() {
            say(format_args!("no longer registered in {}: {}", place.show(&place.settings), list(orphans)));
        }
    }
    for orphan in orphans {
        let is_command = catalog.hooks.iter().any(|hook| hook.commands.contains(orphan));
        if !is_command {
            links::unlink(installation, orphan)?;
        }
        if deploy::remove(installation, orphan)? {
            say(format_args!("removed {orphan}"));
        } else {
            note(format_args!("{orphan} was changed since it was installed and stays"));
        }
    }
    Ok(())
}
