//! The common rule of every Stop gate, and the blocks of a session: the small file through which independent hooks know of each
//! other.
//!
//! A gate asks here first which stops no gate may block, and then applies its own rule. Claude Code's `stop_hook_active` is not a
//! pass: it is one bit, set by anybody's continuation, and its cap of 8 counts everybody's. So the gates count their own blocks
//! per prompt. A hook that denies a call leaves its mark, so that whoever is about to pay for a model call can look first.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::digest;
pub use crate::hook::BlockCount;
use crate::host::Timestamp;
use crate::protocol::{Call, Stop};
use crate::state::{Remembered, StateError, Store};

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

/// The newest so many denied calls are remembered; a mark is looked for within a second of being left.
const MAX_MARKS: usize = 32;

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// The prompt whose stops are counted.
    prompt_id: Option<String>,
    stops: BTreeMap<String, Blocked>,
    /// Ids of denied tool calls, the newest last.
    denied: VecDeque<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Blocked {
    count: u32,
    last_us: Timestamp,
    /// The hash of the message that the last blocked stop ended with.
    message: u64,
    is_followed: bool,
}

impl Remembered for Ledger {
    const FILE: &'static str = "*-blocks.json";
}

impl Ledger {
    /// The count for `prompt_id`. A stop without a prompt id starts a new count.
    pub fn count(&self, prompt_id: Option<&str>, hook: &str) -> BlockCount {
        if prompt_id.is_none() || self.prompt_id.as_deref() != prompt_id {
            return BlockCount::default();
        }
        let own = self.stops.get(hook);
        BlockCount {
            own: own.map_or(0, |own| own.count),
            together: self.stops.values().map(|blocked| blocked.count).fold(0, u32::saturating_add),
            own_last: own.map(|own| own.last_us),
            is_followed: own.is_some_and(|own| own.is_followed),
        }
    }

    pub fn is_denied(&self, tool_use_id: &str) -> bool {
        self.denied.iter().any(|denied| denied == tool_use_id)
    }

    /// Another hook has blocked this very stop: the one of this prompt with this message, since `began`.
    pub fn is_blocked_since(
        &self,
        prompt_id: Option<&str>,
        message: Option<&str>,
        hook: &str,
        began: Timestamp,
    ) -> bool {
        let message = digest::number(message.unwrap_or_default());
        let is_this = |blocked: &Blocked| blocked.message == message && blocked.last_us >= began;
        self.prompt_id.as_deref() == prompt_id
            && self.stops.iter().any(|(other, blocked)| other != hook && is_this(blocked))
    }
}

/// The session's ledger as it is now; empty if it cannot be read.
pub fn read(store: &Store, session: &str) -> Ledger {
    store.read(session).unwrap_or_default()
}

pub fn record_stop(
    store: &Store,
    session: &str,
    prompt_id: Option<&str>,
    message: Option<&str>,
    hook: &str,
    now: Timestamp,
) -> Result<(), StateError> {
    store.change::<Ledger>(session, |ledger| {
        if prompt_id.is_none() || ledger.prompt_id.as_deref() != prompt_id {
            ledger.stops.clear();
            ledger.prompt_id = prompt_id.map(ToOwned::to_owned);
        }
        let own = ledger.stops.entry(hook.to_owned()).or_default();
        own.count = own.count.saturating_add(1);
        (own.last_us, own.message) = (now, digest::number(message.unwrap_or_default()));
        true
    })
}

/// Remembers that a stop did what the hook's blocks of this prompt had asked for.
pub fn record_followed(
    store: &Store,
    session: &str,
    prompt_id: Option<&str>,
    hook: &str,
) -> Result<(), StateError> {
    store.change::<Ledger>(session, |ledger| {
        let is_this = ledger.prompt_id.as_deref() == prompt_id;
        let own = ledger.stops.get_mut(hook).filter(|_| is_this);
        own.map(|own| own.is_followed = true).is_some()
    })
}

pub fn record_deny(store: &Store, session: &str, tool_use_id: &str) -> Result<(), StateError> {
    store.change::<Ledger>(session, |ledger| {
        ledger.denied.push_back(tool_use_id.to_owned());
        while ledger.denied.len() > MAX_MARKS {
            ledger.denied.pop_front();
        }
        true
    })
}

#[cfg(test)]
mod tests;
