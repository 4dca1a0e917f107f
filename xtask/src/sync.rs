//! `cargo xtask sync`: build, copy what differs, link. Settings are not touched, but for entries of files that `--prune`
//! removes because no hook of this source tree owns them any more.

use std::path::Path;

use shared::catalog::Catalog;
use shared::host::Host;

use crate::install::deploy_all;
use crate::installer::manifest::Manifest;
use crate::installer::places::Installation;
use crate::installer::registration::Settings;
use crate::installer::{deploy, links};
use crate::say::{list, note, say};

/// Brings the deployed binaries up to date.
pub(crate) fn run(root: &Path, prune: bool) -> anyhow::Result<()> {
    let catalog = Catalog::built_in()?;
    let installation = Installation::of_this_user()?;
    let done = deploy_all(root, &installation, &catalog)?;
    let manifest = Manifest::read(&installation)?;
    let orphans: Vec<String> =
        manifest.files.into_keys().filter(|file| !done.binaries.contains_key(file)).collect();
    match (orphans.is_empty(), prune) {
        (false, true) => remove(&installation, &catalog, &orphans)?,
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
    let settings = Settings::read(installation, orphans.to_vec())?;
    settings.unregister(&Host::real())?;
    let mut manifest = Manifest::read(installation)?;
    for orphan in orphans {
        let is_command = catalog.hooks.iter().any(|hook| hook.commands.contains(orphan));
        if !is_command {
            links::unlink(installation, orphan)?;
        }
        if deploy::remove(installation, &mut manifest, orphan)? {
            say(format_args!("removed {orphan}"));
        } else {
            note(format_args!("{orphan} was changed since it was installed and stays"));
        }
    }
    manifest.write(installation)
}
