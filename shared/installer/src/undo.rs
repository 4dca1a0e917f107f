//! `undo`: what is ours in settings.json as it was before the last change. What the user has changed since then
//! stays. What is there now becomes a backup in turn, so a second undo brings it back. For the operator.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;
use client_settings::Program;
use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use crate::client_settings::Settings;
use crate::places::{Installation, Where};
use crate::rail::only_the_operator;
use crate::registration::is_switched_on;
use crate::report::Remarks;
use crate::say::{diff, note, say};
use crate::voice::Voice;

/// Puts our parts back as they are in the newest backup.
pub fn run(host: &Host, place: &Where, yes: bool, voice: Voice) -> anyhow::Result<()> {
    let installation = Installation::at(host, place, voice)?;
    only_the_operator(host, &installation.line("undo"), yes)?;
    let catalog = Catalog::built_in()?;
    let name = installation.show(&installation.settings);
    let (before, after, backup, changed) = installation.alone(|| {
        let settings = Settings::read(&installation, &catalog)?;
        let backup = settings.newest_backup().with_context(|| format!("there is no backup of {name}"))?;
        let changed = settings.restore(host, &installation, &catalog, backup.text.as_deref())?;
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
    let settings = Settings::read(&installation, &catalog)?;
    name_what_stays_on(&installation, &catalog, &settings)?;
    for hook in settings.hooks(&catalog) {
        let Remarks { switched_off, problems } = Remarks::on(&installation, hook)?;
        switched_off.iter().chain(&problems).for_each(note);
    }
    for binary in not_deployed(&installation, &catalog)? {
        note(format_args!("{binary} is registered, but not deployed: {}", voice.deploy_again()));
    }
    Ok(())
}

/// The registration is undone, the configuration is not: it is the user's to edit.
fn name_what_stays_on(
    installation: &Installation,
    catalog: &Catalog,
    settings: &Settings,
) -> anyhow::Result<()> {
    let yaml = installation.file(&installation.requirements)?.read()?;
    let registered = settings.hooks(catalog);
    let stays_on = |hook: &&HookEntry| !registered.contains(hook) && is_switched_on(yaml.as_deref(), hook);
    for hook in catalog.hooks.iter().filter(stays_on) {
        let (name, file) = (&hook.name, installation.show(&installation.requirements));
        let line = installation.line(format_args!("disable {name}"));
        note(format_args!(
            "{name} is not registered, so it does nothing, and is still switched on in {file}; to switch it off there: {line}"
        ));
    }
    Ok(())
}

fn not_deployed(installation: &Installation, catalog: &Catalog) -> anyhow::Result<BTreeSet<String>> {
    let settings = Settings::read(installation, catalog)?;
    let is_dead = |program: &Program| matches!(program, Program::Path(path) if !Path::new(path).exists());
    let dead = settings.present.hooks.into_iter().filter(|entry| is_dead(&entry.program));
    Ok(dead.map(|entry| entry.name).collect())
}
