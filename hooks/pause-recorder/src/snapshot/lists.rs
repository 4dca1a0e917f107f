//! The lists of what a session has done and what is open, from its record, its task list and its repository. Pure.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use shared::host::{Timestamp, flat};

use super::COMMIT_MESSAGE;
use crate::git::Commit;
use crate::material::{EDITING_TOOLS, Material};
use crate::record::{Action, Kind, Recorded};
use crate::text::{MAX_CHARS, one_line, shortened};

/// The lines of a list.
const MAX_LINES: usize = 10;

/// The lines among them that are kept for the last words of turns.
const LAST_WORDS: usize = 2;

/// The prompts in the list, the last one included.
const MAX_REQUESTS: usize = 5;

const MAX_FAILED: usize = 3;

const SHELLS: [&str; 2] = ["Bash", "PowerShell"];

const MAX_FILES: usize = 500;

const MAX_PATH_CHARS: usize = 1_000;

/// Tasks that were completed, commits that were made since the record began, and the last words of turns, newest first.
pub(super) fn accomplishments(recorded: &Recorded, material: &Material, began: Timestamp) -> Vec<String> {
    let (commits, words) = (commits(material, began), last_words(recorded, material));
    let room = MAX_LINES - commits.len() - words.len().min(LAST_WORDS);
    let completed = &material.todos.completed;
    let tasks = completed[completed.len().saturating_sub(room)..].iter();
    let tasks = tasks.map(|task| format!("task: {}", one_line(task, MAX_CHARS)));
    tasks.chain(commits).chain(words).take(MAX_LINES).collect()
}

fn commits(material: &Material, began: Timestamp) -> Vec<String> {
    // Git counts whole seconds.
    let second = |time: Timestamp| time.micros().div_euclid(1_000_000);
    let is_work = |commit: &&Commit| {
        let is_since =
            Timestamp::from_rfc3339(&commit.timestamp).is_some_and(|time| second(time) >= second(began));
        is_since && !commit.message.starts_with(COMMIT_MESSAGE)
    };
    let line = |commit: &Commit| {
        format!("commit {}: {}", one_line(&commit.sha, 40), one_line(&commit.message, MAX_CHARS))
    };
    material.git.recent_commits.iter().filter(is_work).map(line).take(MAX_LINES / 2).collect()
}

/// A question is nothing that was done.
fn last_words(recorded: &Recorded, material: &Material) -> Vec<String> {
    // The record has only the beginning of a long question.
    let ends_asking = material.question.is_some() && last_word(recorded) == Some(Kind::AssistantResponse);
    let mut lines: Vec<String> = Vec::new();
    for words in texts(recorded, Kind::AssistantResponse, "summary").skip(usize::from(ends_asking)) {
        let line = format!("last words of a turn: {words}");
        if !words.is_empty() && !words.ends_with('?') && lines.len() < MAX_LINES && !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The last prompt, a question to the user, commands that failed, tasks that are not completed, changes that are not
/// committed; and what was asked before, the last first.
pub(super) fn next_steps(recorded: &Recorded, material: &Material) -> Vec<String> {
    let mut asked = asked(recorded, material).into_iter();
    let word = match last_word(recorded) {
        Some(Kind::AssistantResponse) => "asked last, answered",
        Some(_) => "asked last, without an answer",
        None => "asked last",
    };
    let last = asked.next().map(|prompt| format!("{word}: {prompt}"));
    let question = question(recorded, material).map(|words| format!("asked the user: {words}"));
    let failed = failed(recorded).into_iter().map(|command| format!("failed: {command}"));
    let mut lines: Vec<String> = last.into_iter().chain(question).chain(failed).collect();
    let changes = material.git.status.uncommitted().filter(|_| material.git.is_git_repo);
    let room = MAX_LINES - lines.len() - usize::from(changes.is_some());
    let tasks = material.todos.active.iter().take(room);
    lines.extend(tasks.map(|task| format!("task: {}", one_line(task, MAX_CHARS))));
    lines.extend(changes.map(|files| format!("uncommitted changes: {files}")));
    lines.extend(asked.map(|prompt| format!("asked: {prompt}")));
    lines.truncate(MAX_LINES);
    lines
}

/// The prompts of the record and of the transcript, the last first: the record may have begun with none.
fn asked(recorded: &Recorded, material: &Material) -> Vec<String> {
    let mut all: Vec<String> = texts(recorded, Kind::UserMessage, "message").collect();
    for request in material.requests.iter().rev().map(|request| one_line(request, MAX_CHARS)) {
        // The record has only the beginning of a long prompt.
        let is_it = |known: &String| {
            *known == request || known.chars().count() > MAX_CHARS / 2 && request.starts_with(known)
        };
        if !all.iter().any(is_it) {
            all.push(request);
        }
    }
    all.into_iter().filter(|prompt| !prompt.is_empty()).take(MAX_REQUESTS).collect()
}

/// The kind of the last words; none where the record has neither prompts nor replies.
fn last_word(recorded: &Recorded) -> Option<Kind> {
    let mut kinds = recorded.actions.iter().rev().map(|action| action.kind);
    kinds.find(|kind| matches!(kind, Kind::UserMessage | Kind::AssistantResponse))
}

/// The end of the last turn, if it is a question that nobody has answered.
fn question(recorded: &Recorded, material: &Material) -> Option<String> {
    if last_word(recorded) == Some(Kind::UserMessage) {
        return None;
    }
    let recorded = texts(recorded, Kind::AssistantResponse, "summary").next();
    let told = material.question.as_ref().map(|words| one_line(words, MAX_CHARS));
    told.or(recorded.filter(|words| words.ends_with('?')))
}

/// Commands that failed and did not succeed since, the last first.
fn failed(recorded: &Recorded) -> Vec<String> {
    let mut seen = HashSet::new();
    let runs = recorded.actions.iter().rev().filter_map(|action| Some((action.kind, command(action)?)));
    let last_runs = runs.filter(|(_, command)| seen.insert(command.clone()));
    let failed = last_runs.filter(|(kind, _)| *kind == Kind::SystemEvent).map(|(_, command)| command);
    failed.take(MAX_FAILED).collect()
}

/// The command of a shell's call. Its arguments are kept as JSON text, of which the end may be missing.
fn command(action: &Action) -> Option<String> {
    let is_call = action.kind == Kind::ToolCall || action.text("event") == Some("tool_failure");
    let is_shells = is_call && action.text("tool").is_some_and(|tool| SHELLS.contains(&tool));
    let args = action.text("args").filter(|_| is_shells)?;
    let command = match serde_json::from_str::<serde_json::Value>(args) {
        Ok(args) => args.get("command")?.as_str()?.to_owned(),
        Err(_) => args.split_once("\"command\":\"")?.1.replace("\\n", " ").replace("\\\"", "\""),
    };
    Some(one_line(&command, MAX_CHARS)).filter(|command| !command.is_empty())
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
    let inside = path.strip_prefix(root).unwrap_or(&path);
    shortened(&inside.to_string_lossy(), MAX_PATH_CHARS)
}

#[cfg(test)]
mod tests;
