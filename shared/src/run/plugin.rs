//! A hook that a plugin has started leaves the call to the copy of it that settings start: the client runs both, and what
//! counts would count twice (ARCHITECTURE.md, "Decisions").

use std::path::{Path, PathBuf};

use crate::config::read_text;
use crate::host::{Host, Places};
use crate::protocol::Input;
use crate::settings::{Started, Texts, is_started_by_settings};

/// With this argument a plugin starts a hook. The environment would not do: a project's settings may define it.
pub const BY_PLUGIN: &str = "--plugin";

/// Larger files are no settings, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The settings the client reads have it start this hook for this call.
pub(super) fn is_left_to_settings(hook: &str, host: &Host, places: &Places, input: &Input) -> bool {
    let Some(config) = &places.config_dir else { return false };
    let installed = config.join("hooks").join(format!("{hook}{}", std::env::consts::EXE_SUFFIX));
    let started = Started {
        hook,
        event: input.event.name(),
        tool: input.event.tool_call().map(|call| &*call.tool_name),
    };
    let is_installed = |command: &str| is_same_program(Path::new(command), &installed);
    is_started_by_settings(&texts(host, places, config, input), &started, &is_installed)
        && installed.is_file()
}

/// As the client adds them up (tests/client-facts.md, 16): the team's of the folder it was started in, the user's own of that
/// folder and of the project's top.
fn texts(host: &Host, places: &Places, config: &Path, input: &Input) -> Texts {
    let read = |file: &PathBuf| read_text(file, None, MAX_BYTES).ok();
    let start = host.environment.project_dir.as_deref().or(input.call.cwd.as_deref());
    let top = places.root.as_deref().filter(|top| Some(*top) != start);
    let local = start.into_iter().chain(top).map(|folder| folder.join(".claude/settings.local.json"));
    let own: Vec<PathBuf> = [config.join("settings.json")].into_iter().chain(local).collect();
    let teams = start.map(|start| start.join(".claude/settings.json"));
    Texts { own: own.iter().filter_map(read).collect(), teams: teams.iter().filter_map(read).collect() }
}

fn is_same_program(left: &Path, right: &Path) -> bool {
    left == right
        || left.canonicalize().is_ok_and(|left| right.canonicalize().is_ok_and(|right| left == right))
}
