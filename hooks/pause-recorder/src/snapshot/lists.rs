//! The lists of what a session has done and what is open, from its record, its task list and its repository. Pure.

use std::path::{Path, PathBuf};

use shared::host::{Timestamp, flat};

use crate::material::{EDITING_TOOLS, Material};
use crate::record::{Action, Kind, Recorded};
use crate::text::{MAX_CHARS, MAX_PATH_CHARS, one_line, shortened};

/// The tasks in a list, and the prompts.
const MAX_OF_A_KIND: usize = 5;

/// The turns of which the last words are listed.
const MAX_TURNS: usize = 3;

/// Two prompts are the same if they begin so: the record has only the beginning of a long one.
const SAME_CHARS: usize = 100;

const MAX_FILES: usize = 500;

/// Tasks that were completed, commits that were made since the record began, and the last words of turns, newest first.
pub(super) fn accomplishments(recorded: &Recorded, material: &Material, began: Timestamp) -> Vec<String> {
    let completed = &material.todos.completed;
    let tasks =
        completed[completed.len().saturating_sub(MAX_OF_A_KIND)..].iter().map(|task| line("task", task));
    // Git counts whole seconds.
    let second = &began.rfc3339()[..19];
    let commits = material.git.recent_commits.iter().filter(|commit| commit.timestamp.as_str() >= second);
    let commits =
        commits.map(|commit| line(&format!("commit {}", one_line(&commit.sha, 40)), &commit.message));
    let words = texts(recorded, Kind::AssistantResponse, "summary").filter(|said| !said.is_empty());
    let words = words.take(MAX_TURNS).map(|said| line("last words of a turn", &said));
    tasks.chain(commits).chain(words).collect()
}

/// The last prompt, tasks that are not completed, changes that are not committed; and what was asked before,
/// the last first.
pub(super) fn next_steps(recorded: &Recorded, material: &Material) -> Vec<String> {
    let mut asked = asked(recorded, material).into_iter();
    let kinds = recorded.actions.iter().rev().map(|action| action.kind);
    let word =
        match kinds.into_iter().find(|kind| matches!(kind, Kind::UserMessage | Kind::AssistantResponse)) {
            Some(Kind::AssistantResponse) => "asked last, answered",
            Some(_) => "asked last, without an answer",
            None => "asked last",
        };
    let last = asked.next().map(|prompt| line(word, &prompt));
    let tasks = material.todos.active.iter().take(MAX_OF_A_KIND).map(|task| line("task", task));
    let changes = material.git.status.uncommitted().filter(|_| material.git.is_git_repo);
    let changes = changes.map(|files| line("uncommitted changes", &files));
    let asked = asked.map(|prompt| line("asked", &prompt));
    last.into_iter().chain(tasks).chain(changes).chain(asked).collect()
}

/// The prompts of the record and of the transcript, the last first: the record may have begun with none.
fn asked(recorded: &Recorded, material: &Material) -> Vec<String> {
    let mut all: Vec<String> = texts(recorded, Kind::UserMessage, "message").collect();
    for request in material.requests.iter().rev().map(|request| one_line(request, MAX_CHARS)) {
        let is_same = |known: &String| known.chars().take(SAME_CHARS).eq(request.chars().take(SAME_CHARS));
        if !all.iter().any(is_same) {
            all.push(request);
        }
    }
    all.into_iter().filter(|prompt| !prompt.is_empty()).take(MAX_OF_A_KIND).collect()
}

fn line(head: &str, text: &str) -> String {
    format!("{head}: {}", one_line(text, MAX_CHARS))
}

/// The texts of this kind of action, the last first.
fn texts<'a>(recorded: &'a Recorded, kind: Kind, key: &'a str) -> impl Iterator<Item = String> + 'a {
    let actions = recorded.actions.iter().rev().filter(move |action| action.kind == kind);
    actions.map(|action| one_line(action.text(key).unwrap_or_default(), MAX_CHARS))
}

/// Files that were written or edited, once each, relative to the project where they lie in it.
pub(super) fn files_touched(recorded: &Recorded, material: &Material) -> Vec<String> {
    let root = flat(&material.root);
    let is_edit = |action: &&Action| {
        let is_editing = action.text("tool").is_some_and(|tool| EDITING_TOOLS.contains(&tool));
        action.kind == Kind::ToolCall && is_editing
    };
    let edits = recorded.actions.iter().filter(is_edit).filter_map(|action| action.text("path"));
    let mut files: Vec<String> = Vec::new();
    for path in material.files.iter().cloned().chain(edits.map(PathBuf::from)) {
        let file = relative(&path, &root);
        if !file.is_empty() && files.len() < MAX_FILES && !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// Masked first: with `//` and `..` gone, an address with a password in it is no longer known as one.
fn relative(path: &Path, root: &Path) -> String {
    let masked = secrets::masked(&path.to_string_lossy()).into_owned();
    let path = flat(Path::new(&masked));
    shortened(&path.strip_prefix(root).unwrap_or(&path).to_string_lossy(), MAX_PATH_CHARS)
}

#[cfg(test)]
mod tests;
