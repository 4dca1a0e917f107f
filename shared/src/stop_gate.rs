//! The common rule of every Stop gate: which stops no gate may block.
//!
//! A gate asks here first and then applies its own rule. The client's `stop_hook_active` is not a pass: it is one bit,
//! set by anybody's continuation. The gates count their own blocks instead ([`crate::blocks`]).

use crate::blocks::BlockCount;
use crate::host::Timestamp;
use crate::protocol::{Call, Stop};

/// All our gates together allow the stop after so many blocks of one prompt; Claude Code overrides at 8.
pub const MAX_BLOCKS_TOGETHER: u32 = 6;

/// A block recorded this much later than our own start is a clock that jumped, not a parallel copy of this stop.
const PARALLEL_SECS: u64 = 10;

/// Whether the turn made a tool call. What cannot be known counts as work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TurnWork {
    ToolCalls,
    /// The prompt was found, and no call since.
    NoToolCall,
    /// The prompt was not found, or the file cannot be read.
    #[default]
    Unknown,
}

#[derive(Debug, Clone, Copy)]
pub struct StopFacts<'a> {
    pub call: &'a Call,
    pub stop: &'a Stop,
    pub work: TurnWork,
    pub blocks: BlockCount,
    pub started: Timestamp,
}

/// Why this stop must not be blocked, as far as its input tells: a gate that gets an answer here need not look further.
pub fn never_blocked_by_input(call: &Call, stop: &Stop) -> Option<&'static str> {
    if call.session_id.is_none() {
        return Some("no session id");
    }
    if stop.background_tasks > 0 || !stop.session_crons.is_empty() {
        return Some("background work or a wake-up is in flight");
    }
    if stop.last_assistant_message.as_deref().is_some_and(ends_in_a_question) {
        return Some("the last message ends in a question");
    }
    let continued = call.prompt_id.is_none() && stop.stop_hook_active;
    continued.then_some("a continued stop without a prompt id")
}

/// Why this stop must not be blocked, whatever a gate thinks of it; `None` if it may be.
pub fn never_blocked(facts: &StopFacts<'_>) -> Option<&'static str> {
    let StopFacts { call, stop, work, blocks, started } = *facts;
    if let Some(reason) = never_blocked_by_input(call, stop) {
        return Some(reason);
    }
    if work == TurnWork::NoToolCall {
        return Some("the turn made no tool call");
    }
    if blocks.together >= MAX_BLOCKS_TOGETHER {
        return Some("blocked often enough for this prompt");
    }
    let parallel =
        blocks.own_last.is_some_and(|last| last > started && last.since(started).as_secs() < PARALLEL_SECS);
    parallel.then_some("a parallel copy of this stop is blocked already")
}

/// The message ends by asking the user something: its last line, or the line before a closing list of choices.
pub fn ends_in_a_question(message: &str) -> bool {
    let mut lines = message.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let Some(last) = lines.next() else { return false };
    if is_question(last) {
        return true;
    }
    is_choice(last) && lines.find(|line| !is_choice(line)).is_some_and(is_question)
}

fn is_question(line: &str) -> bool {
    // A hint at the possible answers, `(y/n)` or `[Y/n]`, and decoration may follow the question mark.
    let bare = line.trim_end_matches(|char: char| !char.is_alphanumeric() && !is_mark(char));
    let hint =
        bare.rfind(['(', '[']).filter(|hint| bare[*hint..].contains('/') && bare.len() - hint <= MAX_HINT);
    bare[..hint.unwrap_or(bare.len())].trim_end().trim_end_matches(['*', '_', '`']).ends_with(is_mark)
}

/// The longest `(yes/no/later)` after a question, in bytes.
const MAX_HINT: usize = 24;

fn is_mark(char: char) -> bool {
    matches!(char, '?' | '？' | '؟')
}

/// A list item: `- x`, `* x`, `1. x`, `a) x`.
fn is_choice(line: &str) -> bool {
    let line = line.trim_start_matches("**");
    let label =
        line.split_once(['.', ')']).map(|(label, _)| label.trim_start_matches('(')).unwrap_or_default();
    let is_number = (1..=2).contains(&label.len()) && label.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = label.len() == 1 && label.bytes().all(|byte| byte.is_ascii_alphabetic());
    ["- ", "* ", "• "].iter().any(|bullet| line.starts_with(bullet)) || is_number || is_letter
}

#[cfg(test)]
mod tests;
