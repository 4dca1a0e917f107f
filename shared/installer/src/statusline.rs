//! `statusline`: the client's status line is the one a hook of ours prints, whether that hook is registered or not. What stood
//! there before is printed below it, and comes back with `undo`, and when Barbless is uninstalled.

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
///
/// # Errors
/// No hook prints one, the hook is not deployed, or a file cannot be changed.
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
    let Some(backup) = settings.set_status_line(host, installation, hook)? else {
        say(format_args!("{} prints the status line already; nothing was changed", hook.name));
        return Ok(());
    };
    say(format_args!("{} prints the status line now, by {name}", hook.name));
    if settings.text.is_some() {
        note(format_args!("  before: {}", installation.show(&backup)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use shared::catalog::Catalog;

    use super::printer;
    use crate::voice::Voice;

    #[test]
    fn where_no_hook_prints_one_that_is_said() {
        let mut catalog = Catalog::built_in().unwrap();
        let named = printer(&catalog, Voice::Req).unwrap();
        assert!(named.status_line.is_some());
        catalog.hooks.iter_mut().for_each(|hook| hook.status_line = None);
        let error = printer(&catalog, Voice::Req).unwrap_err().to_string();
        assert_eq!(error, "no hook of this version prints a status line: there is nothing to set");
    }
}
