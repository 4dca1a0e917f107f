//! `cargo xtask disable HOOK`: switched off in the user's global configuration and no longer registered. For the operator.

use shared::catalog::Catalog;
use shared::host::Host;
use shared::settings::{FileError, UserFile};

use crate::installer::places::Installation;
use crate::installer::rail::only_the_operator;
use crate::installer::registration::{Settings, find, names, switched_off};
use crate::say::say;

/// Disables one hook.
pub(crate) fn run(name: &str, yes: bool) -> anyhow::Result<()> {
    let catalog = Catalog::built_in()?;
    let hook = find(&catalog, name)?;
    let host = Host::real();
    only_the_operator(&host, &format!("cargo xtask disable {name}"), yes)?;
    let installation = Installation::of_this_user()?;
    // First what works at once and in running sessions, whatever becomes of the rest.
    let requirements = UserFile::at(&installation.requirements)?;
    let edit = |text: Option<&str>| switched_off(text, hook).map_err(|refused| requirements.refused(refused));
    let off = requirements.change::<FileError>(edit)?;
    if off {
        say(format_args!("switched {name} off in {}", installation.show(&installation.requirements)));
    }
    let settings = Settings::read(&installation, names(&catalog))?;
    let mut others = settings.hooks(&catalog);
    others.retain(|other| other.name != hook.name);
    let backup = settings.register(&host, &installation, &others)?;
    match backup {
        Some(_) => say(format_args!(
            "{name} is no longer registered in {}",
            installation.show(&installation.settings)
        )),
        None if !off => say(format_args!("{name} is off and not registered; nothing was changed")),
        None => {}
    }
    Ok(())
}
