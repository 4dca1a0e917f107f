//! One line of a transcript, as far as the client's events can be read out of it. A field of an unexpected form counts as
//! missing.

use serde_json::value::RawValue;

use crate::protocol::Fields;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) at: Option<String>,
    pub(super) session: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) prompt_id: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) entrypoint: Option<String>,
    pub(super) what: What,
}

/// What it tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// A prompt as a hook is given it; who wrote it, where nobody typed it.
    Prompt { text: String, source: Option<&'static str>, in_turn: bool },
    /// A stop was held, and the model goes on.
    HeldStop,
    /// The user has ended the turn.
    Interrupted,
    /// The model has said or called something, in this message.
    Model { message: Option<String>, parts: Vec<Part> },
    /// Calls have come to an end.
    Results(Vec<Ended>),
    /// The model could not be asked.
    Failed,
    /// The conversation is compacted.
    Compacted { trigger: String },
    /// A line of a subagent.
    OfSubagent,
    /// Nothing a hook hears of.
    Other,
}

/// A piece of what the model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    Call { id: String, name: String, input: String },
}

/// A call that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) id: String,
    pub(super) failed: bool,
    /// What the model was told.
    pub(super) text: String,
    /// What the tool answered, as JSON.
    pub(super) answer: Option<String>,
}

impl Record {
    /// Reads a line; `None`: it is none, or torn.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let fields: Fields<'_> = serde_json::from_slice(line).ok()?;
        Some(Self {
            at: fields.name("timestamp"),
            session: fields.name("sessionId"),
            cwd: fields.name("cwd"),
            prompt_id: fields.name("promptId"),
            mode: fields.name("permissionMode"),
            entrypoint: fields.name("entrypoint"),
            what: what(&fields),
        })
    }
}

fn what(fields: &Fields<'_>) -> What {
    let kind = fields.name("type").unwrap_or_default();
    if is(fields, "isSidechain") && matches!(kind.as_str(), "user" | "assistant") {
        return What::OfSubagent;
    }
    match kind.as_str() {
        "user" => of_user(fields),
        "assistant" if is(fields, "isApiErrorMessage") => What::Failed,
        "assistant" => of_model(fields),
        "attachment" => typed_meanwhile(fields),
        "system" if fields.name("subtype").as_deref() == Some("compact_boundary") => {
            let metadata: Option<Fields<'_>> = fields.read("compactMetadata");
            let trigger = metadata.and_then(|metadata| metadata.name("trigger"));
            What::Compacted { trigger: trigger.unwrap_or_else(|| "auto".to_owned()) }
        }
        _ => What::Other,
    }
}

fn is(fields: &Fields<'_>, name: &str) -> bool {
    fields.read(name).unwrap_or(false)
}

fn of_model(fields: &Fields<'_>) -> What {
    let message: Option<Fields<'_>> = fields.read("message");
    let Some(message) = message else { return What::Other };
    let parts = blocks(&message).iter().filter_map(part).collect();
    What::Model { message: message.name("id"), parts }
}

fn part(block: &Fields<'_>) -> Option<Part> {
    match block.name("type")?.as_str() {
        "text" => block.name("text").map(Part::Text),
        "tool_use" => Some(Part::Call {
            id: block.name("id")?,
            name: block.name("name")?,
            input: block.raw("input").map_or_else(|| "{}".to_owned(), |input| input.get().to_owned()),
        }),
        _ => None,
    }
}

fn of_user(fields: &Fields<'_>) -> What {
    let message: Option<Fields<'_>> = fields.read("message");
    let Some(message) = message else { return What::Other };
    let results: Vec<Ended> = blocks(&message).iter().filter_map(|block| ended(block)).collect();
    if !results.is_empty() {
        return What::Results(with_answer(results, fields.raw("toolUseResult")));
    }
    let text = text_of(&message);
    let is_sent = fields.name("turnOrigin").is_some_and(|origin| origin == "scheduled");
    match text {
        text if text.starts_with("[Request interrupted by user") => What::Interrupted,
        text if text.starts_with("Stop hook feedback:") => What::HeldStop,
        text if is_sent => What::Prompt { text, source: Some("schedule_wakeup"), in_turn: false },
        _ if is(fields, "isMeta") || is(fields, "isCompactSummary") => What::Other,
        text => prompt(&text).map_or(What::Other, |text| What::Prompt { text, source: None, in_turn: false }),
    }
}

/// What was typed: of a slash command its name and its arguments. What the client writes for itself is none.
fn prompt(text: &str) -> Option<String> {
    if let Some(name) = between(text, "<command-name>", "</command-name>") {
        let arguments = between(text, "<command-args>", "</command-args>").unwrap_or_default();
        return Some(format!("{name} {arguments}").trim().to_owned());
    }
    let of_client = ["<local-command-", "<bash-input>", "<bash-stdout>", "<bash-stderr>"];
    let is_own = of_client.iter().any(|start| text.starts_with(start));
    (!is_own && !text.trim().is_empty()).then(|| text.to_owned())
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(within, _)| within.trim())
}

/// A prompt that was typed while the model was at work.
fn typed_meanwhile(fields: &Fields<'_>) -> What {
    let attachment: Option<Fields<'_>> = fields.read("attachment");
    let Some(attachment) = attachment.filter(|own| own.name("type").as_deref() == Some("queued_command"))
    else {
        return What::Other;
    };
    let is_prompt =
        attachment.name("commandMode").is_none_or(|mode| mode == "prompt") && !is(&attachment, "isMeta");
    match content(&attachment, "prompt") {
        text if is_prompt && !text.trim().is_empty() => What::Prompt { text, source: None, in_turn: true },
        _ => What::Other,
    }
}

fn ended(block: &Fields<'_>) -> Option<Ended> {
    (block.name("type")? == "tool_result").then_some(())?;
    Some(Ended {
        id: block.name("tool_use_id")?,
        failed: is(block, "is_error"),
        text: text_of(block),
        answer: None,
    })
}

/// A line tells one tool's answer beside the results.
fn with_answer(mut results: Vec<Ended>, answer: Option<&RawValue>) -> Vec<Ended> {
    if let [only] = results.as_mut_slice() {
        only.answer = answer.map(|answer| answer.get().to_owned());
    }
    results
}

fn blocks<'a>(of: &Fields<'a>) -> Vec<Fields<'a>> {
    of.read("content").unwrap_or_default()
}

fn text_of(of: &Fields<'_>) -> String {
    content(of, "content")
}

/// A text, or the texts of blocks.
fn content(of: &Fields<'_>, name: &str) -> String {
    if let Some(text) = of.text(name) {
        return text;
    }
    let blocks: Vec<Fields<'_>> = of.read(name).unwrap_or_default();
    let texts: Vec<String> = blocks.iter().filter_map(|block| block.name("text")).collect();
    texts.join("\n")
}
