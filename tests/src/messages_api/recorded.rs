//! A request the client made, and what the model was shown by it. Hook context reaches the model in several places (as
//! messages of the role `system`, as `<system-reminder>` in user messages, even inside a tool result), so the questions
//! here look at every text; the model's own words are left out, because nobody showed them to it.

use super::Route;
use crate::clock::epoch_micros;
use serde_json::Value;
use std::collections::HashMap;

/// One request.
#[derive(Debug)]
pub struct Recorded {
    /// Index among all requests.
    pub number: usize,
    /// When it had been read, in microseconds since 1970; comparable with the lines of `record-hook`.
    pub at_us: u64,
    /// The part of the script that answers.
    pub route: Route,
    /// Path and query.
    pub url: String,
    /// Names in lower case, and values.
    pub headers: HashMap<String, String>,
    /// The body; null when it was no JSON.
    pub body: Value,
}

/// One text in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The role of its message; `system` also for the system prompt.
    pub role: String,
    pub text: String,
}

/// The result of a tool call, as the model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// Id of the call.
    pub tool_use_id: String,
    /// It was refused or failed.
    pub is_error: bool,
    pub text: String,
}

impl Recorded {
    pub(super) fn new(number: usize, route: Route, request: &tiny_http::Request, body: Value) -> Self {
        let header = |header: &tiny_http::Header| {
            (header.field.as_str().as_str().to_ascii_lowercase(), header.value.as_str().to_owned())
        };
        let headers = request.headers().iter().map(header).collect();
        Self { number, at_us: epoch_micros(), route, url: request.url().to_owned(), headers, body }
    }

    /// The model that was asked for.
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// Names of the tools the model may call.
    pub fn tools(&self) -> Vec<&str> {
        list(&self.body["tools"]).iter().filter_map(|tool| tool["name"].as_str()).collect()
    }

    /// Every text of the system prompt and of the messages, in order, the model's own included.
    pub fn texts(&self) -> Vec<Shown> {
        let messages = list(&self.body["messages"]);
        let contents = messages
            .iter()
            .map(|message| (message["role"].as_str().unwrap_or_default(), &message["content"]));
        std::iter::once(("system", &self.body["system"]))
            .chain(contents)
            .flat_map(|(role, content)| shown(role, content))
            .collect()
    }

    /// Every text but the model's own, in order.
    pub fn shown_texts(&self) -> Vec<String> {
        self.texts().into_iter().filter(|shown| shown.role != "assistant").map(|shown| shown.text).collect()
    }

    /// Does any text but the model's own contain this?
    pub fn shows(&self, text: &str) -> bool {
        self.count(text) > 0
    }

    /// How often a text occurs in all texts but the model's own: a reminder given twice is a bug.
    pub fn count(&self, text: &str) -> usize {
        self.shown_texts().iter().map(|shown| shown.matches(text).count()).sum()
    }

    /// Every result of a tool call, in order.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        let blocks = list(&self.body["messages"]).iter().flat_map(|message| list(&message["content"]));
        blocks.filter(|block| block["type"] == "tool_result").map(tool_result).collect()
    }
}

fn tool_result(block: &Value) -> ToolResult {
    ToolResult {
        tool_use_id: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
        is_error: block["is_error"].as_bool().unwrap_or_default(),
        text: text_of(&block["content"]),
    }
}

fn shown(role: &str, content: &Value) -> Vec<Shown> {
    let text = |text: &str| Shown { role: role.to_owned(), text: text.to_owned() };
    match content {
        Value::String(content) => vec![text(content)],
        Value::Array(blocks) => blocks
            .iter()
            .map(|block| text(&text_of_block(block)))
            .filter(|shown| !shown.text.is_empty())
            .collect(),
        _ => Vec::new(),
    }
}

/// All text in a message's content, tool results included.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().map(text_of_block).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

fn text_of_block(block: &Value) -> String {
    match block["type"].as_str() {
        Some("text") => block["text"].as_str().unwrap_or_default().to_owned(),
        Some("tool_result") => text_of(&block["content"]),
        _ => String::new(),
    }
}

pub(super) fn first_user_text(body: &Value) -> String {
    let first = list(&body["messages"]).iter().find(|message| message["role"] == "user");
    first.map(|message| text_of(&message["content"])).unwrap_or_default()
}

/// Newer models get the facts of the machine after the last message, with the role `system`.
pub(super) fn last_message_text(body: &Value) -> String {
    let messages = list(&body["messages"]);
    let last = messages.iter().rposition(|message| message["role"] != "system").unwrap_or_default();
    let texts: Vec<_> = messages.iter().skip(last).map(|message| text_of(&message["content"])).collect();
    texts.join("\n")
}

/// The texts that are not among the known ones; one known occurrence takes away one.
pub(super) fn without(texts: Vec<String>, known: &[String]) -> Vec<String> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for text in known {
        *left.entry(text).or_default() += 1;
    }
    let is_new = |text: &String| match left.get_mut(text.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    texts.into_iter().filter(is_new).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
