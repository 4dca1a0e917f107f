//! One line of the transcript, as far as our hooks need it. The format is the client's own and may change:
//! whatever is not understood is no line.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::text::Text;

/// A message of the main conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Who speaks.
    pub role: Role,
    /// The turn, on `user` lines.
    pub prompt_id: Option<String>,
    /// What is said.
    pub blocks: Vec<Block>,
    /// A tool's own answer object, as JSON text, beside its `tool_result`.
    pub tool_answer: Option<String>,
}

/// Who speaks.
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
    /// Its input, as JSON text.
    pub input: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
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
}

#[derive(Deserialize)]
struct RawMessage<'a> {
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
        deserializer.deserialize_any(TextOrBlocks)
    }
}

struct TextOrBlocks;

impl<'de> Visitor<'de> for TextOrBlocks {
    type Value = Content<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text or a list of blocks")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content(vec![RawBlock { kind: "text", text: Some(Text(text.to_owned())), ..RawBlock::default() }]))
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
        let raw: Raw<'_> = serde_json::from_slice(bytes).ok()?;
        let role = match raw.kind {
            _ if raw.is_sidechain == Some(true) => return None,
            "assistant" => Role::Assistant,
            "user" if raw.is_meta == Some(true) || raw.is_compact_summary == Some(true) => Role::Injected,
            "user" => Role::User,
            _ => return None,
        };
        Some(Self {
            role,
            prompt_id: raw.prompt_id,
            blocks: raw.message?.content.0.into_iter().filter_map(block).collect(),
            tool_answer: raw.tool_use_result.map(|answer| answer.get().to_owned()),
        })
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
