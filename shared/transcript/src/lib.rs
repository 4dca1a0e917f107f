//! Bounded reading of the session's JSONL from its end. The file grows to hundreds of megabytes; the cost must not.
//!
//! Facts (tests/client-facts.md): a timer of about 100 ms writes the lines, so the newest ones may be missing; each content block
//! is a line of its own; `user` lines carry the `promptId` of their turn; subagents have files of their own.
//!
//! - `line`: the lines from the last to the first
//! - `files`: the file of a session, of a subagent
//! - `turn`, `speech`, `tasks`: what hooks ask

mod files;
mod line;
mod speech;
mod tasks;
#[cfg(test)]
mod tests;
mod turn;

pub use files::{transcript_of, transcript_of_session};
pub use line::{Block, Line, MAX_TAIL_BYTES, Reply, Role, ToolUse};
pub use speech::{
    Deed, Quotable, Said, Speaker, Words, conversation, deeds, quotable, requests, words_of_call,
};
pub use tasks::{Finished, Progress, Task, finished, tasks};
pub use turn::{Patience, RECENT_BYTES, TurnWork, last_lines, last_reply, turn_work};
