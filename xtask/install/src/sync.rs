//! `cargo xtask sync`: build, copy what differs, link. Settings are not touched, but for entries of files that `--prune`
//! removes because no hook of this source tree owns them any more.

use installer::deploy::{self, May};
use installer::manifest::Manifest;
use installer::places::Installation;
use installer::prune::{name_orphans, prune};
use installer::say::say;
use installer::source;
use installer::voice::Voice;
use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use crate::install::Source;

/// Brings the deployed binaries up to date.
pub(crate) fn run(host: &Host, prunes: bool, source: &Source) -> anyhow::Result<()> {
    let catalog = Catalog::built_in()?;
    let installation = Installation::of_this_user(host, Voice::Xtask)?;
    let make = |hooks: &[HookEntry]| source.binaries(hooks);
    let done = deploy::everything(&installation, &catalog, &source::Source::Whole(&make), May::Any)?;
    let manifest = Manifest::read(&installation)?;
    // More than those of the catalog: a command that was a program once is none any more.
    let helpers = catalog.helpers();
    let is_owned = |file: &String| done.binaries.contains_key(file) || helpers.contains(file.as_str());
    let orphans: Vec<String> = manifest.files.into_keys().filter(|file| !is_owned(file)).collect();
    match (orphans.is_empty(), prunes) {
        (false, true) => prune(host, &installation, &catalog, &orphans)?,
        (false, false) => name_orphans(&installation, &orphans),
        (true, _) if !done.changed => say("everything is up to date"),
        (true, _) => {}
    }
    Ok(())
}
