//! A request the client made, and what the model was shown by it. Hook context reaches the model in several places (as
//! messages of the role `system`, as `<system-reminder>` in user messages, even inside a tool result), so the questions
//! here look at every text; the model's own words are left out, because nobody showed them to it.

use super::Route;
use crate::clock::epoch_micros;
use serde_json::Value;

#[derive(Debug)]
pub struct Recorded {
    pub(super) number: usize,
    /// When it had been read, in microseconds since 1970; comparable with the lines of `record-hook`.
    pub at_us: u64,
    /// The part of the script that answers.
    pub route: Route,
    /// The body; null when it was no JSON.
    pub body: Value,
}

/// The result of a tool call, as the model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    pub is_error: bool,
    pub text: String,
}

impl ToolResult {
    /// `denied` by a hook, `failed`, or `ran`.
    pub fn outcome(&self) -> &'static str {
        match self.is_error {
            true if self.text.contains(" hook error: ") => "denied",
            true => "failed",
            false => "ran",
        }
    }
}

impl Recorded {
    pub(super) fn new(number: usize, route: Route, body: Value) -> Self {
        Self { number, at_us: epoch_micros(), route, body }
    }

    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    pub fn tools(&self) -> Vec<&str> {
        list(&self.body["tools"]).iter().filter_map(|tool| tool["name"].as_str()).collect()
    }

    /// Every text of the system prompt and of the messages but the model's own, in order.
    pub fn shown_texts(&self) -> Vec<String> {
        let messages = list(&self.body["messages"]).iter().filter(|message| message["role"] != "assistant");
        let contents =
            std::iter::once(&self.body["system"]).chain(messages.map(|message| &message["content"]));
        contents.flat_map(texts).filter(|text| !text.is_empty()).collect()
    }

    pub fn shows(&self, text: &str) -> bool {
        self.count(text) > 0
    }

    /// How often a text occurs in all texts but the model's own: a reminder given twice is a bug.
    pub fn count(&self, text: &str) -> usize {
        self.shown_texts().iter().map(|shown| shown.matches(text).count()).sum()
    }

    pub fn tool_results(&self) -> Vec<ToolResult> {
        let blocks = list(&self.body["messages"]).iter().flat_map(|message| list(&message["content"]));
        let results = blocks.filter(|block| block["type"] == "tool_result");
        let result = |block: &Value| ToolResult {
            is_error: block["is_error"].as_bool().unwrap_or_default(),
            text: texts(&block["content"]).join("\n"),
        };
        results.map(result).collect()
    }

    pub fn outcomes(&self) -> Vec<&'static str> {
        self.tool_results().iter().map(ToolResult::outcome).collect()
    }

    #[track_caller]
    pub fn newest_result(&self) -> ToolResult {
        self.tool_results().pop().expect("a tool result is shown")
    }

    #[track_caller]
    pub fn part(&self, name: &str) -> String {
        let material = self.shown_texts().join("\n");
        let behind = material.split_once(&format!("\n{name}:\nBEGIN "));
        let line = behind.and_then(|(_, behind)| behind.lines().nth(1));
        let text = line.and_then(|line| serde_json::from_str(line).ok());
        text.unwrap_or_else(|| panic!("no part `{name}` in {material}"))
    }
}

/// The texts of a message's content, one per block; those of a tool result in one.
pub(super) fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => blocks.iter().map(text_of_block).collect(),
        _ => Vec::new(),
    }
}

fn text_of_block(block: &Value) -> String {
    match block["type"].as_str() {
        Some("text") => block["text"].as_str().unwrap_or_default().to_owned(),
        Some("tool_result") => texts(&block["content"]).join("\n"),
        _ => String::new(),
    }
}

pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
