//! Our words turned into the client's: one function, one JSON object or nothing.
//!
//! Claude Code decides which answer takes effect on which event, so this module lists the pairs.
//! A verdict that an event cannot carry becomes nothing, never something that Claude Code would misread.

use serde::Serialize;

use super::Event;
use crate::verdict::Verdict;

/// Answer of one invocation: a verdict, and a notice to the user beside it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    pub verdict: Verdict,
    /// Shown to the user in the terminal client, never to the model; `-p` shows it to nobody.
    pub notice: Option<String>,
}

/// The answer as the client reads it; `None` for silence.
pub fn to_wire(event: &Event, answer: &Answer) -> Option<String> {
    let wire = Wire { system_message: answer.notice.as_deref(), ..wire(event, &answer.verdict) };
    if wire == Wire::default() {
        return None;
    }
    serde_json::to_string(&wire).ok()
}

fn wire<'a>(event: &'a Event, verdict: &'a Verdict) -> Wire<'a> {
    let blocks = |reason: &'a str| Wire { decision: Some("block"), reason: Some(reason), ..Wire::default() };
    let about = Specific { hook_event_name: event.name(), ..Specific::default() };
    let specific = |specific| Wire { hook_specific_output: Some(specific), ..Wire::default() };
    let permission = |decision, reason: &'a str| {
        let (permission_decision, permission_decision_reason) = (Some(decision), Some(reason));
        specific(Specific { permission_decision, permission_decision_reason, ..about })
    };
    match (verdict, event) {
        (Verdict::Block { reason, .. }, _) if can_block(event) => blocks(reason),
        (Verdict::Reply { text }, Event::UserPromptSubmit { .. }) => blocks(text),
        (Verdict::Deny { reason, .. }, Event::PreToolUse(_)) => permission("deny", reason),
        (Verdict::Ask { reason, .. }, Event::PreToolUse(_)) => permission("ask", reason),
        (Verdict::Advise { text }, _) if takes_context(event) => {
            specific(Specific { additional_context: Some(text), ..about })
        }
        _ => Wire::default(),
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

#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
}

#[cfg(test)]
mod tests;
