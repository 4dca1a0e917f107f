//! What the hook looks at: the call's fingerprint and the skill it names. Nothing is decided here,
//! and a tool's input goes no further.

use serde::Deserialize;
use sha2::{Digest, Sha256};
use shared::hook::Context;
use shared::protocol::{Event, ToolCall};

use crate::settings::Settings;
use crate::skill;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Facts {
    /// Before a tool call.
    Call(Box<CallFacts>),
    /// The session ends.
    SessionEnd,
}

/// What was found before a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFacts {
    /// A hash of the prompt's id.
    pub prompt: u64,
    /// A hash of tool and input; none where repetition means nothing.
    pub fingerprint: Option<u64>,
    /// The skill the call starts.
    pub skill: Option<String>,
}

/// The input of the Skill tool, as far as it matters.
#[derive(Deserialize)]
struct SkillInput {
    skill: String,
}

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    match &context.request.event {
        Event::PreToolUse(tool) => Some(Facts::Call(Box::new(before_call(context, tool)))),
        Event::SessionEnd { .. } => Some(Facts::SessionEnd),
        _ => None,
    }
}

fn before_call(context: &Context<'_, Settings>, tool: &ToolCall) -> CallFacts {
    CallFacts {
        prompt: digest([context.request.call.prompt_id.as_deref().unwrap_or_default()]),
        fingerprint: fingerprint(context.settings, tool),
        skill: named_skill(tool),
    }
}

fn fingerprint(settings: &Settings, tool: &ToolCall) -> Option<u64> {
    let counts = settings.repeat.get().or(settings.ping_pong.get()).is_some();
    let polls = settings.polling_tools.contains(&tool.tool_name);
    let input = tool.tool_input.as_ref().map_or("", |input| input.get());
    (counts && !polls).then(|| digest([&tool.tool_name, input]))
}

fn named_skill(tool: &ToolCall) -> Option<String> {
    if tool.tool_name != "Skill" {
        return None;
    }
    let input: SkillInput = serde_json::from_str(tool.tool_input.as_ref()?.get()).ok()?;
    skill::name(&input.skill).map(ToOwned::to_owned)
}

/// The beginning of a hash: enough to tell the calls of a session apart, and no way back to what they said.
fn digest<const PARTS: usize>(parts: [&str; PARTS]) -> u64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let bytes = hash.finalize();
    bytes.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::digest;

    #[test]
    fn a_hash_tells_apart_what_is_put_together_differently() {
        assert_eq!(digest(["Bash", "{}"]), digest(["Bash", "{}"]));
        for other in [["Bash{", "}"], ["Bas", "h{}"], ["", "Bash{}"], ["Bash", "{ }"], ["{}", "Bash"]] {
            assert_ne!(digest(["Bash", "{}"]), digest(other), "{other:?}");
        }
    }
}
