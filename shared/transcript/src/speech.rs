//! Prose around one tool call and in the conversation; never the input or output of a tool.

mod around;
mod own_words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::line::{Block, Entry, Line, Role};
use super::tail::Tail;
use shared::protocol::Call;

pub use around::words_of_call;

/// Prose around a tool call, in the transcript of its caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// The prose of the message that makes the call, all its lines together; `None`: the call's line is not written yet.
    /// Empty where the message has no prose (a model that only thinks).
    pub own: Option<String>,
    /// The prose of the messages before it, back to the last prompt, oldest first.
    pub before: Vec<String>,
    /// Everything back to the prompt (or a compaction, or the file's beginning) could be read.
    pub is_whole: bool,
}

/// Speakers.
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
    /// Prose.
    pub text: String,
}

/// Something that was done: a tool call, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// The tool.
    pub tool: String,
    /// Input as JSON text.
    pub input: String,
    /// It failed or was refused; `None`: there is no result yet.
    pub failed: Option<bool>,
}

/// The last `most` things said in the main conversation since its last compaction, oldest first; several lines of one
/// message are one. Of a file that cannot be read: nothing.
#[must_use]
pub fn conversation(transcript: &Path, most: usize) -> Vec<Said> {
    let mut gathered = Gathered::default();
    for entry in since_compaction(transcript) {
        match entry {
            Entry::Message(line) if line.role == Role::Assistant => {
                gathered.add(Speaker::Model, line.message_id.as_ref(), prose(&line));
            }
            Entry::Message(_) | Entry::Typed(_) => {
                gathered.interrupt();
                gathered.add(Speaker::User, None, own_words::of(entry).into_iter().collect());
                gathered.interrupt();
            }
            _ => {}
        }
        if gathered.len() > most {
            gathered.drop_oldest();
            break;
        }
    }
    gathered.oldest_first().collect()
}

/// Prompts of the user since the last compaction, oldest first, at most the last `most`.
#[must_use]
pub fn requests(transcript: &Path, most: usize) -> Vec<String> {
    let mut requests: Vec<String> =
        since_compaction(transcript).filter_map(own_words::of).take(most).collect();
    requests.reverse();
    requests
}

/// Words that the user typed, for quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quotable {
    /// Their messages, oldest first.
    pub texts: Vec<String>,
    /// They are as many as were asked for, or all that there are; else there may be others that could not be read.
    pub is_whole: bool,
}

/// The last `most` messages of the user, through compactions: what they said stays said.
#[must_use]
pub fn quotable(transcript: &Path, most: usize) -> Quotable {
    let Some(mut entries) = Backwards::of(transcript) else { return Quotable::default() };
    let mut texts = Vec::new();
    let mut is_readable = true;
    for entry in entries.by_ref() {
        is_readable &= !matches!(entry, Entry::Unreadable);
        if !is_anothers(&entry) {
            texts.extend(own_words::of(entry));
        }
        if texts.len() >= most {
            break;
        }
    }
    texts.reverse();
    let is_whole = is_readable && (texts.len() >= most || entries.is_at_beginning());
    Quotable { texts, is_whole }
}

/// The last `most` tool calls of the main conversation since the prompt `prompt_id` (the newest without), oldest first.
#[must_use]
pub fn deeds(transcript: &Path, prompt_id: Option<&str>, most: usize) -> Vec<Deed> {
    let mut found = Deeds::default();
    for entry in Backwards::of(transcript).into_iter().flatten() {
        let Entry::Message(line) = entry else { continue };
        if line.is_sidechain {
            continue;
        }
        match (prompt_id, &line.prompt_id) {
            (Some(wanted), Some(id)) if wanted == id => found.settle(),
            (Some(_), Some(_)) => break,
            (None, _) if line.is_prompt() => {
                found.settle();
                break;
            }
            _ => {}
        }
        found.add(line);
        if found.settled >= most {
            break;
        }
    }
    if prompt_id.is_none() {
        found.settle();
    }
    found.oldest_first(most)
}

