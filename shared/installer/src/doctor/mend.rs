//! `--fix`: what is safe is put right, through the same engine that put it there. Nothing is loosened, and nothing of anybody else's is
//! touched.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;
use shared::host::is_program;
use shared::operator::refusal;
use shared::state::ensure_private;

use super::report::{Repair, Report};
use super::world::World;
use crate::links::link_all;
use crate::rail::is_claude;
use crate::say::list;
use crate::settings::{Choice, Settings};

/// Puts right what the report says can be. Returns a sentence for each thing that was done, or could not be.
pub(super) fn mend(world: &World<'_>, report: &Report) -> Vec<String> {
    let repairs: BTreeSet<Repair> = report.findings().filter_map(|finding| finding.repair).collect();
    let one = |repair: &Repair| match repair {
        // Only the user changes Claude Code's settings.
        Repair::Register(_) if is_claude(world.host) => {
            format!("not mended: settings; {}", refusal("req doctor --fix"))
        }
        repair => match mended(world, *repair) {
            Ok(done) => format!("mended: {done}"),
            Err(error) => format!("not mended: {error:#}"),
        },
    };
    let mut said: Vec<String> = repairs.iter().map(one).collect();
    said.dedup();
    said
}

fn mended(world: &World<'_>, repair: Repair) -> anyhow::Result<String> {
    let user = world.user();
    match repair {
        Repair::Link => {
            let made = link_all(user, world.catalog)?.made;
            let are = if made.len() == 1 { "is" } else { "are" };
            Ok(format!("{} {are} linked into {}", list(&made), user.show(&user.bin)))
        }
        Repair::MakeExecutable => {
            let files = world.vouched.iter().map(|name| user.deployed(name));
            let files: Vec<_> = files.filter(|file| !is_program(file)).collect();
            for file in &files {
                allow_to_start(file).with_context(|| format!("changing {}", user.show(file)))?;
            }
            let shown: Vec<String> = files.iter().map(|file| user.show(file)).collect();
            Ok(format!("{} may be started", shown.join(", ")))
        }
        Repair::CloseState => {
            let dir = world.folders.state_dir.as_deref().context("there is no state folder")?;
            ensure_private(dir).with_context(|| format!("closing {}", user.show(dir)))?;
            Ok(format!("{} is closed to others", user.show(dir)))
        }
        Repair::Register(scope) => {
            let mut places = world.places.iter();
            let place = places.find(|place| place.scope == scope).context("these settings are gone")?;
            place.alone(|| {
                let settings = Settings::read(place, world.catalog)?;
                let choice = Choice { hooks: settings.hooks(), ..Choice::default() };
                settings.put(world.host, &settings.to(&choice)?)
            })?;
            Ok(format!("the entries in {} are as they should be", place.show(&place.settings)))
        }
    }
}

/// For those who may read it, and nobody else.
#[cfg(unix)]
fn allow_to_start(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path)?.permissions().mode();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode | ((mode & 0o444) >> 2)))
}

#[cfg(not(unix))]
fn allow_to_start(_path: &Path) -> std::io::Result<()> {
    Ok(())
}
