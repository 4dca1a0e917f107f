//! One line of a record.

use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::host::Timestamp;

/// The six kinds of actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// A line as it stands in the file, its keys in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Action {
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The time in UTC: `2026-11-21T07:46:38.681Z`.
    pub timestamp: String,
    /// The record's id, `session-YYYYMMDD-HHMMSS`.
    pub session_id: String,
    /// The data of this kind.
    pub data: Map<String, Value>,
    /// The share of the context window in use, 0 to 1.
    pub context_percentage: f64,
}

/// An action before its record's id is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub kind: Kind,
    pub at: Timestamp,
    /// The data of this kind; texts are masked and cut.
    pub data: Map<String, Value>,
    /// The share of the context window in use, 0 to 1.
    pub share: f64,
}

impl Draft {
    /// The line with its final newline.
    pub(super) fn line(&self, id: &str) -> io::Result<Vec<u8>> {
        let action = Action {
            kind: self.kind,
            timestamp: self.at.rfc3339(),
            session_id: id.to_owned(),
            data: self.data.clone(),
            // JSON cannot express a value that is not a number.
            context_percentage: if self.share.is_finite() { self.share.clamp(0.0, 1.0) } else { 0.0 },
        };
        let mut line = serde_json::to_vec(&action)?;
        line.push(b'\n');
        Ok(line)
    }
}