/// Transcript of the caller: the subagent's own, or the session's. `None` if neither is known.
#[must_use]
pub fn transcript_of(call: &Call) -> Option<PathBuf> {
    let session = call.transcript_path.as_ref()?;
    let Some(agent) = &call.agent_id else { return Some(session.clone()) };
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_name = !agent.is_empty() && agent.bytes().all(is_safe);
    is_name.then(|| session.with_extension("").join("subagents").join(format!("agent-{agent}.jsonl")))
}

/// The lines of a file, from the last to the first.
struct Backwards(Tail);

impl Backwards {
    /// `None` if the file cannot be opened.
    fn of(transcript: &Path) -> Option<Self> {
        Tail::open(transcript).ok().map(Self)
    }

    fn is_at_beginning(&self) -> bool {
        self.0.is_at_beginning()
    }
}

impl Iterator for Backwards {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        self.0.previous_line().ok()?.map(Entry::parse)
    }
}

/// The main conversation from its end back to its last compaction.
fn since_compaction(transcript: &Path) -> impl Iterator<Item = Entry> {
    let is_compaction = |entry: &Entry| match entry {
        Entry::Compaction { is_sidechain } => !is_sidechain,
        Entry::Message(line) => line.is_summary && !line.is_sidechain,
        _ => false,
    };
    let entries = Backwards::of(transcript).into_iter().flatten();
    entries.take_while(move |entry| !is_compaction(entry)).filter(|entry| !is_anothers(entry))
}

/// A subagent's line.
const fn is_anothers(entry: &Entry) -> bool {
    matches!(entry, Entry::Message(line) if line.is_sidechain)
}

/// The texts of a line that say something, in order.
fn prose(line: &Line) -> Vec<String> {
    let texts = line.blocks.iter().filter_map(|block| match block {
        Block::Text(text) if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}

/// Messages put together from their lines, read from the last to the first.
#[derive(Default)]
struct Gathered {
    messages: Vec<Message>,
    is_interrupted: bool,
}

struct Message {
    by: Speaker,
    id: Option<String>,
    /// Newest first.
    texts: Vec<String>,
}

impl Gathered {
    fn len(&self) -> usize {
        self.messages.len()
    }

    /// Adds what stands before everything added so far; `texts` are in order.
    fn add(&mut self, by: Speaker, id: Option<&String>, texts: Vec<String>) {
        if texts.is_empty() {
            return;
        }
        let is_interrupted = std::mem::take(&mut self.is_interrupted);
        let texts = texts.into_iter().rev();
        match self.messages.last_mut() {
            Some(last) if last.by == by && last.id.as_ref() == id && (id.is_some() || !is_interrupted) => {
                last.texts.extend(texts);
            }
            _ => self.messages.push(Message { by, id: id.cloned(), texts: texts.collect() }),
        }
    }

    /// Somebody else's line stands here: a message without an id does not go on behind it.
    fn interrupt(&mut self) {
        self.is_interrupted = true;
    }

    fn drop_oldest(&mut self) {
        self.messages.pop();
    }

    fn oldest_first(self) -> impl Iterator<Item = Said> {
        self.messages.into_iter().rev().map(|mut message| {
            message.texts.reverse();
            Said { by: message.by, text: message.texts.join("\n") }
        })
    }
}

/// Tool calls read from the last to the first: the results come before their calls.
#[derive(Default)]
struct Deeds {
    failed: BTreeMap<String, bool>,
    newest_first: Vec<Deed>,
    /// So many of them are known to belong to the turn.
    settled: usize,
}

impl Deeds {
    /// All that was added so far belongs to the turn: calls carry no prompt id, the lines around them do.
    fn settle(&mut self) {
        self.settled = self.newest_first.len();
    }

    fn add(&mut self, line: Line) {
        for block in line.blocks.into_iter().rev() {
            match block {
                Block::ToolUse(call) => {
                    let failed = self.failed.remove(&call.id);
                    self.newest_first.push(Deed { tool: call.name, input: call.input, failed });
                }
                Block::ToolResult { tool_use_id, is_error } => {
                    self.failed.insert(tool_use_id, is_error);
                }
                Block::Text(_) => {}
            }
        }
    }

    fn oldest_first(mut self, most: usize) -> Vec<Deed> {
        self.newest_first.truncate(self.settled.min(most));
        self.newest_first.reverse();
        self.newest_first
    }
}

#[cfg(test)]
mod tests;
