//! One line of the transcript, as far as our hooks need it. The format is the client's own and may change:
//! whatever is not understood is no line.

use serde::Deserialize;
use serde_json::value::RawValue;

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
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_compact_summary: bool,
    #[serde(borrow, default)]
    message: Option<RawMessage<'a>>,
    #[serde(borrow, default)]
    tool_use_result: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow)]
    content: &'a RawValue,
}

#[derive(Deserialize)]
struct RawBlock<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(default)]
    text: Option<String>,
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

impl Line {
    /// Reads a line; `None` for anything that is no message of the main conversation.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let raw: Raw<'_> = serde_json::from_slice(bytes).ok()?;
        let role = match raw.kind {
            _ if raw.is_sidechain => return None,
            "assistant" => Role::Assistant,
            "user" if raw.is_meta || raw.is_compact_summary => Role::Injected,
            "user" => Role::User,
            _ => return None,
        };
        Some(Self {
            role,
            prompt_id: raw.prompt_id,
            blocks: blocks(raw.message?.content),
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

fn blocks(content: &RawValue) -> Vec<Block> {
    if let Ok(text) = serde_json::from_str::<String>(content.get()) {
        return vec![Block::Text(text)];
    }
    let raw: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
    raw.into_iter().filter_map(|block| self::block(serde_json::from_str(block.get()).ok()?)).collect()
}

fn block(raw: RawBlock<'_>) -> Option<Block> {
    match raw.kind {
        "text" => raw.text.map(Block::Text),
        "tool_use" => Some(Block::ToolUse(ToolUse {
            id: raw.id?,
            name: raw.name?,
            input: raw.input.map_or_else(|| "{}".to_owned(), |input| input.get().to_owned()),
        })),
        "tool_result" => Some(Block::ToolResult {
            tool_use_id: raw.tool_use_id?,
            is_error: raw.is_error.unwrap_or(false),
        }),
        _ => None,
    }
}
