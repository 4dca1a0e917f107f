//! One line of the transcript, as far as our hooks need it. The format is the client's own and may change:
//! whatever is not understood is no line.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::marks::{Author, Kind, Marks, author};
use shared::text::Text;

/// A message of a conversation, or one block of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Speaker.
    pub role: Role,
    /// The turn, on `user` lines.
    pub prompt_id: Option<String>,
    /// Content.
    pub blocks: Vec<Block>,
    /// A tool's own answer object, as JSON text, beside its `tool_result`.
    pub tool_answer: Option<String>,
    /// The model's message this line is a block of; lines of one message share it.
    pub message_id: Option<String>,
    /// It belongs to a subagent.
    pub is_sidechain: bool,
    /// It is what a compaction left of the conversation before it.
    pub is_summary: bool,
    /// The client says that nobody wrote it: a schedule, a wake-up, a task's notice.
    pub is_sent_by_client: bool,
}

/// Kind of a line.
#[derive(Debug)]
pub(super) enum Entry {
    /// A message, of whomever.
    Message(Line),
    /// Something a person typed while the model was at work; it never gets a `user` line.
    Typed(String),
    /// The conversation before it is compacted: the main one, or that of a subagent.
    Compaction {
        /// It is a subagent's.
        is_sidechain: bool,
    },
    /// Something else of the client's.
    Other,
    /// A line written in part, or in a form we do not know.
    Unreadable,
}

/// Speakers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A prompt, or the results of tools.
    User,
    /// Text put in by the client (hook feedback, skills, a compaction's summary).
    Injected,
    /// The model.
    Assistant,
}

/// One block of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Words.
    Text(String),
    /// A tool call.
    ToolUse(ToolUse),
    /// A tool's result.
    ToolResult {
        /// The call it answers.
        tool_use_id: String,
        /// The tool failed, was denied or was refused.
        is_error: bool,
    },
}

/// A tool call in the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The call's id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Input as JSON text.
    pub input: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(borrow, default)]
    subtype: Option<&'a RawValue>,
    #[serde(default)]
    prompt_id: Option<String>,
    #[serde(default)]
    is_sidechain: Option<bool>,
    #[serde(default)]
    is_meta: Option<bool>,
    #[serde(default)]
    is_compact_summary: Option<bool>,
    #[serde(borrow, default)]
    message: Option<RawMessage<'a>>,
    #[serde(borrow, default)]
    tool_use_result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    attachment: Option<&'a RawValue>,
    #[serde(borrow, default)]
    origin: Option<&'a RawValue>,
    #[serde(borrow, default)]
    prompt_source: Option<&'a RawValue>,
    #[serde(borrow, default)]
    turn_origin: Option<&'a RawValue>,
}

/// A prompt that came while the model was at work; it never gets a `user` line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Queued {
    /// Text.
    pub(crate) text: String,
    /// Author.
    pub(crate) author: Author,
}

/// The same, among many other kinds of attachments.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawQueued<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(default)]
    command_mode: Option<&'a str>,
    #[serde(default)]
    is_meta: Option<bool>,
    #[serde(borrow, default)]
    origin: Option<&'a RawValue>,
    #[serde(borrow)]
    prompt: Content<'a>,
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(default)]
    id: Option<String>,
    #[serde(borrow)]
    content: Content<'a>,
}

/// A message's content: a text, or blocks. Read in one pass, because a turn may have megabytes of it.
struct Content<'a>(Vec<RawBlock<'a>>);

#[derive(Default, Deserialize)]
struct RawBlock<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(default)]
    text: Option<Text>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(default)]
    tool_use_id: Option<String>,
    #[serde(default)]
    is_error: Option<bool>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Asked for bytes, the parser takes half a surrogate pair, and a list as well.
        deserializer.deserialize_bytes(TextOrBlocks)
    }
}

struct TextOrBlocks;

