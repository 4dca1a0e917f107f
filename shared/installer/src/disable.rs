//! `disable HOOK`: switches the hook off in the configuration of its scope, and takes its registration away.

use client_settings::FileError;
use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use crate::client_settings::{Choice, Settings};
use crate::places::{Installation, Where};
use crate::rail::only_the_operator;
use crate::registration::{find, switched_off};
use crate::say::say;
use crate::voice::Voice;

/// Disables one hook.
pub fn run(host: &Host, name: &str, place: &Where, yes: bool, voice: Voice) -> anyhow::Result<()> {
    let catalog = Catalog::built_in()?;
    let hook = find(&catalog, name)?;
    let installation = Installation::at(host, place, voice)?;
    only_the_operator(host, &installation.line(format_args!("disable {name}")), yes)?;
    installation.alone(|| disable(host, &installation, &catalog, hook))
}

fn disable(
    host: &Host,
    installation: &Installation,
    catalog: &Catalog,
    hook: &HookEntry,
) -> anyhow::Result<()> {
    let name = &hook.name;
    // First what works at once in running sessions. If that fails, the registration goes all the same.
    let off = switch_off(installation, hook);
    let settings = Settings::read(installation, catalog)?;
    let mut hooks = settings.hooks();
    hooks.retain(|other| other.name != hook.name);
    let others = Choice { hooks, ..Choice::default() };
    if settings.register(host, &others)?.is_some() {
        say(format_args!("{name} is no longer registered in {}", installation.show(&installation.settings)));
    } else if matches!(off, Ok(false)) {
        say(format_args!("{name} is off and not registered; nothing was changed"));
    }
    off.map(drop)
}

/// Returns whether it was on.
fn switch_off(installation: &Installation, hook: &HookEntry) -> anyhow::Result<bool> {
    let requirements = installation.file(&installation.requirements)?;
    let edit = |text: Option<&str>| switched_off(text, hook).map_err(|refused| requirements.refused(refused));
    let off = requirements.change::<FileError>(edit)?;
    if off {
        say(format_args!("switched {} off in {}", hook.name, installation.show(&installation.requirements)));
    }
    Ok(off)
}
