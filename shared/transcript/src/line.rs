//! The lines of a transcript, as far as our hooks need them, from the last to the first, read in growing pieces from the end.
//!
//! The format is Claude Code's own and may change: whatever we do not understand is no line.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use shared::protocol::Text;

/// A message of a conversation, or one block of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub role: Role,
    /// The turn, on `user` lines.
    pub prompt_id: Option<String>,
    pub blocks: Vec<Block>,
    /// The numbers of the model's reply, if it is a real one.
    pub(super) reply: Option<Reply>,
    /// A tool's own answer, as JSON text, beside its `tool_result`.
    pub tool_answer: Option<String>,
    /// The model's message; its lines share it.
    pub message_id: Option<String>,
    /// It belongs to a subagent.
    pub is_sidechain: bool,
    /// A compaction left it of the conversation before.
    pub is_summary: bool,
    /// Nobody wrote it: it comes from a schedule, a wake-up or a task's notice.
    pub is_sent_by_client: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The model's id; empty where the line does not say.
    pub model: String,
    /// Input, cache creation and reads, and output, as Claude Code counts for its compaction (tests/client-facts.md, section 6).
    pub tokens: u64,
}

#[derive(Debug)]
pub(super) enum Entry {
    Message(Line),
    /// A prompt that a person typed while the model was at work; it never gets a `user` line.
    Typed(String),
    /// The conversation before it is compacted.
    Compaction {
        is_sidechain: bool,
    },
    Other,
    /// A line written in part, or of an unknown form.
    Unreadable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A prompt, or the results of tools.
    User,
    /// A text that Claude Code put in: hook feedback, skills, a compaction's summary.
    Injected,
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    Text(String),
    ToolUse(ToolUse),
    ToolResult {
        tool_use_id: String,
        /// The tool failed or was denied.
        is_error: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    pub id: String,
    pub name: String,
    /// JSON text.
    pub input: String,
}

/// A larger number is no number of tokens.
const MOST_TOKENS: u64 = 100_000_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(borrow)]
    subtype: Option<&'a RawValue>,
    prompt_id: Option<String>,
    is_sidechain: Option<bool>,
    is_meta: Option<bool>,
    is_compact_summary: Option<bool>,
    is_api_error_message: Option<bool>,
    #[serde(borrow)]
    message: Option<RawMessage<'a>>,
    #[serde(borrow)]
    tool_use_result: Option<&'a RawValue>,
    #[serde(borrow)]
    attachment: Option<&'a RawValue>,
    #[serde(borrow)]
    origin: Option<&'a RawValue>,
    #[serde(borrow)]
    prompt_source: Option<&'a RawValue>,
    #[serde(borrow)]
    turn_origin: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    id: Option<String>,
    model: Option<Text>,
    #[serde(borrow)]
    content: &'a RawValue,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct RawBlock<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    text: Option<Text>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    tool_use_id: Option<String>,
    is_error: Option<bool>,
}

/// A message's content: a text, or blocks.
fn content(raw: &RawValue) -> Option<Vec<RawBlock<'_>>> {
    if !raw.get().starts_with('"') {
        return serde_json::from_str(raw.get()).ok();
    }
    let text = serde_json::from_str(raw.get()).ok();
    Some(vec![RawBlock { kind: "text", text, ..RawBlock::default() }])
}

impl Line {
    /// Reads a line; `None` for anything that is no message of the main conversation.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        Entry::parse(bytes).of_main()
    }

    pub(super) fn answers_a_tool(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::ToolResult { .. }))
    }

    /// The line is the prompt of a turn: the user's own words, no tool's result.
    pub fn is_prompt(&self) -> bool {
        self.role == Role::User && !self.answers_a_tool()
    }
}

impl Entry {
    /// The message, if it is one of the main conversation.
    pub(super) fn of_main(self) -> Option<Line> {
        match self {
            Self::Message(line) if !line.is_sidechain => Some(line),
            _ => None,
        }
    }

    /// Reads a line, whoever's it is.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let is_blank = bytes.iter().all(u8::is_ascii_whitespace);
        let Ok(raw) = serde_json::from_slice::<Raw<'_>>(bytes) else {
            return if is_blank { Self::Other } else { Self::Unreadable };
        };
        let is_sidechain = raw.is_sidechain == Some(true);
        match raw.kind {
            "user" | "assistant" => raw.into_line().map_or(Self::Unreadable, Self::Message),
            "system" if is_word(raw.subtype, "compact_boundary") => Self::Compaction { is_sidechain },
            "attachment" if !is_sidechain => raw.attachment.and_then(typed).map_or(Self::Other, Self::Typed),
            _ => Self::Other,
        }
    }
}

