//! The lists of what a session has done and what is open, from its record, its task list and its repository. Pure.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use shared::host::{Timestamp, flat};

use super::{is_commit_message, one_line};
use crate::git::{Commit, Status};
use crate::material::{EDITING_TOOLS, Material};
use crate::record::{Action, Kind, Recorded, shortened};

/// So many lines of each kind at most.
const MAX_LINES: usize = 10;

/// So many of them are a turn's last words, where there is enough of the rest.
const LAST_WORDS: usize = 2;

/// So many prompts are told, the last one included.
const MAX_REQUESTS: usize = 5;

/// So many commands that failed are told.
const MAX_FAILED: usize = 3;

/// The tools that run commands.
const SHELLS: [&str; 2] = ["Bash", "PowerShell"];

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
    let words = last_words(recorded, material);
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
    let since = material.git.recent_commits.iter().filter(|commit: &&Commit| is_since(&commit.timestamp));
    let since = since.filter(|commit| !is_commit_message(&commit.message));
    let line = |sha: &str, message: &str| {
        format!("commit {}: {}", one_line(sha, 40), one_line(message, MAX_LINE_CHARS))
    };
    since.map(|commit| line(&commit.sha, &commit.message)).take(MAX_LINES / 2).collect()
}

/// A question is nothing that was done.
fn last_words(recorded: &Recorded, material: &Material) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let turns = recorded.actions.iter().rev().filter(|action| action.kind == Kind::AssistantResponse);
    // Of a long one the record has only the beginning.
    let asked =
        usize::from(material.question.is_some() && last_word(recorded) == Some(Kind::AssistantResponse));
    let words = turns.skip(asked).map(|turn| text(turn, "summary"));
    for words in words.filter(|words| !words.is_empty() && !words.ends_with('?')) {
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

/// The last prompt, a question to the user, commands that failed, tasks that are not completed, changes that are not
/// committed; and what was asked before, the last first.
pub(super) fn next_steps(recorded: &Recorded, material: &Material) -> Vec<String> {
    let (last, before) = asked(recorded, material);
    let word = match last_word(recorded) {
        Some(Kind::AssistantResponse) => "asked last, answered",
        Some(_) => "asked last, without an answer",
        None => "asked last",
    };
    let last = last.map(|prompt| format!("{word}: {prompt}"));
    let question = question(recorded, material).map(|words| format!("asked the user: {words}"));
    let failed = failed(recorded).into_iter().map(|command| format!("failed: {command}"));
    let mut lines: Vec<String> = last.into_iter().chain(question).chain(failed).collect();
    let changes = uncommitted(material);
    let room = MAX_LINES - lines.len() - usize::from(changes.is_some());
    let tasks = material.todos.active.iter().take(room);
    lines.extend(tasks.map(|task| format!("task: {}", one_line(task, MAX_LINE_CHARS))));
    lines.extend(changes);
    lines.extend(before.into_iter().map(|prompt| format!("asked: {prompt}")));
    lines.truncate(MAX_LINES);
    lines
}

/// The last prompt, and those before it, the last first: the record may have begun with none.
fn asked(recorded: &Recorded, material: &Material) -> (Option<String>, Vec<String>) {
    let prompts = recorded.actions.iter().rev().filter(|action| action.kind == Kind::UserMessage);
    let mut all: Vec<String> = prompts.map(|prompt| text(prompt, "message")).collect();
    let earlier = material.requests.iter().rev().map(|request| one_line(request, MAX_LINE_CHARS));
    for request in earlier {
        if !all.iter().any(|known| is_same(known, &request)) {
            all.push(request);
        }
    }
    let mut all = all.into_iter().filter(|prompt| !prompt.is_empty()).take(MAX_REQUESTS);
    (all.next(), all.collect())
}

/// Of a long prompt the record has only the beginning, and it may be a few blanks shorter than what the transcript tells.
fn is_same(known: &str, request: &str) -> bool {
    known == request || (known.chars().count() > MAX_LINE_CHARS / 2 && request.starts_with(known))
}

/// Whose the last words are; none where the record has none of either.
fn last_word(recorded: &Recorded) -> Option<Kind> {
    let is_either = |kind: &Kind| matches!(kind, Kind::UserMessage | Kind::AssistantResponse);
    recorded.actions.iter().rev().map(|action| action.kind).find(is_either)
}

/// What the last turn has ended with, if it is a question that nobody has answered.
fn question(recorded: &Recorded, material: &Material) -> Option<String> {
    if last_word(recorded) == Some(Kind::UserMessage) {
        return None;
    }
    let mut turns = recorded.actions.iter().rev().filter(|action| action.kind == Kind::AssistantResponse);
    let words = turns.next().map(|last| text(last, "summary")).filter(|words| words.ends_with('?'));
    material.question.as_ref().map(|words| one_line(words, MAX_LINE_CHARS)).or(words)
}

/// Commands that failed and did not succeed since, the last first.
fn failed(recorded: &Recorded) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut failed = Vec::new();
    for action in recorded.actions.iter().rev() {
        let Some(command) = command(action).filter(|command| seen.insert(command.clone())) else { continue };
        if action.kind == Kind::SystemEvent && failed.len() < MAX_FAILED {
            failed.push(command);
        }
    }
    failed
}

/// What a shell was input: its arguments are kept as JSON text, of which the end may be missing.
fn command(action: &Action) -> Option<String> {
    let data = |key: &str| action.data.get(key).and_then(|text| text.as_str());
    let is_either = action.kind == Kind::ToolCall || data("event") == Some("tool_failure");
    let args =
        data("args").filter(|_| is_either && data("tool").is_some_and(|tool| SHELLS.contains(&tool)))?;
    let whole = serde_json::from_str::<serde_json::Value>(args).ok();
    let command = match &whole {
        Some(args) => args.get("command")?.as_str()?.to_owned(),
        None => args.split_once("\"command\":\"")?.1.replace("\\n", " ").replace("\\\"", "\""),
    };
    Some(one_line(&command, MAX_LINE_CHARS)).filter(|command| !command.is_empty())
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
    let masked = secrets::masked(&path.to_string_lossy()).into_owned();
    let path = flat(Path::new(&masked));
    let inside = path.strip_prefix(root).unwrap_or(&path);
    shortened(&inside.to_string_lossy(), MAX_PATH_CHARS)
}

#[cfg(test)]
mod tests;
