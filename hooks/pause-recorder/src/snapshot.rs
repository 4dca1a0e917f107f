//! What is left of a recorded session: one content, as JSON, YAML and Markdown.
//!
//! - `build` makes it from a record and other facts, `done` its lists of what is done and open; `text` cleans texts
//! - `markdown` and `yaml` render it; `publish` writes the files and archives the record; `schema` describes the JSON

mod build;
mod done;
mod markdown;
mod publish;
mod schema;
mod text;
mod yaml;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shared::host::Timestamp;

pub(crate) use build::{Summary, build, finalized_data, is_context_known, summary};
pub(crate) use markdown::markdown;
pub(crate) use publish::{End, Ending};
pub(crate) use publish::{finish, is_as_written, json_of};
pub(crate) use schema::snapshot_schema;
pub(crate) use text::one_line;

use crate::git::GitContext;
use crate::record::Kind;

/// The version of this form. Raised when a key changes its meaning or goes.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// So many of the last actions are listed.
pub(crate) const MAX_ACTIONS_SUMMARY: usize = 10;

/// A snapshot of a session that was paused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    /// The record's id: `session-YYYYMMDD-HHMMSS`, in UTC, with `-2` and so on where two began in one second.
    pub session_id: String,
    /// When the record ended, in UTC.
    pub paused_at: String,
    /// From the record's beginning to `paused_at`, in hours, to two digits.
    pub duration_hours: f64,
    /// How full the context was at the end.
    pub context_usage: ContextUsage,
    /// What was recorded.
    pub incremental_pause: IncrementalPause,
    /// The version of this form.
    pub schema_version: u32,
    /// The repository at the end.
    pub git: GitContext,
    /// The task list of the session.
    pub todos: Todos,
    /// Files that were written or edited, relative to the project where they lie in it, in the order of their first change.
    pub files_touched: Vec<String>,
    /// What was done: tasks that were completed, commits that were made, and the last words of turns that were no question.
    pub accomplishments: Vec<String>,
    /// What is open: the last prompt, answered or not, a question to the user, commands that failed, tasks that are not
    /// completed, changes that are not committed; and what was asked before, the last first.
    pub next_steps: Vec<String>,
    /// Lines of the record that could not be read.
    pub skipped_lines: u64,
}

/// How full the context was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextUsage {
    /// Tokens in the context.
    pub tokens_used: u64,
    /// Tokens that fit; 0: not known.
    pub tokens_total: u64,
    /// Percent, 0 to 100, to two digits.
    pub percentage: f64,
}

impl ContextUsage {
    /// It, where it is known.
    pub(crate) fn known(&self) -> Option<&Self> {
        (self.tokens_total > 0).then_some(self)
    }

    /// `93 % full`; none where it is not known.
    pub(crate) fn full(&self) -> Option<String> {
        self.known().map(|usage| format!("{:.0} % full", usage.percentage.floor()))
    }
}

/// What the message of a snapshot's commit begins with, before the rest of its id.
const COMMIT_MESSAGE: &str = "Pause snapshot session-";

pub(crate) fn commit_message(id: &str) -> String {
    format!("{COMMIT_MESSAGE}{}", id.trim_start_matches("session-"))
}

/// It is the message of such a commit.
pub(crate) fn is_commit_message(message: &str) -> bool {
    message.starts_with(COMMIT_MESSAGE)
}

/// A share, 0 to 1, in whole percent, as it is told.
pub(crate) fn whole_percent(share: f64) -> f64 {
    // 0.29 is a little less than 29 hundredths in binary.
    ((share * 10_000.0).round() / 100.0).floor()
}

/// A time of ours as people read it, on their clock; as it stands where it is none.
pub(crate) fn told_time(time: &str) -> String {
    Timestamp::from_rfc3339(time).map_or_else(|| time.to_owned(), Timestamp::local)
}

/// What was recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IncrementalPause {
    /// There is a record.
    pub enabled: bool,
    /// Recorded actions, the first one included, `pause_finalized` not; with those that were only counted.
    pub action_count: u64,
    /// From the record's beginning to its end, in seconds.
    pub duration_seconds: u64,
    /// How full the context was at the beginning and at the end, 0 to 1.
    pub context_range: [f64; 2],
    /// Recorded tool calls.
    pub tool_calls: u64,
    /// The last ten actions.
    pub actions_summary: Vec<ActionSummary>,
}

/// One action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionSummary {
    /// What it was.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// When, in UTC; empty where its line does not tell.
    pub timestamp: String,
}

/// The session's task list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Todos {
    /// Not completed; what is being worked on first.
    pub active: Vec<String>,
    /// Completed.
    pub completed: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::{commit_message, is_commit_message};

    #[test]
    fn the_commit_of_a_snapshot_is_known_by_its_message() {
        let message = commit_message("session-20261122-120000-2");
        assert_eq!(message, "Pause snapshot session-20261122-120000-2");
        assert!(is_commit_message(&message));
        assert!(!is_commit_message("Pause snapshot of the camera"));
    }
}

#[cfg(test)]
mod world;
