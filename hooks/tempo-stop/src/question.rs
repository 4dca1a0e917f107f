//! The question to the model: the material, and the form of the verdict; and the texts that the user can replace. Pure.

use judge::Part;
use secrets::masked;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use shared::messages::Text;
use shared::protocol::Mode;
use shared::text::is_hidden;
use transcript::{Message, PastCall, Role};

pub(crate) const PROMPT: Text = Text {
    name: "stop_hook_validator_prompt",
    built_in: include_str!("../../../config/prompts/stop/stop_hook_validator_prompt.md"),
};

/// The text for Claude at a session's start.
pub(crate) const ANNOUNCEMENT: Text = Text {
    name: "session_start_message",
    built_in: include_str!("../../../config/prompts/session_start/session_start_message.md"),
};

/// The text for Claude at a blocked stop; `{feedback}` is the model's.
pub(crate) const BLOCKED: Text =
    Text { name: "tempo-stop", built_in: include_str!("../../../config/messages/tempo-stop.md") };

pub(crate) const ALL: [Text; 3] = [PROMPT, ANNOUNCEMENT, BLOCKED];

pub(crate) const MAX_ANNOUNCEMENT_CHARS: usize = 400;

/// So many requests are shown at most, in characters all together.
const MAX_REQUESTS_CHARS: usize = 8_000;

/// A longer request is shown by its beginning and its end, in characters each.
const REQUEST_PIECE_CHARS: usize = 1_000;

/// So much of the last message is shown, in characters.
const MAX_LAST_MESSAGE_CHARS: usize = 8_000;

/// So much of the tool calls is shown, in characters.
const MAX_CALLS_CHARS: usize = 8_000;

/// So much of what one tool was given is shown, in characters.
const MAX_INPUT_CHARS: usize = 160;

/// A longer feedback is cut, in characters.
const MAX_FEEDBACK_CHARS: usize = 2_000;

/// The fields that tell what a tool call is about, the most telling first.
const TELLING: &str = "file_path notebook_path command pattern url query skill subject description prompt";

#[derive(Debug, Clone, Default)]
pub(crate) struct Material {
    /// The user's requests since the last compaction, oldest first.
    pub(crate) requests: Vec<String>,
    /// The last messages of both, oldest first.
    pub(crate) conversation: Vec<Message>,
    pub(crate) last_message: String,
    /// The tool calls of this turn, oldest first.
    pub(crate) tool_calls: Vec<PastCall>,
    pub(crate) permission_mode: Option<Mode>,
    /// The blocks of this prompt.
    pub(crate) blocks: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Answer")]
pub(crate) enum Verdict {
    Approved,
    /// Something is missing.
    Blocked(String),
}

#[derive(Deserialize)]
#[serde(tag = "verdict", rename_all = "UPPERCASE")]
enum Answer {
    Approved,
    Blocked {
        #[serde(default)]
        feedback: String,
    },
}

impl TryFrom<Answer> for Verdict {
    type Error = &'static str;

    fn try_from(answer: Answer) -> Result<Self, Self::Error> {
        let Answer::Blocked { feedback } = answer else { return Ok(Self::Approved) };
        let feedback = cleaned(&feedback);
        if feedback.is_empty() { Err("a block without feedback") } else { Ok(Self::Blocked(feedback)) }
    }
}

pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "verdict": { "type": "string", "enum": ["APPROVED", "BLOCKED"] },
            "feedback": { "type": "string" },
        },
        "required": ["verdict", "feedback"],
        "additionalProperties": false,
    })
}

/// The material as it is shown.
pub(crate) fn parts(material: &Material, judge: &judge::Settings) -> Vec<Part> {
    let part = |name, text, max_chars| Part { name, text, max_chars };
    let max_conversation = usize::try_from(judge.max_conversation_chars.get()).unwrap_or(usize::MAX);
    let request = |request: &String| Message { role: Role::User, text: shortened(request) };
    let requests: Vec<Message> = material.requests.iter().map(request).collect();
    let tool_calls: Vec<String> = material.tool_calls.iter().map(done).collect();
    vec![
        part("requests", judge::message_lines(&requests), MAX_REQUESTS_CHARS),
        part("conversation", judge::message_lines(&material.conversation), max_conversation),
        part("last_message", material.last_message.clone(), MAX_LAST_MESSAGE_CHARS),
        part("tool_calls", tool_calls.join("\n"), MAX_CALLS_CHARS),
        part("state", state(material), MAX_LAST_MESSAGE_CHARS),
    ]
}

/// A request without its middle, because the wish stands at its beginning or its end. It is masked before it is cut, because half
/// a secret may look like nothing.
fn shortened(request: &str) -> String {
    let request = masked(request);
    let chars: Vec<char> = request.chars().collect();
    if chars.len() <= 2 * REQUEST_PIECE_CHARS {
        return request.into_owned();
    }
    let (begin, end) = (&chars[..REQUEST_PIECE_CHARS], &chars[chars.len() - REQUEST_PIECE_CHARS..]);
    let left_out = chars.len() - 2 * REQUEST_PIECE_CHARS;
    let text = |chars: &[char]| chars.iter().collect::<String>();
    format!("{}\n[{left_out} characters left out]\n{}", text(begin), text(end))
}

fn done(call: &PastCall) -> String {
    let end = match call.failed {
        Some(true) => "failed or was denied",
        Some(false) => "ok",
        None => "no result yet",
    };
    let input: Map<String, Value> = serde_json::from_str(&call.input).unwrap_or_default();
    let told = TELLING.split(' ').find_map(|key| input.get(key)?.as_str());
    let told = masked(told.unwrap_or_default());
    let told: String = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = told.chars().take(MAX_INPUT_CHARS).collect();
    let mark = if cut.len() < told.len() { "…" } else { "" };
    format!("{} {cut}{mark}: {end}", call.tool)
}

fn state(material: &Material) -> String {
    let mode = match material.permission_mode {
        Some(Mode::Plan) => "the agent is to plan and not to carry out",
        _ => "the agent is to carry out the requests",
    };
    // The hook allows a stop with work in flight without a question.
    format!(
        "in flight in the background: nothing\nscheduled wake-ups: none\n{mode}\nsent back for this request already: {} times",
        material.blocks
    )
}

/// The feedback as it may stand in a text: words and line breaks, bounded, without the word that the schema says.
fn cleaned(feedback: &str) -> String {
    let feedback = feedback.trim();
    let feedback = feedback.strip_prefix("BLOCKED:").unwrap_or(feedback).trim_start();
    let mut chars = feedback.chars().filter(|char| *char == '\n' || !is_hidden(*char));
    let text: String = chars.by_ref().take(MAX_FEEDBACK_CHARS).collect();
    if chars.next().is_some() { format!("{}…", text.trim_end()) } else { text.trim_end().to_owned() }
}

/// The text for a blocked stop with the feedback in it.
pub(crate) fn blocked(text: &str, feedback: &str) -> String {
    if text.contains("{feedback}") {
        text.replace("{feedback}", feedback)
    } else {
        format!("{text}\n\n{feedback}")
    }
}

#[cfg(test)]
mod tests;
