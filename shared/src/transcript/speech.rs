//! What was said: around one tool call, and in the conversation. Prose alone, never what a tool is given or answers.

use std::path::{Path, PathBuf};

use super::turn::Patience;
use crate::protocol::Call;

/// What was said around a tool call, in the transcript of whoever makes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// The prose of the message that makes the call, all its lines together; `None`: the call's line is not written yet.
    /// Empty where the message has no prose (a model that only thinks).
    pub own: Option<String>,
    /// The prose of the messages before it, back to the last prompt, oldest first.
    pub before: Vec<String>,
    /// A later line is not the call's own and cannot be read; nothing before it is known.
    pub is_whole: bool,
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user, with their own hand: no result of a tool, nothing the client put in.
    User,
    /// The model.
    Model,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// By whom.
    pub by: Speaker,
    /// Its prose.
    pub text: String,
}

/// Something that was done: a tool call, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// The tool.
    pub tool: String,
    /// What it was given, as JSON text.
    pub input: String,
    /// It failed or was refused; `None`: there is no result yet.
    pub failed: Option<bool>,
}

/// What was said around a call. Waits for its line as long as `patience` has it, looking again at each step.
#[must_use]
pub fn words_of_call(_transcript: &Path, _tool_use_id: &str, _patience: Patience) -> Words {
    Words::default()
}

/// The last `most` things said in the main conversation since its last compaction, oldest first; several lines of one
/// message are one. Of a file that cannot be read: nothing.
#[must_use]
pub fn conversation(_transcript: &Path, _most: usize) -> Vec<Said> {
    Vec::new()
}

/// What the user asked for since the last compaction, oldest first, at most the last `most`.
#[must_use]
pub fn requests(_transcript: &Path, _most: usize) -> Vec<String> {
    Vec::new()
}

/// The last `most` tool calls of the main conversation since the prompt `prompt_id` (the newest without), oldest first.
#[must_use]
pub fn deeds(_transcript: &Path, _prompt_id: Option<&str>, _most: usize) -> Vec<Deed> {
    Vec::new()
}

/// The transcript of whoever makes this call: the subagent's own, or the session's. `None` where neither can be told.
#[must_use]
pub fn transcript_of(_call: &Call) -> Option<PathBuf> {
    None
}
