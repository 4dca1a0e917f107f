//! Running hooks: the proof of each registered hook, the folder of their state, and the last time Claude Code ran each. Only bytes that
//! the manifest vouches for are run, or those of the plugin that this `req` came with.

use std::fs;
use std::io;
use std::path::Path;

use crate::catalog::HookEntry;
use serde_json::Value;
use shared::host::{Timestamp, first_program};
use shared::proved::{self, is_version, version_of_agent};
use shared::state::{ensure_private, write_private};
use shared::text::age;

use super::report::{Finding, Severity};
use super::world::{Level, World};
use crate::places::Scope;
use crate::prove::{prove, try_out};

/// Proves every hook in every place it is registered, with its recorded event.
pub(super) fn proofs(world: &World<'_>) -> Vec<Finding> {
    let of_levels = world.levels.iter().flat_map(|level| of_level(world, level));
    of_levels.chain(of_plugin(world)).collect()
}

fn of_level(world: &World<'_>, level: &Level) -> Vec<Finding> {
    let Some(place) = &level.place else { return Vec::new() };
    let of_hook = |hook: &HookEntry| {
        let name = &hook.name;
        // The team's entry does nothing where a hook is not installed.
        if place.scope == Scope::Project && !place.installed(name).is_file() {
            let what =
                format!("{name}: this project registers it, and it is not installed here, so it is silent");
            return Finding::warning(what)
                .at(&level.shown, None)
                .next(format!("req hooks install --hooks {name}"));
        }
        let found = proved(world, name, prove(place, hook, level.contents.ours()));
        if place.scope == Scope::User { found } else { found.at(&level.shown, None) }
    };
    world.catalog.hooks.iter().filter(|hook| level.registers(&hook.name)).map(of_hook).collect()
}

fn of_plugin(world: &World<'_>) -> Vec<Finding> {
    let alone: Vec<&HookEntry> =
        world.catalog.hooks.iter().filter(|hook| !world.is_in_settings(&hook.name)).collect();
    let Some(file) = world.plugin().filter(|_| !alone.is_empty()) else { return Vec::new() };
    let proof = |hook: &&HookEntry| {
        let program = world.program_of_plugin(&hook.name)?;
        Some(proved(world, &format!("{} (plugin)", hook.name), try_out(&program, hook)))
    };
    let found: Vec<Finding> = alone.iter().filter_map(proof).collect();
    if found.is_empty() {
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
            let again = world.user().voice.install_again();
            let what = format!("{hook} does not run on this machine: {cause}");
            Finding::broken(what).next(format!("install what was built for this machine: {again}"))
        }
        None => Finding::broken(format!("{hook}: {error:#}")),
    }
}

pub(super) fn state(world: &World<'_>) -> Vec<Finding> {
    let Some(dir) = &world.folders.state_dir else {
        return vec![Finding::broken("there is no place for the hooks' state").next("set HOME")];
    };
    let shown = world.user().show(dir);
    vec![match try_to_write(dir) {
        Ok(()) => Finding::ok(format!("{shown} can be written to")),
        Err(why) => {
            let what = format!("cannot be written to ({why}): gates that have to count let everything pass");
            let next = "make it writable for you, or make room if the disk is full";
            Finding::broken(what).at(&shown, None).next(next)
        }
    }]
}

/// Writes a file to the folder and removes it again, with every folder that had to be made for it. A full disk still takes an empty
/// file.
fn try_to_write(dir: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = dir.ancestors().take_while(|above| above.symlink_metadata().is_err()).collect();
    let file = dir.join(format!("doctor-{}", std::process::id()));
    let written = ensure_private(dir).and_then(|()| write_private(&file, &[b'x'; 4096]));
    let _ = fs::remove_file(file);
    for folder in missing {
        let _ = fs::remove_dir(folder);
    }
    written
}

