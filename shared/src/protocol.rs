//! The wire format of Claude Code: events in, answers out. The only module that knows it.
//!
//! Facts: `tests/client-facts.md` (seen with the real client) and the recordings in `tests/fixtures/payloads`. Unknown events
//! and unknown fields are tolerated; this module types only what a hook uses.
//!
//! Claude Code drops an answer that is not exactly as documented and goes on as if nothing had been said, so answers are
//! built here and nowhere else, and a test checks them against the documented shape.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::claude_code::{SCHEDULING_COMMANDS, SCHEDULING_TOOLS};
use crate::host::Timestamp;
use crate::text::plain;

#[derive(Debug, Clone)]
pub struct Request {
    pub call: Call,
    pub event: Event,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Call {
    /// `None` when missing, empty or no string: then there is no state.
    pub session_id: Option<String>,
    /// The turn: stays the same through all continuations of one prompt.
    pub prompt_id: Option<String>,
    /// Present exactly inside a subagent. Session and transcript are the parent's then.
    pub agent_id: Option<String>,
    /// The subagent's kind, or the `--agent` name of the main session.
    pub agent_type: Option<String>,
    /// The session's JSONL file. It lags behind the event by up to about 100 ms.
    pub transcript_path: Option<PathBuf>,
    /// The current directory; follows `cd`.
    pub cwd: Option<PathBuf>,
    pub permission_mode: Option<Mode>,
}

/// `permission_mode`, where the event has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Asks before tools that need permission.
    Default,
    Plan,
    AcceptEdits,
    /// The client's classifier decides.
    Auto,
    /// Never asks, denies instead.
    DontAsk,
    /// Never asks, allows.
    BypassPermissions,
}

/// The events our hooks use. Every other one is [`Event::Other`] and passes.
#[derive(Debug, Clone)]
pub enum Event {
    SessionStart {
        /// startup, resume, clear, compact or fork.
        source: String,
        model: Option<String>,
    },
    /// A session ends. `reason`: clear, resume, logout, `prompt_input_exit`, other.
    SessionEnd {
        reason: String,
    },
    UserPromptSubmit {
        prompt: String,
        /// Author, if Claude Code says so: user, sdk, system, `loop_wakeup`, `schedule_wakeup`, `poll_event`.
        source: Option<String>,
    },
    PreToolUse(ToolCall),
    PostToolUse(ToolResult),
    /// A tool has run and failed; a failed Bash command arrives only here.
    PostToolUseFailure(ToolFailure),
    Stop(Stop),
    /// The turn ended with an API error: `rate_limit`, `authentication_failed`, `server_error` ...
    StopFailure {
        error: String,
    },
    SubagentStart(Subagent),
    /// Also sent for a compaction, with an empty type.
    SubagentStop(Subagent),
    /// The conversation is about to be compacted. `trigger`: manual, auto.
    PreCompact {
        trigger: String,
    },
    /// An event no hook of ours uses, by its name.
    Other(String),
}

impl Event {
    pub fn name(&self) -> &str {
        match self {
            Self::SessionStart { .. } => "SessionStart",
            Self::SessionEnd { .. } => "SessionEnd",
            Self::UserPromptSubmit { .. } => "UserPromptSubmit",
            Self::PreToolUse(_) => "PreToolUse",
            Self::PostToolUse(_) => "PostToolUse",
            Self::PostToolUseFailure(_) => "PostToolUseFailure",
            Self::Stop(_) => "Stop",
            Self::StopFailure { .. } => "StopFailure",
            Self::SubagentStart(_) => "SubagentStart",
            Self::SubagentStop(_) => "SubagentStop",
            Self::PreCompact { .. } => "PreCompact",
            Self::Other(name) => name,
        }
    }

    /// The tool call the event is about, before or after it ran.
    pub fn tool_call(&self) -> Option<&ToolCall> {
        match self {
            Self::PreToolUse(call)
            | Self::PostToolUse(ToolResult { call, .. })
            | Self::PostToolUseFailure(ToolFailure { call, .. }) => Some(call),
            _ => None,
        }
    }

