//! Each registered hook is run with its recorded event and must answer as documented. Only bytes that the manifest
//! vouches for are ever run; `prove` sees to it.

use std::collections::BTreeSet;
use std::io;

use super::finding::{Finding, Severity};
use super::level::{Kind, Level};
use super::world::World;
use crate::prove::prove;

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
        findings.extend(of_level(world, level));
    }
    for hook in &world.catalog.hooks {
        let entries = world.plugin_entries(hook);
        if !entries.is_empty() {
            let proof = prove(world.user(), hook, &entries);
            findings.push(told(world, &format!("{} (plugin)", hook.name), proof));
        }
    }
    findings
        .extend(world.levels.iter().filter(|level| level.kind == Kind::Plugin).filter_map(unproved(world)));
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

/// A plugin's programs of our names whose bytes are not those that are installed: nothing is known of them, so they
/// are not run.
fn unproved<'a>(world: &'a World<'_>) -> impl Fn(&'a Level) -> Option<Finding> {
    move |level| {
        let commands = level.survey.entries.iter().filter_map(|entry| entry.command.as_deref());
        let names: BTreeSet<&str> = commands.filter_map(|command| command.rsplit('/').next()).collect();
        let ours = world.catalog.hooks.iter().filter(|hook| names.contains(hook.name.as_str()));
        let unknown: Vec<&str> = ours
            .filter(|hook| world.plugin_entries(hook).is_empty())
            .map(|hook| hook.name.as_str())
            .collect();
        let what = format!(
            "not proved: {}: these bytes were not installed by us, so they are not run",
            unknown.join(", ")
        );
        (!unknown.is_empty()).then(|| Finding::note(what).at(&level.shown, None))
    }
}
