//! Prose of a conversation and around one tool call; never the input or output of a tool.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use shared::claude_code::{INSERTED_TEXTS, REMINDER};
use shared::own_commands;

use super::line::{Block, Entry, Line, Role, Tail};
use super::turn::Patience;

/// A call belongs to the newest message. The search looks through so many later ones all the same.
const MAX_LATER_MESSAGES: usize = 4;

/// The number of messages that are read before a call.
const MAX_MESSAGES_BEFORE: usize = 50;

/// Prose around a tool call, in the transcript of its caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// The prose of the message that makes the call; `None`: the call's line is not written yet.
    pub own: Option<String>,
    /// The prose of the messages before it, back to the last prompt, oldest first.
    pub before: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub role: Role,
    pub text: String,
}

/// A tool call, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastCall {
    pub tool: String,
    /// JSON text.
    pub input: String,
    /// It failed or was denied; `None`: there is no result yet.
    pub failed: Option<bool>,
}

/// The last `most` messages of the main conversation since its last compaction, oldest first.
pub fn conversation(transcript: &Path, most: usize) -> Vec<Message> {
    let mut messages = Messages::default();
    for entry in since_compaction(transcript) {
        match entry {
            Entry::Message(line) if line.role == Role::Assistant && !line.is_sidechain => {
                messages.add(Role::Assistant, &line);
            }
            entry => messages.0.extend(own_words(entry).map(|text| (Role::User, None, vec![text]))),
        }
        if messages.0.len() > most {
            messages.0.pop();
            break;
        }
    }
    messages.oldest_first()
}

