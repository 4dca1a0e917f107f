//! Each registered hook runs with its recorded event and must answer as documented. Only bytes that the manifest vouches for
//! are run, or those of the plugin that this `req` came with.

use std::io;

use shared::catalog::HookEntry;

use super::finding::{Finding, Severity};
use super::level::{Kind, Level};
use super::world::World;
use crate::prove::{prove, try_out};

/// The results of the proofs.
pub(super) struct Proofs {
    pub(super) findings: Vec<Finding>,
    /// There was something to prove, and all of it passed.
    pub(super) all_passed: bool,
}

/// Proves every hook in every place it is registered.
pub(super) fn look(world: &World<'_>) -> Proofs {
    let mut findings: Vec<Finding> = world.levels.iter().flat_map(|level| of_level(world, level)).collect();
    findings.extend(of_plugin(world));
    let all_passed = !findings.is_empty() && findings.iter().all(|finding| finding.severity == Severity::Ok);
    Proofs { findings, all_passed }
}

fn of_level(world: &World<'_>, level: &Level) -> Vec<Finding> {
    let Some(place) = &level.place else { return Vec::new() };
    let of_hook = |hook: &HookEntry| {
        // The team's entry does nothing where a hook is not installed.
        if level.kind == Kind::Project && !place.deployed(&hook.name).is_file() {
            let name = &hook.name;
            let what =
                format!("{name}: this project registers it, and it is not installed here, so it is silent");
            return Finding::warning(what)
                .at(&level.shown, None)
                .next(format!("req hooks install --hooks {name}"));
        }
        let found = proved(world, &hook.name, prove(place, hook, level.ours()));
        if level.kind == Kind::User { found } else { found.at(&level.shown, None) }
    };
    world.catalog.hooks.iter().filter(|hook| level.registers(&hook.name)).map(of_hook).collect()
}

/// The hooks that the plugin alone starts.
fn of_plugin(world: &World<'_>) -> Vec<Finding> {
    let Some(file) = world.plugin() else { return Vec::new() };
    let alone = world.catalog.hooks.iter().filter(|hook| !world.is_in_settings(&hook.name));
    let proofs = alone.filter_map(|hook| {
        let program = world.program_of_plugin(&hook.name)?;
        Some(proved(world, &format!("{} (plugin)", hook.name), try_out(&program, hook)))
    });
    let found: Vec<Finding> = proofs.collect();
    if found.is_empty() && world.catalog.hooks.iter().any(|hook| !world.is_in_settings(&hook.name)) {
        let note = Finding::note("the plugin is enabled, and only its own `req` proves its hooks");
        return vec![note.at(file, None).next("type: bin/req doctor, in the plugin's folder")];
    }
    found
}

fn proved(world: &World<'_>, hook: &str, proof: anyhow::Result<String>) -> Finding {
    let error = match proof {
        Ok(did) => return Finding::ok(format!("{hook} {did}")),
        Err(error) => error,
    };
    match error.downcast_ref::<io::Error>() {
        // It could not be started: for another kind of machine, or on a disk from which nothing may be.
        Some(cause) => {
            let again = world.user().voice.deploy_again();
            let what = format!("{hook} does not run on this machine: {cause}");
            Finding::broken(what).next(format!("install what was built for this machine: {again}"))
        }
        None => Finding::broken(format!("{hook}: {error:#}")),
    }
}