    /// The prompts that this event schedules: by a call of Claude's, by a slash command, which comes to such a call, or before
    /// anybody looked, which shows at the end of a turn.
    pub fn scheduled_prompts(&self) -> Vec<String> {
        match self {
            Self::PreToolUse(call) | Self::PostToolUse(ToolResult { call, .. })
                if SCHEDULING_TOOLS.contains(&call.tool_name.as_str()) =>
            {
                let input = call.tool_input.as_ref().map(|input| serde_json::from_str::<Value>(input.get()));
                let prompt = |input: Value| input["prompt"].as_str().map(ToOwned::to_owned);
                input.into_iter().flatten().filter_map(prompt).collect()
            }
            Self::UserPromptSubmit { prompt, .. } => {
                let first = prompt.split_whitespace().next();
                let schedules = first.is_some_and(|first| SCHEDULING_COMMANDS.contains(&first));
                schedules.then(|| prompt.clone()).into_iter().collect()
            }
            Self::Stop(stop) => stop.session_crons.clone(),
            _ => Vec::new(),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct ToolCall {
    /// `Bash`, `Edit`, `mcp__server__tool` ...
    pub tool_name: String,
    pub tool_use_id: Option<String>,
    /// The tool's own input object, unparsed.
    pub tool_input: Option<Box<RawValue>>,
}

#[derive(Debug, Clone, Default)]
pub struct ToolResult {
    pub call: ToolCall,
    /// The tool's own answer object, unparsed.
    pub tool_response: Option<Box<RawValue>>,
}

#[derive(Debug, Clone, Default)]
pub struct ToolFailure {
    pub call: ToolCall,
    /// The error's text; for a shell its first line is the exit status.
    pub error: String,
    pub is_interrupt: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stop {
    /// True from the second Stop of a prompt on, whichever hook caused the continuation.
    pub stop_hook_active: bool,
    /// The final text. The transcript does not have it yet.
    pub last_assistant_message: Option<String>,
    /// Background tasks still running.
    pub background_tasks: usize,
    /// Prompts of scheduled wake-ups; empty if Claude Code does not say.
    pub session_crons: Vec<String>,
}

/// A subagent's start or end; both fields come at its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subagent {
    pub transcript_path: Option<PathBuf>,
    pub last_assistant_message: Option<String>,
}

/// Reads one event. Each field is read on its own risk: one of an unexpected type counts as missing, because a client that
/// changes one field must not blind us to the others. A repeated key counts with its last value, as everywhere in Claude Code.
pub fn parse(bytes: &[u8]) -> Result<Request, &'static str> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let fields: Fields<'_> =
        serde_json::from_slice(bytes).map_err(|_| "the hook input is not a JSON object")?;
    let name = fields.name("hook_event_name").ok_or("the hook input names no event")?;
    let call = Call {
        session_id: fields.name("session_id"),
        prompt_id: fields.name("prompt_id"),
        agent_id: fields.name("agent_id"),
        agent_type: fields.name("agent_type"),
        transcript_path: fields.name("transcript_path").map(PathBuf::from),
        cwd: fields.name("cwd").map(PathBuf::from),
        permission_mode: fields.read("permission_mode"),
    };
    Ok(Request { call, event: event(name, &fields) })
}

fn event(name: String, fields: &Fields<'_>) -> Event {
    let text = |field| fields.text(field).unwrap_or_default();
    match name.as_str() {
        "SessionStart" => Event::SessionStart { source: text("source"), model: fields.name("model") },
        "SessionEnd" => Event::SessionEnd { reason: text("reason") },
        "UserPromptSubmit" => {
            Event::UserPromptSubmit { prompt: text("prompt"), source: fields.name("source") }
        }
        "PreToolUse" => Event::PreToolUse(tool_call(fields)),
        "PostToolUse" => Event::PostToolUse(ToolResult {
            call: tool_call(fields),
            tool_response: fields.raw("tool_response"),
        }),
        "PostToolUseFailure" => Event::PostToolUseFailure(ToolFailure {
            call: tool_call(fields),
            error: text("error"),
            is_interrupt: fields.read("is_interrupt").unwrap_or(false),
        }),
        "Stop" => Event::Stop(Stop {
            stop_hook_active: fields.read("stop_hook_active").unwrap_or(false),
            last_assistant_message: fields.text("last_assistant_message"),
            background_tasks: fields.list("background_tasks").len(),
            session_crons: fields.list("session_crons").into_iter().map(prompt).collect(),
        }),
        "StopFailure" => Event::StopFailure { error: text("error") },
        "SubagentStart" => Event::SubagentStart(subagent(fields)),
        "SubagentStop" => Event::SubagentStop(subagent(fields)),
        "PreCompact" => Event::PreCompact { trigger: text("trigger") },
        _ => Event::Other(name),
    }
}

fn tool_call(fields: &Fields<'_>) -> ToolCall {
    ToolCall {
        tool_name: fields.text("tool_name").unwrap_or_default(),
        tool_use_id: fields.name("tool_use_id"),
        tool_input: fields.raw("tool_input"),
    }
}

/// The prompt of a scheduled wake-up. Each entry counts, whatever it holds.
fn prompt(entry: &RawValue) -> String {
    let fields = serde_json::from_str::<Fields<'_>>(entry.get()).ok();
    fields.and_then(|fields| fields.text("prompt")).unwrap_or_default()
}

fn subagent(fields: &Fields<'_>) -> Subagent {
    Subagent {
        transcript_path: fields.name("agent_transcript_path").map(PathBuf::from),
        last_assistant_message: fields.text("last_assistant_message"),
    }
}

/// The fields of one JSON object, still unparsed.
#[derive(Deserialize)]
#[serde(transparent)]
struct Fields<'a>(#[serde(borrow)] BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'a> Fields<'a> {
    /// The field as `T`, if it is there and is one.
    fn read<T: Deserialize<'a>>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }

    fn raw(&self, name: &str) -> Option<Box<RawValue>> {
        self.0.get(name).copied().map(ToOwned::to_owned)
    }

    /// A string that may hold anything, lone surrogates included.
    fn text(&self, name: &str) -> Option<String> {
        self.read::<Text>(name).map(|text| text.0)
    }

    /// A string that names something: an empty one counts as missing.
    fn name(&self, name: &str) -> Option<String> {
        self.text(name).filter(|value| !value.is_empty())
    }

    /// The entries of a list; empty if it is no list.
    fn list(&self, name: &str) -> Vec<&'a RawValue> {
        self.read(name).unwrap_or_default()
    }
}