/// The last `most` prompts of the user since the last compaction, oldest first.
pub fn requests(transcript: &Path, most: usize) -> Vec<String> {
    let mut requests: Vec<String> = since_compaction(transcript).filter_map(own_words).take(most).collect();
    requests.reverse();
    requests
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quotable {
    /// Their messages, oldest first.
    pub texts: Vec<String>,
    /// No message among the last ones is missing.
    pub is_whole: bool,
}

/// The last `most` messages of the user, through compactions.
pub fn quotable(transcript: &Path, most: usize) -> Quotable {
    let Some(mut entries) = Tail::of(transcript) else { return Quotable::default() };
    let mut is_readable = true;
    let readable = entries.by_ref().inspect(|entry| is_readable &= !matches!(entry, Entry::Unreadable));
    let mut texts: Vec<String> = readable.filter_map(own_words).take(most).collect();
    texts.reverse();
    let is_whole = is_readable && (texts.len() >= most || entries.is_at_beginning());
    Quotable { texts, is_whole }
}

/// The last `most` tool calls of the main conversation since the prompt `prompt_id` (without an id: the newest), oldest first.
pub fn tool_calls(transcript: &Path, prompt_id: Option<&str>, most: usize) -> Vec<PastCall> {
    let mut failed = BTreeMap::new();
    let mut newest_first = Vec::new();
    // Calls carry no prompt id, but lines around them do: so many calls are known to belong to the turn.
    let mut settled = 0;
    for line in Tail::of(transcript).into_iter().flatten().filter_map(Entry::of_main) {
        let is_ours = prompt_id.is_none_or(|wanted| line.prompt_id.as_deref() == Some(wanted));
        let is_before =
            if prompt_id.is_none() { line.is_prompt() } else { line.prompt_id.is_some() && !is_ours };
        if is_before || settled >= most {
            break;
        }
        for block in line.blocks.into_iter().rev() {
            match block {
                Block::ToolUse(call) => {
                    let failed = failed.remove(&call.id);
                    newest_first.push(PastCall { tool: call.name, input: call.input, failed });
                }
                Block::ToolResult { tool_use_id, is_error } => drop(failed.insert(tool_use_id, is_error)),
                Block::Text(_) => {}
            }
        }
        settled = if is_ours { newest_first.len() } else { settled };
    }
    newest_first.truncate(settled.min(most));
    newest_first.reverse();
    newest_first
}

/// Prose around a call. Waits for its line as long as `patience` allows.
pub fn words_of_call(transcript: &Path, tool_use_id: &str, patience: Patience) -> Words {
    let mut seen_bytes = None;
    let words = patience.look(|| {
        // A file that has not grown has no new line.
        let bytes = fs::metadata(transcript).ok().map(|metadata| metadata.len());
        let is_new = bytes.is_some() && bytes != seen_bytes;
        seen_bytes = bytes;
        is_new.then(|| look_around(transcript, tool_use_id)).flatten()
    });
    words.unwrap_or_default()
}

/// `None`: the call's line is not there.
fn look_around(transcript: &Path, tool_use_id: &str) -> Option<Words> {
    let mut entries = Tail::of(transcript)?;
    let lines = up_to_call(&mut entries, tool_use_id)?;
    let call = lines.last()?;
    let is_own = |line: &Line| line.message_id == call.message_id && line.is_sidechain == call.is_sidechain;
    let mut own: Vec<String> = lines.iter().filter(|line| is_own(line)).flat_map(newest_first).collect();
    let mut before = Messages::default();
    for entry in entries {
        match entry {
            Entry::Compaction { is_sidechain } if is_sidechain == call.is_sidechain => break,
            Entry::Message(line) if line.is_sidechain != call.is_sidechain => {}
            Entry::Message(line) if line.is_prompt() || line.is_summary => break,
            Entry::Message(line) if line.role != Role::Assistant => {}
            Entry::Message(line) if is_own(&line) => own.extend(newest_first(&line)),
            Entry::Message(line) => before.add(Role::Assistant, &line),
            _ => {}
        }
        if before.0.len() > MAX_MESSAGES_BEFORE {
            before.0.pop();
            break;
        }
    }
    own.reverse();
    let before = before.oldest_first().into_iter().map(|said| said.text).collect();
    Some(Words { own: Some(own.join("\n")), before })
}

/// The model's lines back to the call's, newest first. Nothing is searched behind a prompt or a few messages of the model.
fn up_to_call(entries: &mut Tail, tool_use_id: &str) -> Option<Vec<Line>> {
    let is_call = |block: &Block| matches!(block, Block::ToolUse(call) if call.id == tool_use_id);
    let mut lines: Vec<Line> = Vec::new();
    let mut messages = 0;
    for entry in entries {
        match entry {
            Entry::Compaction { is_sidechain: false } => return None,
            Entry::Message(line) if line.blocks.iter().any(is_call) => {
                lines.push(line);
                return Some(lines);
            }
            Entry::Message(line) if line.is_prompt() && !line.is_sidechain => return None,
            Entry::Message(line) if line.role == Role::Assistant => {
                let is_another = lines.last().is_none_or(|last| last.message_id != line.message_id);
                messages += usize::from(is_another);
                if messages > MAX_LATER_MESSAGES {
                    return None;
                }
                lines.push(line);
            }
            _ => {}
        }
    }
    None
}

/// The entries from the end back to the last compaction of the main conversation.
fn since_compaction(transcript: &Path) -> impl Iterator<Item = Entry> {
    let is_compaction = |entry: &Entry| match entry {
        Entry::Compaction { is_sidechain } => !is_sidechain,
        Entry::Message(line) => line.is_summary && !line.is_sidechain,
        _ => false,
    };
    Tail::of(transcript).into_iter().flatten().take_while(move |entry| !is_compaction(entry))
}

/// The texts of a line, the last one first.
fn newest_first(line: &Line) -> impl DoubleEndedIterator<Item = String> + use<> {
    let texts = line.blocks.iter().rev().filter_map(|block| match block {
        Block::Text(text) if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    });
    texts.collect::<Vec<_>>().into_iter()
}

/// Messages put together from their lines, both newest first: role, id, texts.
#[derive(Default)]
struct Messages(Vec<(Role, Option<String>, Vec<String>)>);

impl Messages {
    /// Adds a line that stands before everything added so far.
    fn add(&mut self, role: Role, line: &Line) {
        let texts: Vec<String> = newest_first(line).collect();
        let id = &line.message_id;
        match self.0.last_mut() {
            _ if texts.is_empty() => {}
            Some((_, last, there)) if id.is_some() && last == id => there.extend(texts),
            _ => self.0.push((role, id.clone(), texts)),
        }
    }

    fn oldest_first(self) -> Vec<Message> {
        let messages = self.0.into_iter().rev().map(|(role, _, mut texts)| {
            texts.reverse();
            Message { role, text: texts.join("\n") }
        });
        messages.collect()
    }
}

/// The user's own words; `None`: nobody wrote them, or they are for Claude Code or for us alone.
fn own_words(entry: Entry) -> Option<String> {
    let texts = match entry {
        Entry::Typed(text) => vec![text],
        Entry::Message(line) if line.is_prompt() && !line.is_sent_by_client && !line.is_sidechain => {
            newest_first(&line).rev().collect()
        }
        _ => return None,
    };
    let texts = texts.iter().map(|text| without_reminders(text));
    let is_inserted =
        |text: &String| INSERTED_TEXTS.iter().any(|beginning| text.trim_start().starts_with(beginning));
    let text = texts.filter(|text| !is_inserted(text)).collect::<Vec<_>>().join("\n");
    let text = text.trim();
    (!text.is_empty() && !own_commands::is_command_line(text)).then(|| text.to_owned())
}

/// The text without Claude Code's reminders. One may hold the mark that ends one: it goes on to the last before the next.
fn without_reminders(text: &str) -> String {
    let (open, close) = REMINDER;
    let mut pieces = text.split(open);
    let mut own = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        if let Some(end) = piece.rfind(close) {
            own.push_str(&piece[end + close.len()..]);
        } else {
            own.push_str(open);
            own.push_str(piece);
        }
    }
    own
}

#[cfg(test)]
mod tests;
