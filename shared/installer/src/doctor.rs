//! `req doctor`: whether everything holds that is promised. Doctor proves each hook by running it, compares our registrations with the
//! catalog, and reports what silences hooks. It never runs a program that is not ours.
//! `world` is read once; the checks are functions from it to findings.

mod programs;
mod registrations;
mod report;
mod runs;
mod switches;
pub(crate) mod world;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use shared::host::{Host, Places};
use shared::operator::refusal;

use crate::places::{Installation, Scope};
use crate::say::{Voice, is_claude};
use crate::settings::{Choice, Settings};
use world::World;

pub use report::{Finding, Report, Section, Severity};
pub use world::managed_settings;

/// Looks at everything, and with `fix` mends what can be mended safely. `managed` is the administrator's file, see
/// [`managed_settings`].
pub fn run(host: &Host, fix: bool, managed: &Path) -> anyhow::Result<Report> {
    let project = around(host);
    let read = || World::read(host, managed, project.as_deref(), Voice::Req);
    let world = read()?;
    let before = look(&world);
    if !fix {
        return Ok(before);
    }
    let repairs: BTreeSet<Scope> = before.findings().filter_map(|finding| finding.repair).collect();
    let mut mended: Vec<String> = repairs.into_iter().map(|repair| mend(&world, repair)).collect();
    mended.dedup();
    Ok(Report { mended, ..look(&read()?) })
}

pub(crate) fn of(host: &Host, installation: &Installation, managed: &Path) -> anyhow::Result<Report> {
    Ok(look(&World::read(host, managed, installation.project.as_deref(), installation.voice)?))
}

/// The project that the command is started in.
pub(crate) fn around(host: &Host) -> Option<PathBuf> {
    Places::resolve(&host.environment, host.cwd().as_deref()).root
}

/// The checks that run no event: what is installed, registered and switched on.
pub(crate) fn standing(world: &World<'_>) -> Vec<Section> {
    vec![
        Section::new("Binaries", programs::all(world)),
        Section::new("Registrations", registrations::all(world)),
        Section::new("In force", switches::in_force(&world.levels, !world.registered().is_empty())),
        Section::new("Configuration", switches::configuration(world)),
    ]
}

fn look(world: &World<'_>) -> Report {
    let proofs = runs::proofs(world);
    let claude_code = runs::claude_code(world, &proofs);
    let mut sections = standing(world);
    sections.extend([
        Section::new("Proofs", proofs),
        Section::new("State", runs::state(world)),
        Section::new("Last firing", runs::heartbeats(world)),
        Section::new("Claude Code", claude_code),
    ]);
    let mut report = Report::new(sections);
    if report.ok && world.registered().is_empty() {
        "No hook is registered, so nothing is promised.".clone_into(&mut report.summary);
    }
    report
}

/// Puts our entries in the settings of this scope right, through the engine that put them there. Returns a sentence about it.
fn mend(world: &World<'_>, scope: Scope) -> String {
    // Only the user changes Claude Code's settings.
    if is_claude(world.host) {
        return format!("not mended: settings; {}", refusal("req doctor --fix"));
    }
    let mended = |place: &Installation| {
        place.alone(|| {
            let settings = Settings::read(place)?;
            let choice = Choice { hooks: settings.hooks(), ..Choice::default() };
            settings.put(world.host, &settings.to(&choice)?)
        })?;
        anyhow::Ok(format!("the entries in {} are as they should be", place.show(&place.settings)))
    };
    let place = world.places.iter().find(|place| place.scope == scope);
    match place.context("these settings are gone").and_then(mended) {
        Ok(done) => format!("mended: {done}"),
        Err(error) => format!("not mended: {error:#}"),
    }
}

#[cfg(test)]
mod tests;
