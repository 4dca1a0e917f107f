//! Work of the current turn, and whether its lines are on disk at all.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::line::{Block, Entries, Entry, Line, Role};

pub use shared::stop_gate::TurnWork;

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
    let entries = Entries::within(most, path).into_iter().flatten();
    let mut lines: Vec<Line> = entries.filter_map(Entry::of_main).collect();
    lines.reverse();
    lines
}

/// What the lines that are written say, and how many times the patience another line is worth waiting for; 0: they settle it.
///
/// The model's lines carry no prompt id, so calls count from the earliest line of our prompt on. Scheduled prompts and task notices
/// are marked as injected; only their id tells them.
fn look(path: &Path, prompt_id: Option<&str>) -> (TurnWork, u32) {
    let Some(mut entries) = Entries::of(path) else { return (TurnWork::Unknown, 1) };
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

#[cfg(test)]
mod tests {
    use super::{Patience, TurnWork, turn_work};

    const PROMPT: &str = r#"{"type":"user","promptId":"p","message":{"role":"user","content":"do it"}}"#;
    const OLDER: &str = r#"{"type":"user","promptId":"o","message":{"role":"user","content":"do that"}}"#;
    const TEXT: &str =
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"\"tool_use\""}]}}"#;
    const USE: &str = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}"#;
    const RESULT: &str =
        r#"{"type":"user","promptId":"p","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}"#;
    const OLD_RESULT: &str =
        r#"{"type":"user","promptId":"o","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}"#;
    const FEEDBACK: &str =
        r#"{"type":"user","promptId":"p","isMeta":true,"message":{"content":"Stop hook feedback:\nno"}}"#;
    const SIDE: &str = r#"{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"tool_use","id":"t","name":"Bash"}]}}"#;
    const NOISE: &str = r#"{"type":"last-prompt","sessionId":"s"}"#;

    #[track_caller]
    fn check(lines: &[&str], prompt_id: Option<&str>, expected: TurnWork) {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("t.jsonl");
        std::fs::write(&path, lines.join("\n")).unwrap();
        assert_eq!(turn_work(&path, prompt_id, Patience::NONE), expected);
    }

    #[test]
    fn a_turn_with_a_call_is_work() {
        check(&[PROMPT, USE, RESULT, TEXT], Some("p"), TurnWork::ToolCalls);
        check(&[PROMPT, USE], Some("p"), TurnWork::ToolCalls);
        check(&[RESULT], Some("p"), TurnWork::ToolCalls);
        check(&[PROMPT, USE, TEXT], None, TurnWork::ToolCalls);
    }

    #[test]
    fn a_turn_of_words_is_not_whatever_came_before_it() {
        check(&[PROMPT], Some("p"), TurnWork::NoToolCall);
        check(&[OLDER, USE, OLD_RESULT, TEXT, NOISE, PROMPT, TEXT], Some("p"), TurnWork::NoToolCall);
        check(&[PROMPT, TEXT, FEEDBACK, TEXT], Some("p"), TurnWork::NoToolCall);
        check(&[PROMPT, SIDE, TEXT], Some("p"), TurnWork::NoToolCall);
        check(&[OLDER, USE, OLD_RESULT, PROMPT, TEXT], None, TurnWork::NoToolCall);
    }

    #[test]
    fn a_prompt_nobody_typed_is_a_prompt_too() {
        let scheduled = PROMPT.replace("\"promptId\"", "\"isMeta\":true,\"promptId\"");
        check(&[OLDER, USE, OLD_RESULT, TEXT, &scheduled, TEXT], Some("p"), TurnWork::NoToolCall);
        check(&[OLDER, TEXT, &scheduled, USE, RESULT, TEXT], Some("p"), TurnWork::ToolCalls);
    }

    #[test]
    fn a_prompt_that_is_not_written_yet_is_unknown() {
        check(&[], Some("p"), TurnWork::Unknown);
        check(&[OLDER, USE, OLD_RESULT, TEXT], Some("p"), TurnWork::Unknown);
        check(&["not json", "{\"type\":7}", TEXT], Some("p"), TurnWork::Unknown);
    }
}
