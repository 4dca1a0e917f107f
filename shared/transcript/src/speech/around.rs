//! Prose around one tool call: in the message that makes it, and before it in the same turn.

use std::fs;
use std::path::Path;

use super::{Backwards, Gathered, Speaker, Words, prose};
use crate::line::{Block, Entry, Line, Role};
use crate::turn::Patience;

/// The call belongs to the newest message; so many later ones are looked through all the same.
const MAX_LATER_MESSAGES: usize = 4;

/// So many messages before the call are read.
const MAX_MESSAGES_BEFORE: usize = 50;

/// Prose around a call. Waits for its line as long as `patience` allows, looking again at each step.
#[must_use]
pub fn words_of_call(transcript: &Path, tool_use_id: &str, patience: Patience) -> Words {
    let mut seen_bytes = None;
    let words = patience.look(|| {
        // A file that has not grown has no new line; reading a long turn again at each step would be dear.
        let bytes = fs::metadata(transcript).ok().map(|metadata| metadata.len());
        let is_new = bytes.is_some() && bytes != seen_bytes;
        seen_bytes = bytes;
        is_new.then(|| look(transcript, tool_use_id)).flatten()
    });
    words.unwrap_or_default()
}

/// `None` where the call's line is not there.
fn look(transcript: &Path, tool_use_id: &str) -> Option<Words> {
    let mut entries = Backwards::of(transcript)?;
    let (call, later) = find(&mut entries, tool_use_id)?;
    let mut turn = Turn::of(&call, &later);
    for entry in entries.by_ref() {
        if !turn.add(entry) {
            return Some(turn.into_words());
        }
    }
    turn.is_whole &= entries.is_at_beginning();
    Some(turn.into_words())
}

/// A turn up to a call, read from there to its beginning.
struct Turn {
    message_id: Option<String>,
    is_sidechain: bool,
    /// The prose of the call's own message, newest first.
    own: Vec<String>,
    before: Gathered,
    is_whole: bool,
    /// Without an id a message is what stands between two lines of others.
    is_interrupted: bool,
}

impl Turn {
    fn of(call: &Line, later: &Later) -> Self {
        let mut turn = Self {
            message_id: call.message_id.clone(),
            is_sidechain: call.is_sidechain,
            own: Vec::new(),
            before: Gathered::default(),
            is_whole: !later.has_unreadable,
            is_interrupted: false,
        };
        let with_id = later.lines.iter().filter(|line| line.message_id.is_some() && turn.is_own(line));
        let after: Vec<String> = with_id.flat_map(newest_first).collect();
        turn.own = after.into_iter().chain(newest_first(call)).collect();
        turn
    }

    fn is_own(&self, line: &Line) -> bool {
        line.message_id == self.message_id && line.is_sidechain == self.is_sidechain
    }

    /// Takes the line before; false where nothing further is wanted.
    fn add(&mut self, entry: Entry) -> bool {
        match entry {
            Entry::Compaction { is_sidechain } => return is_sidechain != self.is_sidechain,
            Entry::Unreadable => self.is_whole = false,
            Entry::Message(line) if line.is_sidechain == self.is_sidechain => return self.add_line(&line),
            Entry::Message(_) | Entry::Typed(_) | Entry::Other => {}
        }
        true
    }

    fn add_line(&mut self, line: &Line) -> bool {
        if line.is_prompt() || line.is_summary {
            return false;
        }
        if line.role != Role::Assistant {
            self.is_interrupted = true;
            self.before.interrupt();
        } else if self.is_own(line) && (line.message_id.is_some() || !self.is_interrupted) {
            self.own.extend(newest_first(line));
        } else {
            self.before.add(Speaker::Model, line.message_id.as_ref(), prose(line));
        }
        if self.before.len() <= MAX_MESSAGES_BEFORE {
            return true;
        }
        self.before.drop_oldest();
        self.is_whole = false;
        false
    }

    fn into_words(mut self) -> Words {
        self.own.reverse();
        let before = self.before.oldest_first().map(|said| said.text).collect();
        Words { own: Some(self.own.join("\n")), before, is_whole: self.is_whole }
    }
}

/// Findings on the way to the call.
#[derive(Default)]
struct Later {
    /// Lines of the model, newest first.
    lines: Vec<Line>,
    has_unreadable: bool,
}

/// The call's line, if it is there: nothing is searched behind the prompt or a few messages of the model.
fn find(entries: &mut Backwards, tool_use_id: &str) -> Option<(Line, Later)> {
    let mut later = Later::default();
    let mut messages = 0;
    for entry in entries {
        match entry {
            Entry::Compaction { is_sidechain: false } => return None,
            Entry::Unreadable => later.has_unreadable = true,
            Entry::Message(line) if makes(&line, tool_use_id) => return Some((line, later)),
            Entry::Message(line) if line.is_prompt() && !line.is_sidechain => return None,
            Entry::Message(line) if line.role == Role::Assistant => {
                let is_another = later.lines.last().is_none_or(|last| last.message_id != line.message_id);
                messages += usize::from(is_another);
                if messages > MAX_LATER_MESSAGES {
                    return None;
                }
                later.lines.push(line);
            }
            Entry::Message(_) | Entry::Typed(_) | Entry::Compaction { .. } | Entry::Other => {}
        }
    }
    None
}

fn makes(line: &Line, tool_use_id: &str) -> bool {
    line.blocks.iter().any(|block| matches!(block, Block::ToolUse(call) if call.id == tool_use_id))
}

fn newest_first(line: &Line) -> impl Iterator<Item = String> + use<> {
    prose(line).into_iter().rev()
}
