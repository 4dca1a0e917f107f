//! What this hook and the client keep for themselves. Where the configuration folder lies in a work tree (HOME as
//! repository), they write there on every call: it is no change of the project's files.

use std::path::Path;

use shared::host::Places;

use super::look::Look;
use super::real;
use crate::git::Own;

/// In the configuration folder, where that is the work tree itself: what the client writes as it runs, and the hooks.
const OF_CLIENT: [&str; 15] = [
    ".claude.json",
    "cache",
    "debug",
    "file-history",
    "history.jsonl",
    "hooks",
    "ide",
    "plans",
    "projects",
    "session-env",
    "shell-snapshots",
    "statsig",
    "tasks",
    "telemetry",
    "todos",
];

/// What does not count where the call acts.
pub(super) fn own(look: &Look<'_, '_>) -> Own {
    let root = look.world.here.root().or(look.world.root.as_deref()).map(real);
    let home = look.context.host.environment.home.as_deref();
    root.map_or_else(Own::default, |root| within(&root, look.context.places, home))
}

/// The state never counts; whatever else lies in the configuration folder does if it is tracked.
fn within(root: &Path, places: &Places, home: Option<&Path>) -> Own {
    let beside = [Some(root.join(".claude/sessions")), home.map(|home| home.join(".claude.json"))];
    let mut own = Own {
        never: places.default_state_dir.iter().cloned().collect(),
        untracked: beside.into_iter().flatten().chain(places.state_dir.clone()).collect(),
    };
    let config_dir = places.config_dir.as_deref().map(real);
    if let Some(config_dir) = config_dir.filter(|config_dir| config_dir.starts_with(root)) {
        own.never.push(config_dir.join("hook-backups"));
        own.untracked.extend(OF_CLIENT.iter().map(|name| config_dir.join(name)));
        own.untracked.push(config_dir);
    }
    own
}

#[cfg(test)]
mod tests;