/// A JSON string. Half a surrogate pair, which is legal JSON and comes from real tools, becomes a replacement character.
#[derive(Debug, Default)]
pub struct Text(pub String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Lossy)
    }
}

struct Lossy;

impl Visitor<'_> for Lossy {
    type Value = Text;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(text.to_owned()))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text, E> {
        Ok(Text(String::from_utf8_lossy(bytes).into_owned()))
    }
}

/// Verdict of a hook, in our words. A `rule` is the key path of the setting behind a verdict; its file and line are added to the reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Verdict {
    #[default]
    Pass,
    /// A text for the model beside whatever goes on.
    Advise { text: String },
    /// The tool does not run. The reason is for the model: hook, rule, next step.
    Deny { reason: String, rule: Cow<'static, str> },
    /// Claude Code asks the user.
    Ask { reason: String, rule: Cow<'static, str> },
    /// The prompt was one of our commands: this is its answer, and the model gets neither.
    Reply { text: String },
    /// A tool has run; the next request to the model waits. The notice beside it is given afterwards.
    Sleep { until: Timestamp, rule: Cow<'static, str> },
    /// The stop or the prompt does not happen. The reason is for the model (stop) or the user (prompt).
    Block { reason: String, rule: Cow<'static, str> },
}

impl Verdict {
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Advise { .. } => "advise",
            Self::Reply { .. } => "reply",
            Self::Deny { .. } => "deny",
            Self::Ask { .. } => "ask",
            Self::Sleep { .. } => "sleep",
            Self::Block { .. } => "block",
        }
    }
}

/// Answer of one invocation: a verdict, and a notice to the user beside it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    pub verdict: Verdict,
    /// Shown to the user in the terminal client, never to the model; `-p` shows it to nobody.
    pub notice: Option<String>,
}

/// The answer as Claude Code reads it: one JSON object, or `None` for silence. A verdict that an event cannot carry becomes
/// nothing, never something that Claude Code would misread. Texts have no hidden characters: names and messages may be anybody's.
pub fn to_wire(event: &Event, answer: &Answer) -> Option<String> {
    let mut wire = wire(event, &answer.verdict);
    if let Some(notice) = &answer.notice {
        wire["systemMessage"] = plain(notice).into();
    }
    (!wire.is_null()).then(|| wire.to_string())
}

fn wire(event: &Event, verdict: &Verdict) -> Value {
    let blocks = |reason: &str| json!({ "decision": "block", "reason": plain(reason) });
    let about = |mut fields: Value| {
        fields["hookEventName"] = event.name().into();
        json!({ "hookSpecificOutput": fields })
    };
    let permission = |decision: &str, reason: &str| {
        about(json!({ "permissionDecision": decision, "permissionDecisionReason": plain(reason) }))
    };
    match (verdict, event) {
        (Verdict::Block { reason, .. }, _) if can_block(event) => blocks(reason),
        (Verdict::Reply { text }, Event::UserPromptSubmit { .. }) => blocks(text),
        (Verdict::Deny { reason, .. }, Event::PreToolUse(_)) => permission("deny", reason),
        (Verdict::Ask { reason, .. }, Event::PreToolUse(_)) => permission("ask", reason),
        (Verdict::Advise { text }, _) if takes_context(event) => {
            about(json!({ "additionalContext": plain(text) }))
        }
        _ => Value::Null,
    }
}

/// A block on PostToolUse only adds text after the fact, so it is not offered.
fn can_block(event: &Event) -> bool {
    matches!(event, Event::Stop(_) | Event::SubagentStop(_) | Event::UserPromptSubmit { .. })
}

/// On Stop and SubagentStop context makes the model go on like a block does, so it counts as none there.
fn takes_context(event: &Event) -> bool {
    matches!(
        event,
        Event::SessionStart { .. }
            | Event::UserPromptSubmit { .. }
            | Event::PreToolUse(_)
            | Event::PostToolUse(_)
            | Event::PostToolUseFailure(_)
            | Event::SubagentStart(_)
    )
}

#[cfg(test)]
mod tests;