impl<'de> Visitor<'de> for TextOrBlocks {
    type Value = Content<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text or a list of blocks")
    }

    fn visit_bytes<E>(self, text: &[u8]) -> Result<Self::Value, E> {
        let text = String::from_utf8_lossy(text).into_owned();
        Ok(Content(vec![RawBlock { kind: "text", text: Some(Text(text)), ..RawBlock::default() }]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut blocks: A) -> Result<Self::Value, A::Error> {
        let mut content = Vec::new();
        while let Some(block) = blocks.next_element()? {
            content.push(block);
        }
        Ok(Content(content))
    }
}

impl Line {
    /// Reads a line; `None` for anything that is no message of the main conversation.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        match Entry::parse(bytes) {
            Entry::Message(line) if !line.is_sidechain => Some(line),
            _ => None,
        }
    }

    /// This line carries a tool's result.
    #[must_use]
    pub fn answers_a_tool(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::ToolResult { .. }))
    }

    /// This line is the prompt of a turn: the user's own words, no tool's result.
    #[must_use]
    pub fn is_prompt(&self) -> bool {
        self.role == Role::User && !self.answers_a_tool()
    }
}

impl Entry {
    /// Reads a line, whoever's it is.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let Ok(raw) = serde_json::from_slice::<Raw<'_>>(bytes) else { return Self::of_unknown_form(bytes) };
        let marks = raw.marks();
        match marks.kind() {
            Kind::User | Kind::Model | Kind::Failed => {
                raw.into_line().map_or(Self::Unreadable, Self::Message)
            }
            Kind::Boundary => Self::Compaction { is_sidechain: marks.is_sidechain() },
            Kind::Attachment if !marks.is_sidechain() => {
                let queued = raw.attachment.and_then(Queued::read);
                let typed = queued.filter(|queued| queued.author == Author::Person);
                typed.map_or(Self::Other, |queued| Self::Typed(queued.text))
            }
            Kind::Attachment | Kind::Other => Self::Other,
        }
    }

    /// The client may write anything between messages, and a blank line is nothing at all.
    fn of_unknown_form(bytes: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Kind<'a> {
            #[serde(rename = "type")]
            kind: &'a str,
        }
        let is_blank = bytes.iter().all(u8::is_ascii_whitespace);
        let is_message = |kind: &Kind<'_>| matches!(kind.kind, "assistant" | "user");
        let kind = serde_json::from_slice::<Kind<'_>>(bytes).ok();
        if is_blank || kind.is_some_and(|kind| !is_message(&kind)) { Self::Other } else { Self::Unreadable }
    }
}

impl<'a> Raw<'a> {
    fn marks(&self) -> Marks<'a> {
        Marks {
            kind: self.kind,
            subtype: self.subtype,
            is_sidechain: self.is_sidechain,
            is_meta: self.is_meta,
            is_compact_summary: self.is_compact_summary,
            origin: self.origin,
            prompt_source: self.prompt_source,
            turn_origin: self.turn_origin,
            // The client's own words about a failure stand where the model's would, and are read as such.
            is_api_error_message: None,
        }
    }

    fn into_line(self) -> Option<Line> {
        let marks = self.marks();
        let role = match marks.kind() {
            Kind::User if marks.is_put_in() => Role::Injected,
            Kind::User => Role::User,
            _ => Role::Assistant,
        };
        let message = self.message?;
        Some(Line {
            role,
            prompt_id: self.prompt_id,
            blocks: message.content.0.into_iter().filter_map(block).collect(),
            tool_answer: self.tool_use_result.map(|answer| answer.get().to_owned()),
            message_id: message.id,
            is_sidechain: marks.is_sidechain(),
            is_summary: marks.is_summary(),
            is_sent_by_client: marks.author() == Author::Client,
        })
    }
}

impl Queued {
    /// Reads the field `attachment`; `None`: it is no prompt, but another attachment, or a task's notice, which comes the same way.
    pub(crate) fn read(attachment: &RawValue) -> Option<Self> {
        let raw: RawQueued<'_> = serde_json::from_str(attachment.get()).ok()?;
        let is_prompt = raw.kind == "queued_command" && raw.command_mode.is_none_or(|mode| mode == "prompt");
        let texts = raw.prompt.0.into_iter().filter_map(|block| block.text).map(|text| text.0);
        (is_prompt && raw.is_meta != Some(true))
            .then(|| Self { text: texts.collect::<Vec<_>>().join("\n"), author: author(raw.origin) })
    }
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
