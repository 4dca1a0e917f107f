//! What the hook looks at: the call's fingerprint, the skill it names, and texts of the user's own. Nothing is decided here,
//! and a tool's input goes no further.

use std::borrow::Cow;
use std::path::Path;

use serde::Deserialize;
use sha2::{Digest, Sha256};
use shared::hook::Context;
use shared::messages::own_message;
use shared::protocol::{Event, ToolCall};

use crate::settings::Settings;
use crate::skill;

const EMPTY: &str = include_str!("../../../config/messages/rate-awareness-empty.md");
const REPEAT: &str = include_str!("../../../config/messages/rate-awareness-repeat.md");
const PING_PONG: &str = include_str!("../../../config/messages/rate-awareness-ping-pong.md");

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
    /// What to say.
    pub texts: Texts,
}

/// The texts, one per rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    /// The bucket is empty.
    pub empty: Text,
    /// The same call in a row.
    pub repeat: Text,
    /// Two calls in turn.
    pub ping_pong: Text,
}

/// A text with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Its key in `message_files`.
    pub key: &'static str,
    /// What it says.
    pub words: Cow<'static, str>,
    /// The user's own text that was to stand in its place and cannot be read.
    pub unreadable: Option<String>,
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
    let files = &context.settings.message_files;
    CallFacts {
        prompt: digest([context.request.call.prompt_id.as_deref().unwrap_or_default()]),
        fingerprint: fingerprint(context.settings, tool),
        skill: named_skill(tool),
        texts: Texts {
            empty: text(context, "empty", EMPTY, files.empty.as_deref()),
            repeat: text(context, "repeat", REPEAT, files.repeat.as_deref()),
            ping_pong: text(context, "ping_pong", PING_PONG, files.ping_pong.as_deref()),
        },
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
    skill::name(&input.skill).map(Cow::into_owned)
}

/// The built-in text, or the user's own where there is one.
fn text(
    context: &Context<'_, Settings>,
    key: &'static str,
    built_in: &'static str,
    own: Option<&Path>,
) -> Text {
    match own.map(|file| own_message(file, context.host, context.places)) {
        None => Text { key, words: Cow::Borrowed(built_in.trim()), unreadable: None },
        Some(Ok(words)) => Text { key, words: Cow::Owned(words.trim().to_owned()), unreadable: None },
        Some(Err(file)) => Text { key, words: Cow::Borrowed(built_in.trim()), unreadable: Some(file) },
    }
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
