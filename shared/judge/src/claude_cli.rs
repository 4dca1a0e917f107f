//! The user's own `claude -p`, with nothing of the user's but the login: no hooks, plugins, tools, servers, memories or
//! settings, an empty folder, a few variables. The material goes in through stdin, the verdict comes back as one JSON object.
//!
//! Three things keep our hooks from running in it, and each would do: the settings it is given, those it is not given, and a
//! nonce, because the first two switch off no managed hook. tests/client-facts.md, section 21, has the effect of each.
//!
//! - `environment`: its variables; `child`: its life, which ends at the deadline, or with ours; `result`: its output

mod child;
mod environment;
mod result;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Caller;
use super::model::{Exchange, Reply};
use super::silence::Silence;
use shared::host::{Environment, first_program, inherited};
use shared::state::ensure_private;

/// The child's folder in the state folder. Nothing is ever written there.
const FOLDER: &str = "judge-cwd";

/// Two turns: the answer, and one more try at it where the first does not fit the schema.
const ARGUMENTS: &str = "-p --strict-mcp-config --disable-slash-commands --no-session-persistence --output-format json --max-turns 2";

pub(super) fn send(exchange: &Exchange<'_>, caller: &Caller<'_>) -> Result<Reply, Silence> {
    converse(exchange, caller, environment::handed_on(inherited(environment::is_known)))
}

/// Asks a child that gets these variables of ours.
fn converse(
    exchange: &Exchange<'_>,
    caller: &Caller<'_>,
    handed_on: Vec<(OsString, OsString)>,
) -> Result<Reply, Silence> {
    let store = caller.store.ok_or(Silence::NotStarted)?;
    let program =
        find(&caller.settings.claude_program, &caller.host.environment).ok_or(Silence::NotStarted)?;
    let folder = store.dir().join(FOLDER);
    ensure_private(&folder).map_err(|_| Silence::NotStarted)?;
    let nonce = store.nonce(caller.host.now()).map_err(|_| Silence::NotStarted)?;
    let mut command = Command::new(program);
    command.args(ARGUMENTS.split(' ')).args(["--tools", "", "--setting-sources", ""]);
    command.args(["--settings", r#"{"disableAllHooks":true}"#, "--model", exchange.model]);
    command.args(["--json-schema", &exchange.verdicts.to_string()]);
    command.args(["--system-prompt", exchange.instructions]);
    command.current_dir(folder).env_clear().envs(handed_on).envs(environment::ours(nonce.text()));
    if caller.places.default_state_dir.as_deref() != Some(store.dir()) {
        // Our hooks in the child look for the nonce where it was written.
        command.env("CLAUDE_HOOK_STATE_DIR", store.dir());
    }
    let said = child::ask(&mut command, exchange.material, exchange.deadline);
    drop(nonce);
    child::follow_signal();
    Ok(result::read(&said?))
}

/// The program: a path, absolute or from `~`, or a name that is looked for on the search path. Nothing in the folder of the
/// call, or relative to it, is ever started.
fn find(program: &Path, environment: &Environment) -> Option<PathBuf> {
    if let Ok(below) = program.strip_prefix("~") {
        return Some(environment.home.as_ref()?.join(below)).filter(|file| file.is_absolute());
    }
    if program.is_absolute() {
        return Some(program.to_path_buf());
    }
    let is_name = program.components().count() == 1 && program.file_name().is_some();
    let folders = std::env::split_paths(environment.search_path.as_ref().filter(|_| is_name)?);
    first_program(folders.filter(|folder| folder.is_absolute()), program)
}