/// The version of Claude Code, found without running it. Doctor remembers a version under which all proofs passed: a hook compares it
/// with the running one when a session begins.
pub(super) fn claude_code(world: &World<'_>, proofs: &[Finding]) -> Vec<Finding> {
    let all_passed = !proofs.is_empty() && proofs.iter().all(|finding| finding.severity == Severity::Ok);
    vec![match version(world) {
        None => Finding::note("the version of Claude Code is not known: no `claude` in your PATH"),
        Some(version) if all_passed => {
            // A folder that cannot be written to is reported with the state.
            let _ = world.store().map(|store| proved::passed(&store, &version));
            Finding::ok(format!("Claude Code {version}; all proofs passed under it just now"))
        }
        Some(version) => Finding::note(format!("Claude Code {version}; nothing is proved under it")),
    }]
}

/// The version that the user's shell would start, else the one that runs this command.
fn version(world: &World<'_>) -> Option<String> {
    let environment = &world.host.environment;
    let folders = std::env::split_paths(environment.search_path.as_deref().unwrap_or_default());
    let program = first_program(folders.collect::<Vec<_>>().into_iter(), Path::new("claude"));
    let installed = program.and_then(|program| version_of_program(&program.canonicalize().ok()?));
    installed.or_else(|| version_of_agent(environment.agent.as_deref()?))
}

/// `.../claude/versions/2.1.329`, or a program of the npm package.
fn version_of_program(program: &Path) -> Option<String> {
    let parts: Vec<&str> = program.iter().filter_map(|part| part.to_str()).collect();
    let versioned = parts.windows(2).find(|pair| pair[0] == "versions" && is_version(pair[1]));
    let in_package = || {
        let text = program.ancestors().find_map(|folder| fs::read(folder.join("package.json")).ok())?;
        let package: Value = serde_json::from_slice(&text).ok()?;
        package["name"].as_str().filter(|name| name.starts_with("@anthropic-ai/claude-code"))?;
        package["version"].as_str().filter(|version| is_version(version)).map(str::to_owned)
    };
    versioned.map(|pair| pair[1].to_owned()).or_else(in_package)
}

/// The last run of each installed and registered hook. A silent hook leaves its time, too; a hook that Claude Code never starts does
/// not.
pub(super) fn heartbeats(world: &World<'_>) -> Vec<Finding> {
    let installed =
        world.registered().into_iter().filter(|hook| world.user().installed(&hook.name).is_file());
    let of_hook = |hook: &HookEntry| {
        let name = &hook.name;
        Finding::ok(match world.store().and_then(|store| store.last_beat(name)) {
            Some(time) => {
                let secs = world.host.started.secs() - Timestamp::from(time).secs();
                format!("{name} last fired {} ago", age(secs))
            }
            None => format!("{name} waits for its first session"),
        })
    };
    installed.map(of_hook).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{try_to_write, version_of_program};

    #[test]
    fn version_of_claude_code_is_read_off_where_the_program_lies() {
        let native = Path::new("/home/me/.local/share/claude/versions/2.1.329");
        assert_eq!(version_of_program(native).as_deref(), Some("2.1.329"));
        let scratch = tempfile::tempdir().unwrap();
        for (name, version, expected) in [
            ("@anthropic-ai/claude-code", "2.1.300", Some("2.1.300")),
            ("@anthropic-ai/claude-code", "next", None),
            ("something-else", "2.1.300", None),
        ] {
            let text = format!(r#"{{"name":"{name}","version":"{version}"}}"#);
            fs::write(scratch.path().join("package.json"), text).unwrap();
            assert_eq!(version_of_program(&scratch.path().join("bin/claude")).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn trial_of_the_state_folder_leaves_nothing_behind() {
        let scratch = tempfile::tempdir().unwrap();
        try_to_write(&scratch.path().join("new/state")).unwrap();
        assert!(!scratch.path().join("new").exists());
        fs::write(scratch.path().join("file"), "").unwrap();
        assert!(try_to_write(&scratch.path().join("file")).is_err());
    }
}
