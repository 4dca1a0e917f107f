//! `req doctor`: whether everything holds that is promised here. Doctor proves each hook by running it, compares our registrations
//! with the catalog, and reports what silences hooks. It never runs a program that is not ours.
//!
//! - `world`: everything that is read once
//! - `level`: the settings files
//! - one module per check
//! - `finding`, `report`: the result
//! - `mend`: `--fix`

pub(crate) mod binaries;
mod client;
mod configuration;
mod environment;
mod finding;
mod heartbeats;
pub(crate) mod in_force;
pub(crate) mod level;
mod mend;
pub(crate) mod ours;
mod proofs;
mod report;
pub(crate) mod shapes;
mod state;
mod status_line;
mod strangers;
pub(crate) mod twice;
pub(crate) mod world;

use std::fs;
use std::path::Path;

use shared::catalog::{Catalog, HookEntry};
use shared::heartbeat;
use shared::host::{Host, Timestamp};

use crate::places::{Installation, Scope};
use crate::voice::Voice;
use level::{Kind, Level};
use proofs::Proofs;
use strangers::Known;
use world::{Project, World};

pub use finding::{Finding, Severity};
pub use report::{Report, Section, VERSION};
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
    let project = match (installation.scope, &installation.project) {
        (Scope::Project | Scope::Local, Some(dir)) => Project::At(dir),
        _ => Project::None,
    };
    Ok(look(&World::read(host, &catalog, managed, project, installation.voice)?))
}

fn look(world: &World<'_>) -> Report {
    // First: a hook closes its state folder to others by itself.
    let state = state::look(world);
    let Proofs { findings: proofs, all_passed } = proofs::look(world);
    let configuration = configuration::look(world);
    let sections = vec![
        Section::new("Binaries", binaries::look(world)),
        Section::new("Registrations", registrations(world)),
        Section::new("In force", in_force::findings(&world.levels, !world.registered().is_empty())),
        Section::new("Proofs", proofs),
        Section::new("Configuration", configuration.findings),
        Section::new("State", [state::findings(&state), environment::findings(&world.levels)].concat()),
        Section::new("Last firing", firings(world)),
        Section::new("Claude Code", vec![client::look(world, all_passed)]),
    ];
    let mut report = Report::new(sections);
    if let Some(off) = &configuration.off {
        report = report.but_for(off);
    }
    if report.ok && world.is_bare() { report.of_nothing() } else { report }
}

fn registrations(world: &World<'_>) -> Vec<Finding> {
    let hooks = &world.catalog.hooks;
    let known = Known {
        home: &world.user().home,
        project: world.nearest().project.as_deref(),
        is_there: &Path::exists,
    };
    let mut found = Vec::new();
    for level in &world.levels {
        found.extend(registered_in(world, level));
        found.extend(shapes::findings(level));
        found.extend(hooks.iter().flat_map(|hook| ours::findings(level, hook)));
        found.extend(ours::gone(level, hooks));
        found.extend(strangers::findings(level, &known));
    }
    found.extend(hooks.iter().filter_map(|hook| registered_twice(world, hook)));
    found.extend(status_line::findings(world));
    if world.registered().is_empty() {
        found.push(Finding::note("no hook of ours is registered").next("req hooks install"));
    }
    found
}

/// The hooks that a level registers.
fn registered_in(world: &World<'_>, level: &Level) -> Option<Finding> {
    let there = world.catalog.hooks.iter().filter(|hook| level.registers(&hook.name));
    let names: Vec<&str> = there.map(|hook| hook.name.as_str()).collect();
    (!names.is_empty()).then(|| Finding::ok(format!("registers {}", names.join(", "))).at(&level.shown, None))
}

pub(crate) fn registered_twice(world: &World<'_>, hook: &HookEntry) -> Option<Finding> {
    let levels = world.levels.iter().filter(|level| level.registers(&hook.name));
    let places: Vec<(Kind, &str)> = levels.map(|level| (level.kind, level.shown.as_str())).collect();
    twice::finding(&hook.name, &places, world.plugin())
}

fn firings(world: &World<'_>) -> Vec<Finding> {
    let session = client::last_session(world.config()).map(Timestamp::from);
    let is_everywhere = |hook: &HookEntry| {
        world.levels.iter().any(|level| level.kind == Kind::User && level.registers(&hook.name))
    };
    let of_hook = |hook: &HookEntry| {
        let program = world.user().deployed(&hook.name);
        let installed = fs::metadata(program).and_then(|program| program.modified());
        let fired = world.store().and_then(|store| heartbeat::last(&store, &hook.name));
        heartbeats::finding(&heartbeats::Facts {
            hook: &hook.name,
            fired: fired.map(Timestamp::from),
            installed: installed.ok().map(Timestamp::from),
            session: session.filter(|_| is_everywhere(hook)),
            now: world.now(),
        })
    };
    let is_there = |hook: &&HookEntry| world.user().deployed(&hook.name).is_file();
    world.registered().into_iter().filter(is_there).map(of_hook).collect()
}

#[cfg(test)]
mod tests;
