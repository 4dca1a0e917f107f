//! What was done in a session and what is open, in short lines: out of its record, its task list and its repository. Pure.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use shared::host::{Timestamp, flat};

use super::one_line;
use crate::git::Status;
use crate::material::{EDITING_TOOLS, Material};
use crate::record::{Action, Kind, Recorded, shortened};

/// So many lines of each kind at most.
const MAX_LINES: usize = 10;

/// So many of them are a turn's last words, where there is enough of the rest.
const LAST_WORDS: usize = 2;

/// A line has so many characters at most, without what it begins with.
const MAX_LINE_CHARS: usize = 200;

/// So many files at most.
const MAX_FILES: usize = 500;

/// Their names together have so many bytes at most: the snapshot stays one that is read at once.
const MAX_FILES_BYTES: usize = 200 * 1024;

/// So much is kept of a path, in characters.
const MAX_PATH_CHARS: usize = 1_000;

/// Tasks that were completed, commits that were made since the record began, and the last words of turns, newest first.
pub(super) fn accomplishments(recorded: &Recorded, material: &Material, began: Timestamp) -> Vec<String> {
    let commits = commits(material, began);
    let words = last_words(recorded);
    let room = MAX_LINES - commits.len() - words.len().min(LAST_WORDS);
    let completed = &material.todos.completed;
    let tasks = completed[completed.len().saturating_sub(room)..].iter();
    let tasks = tasks.map(|task| format!("task: {}", one_line(task, MAX_LINE_CHARS)));
    tasks.chain(commits).chain(words).take(MAX_LINES).collect()
}

/// A record that has no line that could be read has no beginning, and no commits since.
fn commits(material: &Material, began: Timestamp) -> Vec<String> {
    // Git counts whole seconds.
    let second = |time: Timestamp| time.micros().div_euclid(1_000_000);
    let is_since =
        |time: &str| Timestamp::from_rfc3339(time).is_some_and(|time| second(time) >= second(began));
    let since = material.git.recent_commits.iter().filter(|commit| is_since(&commit.timestamp));
    let line = |sha: &str, message: &str| {
        format!("commit {}: {}", one_line(sha, 40), one_line(message, MAX_LINE_CHARS))
    };
    since.map(|commit| line(&commit.sha, &commit.message)).take(MAX_LINES / 2).collect()
}

fn last_words(recorded: &Recorded) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let turns = recorded.actions.iter().rev().filter(|action| action.kind == Kind::AssistantResponse);
    for words in turns.map(|turn| text(turn, "summary")).filter(|words| !words.is_empty()) {
        let line = format!("last words of a turn: {words}");
        if !lines.contains(&line) {
            lines.push(line);
        }
        if lines.len() == MAX_LINES {
            break;
        }
    }
    lines
}

/// A prompt without an answer, tasks that are not completed, and changes that are not committed.
pub(super) fn next_steps(recorded: &Recorded, material: &Material) -> Vec<String> {
    let prompt = unanswered(recorded).map(|prompt| format!("prompt without an answer: {prompt}"));
    let changes = uncommitted(material);
    let room = MAX_LINES - usize::from(prompt.is_some()) - usize::from(changes.is_some());
    let tasks = material.todos.active.iter().take(room);
    let tasks = tasks.map(|task| format!("task: {}", one_line(task, MAX_LINE_CHARS)));
    prompt.into_iter().chain(tasks).chain(changes).collect()
}

fn unanswered(recorded: &Recorded) -> Option<String> {
    let is_either = |action: &&Action| matches!(action.kind, Kind::UserMessage | Kind::AssistantResponse);
    let last = recorded.actions.iter().rev().find(is_either)?;
    let prompt = (last.kind == Kind::UserMessage).then(|| text(last, "message"))?;
    (!prompt.is_empty()).then_some(prompt)
}

fn uncommitted(material: &Material) -> Option<String> {
    let Status { clean, modified_files, untracked_files } = &material.git.status;
    let files = modified_files.len() + untracked_files.len();
    let is_open = material.git.is_git_repo && !clean && files > 0;
    let word = if files == 1 { "file" } else { "files" };
    is_open.then(|| format!("uncommitted changes: {files} {word}"))
}

fn text(action: &Action, key: &str) -> String {
    let text = action.data.get(key).and_then(|text| text.as_str()).unwrap_or_default();
    one_line(text, MAX_LINE_CHARS)
}

/// What was written or edited, once each, in the order of the first change, relative to the project where it lies in it.
pub(super) fn files_touched(recorded: &Recorded, material: &Material) -> Vec<String> {
    let root = flat(&material.root);
    let recorded = recorded.actions.iter().filter_map(edited).map(PathBuf::from);
    let mut files: Vec<String> = Vec::new();
    let mut bytes = 0;
    let mut seen = HashSet::new();
    for path in material.files.iter().cloned().chain(recorded).filter(|path| seen.insert(path.clone())) {
        let file = relative(&path, &root);
        if file.is_empty() || files.contains(&file) {
            continue;
        }
        bytes += file.len();
        if files.len() == MAX_FILES || bytes > MAX_FILES_BYTES {
            break;
        }
        files.push(file);
    }
    files
}

fn edited(action: &Action) -> Option<&str> {
    let text = |key: &str| action.data.get(key).and_then(|text| text.as_str());
    let is_edit =
        action.kind == Kind::ToolCall && text("tool").is_some_and(|tool| EDITING_TOOLS.contains(&tool));
    is_edit.then(|| text("path")).flatten()
}

/// Masked first: with `//` and `..` gone, an address with a password in it is no longer known as one.
fn relative(path: &Path, root: &Path) -> String {
    let masked = shared::secrets::masked(&path.to_string_lossy()).into_owned();
    let path = flat(Path::new(&masked));
    let inside = path.strip_prefix(root).unwrap_or(&path);
    shortened(&inside.to_string_lossy(), MAX_PATH_CHARS)
}

#[cfg(test)]
mod tests;
