//! Bounded reading of the session's JSONL from its end. The file grows to hundreds of megabytes; the cost must not.
//!
//! Facts (tests/client-facts.md): a timer of about 100 ms writes the lines, so the newest ones may be missing; each content block
//! is a line of its own; `user` lines carry the `promptId` of their turn; subagents have files of their own.
//!
//! - `line`: the lines from the last to the first
//! - `turn`, `speech`, `tasks`: what hooks ask

mod line;
mod speech;
mod tasks;
#[cfg(test)]
mod tests;
mod turn;

use std::fs;
use std::path::{Path, PathBuf};

use shared::protocol::Call;

pub use line::{Block, Line, MAX_TAIL_BYTES, Reply, Role, ToolUse};
pub use speech::{
    Message, PastCall, Quotable, Words, conversation, quotable, requests, tool_calls, words_of_call,
};
pub use tasks::{Finished, Progress, Task, finished, tasks};
pub use turn::{Patience, RECENT_BYTES, TurnWork, last_lines, last_reply, turn_work};

/// The session's transcript in `<config dir>/projects/<folder>/<session>.jsonl`, in whichever project it was begun. The folder's
/// name is the project's path with a hyphen for every character that is no letter and no digit (fact: tests/client-facts.md).
pub fn transcript_of_session(config_dir: &Path, session: &str) -> Option<PathBuf> {
    let name = format!("{session}.jsonl");
    // An id is no path.
    (Path::new(&name).file_name()?.to_str()? == name).then_some(())?;
    let folders = fs::read_dir(config_dir.join("projects")).into_iter().flatten().flatten();
    folders.map(|folder| folder.path().join(&name)).find(|file| file.is_file())
}

/// The transcript of the caller: the subagent's own, or the session's. `None`: neither is known.
pub fn transcript_of(call: &Call) -> Option<PathBuf> {
    let session = call.transcript_path.as_ref()?;
    let Some(agent) = &call.agent_id else { return Some(session.clone()) };
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_name = !agent.is_empty() && agent.bytes().all(is_safe);
    is_name.then(|| session.with_extension("").join("subagents").join(format!("agent-{agent}.jsonl")))
}
