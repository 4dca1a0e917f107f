//! Running hooks: the proof of each registered hook, and the last time Claude Code ran it. Only bytes that the manifest vouches for are
//! run, or those of the plugin that this `req` came with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use shared::catalog::HookEntry;
use shared::heartbeat;
use shared::host::Timestamp;

use super::report::Finding;
use super::world::{Level, World};
use crate::places::Scope;
use crate::prove::{prove, try_out};

/// A session that goes on so long after a hook last ran shows that the hook does not run any more.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

/// The clocks of a file system and of the system differ by so much.
const TOLERANCE: Duration = Duration::from_secs(60);

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
        if level.scope == Some(Scope::Project) && !place.deployed(name).is_file() {
            let what =
                format!("{name}: this project registers it, and it is not installed here, so it is silent");
            return Finding::warning(what)
                .at(&level.shown, None)
                .next(format!("req hooks install --hooks {name}"));
        }
        let found = proved(world, name, prove(place, hook, level.ours()));
        if level.scope == Some(Scope::User) { found } else { found.at(&level.shown, None) }
    };
    world.catalog.hooks.iter().filter(|hook| level.registers(&hook.name)).map(of_hook).collect()
}

/// The hooks that the plugin alone starts.
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
            let again = world.user().voice.deploy_again();
            let what = format!("{hook} does not run on this machine: {cause}");
            Finding::broken(what).next(format!("install what was built for this machine: {again}"))
        }
        None => Finding::broken(format!("{hook}: {error:#}")),
    }
}

/// The last run of each installed and registered hook. A silent hook leaves its time, too; a hook that Claude Code never starts does
/// not.
pub(super) fn heartbeats(world: &World<'_>) -> Vec<Finding> {
    let session = last_session(world.user().settings.parent().unwrap_or(Path::new(""))).map(Timestamp::from);
    let is_everywhere = |hook: &HookEntry| {
        world.levels.iter().any(|level| level.scope == Some(Scope::User) && level.registers(&hook.name))
    };
    let of_hook = |hook: &HookEntry| {
        let program = fs::metadata(world.user().deployed(&hook.name)).ok().filter(fs::Metadata::is_file)?;
        let fired = world.store().and_then(|store| heartbeat::last(&store, &hook.name));
        let times = Times {
            fired: fired.map(Timestamp::from),
            installed: program.modified().ok().map(Timestamp::from),
            session: session.filter(|_| is_everywhere(hook)),
            now: world.now(),
        };
        Some(heartbeat_of(&hook.name, &times))
    };
    world.registered().into_iter().filter_map(of_hook).collect()
}

/// The times around one registered hook.
#[derive(Debug, Clone)]
struct Times {
    fired: Option<Timestamp>,
    installed: Option<Timestamp>,
    /// The last line of a session that should start the hook.
    session: Option<Timestamp>,
    now: Timestamp,
}

fn heartbeat_of(hook: &str, times: &Times) -> Finding {
    let Times { fired, installed, session, now } = *times;
    let went_on = |since: Timestamp, by: Duration| session.filter(|session| *session > since.plus(by));
    let Some(fired) = fired else {
        if installed.and_then(|installed| went_on(installed, TOLERANCE)).is_none() {
            return Finding::ok(format!("{hook} waits for its first session"));
        }
        let what = format!("{hook} has never fired, though a session went on after it was installed");
        let next = "Claude Code starts it at the next call or prompt; if it does not, restart that session";
        return Finding::note(what).next(next);
    };
    if fired > now.plus(TOLERANCE) {
        let what = format!("{hook} last fired {} from now by the clock", span(fired.since(now)));
        return Finding::warning(what).next("set the clock; the hook's next run puts the time right");
    }
    let ago = span(now.since(fired));
    let Some(session) = went_on(fired, LONG) else {
        return Finding::ok(format!("{hook} last fired {ago} ago"));
    };
    let until = span(now.since(session));
    Finding::warning(format!("{hook} last fired {ago} ago, though a session went on until {until} ago"))
        .next("restart that session; if it stays, see what /hooks and claude --debug say")
}

/// A duration in its largest unit.
fn span(duration: Duration) -> String {
    let secs = duration.as_secs();
    let (count, unit) = match secs {
        0..60 => (secs, "s"),
        60..3600 => (secs / 60, "min"),
        3600..172_800 => (secs / 3600, "h"),
        _ => (secs / 86_400, "days"),
    };
    format!("{count} {unit}")
}

/// The time of the last line of any transcript.
fn last_session(config: &Path) -> Option<SystemTime> {
    let entries = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let files = entries(config.join("projects")).flat_map(|project| entries(project.path()));
    let is_transcript = |path: &Path| path.extension().is_some_and(|extension| extension == "jsonl");
    files
        .filter(|file| is_transcript(&file.path()))
        .filter_map(|file| file.metadata().ok()?.modified().ok())
        .max()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use shared::host::Timestamp;

    use super::{Times, heartbeat_of, span};
    use crate::doctor::Severity;

    #[test]
    fn span_is_in_its_largest_unit() {
        for (secs, text) in [
            (59, "59 s"),
            (60, "1 min"),
            (3_599, "59 min"),
            (7_300, "2 h"),
            (172_799, "47 h"),
            (172_800, "2 days"),
        ] {
            assert_eq!(span(Duration::from_secs(secs)), text);
        }
    }

    #[test]
    fn hook_that_stopped_running_is_reported_if_sessions_went_on() {
        let at = |hours: i64| Some(Timestamp::from_secs(1_000_000 + hours * 3600));
        for (fired, session, severity) in [
            (None, None, Severity::Ok),
            (None, at(-1), Severity::Ok),
            (None, at(1), Severity::Note),
            (at(1), None, Severity::Ok),
            (at(1), at(25), Severity::Ok),
            (at(1), at(26), Severity::Warning),
            (at(100), None, Severity::Ok),
            (at(101), None, Severity::Warning),
        ] {
            let times = Times { fired, installed: at(0), session, now: at(100).unwrap() };
            let found = heartbeat_of("a-gate", &times);
            assert_eq!(found.severity, severity, "{times:?}");
            assert_eq!(found.what.contains("last fired 4 days ago"), fired == at(1), "{found}");
        }
    }
}
