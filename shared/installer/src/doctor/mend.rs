//! `--fix`: what is safe is put right, through the same engine that put it there; nothing is loosened, and nothing of
//! anybody else's is touched.

use std::collections::BTreeSet;

use anyhow::Context as _;
use shared::state::ensure_private;

use super::finding::Repair;
use super::report::Report;
use super::world::World;
use crate::client_settings::{Choice, Settings};
use crate::links;
use crate::manifest::Manifest;
use crate::places::{Installation, Scope};
use crate::rail::is_claude;

/// Puts right what the report says can be. Returns a sentence for each thing that was done, or could not be.
pub(super) fn mend(world: &World<'_>, report: &Report) -> Vec<String> {
    let repairs: BTreeSet<&Repair> =
        report.findings().filter_map(|finding| finding.repair.as_ref()).collect();
    let is_inside = is_claude(world.host);
    let (refused, repairs): (Vec<&Repair>, Vec<&Repair>) =
        repairs.into_iter().partition(|repair| is_inside && repair.is_the_users());
    let mut said: Vec<String> = repairs
        .into_iter()
        .map(|repair| match one(world, repair) {
            Ok(done) => format!("mended: {done}"),
            Err(error) => format!("not mended: {error:#}"),
        })
        .collect();
    if !refused.is_empty() {
        said.push(format!("not mended: settings; {}", shared::operator::refusal("req doctor --fix")));
    }
    said
}

fn one(world: &World<'_>, repair: &Repair) -> anyhow::Result<String> {
    let user = world.user();
    match repair {
        Repair::Link { hook, command } => {
            let hook = world.catalog.hook(hook).context("there is no such hook")?;
            links::link(user, hook, command)?;
            Ok(format!("{command} is linked into {}", user.show(&user.bin)))
        }
        Repair::MakeExecutable(hook) => make_executable(user, hook),
        Repair::CloseState => {
            let dir = world.folders.state_dir.as_deref().context("there is no state folder")?;
            ensure_private(dir).with_context(|| format!("closing {}", user.show(dir)))?;
            Ok(format!("{} is closed to others", user.show(dir)))
        }
        Repair::Register(scope) => {
            let place = place_of(world, *scope)?;
            place.alone(|| {
                let settings = Settings::read(place, world.catalog)?;
                let hooks = settings.hooks();
                settings.register(world.host, &Choice { hooks, ..Choice::default() })
            })?;
            Ok(format!("the entries in {} are as they should be", place.show(&place.settings)))
        }
    }
}

fn place_of<'a>(world: &'a World<'_>, scope: Scope) -> anyhow::Result<&'a Installation> {
    world.places.iter().find(|place| place.scope == scope).context("these settings are gone")
}

/// Only a file that still is what was installed.
fn make_executable(user: &Installation, hook: &str) -> anyhow::Result<String> {
    let path = user.deployed(hook);
    anyhow::ensure!(Manifest::read(user)?.vouches_for(user, hook), "{} has changed", user.show(&path));
    allow_to_start(&path).with_context(|| format!("changing {}", user.show(&path)))?;
    Ok(format!("{} may be started", user.show(&path)))
}

/// For those who may read it, and nobody else.
#[cfg(unix)]
fn allow_to_start(path: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path)?.permissions().mode();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode | ((mode & 0o444) >> 2)))
}

#[cfg(not(unix))]
fn allow_to_start(_path: &std::path::Path) -> std::io::Result<()> {
    Ok(())
}
