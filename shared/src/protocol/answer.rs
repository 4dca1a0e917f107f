//! Our words turned into the client's: one function, one JSON object or nothing.
//!
//! Claude Code decides which answer takes effect on which event, so this module lists the pairs.
//! A verdict that an event cannot carry becomes nothing, never something that Claude Code would misread.

use serde_json::{Value, json};

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
    let mut wire = wire(event, &answer.verdict);
    if let Some(notice) = &answer.notice {
        wire["systemMessage"] = notice.as_str().into();
    }
    (!wire.is_null()).then(|| wire.to_string())
}

fn wire(event: &Event, verdict: &Verdict) -> Value {
    let blocks = |reason: &str| json!({ "decision": "block", "reason": reason });
    let about = |mut fields: Value| {
        fields["hookEventName"] = event.name().into();
        json!({ "hookSpecificOutput": fields })
    };
    let permission = |decision: &str, reason: &str| {
        about(json!({ "permissionDecision": decision, "permissionDecisionReason": reason }))
    };
    match (verdict, event) {
        (Verdict::Block { reason, .. }, _) if can_block(event) => blocks(reason),
        (Verdict::Reply { text }, Event::UserPromptSubmit { .. }) => blocks(text),
        (Verdict::Deny { reason, .. }, Event::PreToolUse(_)) => permission("deny", reason),
        (Verdict::Ask { reason, .. }, Event::PreToolUse(_)) => permission("ask", reason),
        (Verdict::Advise { text }, _) if takes_context(event) => about(json!({ "additionalContext": text })),
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
