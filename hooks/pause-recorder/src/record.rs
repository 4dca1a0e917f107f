//! The record of a session: a file in the project's folder of sessions, a line for each action.
//!
//! - `folder`: the folder, the names in it, old archives
//! - `file`: begins, appends, reads, archives and discards a record

mod file;
mod folder;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use shared::host::{Timestamp, rfc3339};

pub(crate) use file::{Record, append, archive, discard, failed, locked, read, start, write};
pub(crate) use folder::{ACTIVE_PREFIX, ARCHIVE, ENDS, JSON, MARKDOWN, Sessions, YAML, id_at, is_record_id};

/// The key of the number of actions that a full record has left out before this one.
pub(crate) const NOT_RECORDED: &str = "not_recorded";

/// The six kinds of actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The record begins.
    PauseStarted,
    /// A tool has run.
    ToolCall,
    /// The model's last words of a turn.
    AssistantResponse,
    /// A prompt.
    UserMessage,
    /// A level, a compaction, an error, a failed tool, a subagent, or the session's end.
    SystemEvent,
    /// The record ends.
    PauseFinalized,
}

/// One line of a record, its keys in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Action {
    #[serde(rename = "type")]
    pub kind: Kind,
    #[serde(rename = "timestamp", with = "rfc3339")]
    pub at: Timestamp,
    /// The record's id, which the file fills in.
    pub session_id: String,
    /// Texts in it are masked and cut.
    pub data: Map<String, Value>,
    /// The share of the context window in use, 0 to 1.
    #[serde(rename = "context_percentage")]
    pub share: f64,
}

impl Action {
    /// An action with this data, an object, of which empty entries are left out.
    pub(crate) fn new(kind: Kind, at: Timestamp, data: Value, share: f64) -> Self {
        let Value::Object(mut data) = data else { return Self::new(kind, at, json!({}), share) };
        data.retain(|_, value| !value.is_null());
        Self { kind, at, session_id: String::new(), data, share }
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.data.get(key)?.as_str()
    }
}

/// The content of a record.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Recorded {
    /// The id of the first readable line; empty where there is none.
    pub id: String,
    pub actions: Vec<Action>,
    /// The lines that cannot be read; empty lines do not count.
    pub skipped_lines: u64,
}
