//! Events of Claude Code. Unknown events and unknown fields are tolerated; this module types only what a hook uses.

use std::path::PathBuf;

use serde_json::value::RawValue;

use super::fields::Fields;

/// One hook call, whole.
#[derive(Debug, Clone)]
pub struct Request {
    /// Fields of every event.
    pub call: Call,
    pub event: Event,
}

/// The fields common to all events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Call {
    /// The session. `None` when missing, empty or no string: then there is no state.
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
    /// The permission mode, where the event has one.
    pub permission_mode: Option<Mode>,
}

/// `permission_mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Asks before tools that need permission.
    Default,
    /// Plans only.
    Plan,
    /// Accepts edits without asking.
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
    /// A session begins. `source`: startup, resume, clear, compact, fork.
    SessionStart {
        /// startup, resume, clear, compact or fork.
        source: String,
        model: Option<String>,
    },
    /// A session ends. `reason`: clear, resume, logout, `prompt_input_exit`, other.
    SessionEnd { reason: String },
    /// A prompt before it is processed.
    UserPromptSubmit {
        prompt: String,
        /// Author, if Claude Code says so: user, sdk, system, `loop_wakeup`, `schedule_wakeup`, `poll_event`.
        source: Option<String>,
    },
    /// A tool is about to run.
    PreToolUse(ToolCall),
    /// A tool has run.
    PostToolUse(ToolResult),
    /// A tool has run and failed; a failed Bash command arrives only here.
    PostToolUseFailure(ToolFailure),
    /// The main turn ends.
    Stop(Stop),
    /// The turn ended with an API error.
    StopFailure {
        /// `rate_limit`, `authentication_failed`, `server_error` ...
        error: String,
    },
    /// A subagent begins.
    SubagentStart(Subagent),
    /// A subagent ended. Also sent for a compaction, with an empty type.
    SubagentStop(Subagent),
    /// The conversation is about to be compacted. `trigger`: manual, auto.
    PreCompact { trigger: String },
    /// An event no hook of ours uses, by its name.
    Other(String),
}

impl Event {
    /// The event's name on the wire.
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
}

#[derive(Debug, Clone, Default)]
pub struct ToolCall {
    /// `Bash`, `Edit`, `mcp__server__tool` ...
    pub tool_name: String,
    /// The call's id; absent from no event that carries a call.
    pub tool_use_id: Option<String>,
    /// The tool's own input object, unparsed.
    pub tool_input: Option<Box<RawValue>>,
}

#[derive(Debug, Clone, Default)]
pub struct ToolResult {
    pub call: ToolCall,
    /// The tool's own answer object, unparsed.
    pub tool_response: Option<Box<RawValue>>,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<u64>,
}

/// A tool call that ran and failed.
#[derive(Debug, Clone, Default)]
pub struct ToolFailure {
    pub call: ToolCall,
    /// The error's text; for a shell its first line is the exit status.
    pub error: String,
    /// The user interrupted it.
    pub is_interrupt: bool,
}

/// The end of a main turn.
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

/// A subagent's start or end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subagent {
    /// Transcript of the subagent, at its end.
    pub transcript_path: Option<PathBuf>,
    /// Last message of the subagent, at its end.
    pub last_assistant_message: Option<String>,
}

/// Why an input cannot be used. The hook passes.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    #[error("the hook input is not a JSON object")]
    NotAnObject(#[source] serde_json::Error),
    /// No `hook_event_name`.
    #[error("the hook input names no event")]
    NoEvent,
}

/// Reads one hook input.
pub fn parse(bytes: &[u8]) -> Result<Request, ParseError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let fields: Fields<'_> = serde_json::from_slice(bytes).map_err(ParseError::NotAnObject)?;
    let name = fields.name("hook_event_name").ok_or(ParseError::NoEvent)?;
    Ok(Request { call: call(&fields), event: event(name, &fields) })
}

fn call(fields: &Fields<'_>) -> Call {
    Call {
        session_id: fields.name("session_id"),
        prompt_id: fields.name("prompt_id"),
        agent_id: fields.name("agent_id"),
        agent_type: fields.name("agent_type"),
        transcript_path: fields.name("transcript_path").map(PathBuf::from),
        cwd: fields.name("cwd").map(PathBuf::from),
        permission_mode: fields.read("permission_mode"),
    }
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
            tool_response: fields.raw("tool_response").map(ToOwned::to_owned),
            duration_ms: fields.read("duration_ms"),
        }),
        "PostToolUseFailure" => Event::PostToolUseFailure(ToolFailure {
            call: tool_call(fields),
            error: text("error"),
            is_interrupt: fields.read("is_interrupt").unwrap_or(false),
        }),
        "Stop" => Event::Stop(stop(fields)),
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
        tool_input: fields.raw("tool_input").map(ToOwned::to_owned),
    }
}

fn stop(fields: &Fields<'_>) -> Stop {
    Stop {
        stop_hook_active: fields.read("stop_hook_active").unwrap_or(false),
        last_assistant_message: fields.text("last_assistant_message"),
        background_tasks: fields.count("background_tasks").unwrap_or(0),
        session_crons: scheduled_prompts(fields),
    }
}

/// Each entry counts, whatever it holds.
fn scheduled_prompts(fields: &Fields<'_>) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Scheduled {
        prompt: String,
    }
    let entries: Vec<&serde_json::value::RawValue> = fields.read("session_crons").unwrap_or_default();
    let prompt = |entry: &&serde_json::value::RawValue| serde_json::from_str::<Scheduled>(entry.get()).ok();
    entries.iter().map(|entry| prompt(entry).map(|entry| entry.prompt).unwrap_or_default()).collect()
}

fn subagent(fields: &Fields<'_>) -> Subagent {
    Subagent {
        transcript_path: fields.name("agent_transcript_path").map(PathBuf::from),
        last_assistant_message: fields.text("last_assistant_message"),
    }
}

#[cfg(test)]
mod tests;
