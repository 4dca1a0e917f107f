//! Work of the current turn, whether its lines are on disk at all, and the numbers of the last reply.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use memchr::memmem::Finder;

use super::line::{Block, Entry, Line, Reply, Role, Tail};

pub use shared::blocks::TurnWork;

/// How long to wait for Claude Code to write a line.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    pub total: Duration,
    /// Between two looks.
    pub step: Duration,
}

/// Patience for a prompt whose line is surely missing, by this factor: on a busy machine the client's timer is late.
const LONGER: u32 = 2;

/// Enough bytes for the newest messages: all of them are parsed, at about 0.3 ms for 100 kB.
pub const RECENT_BYTES: u64 = 32 * 1024;

impl Patience {
    /// The client's timer writes within about 100 ms, on a busy machine later.
    pub const FLUSH: Self = Self { total: Duration::from_millis(400), step: Duration::from_millis(5) };
    /// One look.
    pub const NONE: Self = Self { total: Duration::ZERO, step: Duration::ZERO };

    /// Looks at each step until there is something.
    pub(super) fn look<T>(self, mut look: impl FnMut() -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + self.total;
        loop {
            let found = look();
            if found.is_some() || Instant::now() >= deadline {
                return found;
            }
            sleep(self.step);
        }
    }
}

/// Whether the turn of `prompt_id` (without an id: the newest turn) made a tool call.
///
/// Reads backwards and stops at the first line that settles it, so a long turn costs no more than a short one.
pub fn turn_work(path: &Path, prompt_id: Option<&str>, patience: Patience) -> TurnWork {
    let began = Instant::now();
    loop {
        let (work, times) = look(path, prompt_id);
        if began.elapsed() >= patience.total * times {
            return work;
        }
        sleep(patience.step);
    }
}

/// The newest messages of the main conversation in order, as far as the last `most` bytes of the file reach.
pub fn last_lines(path: &Path, most: u64) -> Vec<Line> {
    let entries = Tail::open(path, most).into_iter().flatten();
    let mut lines: Vec<Line> = entries.filter_map(Entry::of_main).collect();
    lines.reverse();
    lines
}

/// The meaning of the written lines, and how many times the patience another line is worth waiting for; 0: they settle it.
///
/// The model's lines carry no prompt id, so calls count from the earliest line of our prompt on. Scheduled prompts and task notices
/// are marked as injected; only their id tells them.
fn look(path: &Path, prompt_id: Option<&str>) -> (TurnWork, u32) {
    let Some(mut entries) = Tail::of(path) else { return (TurnWork::Unknown, 1) };
    let (mut called, mut answered) = (false, false);
    let mut called_since_ours = None;
    let found = |called_since_ours, answered: bool, times| match called_since_ours {
        Some(true) => (TurnWork::ToolCalls, 0),
        // Without an answer after our prompt: calls of a quick turn may not be written yet.
        Some(false) => (TurnWork::NoToolCall, u32::from(!answered)),
        None => (TurnWork::Unknown, times),
    };
    for line in entries.by_ref().filter_map(Entry::of_main) {
        match (prompt_id, &line.prompt_id) {
            (Some(wanted), Some(id)) if wanted == id => called_since_ours = Some(called),
            // An older turn's.
            (Some(_), Some(_)) => return found(called_since_ours, answered, LONGER),
            (None, _) if line.is_prompt() => return found(Some(called), answered, 1),
            _ => {}
        }
        if line.answers_a_tool() {
            return (TurnWork::ToolCalls, 0);
        }
        answered |= line.role == Role::Assistant;
        called |= line.blocks.iter().any(|block| matches!(block, Block::ToolUse(_)));
    }
    match called_since_ours {
        Some(false) | None if !entries.is_at_beginning() => (TurnWork::Unknown, 0),
        known => found(known, answered, 1),
    }
}

/// The model's last reply in the main conversation since its last compaction; `None`: none within [`crate::MAX_TAIL_BYTES`] of the end.
///
/// Each line of a reply repeats the numbers of the whole reply, and the last line has the final ones. Claude Code's own messages
/// (errors of the API, an interrupted turn) look like replies and count nothing.
pub fn last_reply(path: &Path) -> Option<Reply> {
    // Within a text the quotes are escaped: a tool's output is no hit.
    let marks = [&br#""usage""#[..], br#""compact_boundary""#].map(Finder::new);
    let mut tail = Tail::of(path)?;
    while let Some(line) = tail.previous_line().ok()? {
        if marks.iter().all(|mark| mark.find(line).is_none()) {
            continue;
        }
        match Entry::parse(line) {
            Entry::Compaction { is_sidechain: false } => return None,
            Entry::Message(line) if !line.is_sidechain && line.reply.is_some() => return line.reply,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
