//! `cargo xtask undo`: settings.json as it was before the last change of ours. What is there now becomes a backup in turn,
//! so nothing is lost, and a second undo brings it back. For the operator.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;
use shared::catalog::Catalog;
use shared::host::Host;
use shared::settings::{FileError, UserFile};

use crate::installer::places::Installation;
use crate::installer::rail::only_the_operator;
use crate::installer::registration::{Settings, names};
use crate::say::{diff, note, say};

/// Puts the newest backup back.
pub(crate) fn run(yes: bool) -> anyhow::Result<()> {
    let host = Host::real();
    only_the_operator(&host, "cargo xtask undo", yes)?;
    let installation = Installation::of_this_user()?;
    let name = installation.show(&installation.settings);
    let file = UserFile::at(&installation.settings)?;
    let backup =
        file.backups().into_iter().next().with_context(|| format!("there is no backup of {name}"))?;
    let before = file.read()?;
    let restored = file.change_with_backup(host.now(), |_| Ok::<_, FileError>(backup.text.clone()))?;
    let change = diff(&name, &before.unwrap_or_default(), backup.text.as_deref().unwrap_or_default());
    match (restored, &backup.text) {
        (None, _) => say(format_args!("{name} is as it was; nothing was changed")),
        (Some(_), None) => say(format_args!("{change}\n{name} is gone, as it was not there before")),
        (Some(_), Some(_)) => {
            say(format_args!("{change}\n{name} is as it was; `cargo xtask undo` brings this back"));
        }
    }
    for binary in not_deployed(&installation)? {
        note(format_args!("{binary} is registered, but not deployed: cargo xtask sync"));
    }
    Ok(())
}

fn not_deployed(installation: &Installation) -> anyhow::Result<BTreeSet<String>> {
    let settings = Settings::read(installation, names(&Catalog::built_in()?))?;
    let dead = settings.registered.into_iter().filter(|entry| !Path::new(&entry.command).exists());
    Ok(dead.map(|entry| entry.binary).collect())
}
