//! One line of a transcript, as far as the client's events can be read out of it. A field of an unexpected form counts as
//! missing. What a line is and who wrote a prompt, [`Marks`] tells.

use serde_json::value::RawValue;

use crate::protocol::Fields;
use crate::transcript::{Author, Kind, Marks, Queued};

/// So the client says of a prompt that it sent by itself.
const BY_ITSELF: &str = "system";

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
    /// A prompt as a hook is given it; the client's word for where it comes from, where nobody typed it.
    Prompt { text: String, source: Option<String>, in_turn: bool },
    /// A stop was held, and the model goes on.
    HeldStop,
    /// The user has ended the turn.
    Interrupted,
    /// The model has said or called something, in this message; with it the turn may be over.
    Model { message: Option<String>, parts: Vec<Part>, ends_turn: bool },
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
    let marks = marks(fields, &kind);
    if marks.is_sidechain() {
        return What::OfSubagent;
    }
    match marks.kind() {
        Kind::User => of_user(fields, &marks),
        Kind::Model => of_model(fields),
        Kind::Failed => What::Failed,
        Kind::Attachment => {
            let queued = fields.raw("attachment").and_then(Queued::read);
            queued.filter(|queued| !queued.text.trim().is_empty()).map_or(What::Other, |queued| {
                let source = (queued.author == Author::Client).then(|| BY_ITSELF.to_owned());
                What::Prompt { text: queued.text, source, in_turn: true }
            })
        }
        Kind::Boundary => {
            let metadata: Option<Fields<'_>> = fields.read("compactMetadata");
            let trigger = metadata.and_then(|metadata| metadata.name("trigger"));
            What::Compacted { trigger: trigger.unwrap_or_else(|| "auto".to_owned()) }
        }
        Kind::Other => What::Other,
    }
}

fn marks<'a>(fields: &Fields<'a>, kind: &'a str) -> Marks<'a> {
    Marks {
        kind,
        subtype: fields.raw("subtype"),
        is_sidechain: fields.read("isSidechain"),
        is_meta: fields.read("isMeta"),
        is_compact_summary: fields.read("isCompactSummary"),
        is_api_error_message: fields.read("isApiErrorMessage"),
        origin: fields.raw("origin"),
        prompt_source: fields.raw("promptSource"),
        turn_origin: fields.raw("turnOrigin"),
    }
}

fn is(fields: &Fields<'_>, name: &str) -> bool {
    fields.read(name).unwrap_or(false)
}

fn of_model(fields: &Fields<'_>) -> What {
    let message: Option<Fields<'_>> = fields.read("message");
    let Some(message) = message else { return What::Other };
    let parts = blocks(&message).iter().filter_map(part).collect();
    let ends_turn = matches!(message.name("stop_reason").as_deref(), Some("end_turn" | "stop_sequence"));
    What::Model { message: message.name("id"), parts, ends_turn }
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

fn of_user(fields: &Fields<'_>, marks: &Marks<'_>) -> What {
    let message: Option<Fields<'_>> = fields.read("message");
    let Some(message) = message else { return What::Other };
    let results: Vec<Ended> = blocks(&message).iter().filter_map(|block| ended(block)).collect();
    if !results.is_empty() {
        return What::Results(with_answer(results, fields.raw("toolUseResult")));
    }
    let wakeup = fields.name("wakeupSource");
    let is_sent = marks.author() == Author::Client;
    // A scheduled prompt is put in as well, and so is what the client adds in its turn: a skill's text.
    let is_beside = marks.is_put_in() && wakeup.is_none();
    match text_of(&message) {
        text if text.starts_with("[Request interrupted by user") => What::Interrupted,
        text if text.starts_with("Stop hook feedback:") => What::HeldStop,
        _ if is_beside => What::Other,
        text => prompt(&text).map_or(What::Other, |text| {
            let source = is_sent.then(|| wakeup.unwrap_or_else(|| BY_ITSELF.to_owned()));
            What::Prompt { text, source, in_turn: false }
        }),
    }
}

/// What a hook is given: of a slash command its name and its arguments. Nobody hears of a command that the client carries out
/// itself (`/compact`, `!ls`), or of what it writes for itself.
fn prompt(text: &str) -> Option<String> {
    if text.starts_with("<command-message>")
        && let Some(name) = between(text, "<command-name>", "</command-name>")
    {
        let arguments = between(text, "<command-args>", "</command-args>").unwrap_or_default();
        return Some(format!("{name} {arguments}").trim().to_owned());
    }
    let of_client = ["<command-name>", "<local-command-", "<bash-input>", "<bash-stdout>", "<bash-stderr>"];
    let is_own = of_client.iter().any(|start| text.starts_with(start));
    (!is_own && !text.trim().is_empty()).then(|| text.to_owned())
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(within, _)| within.trim())
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
