//! Each registered hook is run with its recorded event and must answer as documented. Only bytes that the manifest
//! vouches for are ever run; `prove` sees to it.

use std::io;

use shared::catalog::HookEntry;

use super::finding::{Finding, Severity};
use super::level::{Kind, Level};
use super::world::World;
use crate::places::executable;
use crate::prove::{prove, prove_by};

/// What the proofs came to.
pub(super) struct Proofs {
    pub(super) findings: Vec<Finding>,
    /// There was something to prove, and all of it passed.
    pub(super) all_passed: bool,
}

/// Proves every hook in every place it is registered.
pub(super) fn look(world: &World<'_>) -> Proofs {
    let mut findings = Vec::new();
    for level in world.levels.iter().filter(|level| !level.ours.is_empty()) {
        findings.extend(if level.kind == Kind::Plugin {
            of_plugin(world, level)
        } else {
            of_level(world, level)
        });
    }
    let all_passed = !findings.is_empty() && findings.iter().all(|finding| finding.severity == Severity::Ok);
    Proofs { findings, all_passed }
}

fn of_level(world: &World<'_>, level: &Level) -> Vec<Finding> {
    let Some(place) = &level.place else { return Vec::new() };
    let is_registered = |name: &str| level.ours.iter().any(|entry| entry.name == name);
    let hooks = world.catalog.hooks.iter().filter(|hook| is_registered(&hook.name));
    hooks
        .map(|hook| {
            // The team's entry does nothing where a hook is not installed.
            if level.kind == Kind::Project && !place.deployed(&hook.name).is_file() {
                let what = format!(
                    "{}: this project registers it, and it is not installed here, so it is silent",
                    hook.name
                );
                return Finding::warning(what)
                    .at(&level.shown, None)
                    .next(format!("req hooks install --hooks {}", hook.name));
            }
            let found = told(world, &hook.name, prove(place, hook, &level.ours));
            if level.kind == Kind::User { found } else { found.at(&level.shown, None) }
        })
        .collect()
}

fn told(world: &World<'_>, hook: &str, proof: anyhow::Result<String>) -> Finding {
    let error = match proof {
        Ok(did) => return Finding::ok(format!("{hook} {did}")),
        Err(error) => error,
    };
    let again = world.user().voice.deploy_again();
    match error.downcast_ref::<io::Error>() {
        // It could not be started: for another kind of machine, or on a disk from which nothing may be.
        Some(cause) => {
            let what = format!("{hook} does not run on this machine: {cause}");
            Finding::broken(what).next(format!("install what was built for this machine: {again}"))
        }
        None => Finding::broken(format!("{hook}: {error:#}")),
    }
}

/// What a plugin starts is run only where its bytes are known.
fn of_plugin(world: &World<'_>, level: &Level) -> Vec<Finding> {
    let is_registered = |name: &str| level.ours.iter().any(|entry| entry.name == name);
    let hooks = world.catalog.hooks.iter().filter(|hook| is_registered(&hook.name));
    let of_hook = |hook: &HookEntry| {
        let programs = level.programs(&hook.name);
        let first = programs.first()?;
        if programs.iter().all(|program| world.vouches_for_copy(program, &hook.name)) {
            let proof = prove_by(first, hook, &level.ours);
            return Some(told(world, &format!("{} (plugin)", hook.name), proof).at(&level.shown, None));
        }
        let what = format!(
            "{} (plugin) is not proved: {} is neither what was installed here nor what lies beside this req, so it was not run",
            hook.name,
            world.user().show(first)
        );
        let own = first.with_file_name(executable("req"));
        let found = Finding::broken(what).at(&level.shown, None);
        Some(if own.is_file() { found.next(format!("{} doctor", world.user().show(&own))) } else { found })
    };
    hooks.filter_map(of_hook).collect()
}
