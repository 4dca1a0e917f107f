//! One line of a record.

use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::host::Timestamp;
use shared::secrets::masked;

/// What is kept of a text, in characters, beside its length.
pub(crate) const MAX_SUMMARY_CHARS: usize = 200;

/// What is kept of a tool's arguments, in characters.
const MAX_ARGS_CHARS: usize = 500;

/// Of a longer text only its beginning is looked at for secrets: a tool may return megabytes.
const LOOKED_AT_BYTES: usize = 64 * 1024;

/// What an action is. The seed's six.
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
    /// Something else: a level reached, a compaction, an error, a tool that failed, a subagent.
    SystemEvent,
    /// The record ends.
    PauseFinalized,
}

/// A line as it stands in the file, its keys in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// When, in UTC: `2026-11-21T07:46:38.681Z`.
    pub timestamp: String,
    /// The record's id, `session-YYYYMMDD-HHMMSS`.
    pub session_id: String,
    /// What belongs to its kind.
    pub data: Map<String, Value>,
    /// How full the context was, 0 to 1.
    pub context_percentage: f64,
}

/// An action before it is written: the record's id is the file's.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// What it is.
    pub kind: Kind,
    /// When.
    pub at: Timestamp,
    /// What belongs to its kind; texts already shortened.
    pub data: Map<String, Value>,
    /// How full the context was, 0 to 1.
    pub share: f64,
}

impl Draft {
    /// The line, with the newline that ends it; none is in it, because JSON writes control characters as escapes.
    pub(super) fn line(&self, id: &str) -> io::Result<Vec<u8>> {
        let action = Action {
            kind: self.kind,
            timestamp: self.at.rfc3339(),
            session_id: id.to_owned(),
            data: self.data.clone(),
            // JSON has no word for what is no number.
            context_percentage: if self.share.is_finite() { self.share.clamp(0.0, 1.0) } else { 0.0 },
        };
        let mut line = serde_json::to_vec(&action)?;
        line.push(b'\n');
        Ok(line)
    }
}

/// A text as it is kept: secrets masked, then cut to `most` characters; far fewer than are looked at.
#[must_use]
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let clean = masked(beginning(text));
    // Where next to nothing is left of the beginning, what is kept could be half of a secret that goes on behind it.
    let is_enough = text.len() <= LOOKED_AT_BYTES || clean.len() >= LOOKED_AT_BYTES / 2;
    let clean = if is_enough { clean } else { masked(text) };
    clean.chars().take(most).collect()
}

fn beginning(text: &str) -> &str {
    let end = (0..=LOOKED_AT_BYTES).rev().find(|end| text.is_char_boundary(*end));
    if text.len() <= LOOKED_AT_BYTES { text } else { &text[..end.unwrap_or(0)] }
}

/// A tool's input as it is kept: its JSON text, shortened to [`MAX_ARGS_CHARS`].
#[must_use]
pub(crate) fn args_summary(input: &str) -> String {
    shortened(input, MAX_ARGS_CHARS)
}

#[cfg(test)]
mod tests;
