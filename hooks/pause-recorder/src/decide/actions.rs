//! Turns events into actions of the record. Pure.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use shared::host::Timestamp;
use shared::operator::typed;
use shared::protocol::{Call, Event};

use crate::levels::Level;
use crate::occupancy::Reading;
use crate::record::{Draft, Kind, MAX_SUMMARY_CHARS, args_summary, json_shortened, shortened};

type What = (Kind, Map<String, Value>);

/// The first line of a record.
pub(crate) fn started(session: &str, reading: Option<&Reading>, reason: &str, at: Timestamp) -> Draft {
    let initial = json!({
        "claude_session_id": session,
        "model": reading.map(|reading| reading.model.as_str()).filter(|model| !model.is_empty()),
        "tokens_used": reading.map(|reading| reading.tokens),
        "tokens_total": reading.map(|reading| reading.window),
    });
    let share = reading.map_or(0.0, Reading::share);
    let data = map(json!({ "context_percentage": share, "initial_state": initial, "reason": reason }));
    Draft { kind: Kind::PauseStarted, at, data, share }
}

/// The action of levels that are reached now.
pub(super) fn crossed(new: &BTreeSet<Level>, reading: Option<&Reading>) -> Option<What> {
    let words: Vec<&str> = new.iter().map(|level| level.word()).collect();
    let reading = reading.filter(|_| !words.is_empty())?;
    let data = json!({
        "event": "level_reached",
        "levels": words,
        "tokens_used": reading.tokens,
        "tokens_total": reading.window,
    });
    Some((Kind::SystemEvent, map(data)))
}

/// The action of an event; none for events that are not recorded.
pub(super) fn of(event: &Event, call: &Call) -> Option<What> {
    match event {
        Event::PostToolUse(result) => {
            let input = result.call.tool_input.as_ref().map_or("{}", |input| input.get());
            let response = result.tool_response.as_ref().map_or("", |response| response.get());
            let data = json!({
                "tool": word(&result.call.tool_name),
                "path": path_of(input),
                "args": args_summary(input),
                "result_summary": json_shortened(response, MAX_SUMMARY_CHARS),
                "result_length": response.chars().count(),
                "duration_ms": result.duration_ms,
                "agent_id": call.agent_id,
            });
            Some((Kind::ToolCall, map(data)))
        }
        Event::PostToolUseFailure(failure) => {
            let input = failure.call.tool_input.as_ref().map_or("{}", |input| input.get());
            let data = json!({
                "event": "tool_failure",
                "tool": word(&failure.call.tool_name),
                "path": path_of(input),
                "args": args_summary(input),
                "error": shortened(&failure.error, MAX_SUMMARY_CHARS),
                "interrupted": failure.is_interrupt.then_some(true),
                "agent_id": call.agent_id,
            });
            Some((Kind::SystemEvent, map(data)))
        }
        // A typed command of any of our hooks is no message.
        Event::UserPromptSubmit { prompt, .. } if !typed::is_command_line(prompt) => {
            let data = json!({
                "message": shortened(prompt, MAX_SUMMARY_CHARS),
                "length": prompt.chars().count(),
            });
            Some((Kind::UserMessage, map(data)))
        }
        Event::Stop(stop) => {
            let text = stop.last_assistant_message.as_deref().unwrap_or_default();
            let data = json!({
                "summary": shortened(text, MAX_SUMMARY_CHARS),
                "length": text.chars().count(),
            });
            Some((Kind::AssistantResponse, map(data)))
        }
        _ => system(event, call),
    }
}

fn system(event: &Event, call: &Call) -> Option<What> {
    let agent_type = call.agent_type.as_deref().map(word);
    let data = match event {
        Event::StopFailure { error } => {
            json!({ "event": "api_error", "error": shortened(error, MAX_SUMMARY_CHARS) })
        }
        // A compaction ends a subagent without a type, which nobody started.
        Event::SubagentStart(_) if call.agent_type.is_some() => {
            json!({ "event": "subagent_started", "agent_type": agent_type, "agent_id": call.agent_id })
        }
        Event::SubagentStop(agent) if call.agent_type.is_some() => json!({
            "event": "subagent_stopped",
            "agent_type": agent_type,
            "agent_id": call.agent_id,
            "summary": agent.last_assistant_message.as_deref().map(|text| shortened(text, MAX_SUMMARY_CHARS)),
        }),
        Event::PreCompact { trigger } => json!({ "event": "compaction", "trigger": word(trigger) }),
        Event::SessionStart { source, .. } if source == "compact" => json!({ "event": "compacted" }),
        Event::SessionStart { source, .. } => {
            json!({ "event": "session_continued", "source": word(source) })
        }
        Event::SessionEnd { reason } => json!({ "event": "session_ended", "reason": word(reason) }),
        _ => return None,
    };
    Some((Kind::SystemEvent, map(data)))
}

/// Masks and cuts a name, which may hold anything.
pub(super) fn word(text: &str) -> String {
    shortened(text, MAX_SUMMARY_CHARS)
}

/// The file a tool was input.
fn path_of(input: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Input {
        #[serde(alias = "notebook_path", alias = "path")]
        file_path: Option<String>,
    }
    serde_json::from_str::<Input>(input).ok()?.file_path.map(|path| shortened(&path, 1_000))
}

/// An object without its empty entries.
fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    }
}
