//! `req doctor`: whether everything holds that is promised. Doctor proves each hook by running it, compares our registrations with the
//! catalog, and reports what silences hooks. It never runs a program that is not ours.
//!
//! - `world`: everything that is read once, with the settings files
//! - `programs`, `registrations`, `switches`, `runs`: the checks, each a function from the world to findings
//! - `report`: the result
//! - `mend`: `--fix`

mod mend;
pub(crate) mod programs;
pub(crate) mod registrations;
mod report;
mod runs;
pub(crate) mod switches;
pub(crate) mod world;

use std::path::Path;

use crate::catalog::Catalog;
use shared::host::Host;

use crate::places::Installation;
use crate::say::Voice;
use world::{Project, World};

pub use report::{Finding, Report, Section, Severity, VERSION};
pub use world::managed_settings;

/// Looks at everything, and with `fix` mends what can be mended safely. `managed` is the administrator's file, see
/// [`managed_settings`].
pub fn run(host: &Host, fix: bool, managed: &Path) -> anyhow::Result<Report> {
    let catalog = Catalog::built_in()?;
    let read = || World::read(host, &catalog, managed, Project::Here, Voice::Req);
    let world = read()?;
    let before = look(&world);
    if !fix {
        return Ok(before);
    }
    let mended = mend::mend(&world, &before);
    Ok(Report { mended, ..look(&read()?) })
}

/// Looks at one installation, whatever project this is typed in.
pub(crate) fn of(host: &Host, installation: &Installation, managed: &Path) -> anyhow::Result<Report> {
    let catalog = Catalog::built_in()?;
    let project = installation.project.as_deref().map_or(Project::None, Project::At);
    Ok(look(&World::read(host, &catalog, managed, project, installation.voice)?))
}

fn look(world: &World<'_>) -> Report {
    let proofs = runs::proofs(world);
    let claude_code = runs::claude_code(world, &proofs);
    let report = Report::new(vec![
        Section::new("Binaries", programs::all(world)),
        Section::new("Registrations", registrations::all(world)),
        Section::new("In force", switches::in_force(&world.levels, !world.registered().is_empty())),
        Section::new("Proofs", proofs),
        Section::new("Configuration", switches::configuration(world)),
        Section::new("State", runs::state(world)),
        Section::new("Last firing", runs::heartbeats(world)),
        Section::new("Claude Code", claude_code),
    ]);
    match world.registered().is_empty() {
        true if report.ok && world.is_bare() => report.of_nothing(),
        true => Report { summary: format!("No hook is registered. {}", report.summary), ..report },
        false => report,
    }
}

#[cfg(test)]
mod tests;
