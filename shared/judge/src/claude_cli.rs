//! Asking the user's own `claude -p`, with nothing of the user's but the login: no hooks, plugins, tools, servers, memories or
//! settings, an empty folder, a few variables. The material goes in through stdin, the verdict comes back as one JSON object.
//!
//! Three things keep our hooks from firing in it, each of which would do: the settings it is given, those it is not given,
//! and a nonce (a managed hook is switched off by neither of the first two). What the client makes of the rest is in
//! tests/client-facts.md, section 21.
//!
//! - `arguments`, `environment`: what it is told
//! - `child`: its life, which ends at the deadline, or with ours
//! - `result`: what it says

mod arguments;
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
use super::model::{AskError, Exchange, Failure, Reply};
use shared::host::{Environment, first_program, inherited};
use shared::state::{Store, ensure_private};

/// The child's folder in the state folder. Nothing is ever written there.
const FOLDER: &str = "judge-cwd";

/// Asks.
///
/// # Errors
/// Why there is no reply.
pub(super) fn send(exchange: &Exchange<'_>, caller: &Caller<'_>) -> Result<Reply, Failure> {
    let handed_on = environment::handed_on(inherited(environment::is_handed_on));
    converse(exchange, caller, handed_on)
}

/// Asks a child that is given these variables of ours.
fn converse(
    exchange: &Exchange<'_>,
    caller: &Caller<'_>,
    handed_on: Vec<(OsString, OsString)>,
) -> Result<Reply, Failure> {
    let store = caller.store.ok_or(AskError::NotStarted)?;
    let program =
        find(&caller.settings.claude_program, &caller.host.environment).ok_or(AskError::NotStarted)?;
    let folder = store.dir().join(FOLDER);
    ensure_private(&folder).map_err(|_| AskError::NotStarted)?;
    let watch = child::Watch::new();
    let nonce = store.nonce(caller.host.now()).map_err(|_| AskError::NotStarted)?;
    let mut command = Command::new(program);
    command.args(arguments::arguments(exchange)).current_dir(folder).env_clear();
    command.envs(handed_on).envs(environment::ours(nonce.text()));
    command.envs(named_state_folder(store, caller));
    let said = child::ask(command, exchange.material, exchange.deadline, &watch);
    drop(nonce);
    if said == Err(child::Ended::Told) {
        watch.follow();
    }
    result::read(&said.map_err(child::Ended::error)?)
}

/// Hooks of ours in the child look for the nonce where it was written.
fn named_state_folder(store: &Store, caller: &Caller<'_>) -> Option<(&'static str, OsString)> {
    let is_named = caller.places.default_state_dir.as_deref() != Some(store.dir());
    is_named.then(|| ("CLAUDE_HOOK_STATE_DIR", store.dir().into()))
}

/// The program: a path, absolute or from `~`, or a name that is looked for on the search path. Never what lies in the folder
/// of the call, or relative to it.
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
