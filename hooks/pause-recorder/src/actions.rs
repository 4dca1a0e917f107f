//! Turns events into actions of the record. Pure.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shared::host::Timestamp;
use shared::own_commands;
use shared::protocol::{Call, Event, ToolCall};

use crate::occupancy::{Level, Reading};
use crate::record::{Action, Kind};
use crate::text::{MAX_CHARS, MAX_PATH_CHARS, file_of, json_shortened, shortened, word};

type What = (Kind, Value);

const MAX_ARGS_CHARS: usize = 500;

/// The share of the window in use, 0 to 1, as the record has it.
pub(crate) fn share(reading: Option<&Reading>) -> f64 {
    reading.map_or(0.0, |reading| reading.percent() / 100.0)
}

/// The first line of a record.
pub(crate) fn started(session: &str, reading: Option<&Reading>, reason: &str, at: Timestamp) -> Action {
    let initial = json!({
        "claude_session_id": session,
        "model": reading.map(|reading| reading.model.as_str()).filter(|model| !model.is_empty()),
        "tokens_used": reading.map(|reading| reading.tokens),
        "tokens_total": reading.map(|reading| reading.window),
    });
    let share = share(reading);
    let data = json!({ "context_percentage": share, "initial_state": initial, "reason": reason });
    Action::new(Kind::PauseStarted, at, data, share)
}

/// The action of levels that are reached now.
pub(crate) fn crossed(new: &BTreeSet<Level>, reading: Option<&Reading>) -> Option<What> {
    let Reading { tokens, window, .. } = reading.filter(|_| !new.is_empty())?;
    let data =
        json!({ "event": "level_reached", "levels": new, "tokens_used": tokens, "tokens_total": window });
    Some((Kind::SystemEvent, data))
}

/// The action of an event; none for events that are not recorded.
pub(crate) fn of(event: &Event, call: &Call) -> Option<What> {
    // A compaction ends a subagent without a type, which nobody started.
    let is_subagent = call.agent_type.is_some();
    let system = |data: Value| (Kind::SystemEvent, data);
    let (kind, mut data) = match event {
        Event::PostToolUse(result) => {
            let response = result.tool_response.as_ref().map_or("", |response| response.get());
            let mut data = tool(&result.call);
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
        Event::PostToolUseFailure(failure) => {
            let mut data = tool(&failure.call);
            data["event"] = "tool_failure".into();
            data["error"] = word(&failure.error).into();
            system(data)
        }
        Event::StopFailure { error } => system(json!({ "event": "api_error", "error": word(error) })),
        Event::SubagentStart(_) if is_subagent => system(json!({ "event": "subagent_started" })),
        Event::SubagentStop(agent) if is_subagent => {
            let summary = agent.last_assistant_message.as_deref().map(word);
            system(json!({ "event": "subagent_stopped", "summary": summary }))
        }
        Event::PreCompact { trigger } => system(json!({ "event": "compaction", "trigger": word(trigger) })),
        Event::SessionStart { source, .. } if source == "compact" => system(json!({ "event": "compacted" })),
        Event::SessionStart { source, .. } => {
            system(json!({ "event": "session_continued", "source": word(source) }))
        }
        Event::SessionEnd { reason } => system(json!({ "event": "session_ended", "reason": word(reason) })),
        _ => return None,
    };
    data["agent_type"] = json!(call.agent_type.as_deref().map(word));
    data["agent_id"] = json!(call.agent_id);
    Some((kind, data))
}

fn tool(call: &ToolCall) -> Value {
    let input = call.tool_input.as_ref().map_or("{}", |input| input.get());
    let path = file_of(input).map(|path| shortened(&path, MAX_PATH_CHARS));
    json!({ "tool": word(&call.tool_name), "path": path, "args": json_shortened(input, MAX_ARGS_CHARS) })
}
