//! `statusline`: makes the status line of our hook Claude Code's, whether that hook is registered or not. The previous line is printed
//! below it, and comes back with `undo` or `uninstall`.

use anyhow::{Context as _, ensure};
use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use crate::client_settings::Settings;
use crate::manifest::Manifest;
use crate::places::Installation;
use crate::rail::not_for_claude;
use crate::registration::starts_ours;
use crate::say::{note, say};
use crate::voice::Voice;

/// Sets it.
pub fn run(host: &Host, voice: Voice) -> anyhow::Result<()> {
    let catalog = Catalog::built_in()?;
    let installation = Installation::of_this_user(host, voice)?;
    let hook = printer(&catalog, voice)?;
    not_for_claude(host, &installation.line("statusline"))?;
    ensure!(
        Manifest::read(&installation)?.vouches_for(&installation, &hook.name),
        "{} is not installed, or was changed since: {}",
        hook.name,
        voice.deploy_again()
    );
    installation.alone(|| set(host, &installation, &catalog, hook))
}

fn printer(catalog: &Catalog, voice: Voice) -> anyhow::Result<&HookEntry> {
    let printer = catalog.hooks.iter().find(|hook| hook.status_line.is_some());
    printer.with_context(|| {
        format!("no hook of {} prints a status line: there is nothing to set", voice.origin())
    })
}

fn set(host: &Host, installation: &Installation, catalog: &Catalog, hook: &HookEntry) -> anyhow::Result<()> {
    let settings = Settings::read(installation, catalog)?;
    let name = installation.show(&installation.settings);
    let there = settings.present.status_line.as_ref().filter(|there| !there.is_ours);
    if there.is_some_and(|there| there.command.as_deref().is_some_and(|line| starts_ours(line, &[hook]))) {
        say(format_args!("your status line starts that of {} already; nothing was changed", hook.name));
        return Ok(());
    }
    let Some(backup) = settings.set_status_line(host, hook)? else {
        say(format_args!("{} prints the status line already; nothing was changed", hook.name));
        return Ok(());
    };
    say(format_args!("{} prints the status line now, by {name}", hook.name));
    if settings.text.is_some() {
        note(format_args!("  before: {}", installation.show(&backup)));
    }
    Ok(())
}
