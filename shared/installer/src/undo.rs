//! `undo`: puts our parts of settings.json back as they were before the last change. The user's later changes stay. The present text
//! becomes a backup in turn, so a second undo brings it back.

use anyhow::{Context as _, ensure};
use shared::catalog::Catalog;
use shared::host::Host;

use crate::client_settings::Settings;
use crate::ending::Ending;
use crate::places::{Installation, Where};
use crate::rail::only_the_operator;
use crate::say::{diff, say};
use crate::voice::Voice;

/// Puts our parts back as they are in the newest backup.
pub fn run(host: &Host, place: &Where, yes: bool, voice: Voice) -> anyhow::Result<()> {
    let installation = Installation::at(host, place, voice)?;
    only_the_operator(host, &installation.line("undo"), yes)?;
    let catalog = Catalog::built_in()?;
    let name = installation.show(&installation.settings);
    let (before, after, backup, changed) = installation.alone(|| {
        let settings = Settings::read(&installation, &catalog)?;
        ensure!(
            installation.hooks.is_dir() || !settings.hooks().is_empty(),
            "the programs are gone, so the registrations that undo brings back would start nothing; \
             install them again: {}",
            installation.line("install")
        );
        let backup = settings.newest_backup().with_context(|| format!("there is no backup of {name}"))?;
        let changed = settings.restore(host, backup.text.as_deref())?;
        let after = Settings::read(&installation, &catalog)?.text;
        Ok((settings.text, after, backup, changed))
    })?;
    let change = diff(&name, &before.unwrap_or_default(), after.as_deref().unwrap_or_default());
    match (changed, &after) {
        (false, _) => say(format_args!("{name} is as it was; nothing was changed")),
        (true, None) => say(format_args!("{change}\n{name} is gone, as it was not there before")),
        (true, Some(text)) if Some(text) == backup.text.as_ref() => {
            let again = installation.line("undo");
            say(format_args!("{change}\n{name} is as it was; `{again}` brings this back"));
        }
        (true, Some(_)) => say(format_args!(
            "{change}\n{name}: the last change of ours is undone, what was edited since then stays"
        )),
    }
    Ending::of(host, &installation, &catalog)?.tell_wrong();
    Ok(())
}
