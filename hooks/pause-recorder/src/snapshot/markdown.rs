//! A snapshot for people. Pure.

use std::fmt::Write as _;

use shared::text::is_hidden;

use super::Snapshot;
use crate::git::Commit;
use crate::wording::{counted, full};

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

#[cfg(test)]
mod tests;
