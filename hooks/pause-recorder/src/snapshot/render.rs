//! A snapshot as a page for people and as YAML. Pure. Every text of the YAML stands in double quotes, because some readers take `yes`,
//! `1:30` or a date for something else.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use shared::text::is_hidden;

use super::Snapshot;
use crate::git::Commit;
use crate::text::{counted, full};

/// The page, with times on the reader's clock. Texts of a session or a repository cannot become markup.
pub(crate) fn markdown(snapshot: &Snapshot) -> String {
    let Snapshot { session_id: id, context_usage: usage, incremental_pause: pause, git, .. } = snapshot;
    let context = snapshot
        .percent()
        .map_or("not known".to_owned(), |percent| full(percent, usage.tokens_used, usage.tokens_total));
    let repository = match &git.branch {
        _ if !git.is_git_repo => "none".to_owned(),
        Some(branch) => format!("branch {}", code(branch)),
        None => "no branch".to_owned(),
    };
    let mut page = format!(
        "# Paused session {}\n\n- paused at: {}\n- context: {context}\n- recorded: {} in {} min\n\
         - each action: {}, beside this file once the record has ended\n- lines that cannot be read: {}\n\
         - repository: {repository}\n",
        code(id),
        code(&snapshot.paused_at()),
        counted(pause.action_count),
        pause.duration_seconds / 60,
        code(&format!("{id}-incremental.jsonl")),
        snapshot.skipped_lines
    );
    let commit = |commit: &Commit| format!("{} {}, {}", commit.sha, commit.message, commit.author);
    let commits: Vec<String> = git.recent_commits.iter().map(commit).collect();
    for (heading, lines) in [
        ("Open", &snapshot.next_steps),
        ("Done", &snapshot.accomplishments),
        ("Files touched", &snapshot.files_touched),
        ("Tasks, not completed", &snapshot.todos.active),
        ("Tasks, completed", &snapshot.todos.completed),
        ("Commits", &commits),
        ("Modified files", &git.status.modified_files),
        ("Untracked files", &git.status.untracked_files),
    ] {
        if !lines.is_empty() {
            let _ = writeln!(page, "\n## {heading}\n");
        }
        for line in lines {
            let _ = writeln!(page, "- {}", code(line));
        }
    }
    page
}

/// The text as code, in which nothing is markup; on one line, because an empty line would end it. Unseen characters are spelled
/// out, in double quotes then.
fn code(text: &str) -> String {
    let text =
        if text.contains(is_hidden) || text.is_empty() { format!("{text:?}") } else { text.to_owned() };
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // A renderer takes one space at both ends away.
    let space = if text.starts_with([' ', '`']) || text.ends_with([' ', '`']) { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// The value as a YAML document. Its keys are plain words.
pub(crate) fn yaml(value: &Value) -> String {
    let mut text = String::new();
    block(&mut text, value, "");
    text
}

fn block(text: &mut String, value: &Value, indent: &str) {
    let entries: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, entry)| (format!("{key}:"), entry)).collect(),
        Value::Array(list) => list.iter().map(|entry| ("-".to_owned(), entry)).collect(),
        _ => Vec::new(),
    };
    for (name, entry) in entries {
        let entries = entry.as_object().map(Map::len).or(entry.as_array().map(Vec::len));
        let is_block = entries.is_some_and(|entries| entries > 0);
        if is_block {
            let _ = writeln!(text, "{indent}{name}");
            block(text, entry, &format!("{indent}  "));
        } else {
            let _ = writeln!(text, "{indent}{name} {}", quoted(entry));
        }
    }
}

/// JSON is YAML but for the characters that YAML does not allow in a file.
fn quoted(scalar: &Value) -> String {
    let is_allowed = |char: char| {
        !char.is_control() && !matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    scalar.to_string().chars().fold(String::new(), |mut text, char| {
        if is_allowed(char) {
            text.push(char);
        } else {
            let _ = write!(text, "\\u{:04x}", u32::from(char));
        }
        text
    })
}

#[cfg(test)]
mod tests;
