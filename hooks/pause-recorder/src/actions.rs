//! Turns events into actions of the record. Pure.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shared::host::Timestamp;
use shared::own_commands;
use shared::protocol::{Call, Event, ToolCall};

use crate::levels::Level;
use crate::occupancy::Reading;
use crate::record::{Action, Kind};
use crate::text::{MAX_CHARS, MAX_PATH_CHARS, file_of, json_shortened, shortened};

type What = (Kind, Value);

const MAX_ARGS_CHARS: usize = 500;

/// The first line of a record.
pub(crate) fn started(session: &str, reading: Option<&Reading>, reason: &str, at: Timestamp) -> Action {
    let initial = json!({
        "claude_session_id": session,
        "model": reading.map(|reading| reading.model.as_str()).filter(|model| !model.is_empty()),
        "tokens_used": reading.map(|reading| reading.tokens),
        "tokens_total": reading.map(|reading| reading.window),
    });
    let share = reading.map_or(0.0, Reading::share);
    let data = json!({ "context_percentage": share, "initial_state": initial, "reason": reason });
    Action::new(Kind::PauseStarted, at, data, share)
}

/// The action of levels that are reached now.
pub(crate) fn crossed(new: &BTreeSet<Level>, reading: Option<&Reading>) -> Option<What> {
    let reading = reading.filter(|_| !new.is_empty())?;
    let data = json!({
        "event": "level_reached",
        "levels": new,
        "tokens_used": reading.tokens,
        "tokens_total": reading.window,
    });
    Some((Kind::SystemEvent, data))
}

/// The action of an event; none for events that are not recorded.
pub(crate) fn of(event: &Event, call: &Call) -> Option<What> {
    let (kind, mut data) = match event {
        Event::PostToolUse(result) => {
            let response = result.tool_response.as_ref().map_or("", |response| response.get());
            let mut data = tool(None, &result.call);
            data["result_summary"] = json_shortened(response, MAX_CHARS).into();
            data["result_length"] = response.chars().count().into();
            (Kind::ToolCall, data)
        }
        // A typed command of any of our hooks is no message.
        Event::UserPromptSubmit { prompt, .. } if !own_commands::is_command_line(prompt) => {
            (Kind::UserMessage, json!({ "message": word(prompt), "length": prompt.chars().count() }))
        }
        Event::Stop(stop) => {
            let text = stop.last_assistant_message.as_deref().unwrap_or_default();
            (Kind::AssistantResponse, json!({ "summary": word(text), "length": text.chars().count() }))
        }
        _ => (Kind::SystemEvent, system(event, call)?),
    };
    data["agent_type"] = json!(call.agent_type.as_deref().map(word));
    data["agent_id"] = json!(call.agent_id);
    Some((kind, data))
}

fn system(event: &Event, call: &Call) -> Option<Value> {
    Some(match event {
        Event::PostToolUseFailure(failure) => {
            let mut data = tool(Some("tool_failure"), &failure.call);
            data["error"] = word(&failure.error).into();
            data
        }
        Event::StopFailure { error } => json!({ "event": "api_error", "error": word(error) }),
        // A compaction ends a subagent without a type, which nobody started.
        Event::SubagentStart(_) if call.agent_type.is_some() => json!({ "event": "subagent_started" }),
        Event::SubagentStop(agent) if call.agent_type.is_some() => {
            json!({ "event": "subagent_stopped", "summary": agent.last_assistant_message.as_deref().map(word) })
        }
        Event::PreCompact { trigger } => json!({ "event": "compaction", "trigger": word(trigger) }),
        Event::SessionStart { source, .. } if source == "compact" => json!({ "event": "compacted" }),
        Event::SessionStart { source, .. } => json!({ "event": "session_continued", "source": word(source) }),
        Event::SessionEnd { reason } => json!({ "event": "session_ended", "reason": word(reason) }),
        _ => return None,
    })
}

fn tool(event: Option<&str>, call: &ToolCall) -> Value {
    let input = call.tool_input.as_ref().map_or("{}", |input| input.get());
    let args = json_shortened(input, MAX_ARGS_CHARS);
    let path = file_of(input).map(|path| shortened(&path, MAX_PATH_CHARS));
    json!({ "event": event, "tool": word(&call.tool_name), "path": path, "args": args })
}

/// Masks and cuts a text, which may hold anything.
pub(crate) fn word(text: &str) -> String {
    shortened(text, MAX_CHARS)
}
