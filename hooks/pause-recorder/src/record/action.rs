//! One line of a record.

use std::borrow::Cow;
use std::io;

use schemars::JsonSchema;
use secrets::masked;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::host::Timestamp;

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
    cut(text, most, masked)
}

/// What a tool was given or has answered, which is JSON, as it is kept: shortened, and what its strings say is looked at for
/// secrets, too: in the JSON itself a secret may stand behind the letter of an escape.
#[must_use]
pub(crate) fn json_shortened(json: &str, most: usize) -> String {
    cut(json, most, |json| Cow::Owned(masked(&strings_masked(json)).into_owned()))
}

/// A tool's input as it is kept: its JSON text, shortened to [`MAX_ARGS_CHARS`].
#[must_use]
pub(crate) fn args_summary(input: &str) -> String {
    json_shortened(input, MAX_ARGS_CHARS)
}

fn cut(text: &str, most: usize, clean: impl Fn(&str) -> Cow<'_, str>) -> String {
    let kept = clean(beginning(text));
    // Where next to nothing is left of the beginning, what is kept could be half of a secret that goes on behind it.
    let is_enough = text.len() <= LOOKED_AT_BYTES || kept.len() >= LOOKED_AT_BYTES / 2;
    let kept = if is_enough { kept } else { clean(text) };
    kept.chars().take(most).collect()
}

fn beginning(text: &str) -> &str {
    let end = (0..=LOOKED_AT_BYTES).rev().find(|end| text.is_char_boundary(*end));
    if text.len() <= LOOKED_AT_BYTES { text } else { &text[..end.unwrap_or(0)] }
}

/// The JSON with each string masked by itself; those without a secret stay as they are written. It may break off anywhere.
fn strings_masked(json: &str) -> String {
    let mut clean = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, behind)) = rest.split_once('"') {
        let (string, after) = behind.split_at(string_end(behind));
        let text = unescaped(string);
        let kept = masked(&text);
        clean.push_str(before);
        clean.push('"');
        clean.push_str(&if kept == text { Cow::Borrowed(string) } else { escaped(&kept) });
        rest = after.strip_prefix('"').map_or("", |rest| {
            clean.push('"');
            rest
        });
    }
    clean + rest
}

/// Where the quotation mark stands that ends a string; the end of the text where it breaks off.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    let is_end = |byte: &u8| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    };
    text.as_bytes().iter().position(is_end).unwrap_or(text.len())
}

fn escaped(text: &str) -> Cow<'_, str> {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    let inside = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    Cow::Owned(inside.unwrap_or_default().to_owned())
}

/// What a string of a JSON says; what cannot be an escape stands for itself.
fn unescaped(string: &str) -> Cow<'_, str> {
    if !string.contains('\\') {
        return Cow::Borrowed(string);
    }
    let said = serde_json::from_str::<String>(&format!("\"{string}\""));
    Cow::Owned(said.unwrap_or_else(|_| roughly_unescaped(string)))
}

/// Half a character in two escapes, or an escape that breaks off: what is said around it counts.
fn roughly_unescaped(string: &str) -> String {
    let mut said = String::with_capacity(string.len());
    let mut rest = string;
    while let Some((before, behind)) = rest.split_once('\\') {
        said.push_str(before);
        let mut chars = behind.chars();
        match chars.next() {
            Some('n' | 'r' | 't' | 'b' | 'f') => said.push('\n'),
            Some('u') => {
                let digits = chars.as_str().get(..4);
                let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                said.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
                chars = chars.as_str().get(4..).unwrap_or_default().chars();
            }
            Some(char) => said.push(char),
            None => {}
        }
        rest = chars.as_str();
    }
    said + rest
}

#[cfg(test)]
mod tests;
