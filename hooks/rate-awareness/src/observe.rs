//! The facts of a call: its fingerprint and the skill it names. A tool's input goes no further.

use serde::Deserialize;
use sha2::{Digest, Sha256};
use shared::hook::Context;
use shared::protocol::{Event, ToolCall};

use crate::settings::Settings;
use crate::skill;

/// The facts of a tool call; empty at the end of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// A hash of the prompt's id.
    pub prompt: u64,
    /// A hash of tool and input; none where repetition means nothing.
    pub fingerprint: Option<u64>,
    /// The skill that the call starts.
    pub skill: Option<String>,
}

/// The input of the Skill tool, as far as it matters.
#[derive(Deserialize)]
struct SkillInput {
    skill: String,
}

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    match &context.request.event {
        Event::PreToolUse(tool) => Some(Facts {
            prompt: digest([context.request.call.prompt_id.as_deref().unwrap_or_default()]),
            fingerprint: fingerprint(context.settings, tool),
            skill: named_skill(tool),
        }),
        Event::SessionEnd { .. } => Some(Facts::default()),
        _ => None,
    }
}

fn fingerprint(settings: &Settings, tool: &ToolCall) -> Option<u64> {
    let counts = settings.repeat.get().or(settings.ping_pong.get()).is_some();
    let polls = settings.polling_tools.contains(&tool.tool_name);
    let input = tool.tool_input.as_ref().map_or("", |input| input.get());
    (counts && !polls).then(|| digest([&tool.tool_name, input]))
}

fn named_skill(tool: &ToolCall) -> Option<String> {
    let input = tool.tool_input.as_ref().filter(|_| tool.tool_name == "Skill")?;
    let input: SkillInput = serde_json::from_str(input.get()).ok()?;
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
