//! The snapshot of a recorded session: one content, as JSON, YAML and Markdown.
//!
//! - `build` makes it from a record and other facts, `lists` its lists of what is done and open
//! - `markdown` and `yaml` render it

mod build;
mod lists;
mod markdown;
mod yaml;

use serde::{Deserialize, Serialize};
use shared::host::Timestamp;

pub(crate) use build::{Numbers, build};
pub(crate) use markdown::markdown;
pub(crate) use yaml::yaml;

use crate::git::GitContext;
use crate::record::Kind;

/// The version of this form. Raised when a key changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

/// A snapshot of a session that was paused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The record's id: `session-YYYYMMDD-HHMMSS`, in UTC, with `-2` and so on where two began in one second.
    pub session_id: String,
    /// When the record ended, in UTC.
    pub paused_at: String,
    pub duration_hours: f64,
    pub context_usage: ContextUsage,
    pub incremental_pause: IncrementalPause,
    pub schema_version: u32,
    pub git: GitContext,
    pub todos: Todos,
    /// Files that were written or edited, relative to the project where they lie in it, in the order of their first change.
    pub files_touched: Vec<String>,
    /// What was done: tasks that were completed, commits that were made, and the last words of turns.
    pub accomplishments: Vec<String>,
    /// What is open: the last prompt, answered or not, tasks that are not completed, changes that are not committed; and what was
    /// asked before, the last first.
    pub next_steps: Vec<String>,
    /// Lines of the record that could not be read.
    pub skipped_lines: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ContextUsage {
    pub tokens_used: u64,
    /// Tokens that fit; 0: not known.
    pub tokens_total: u64,
    /// Percent, 0 to 100, to two digits.
    pub percentage: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IncrementalPause {
    pub enabled: bool,
    /// Recorded actions, the first one included, `pause_finalized` not; with those that were only counted.
    pub action_count: u64,
    /// From the record's beginning to its end.
    pub duration_seconds: u64,
    /// How full the context was at the beginning and at the end, 0 to 1.
    pub context_range: [f64; 2],
    pub tool_calls: u64,
    pub actions_summary: Vec<ActionSummary>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionSummary {
    #[serde(rename = "type")]
    pub kind: Kind,
    pub timestamp: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todos {
    /// Not completed; what is being worked on first.
    pub active: Vec<String>,
    pub completed: Vec<String>,
}

impl Snapshot {
    /// How full the context was in whole percent; none where the window is not known.
    pub(crate) fn percent(&self) -> Option<f64> {
        let usage = self.context_usage;
        (usage.tokens_total > 0).then(|| usage.percentage.floor())
    }

    /// The end of the record on the reader's clock; as it stands where it is no time.
    pub(crate) fn paused_at(&self) -> String {
        Timestamp::from_rfc3339(&self.paused_at).map_or_else(|| self.paused_at.clone(), Timestamp::local)
    }
}

/// The beginning of a snapshot's commit message, before its id.
pub(crate) const COMMIT_MESSAGE: &str = "Pause snapshot ";

#[cfg(test)]
pub(crate) mod tests;