impl Raw<'_> {
    fn into_line(self) -> Option<Line> {
        let is_summary = self.is_compact_summary == Some(true);
        let role = match self.kind {
            "assistant" => Role::Assistant,
            _ if is_summary || self.is_meta == Some(true) => Role::Injected,
            _ => Role::User,
        };
        // The marks of a prompt's author are facts of tests/client-facts.md, section 5.
        let is_sent_by_client = is_word(self.prompt_source, "system")
            || is_word(self.turn_origin, "scheduled")
            || is_word(self.turn_origin, "task_notification")
            || self.origin.is_some_and(is_no_persons);
        let message = self.message?;
        let may_count = role == Role::Assistant && self.is_api_error_message != Some(true);
        Some(Line {
            role,
            prompt_id: self.prompt_id,
            blocks: content(message.content)?.into_iter().filter_map(block).collect(),
            reply: message.usage.filter(|_| may_count).and_then(|usage| Reply::of(message.model, usage)),
            tool_answer: self.tool_use_result.map(|answer| answer.get().to_owned()),
            message_id: message.id,
            is_sidechain: self.is_sidechain == Some(true),
            is_summary,
            is_sent_by_client,
        })
    }
}

/// The text of an attachment that a person typed meanwhile. A task's notice comes the same way.
fn typed(attachment: &RawValue) -> Option<String> {
    // Attachments hold whole files; most of them need not be parsed.
    let queued = Some(attachment.get()).filter(|text| text.contains("\"queued_command\""))?;
    let queued: Value = serde_json::from_str(queued).ok()?;
    let is_prompt = queued["commandMode"].is_null() || queued["commandMode"] == "prompt";
    let is_typed = queued["isMeta"] != true && queued["origin"]["kind"] == "human";
    if queued["type"] != "queued_command" || !is_prompt || !is_typed {
        return None;
    }
    match &queued["prompt"] {
        Value::String(text) => Some(text.clone()),
        blocks => {
            let texts = blocks.as_array()?.iter().filter_map(|block| block["text"].as_str());
            Some(texts.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// The field `origin` names somebody else than a person.
fn is_no_persons(origin: &RawValue) -> bool {
    let origin: Value = serde_json::from_str(origin.get()).unwrap_or_default();
    origin["kind"].as_str().is_some_and(|kind| kind != "human")
}

fn is_word(value: Option<&RawValue>, word: &str) -> bool {
    value.is_some_and(|value| value.get().trim_matches('"') == word)
}

fn block(raw: RawBlock<'_>) -> Option<Block> {
    match raw.kind {
        "text" => raw.text.map(|text| Block::Text(text.0)),
        "tool_use" => Some(Block::ToolUse(ToolUse {
            id: raw.id?,
            name: raw.name?,
            input: raw.input.map_or_else(|| "{}".to_owned(), |input| input.get().to_owned()),
        })),
        "tool_result" => {
            Some(Block::ToolResult { tool_use_id: raw.tool_use_id?, is_error: raw.is_error.unwrap_or(false) })
        }
        _ => None,
    }
}

/// The numbers of `usage` that are a reply's tokens.
const COUNTED: [&str; 4] =
    ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];

impl Reply {
    /// The reply of this model with this usage; `None`: Claude Code itself wrote it, or the numbers are none.
    fn of(model: Option<Text>, usage: &RawValue) -> Option<Self> {
        let usage: Value = serde_json::from_str(usage.get()).ok()?;
        let model = model.unwrap_or_default().0;
        let counts = COUNTED.map(|name| usage[name].as_u64().unwrap_or_default());
        let tokens = counts.into_iter().fold(0, u64::saturating_add);
        let is_real = tokens > 0 && counts.iter().all(|count| *count <= MOST_TOKENS);
        (model != "<synthetic>" && is_real).then_some(Self { model, tokens })
    }
}

/// The first piece: the newest results of a working turn are in it, and reading more costs page faults.
const FIRST_PIECE: u64 = 16 * 1024;

/// Maximum distance from the end; lines further back are unknown.
pub const MAX_TAIL_BYTES: u64 = 4 * 1024 * 1024;

/// The end of a file, growing towards its beginning as long as somebody asks for more lines.
pub(super) struct Tail {
    file: File,
    /// Position of `buffer` in the file.
    start: u64,
    buffer: Vec<u8>,
    /// The end of the lines not given out yet, within `buffer`.
    rest: usize,
    limit: u64,
}

impl Tail {
    /// The end of a transcript; `None`: it cannot be opened.
    pub(super) fn of(transcript: &Path) -> Option<Self> {
        Self::open(transcript, MAX_TAIL_BYTES).ok()
    }

    /// Opens a regular file at its end; nothing further from it than `most` bytes is read.
    pub(super) fn open(path: &Path, most: u64) -> io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        let file = File::open(path)?;
        let end = file.metadata()?.len();
        Ok(Self { file, start: end, buffer: Vec::new(), rest: 0, limit: end.saturating_sub(most) })
    }

    /// The line before the last one given out, without its end; `None` at the limit or the beginning of the file.
    pub(super) fn previous_line(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            if let Some(line) = self.take_line() {
                return Ok(Some(&self.buffer[line]));
            }
            if !self.grow()? {
                return Ok(None);
            }
        }
    }

    /// The beginning of the file has been reached: there are no more lines, known or unknown.
    pub(super) fn is_at_beginning(&self) -> bool {
        self.start == 0
    }

    fn take_line(&mut self) -> Option<std::ops::Range<usize>> {
        let text = &self.buffer[..self.rest];
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let begin = match memchr::memrchr(b'\n', text) {
            Some(newline) => newline + 1,
            None if self.start == 0 && !text.is_empty() => 0,
            None => return None,
        };
        let line = begin..text.len();
        self.rest = begin;
        Some(line)
    }

    fn grow(&mut self) -> io::Result<bool> {
        if self.start <= self.limit {
            return Ok(false);
        }
        let wanted = FIRST_PIECE.max(self.buffer.len() as u64);
        let start = self.start.saturating_sub(wanted).max(self.limit);
        let length = self.start - start;
        let mut piece = Vec::with_capacity(usize::try_from(length).unwrap_or_default() + self.rest);
        self.file.seek(SeekFrom::Start(start))?;
        (&self.file).take(length).read_to_end(&mut piece)?;
        piece.extend_from_slice(&self.buffer[..self.rest]);
        self.rest = piece.len();
        self.buffer = piece;
        self.start = start;
        Ok(true)
    }
}

/// From the last to the first.
impl Iterator for Tail {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        self.previous_line().ok()?.map(Entry::parse)
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_PIECE, MAX_TAIL_BYTES, Tail};
    use crate::tests::on_disk;

    /// The lines, and whether there is nothing before them.
    fn read(text: &str) -> (Vec<String>, bool) {
        on_disk(text, |path| {
            let mut tail = Tail::open(path, MAX_TAIL_BYTES).unwrap();
            let mut lines = Vec::new();
            while let Some(line) = tail.previous_line().unwrap() {
                lines.push(String::from_utf8(line.to_vec()).unwrap());
            }
            (lines, tail.is_at_beginning())
        })
    }

    #[test]
    fn gives_whole_lines_from_the_last_to_the_first() {
        let long = "x".repeat(usize::try_from(FIRST_PIECE).unwrap() * 3 + 17);
        for (text, expected) in [
            ("a\nb\nc\n", &["c", "b", "a"][..]),
            ("a\nb\ntorn", &["torn", "b", "a"]),
            ("a", &["a"]),
            ("", &[]),
            ("a\n\nb\n", &["b", "", "a"]),
            (&format!("first\n{long}\nlast\n"), &["last", &long, "first"]),
        ] {
            let expected = expected.iter().map(|line| (*line).to_owned()).collect();
            assert_eq!(read(text), (expected, true), "{text:.20}");
        }
    }

    #[test]
    fn stops_at_the_limit_and_says_that_more_is_unknown() {
        let line = format!("{}\n", "y".repeat(999));
        let most = usize::try_from(MAX_TAIL_BYTES).unwrap() / line.len();
        let (lines, is_all) = read(&line.repeat(most + 100));
        assert_eq!((lines.len(), is_all), (most, false));
    }
}
