//! requirements-check under the real client: what is denied and blocked, and that every command a text of ours names does
//! what the text says when it is run as it stands.

mod commits;
mod denials;
mod stops;
mod typed;
mod users_word;

use crate::scene::{Scene, between};
use serde_json::Value;
use std::fs;

/// A project that requires this, the hook installed for its user.
pub(crate) fn project(requirements: &str) -> Scene {
    Scene::with(&["requirements-check"], "").in_project(requirements).committed("notes.txt", "before\n")
}

/// The command with which a text says that satisfactions are recorded.
pub(crate) fn to_satisfy(text: &str) -> Option<&str> {
    between(text, "run in Bash: ", "\n")
}

/// The line with which a text says that evidence would count.
pub(crate) fn to_pass(text: &str) -> Option<&str> {
    between(text, "run alone on a line (no pipe): ", "; or ")
}

/// The command with which a text says that one gets a branch of one's own.
pub(crate) fn to_branch(text: &str) -> Option<&str> {
    between(text, "work on a branch of your own: ", "; or ")
}

/// Every satisfaction there is, by the file of its branch.
fn satisfactions(scene: &Scene) -> Vec<Value> {
    let entries = fs::read_dir(scene.sandbox.project().join(".git/requirements")).into_iter().flatten();
    let files = entries.map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
    files.map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap()).collect()
}
