//! The facts of a call: its fingerprint, and the skill it is made under: what the model named last, else where the call is made. Paths
//! are looked at, not disks. A tool's input goes no further.

use std::borrow::Cow;
use std::path::Path;

use secrets::masked;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use shared::hook::Context;
use shared::protocol::{Event, ToolCall};

use crate::settings::Settings;

/// The name where there is no skill.
pub(crate) const UNGATED: &str = "ungated";

/// Stands for names that are remembered and shown to nobody: a name may hold anything.
const UNNAMED: &str = "unnamed";

/// A longer name is not plausible, in bytes.
const MAX_BYTES: usize = 64;

/// The facts of a tool call; empty at the end of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// A hash of the prompt's id.
    pub(crate) prompt: u64,
    /// A hash of tool and input; none where repetition means nothing.
    pub(crate) fingerprint: Option<u64>,
    /// The skill that the call starts.
    pub(crate) skill: Option<String>,
    /// The skill whose folder the call is made in.
    pub(crate) around: Option<String>,
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
            around: context.request.call.cwd.as_deref().and_then(skill_around).map(ToOwned::to_owned),
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
    skill_name(&input.skill).map(ToOwned::to_owned)
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

/// The name as it is kept and shown; `None` if it is none.
fn skill_name(text: &str) -> Option<&str> {
    let name = text.trim().trim_start_matches('/');
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | ':');
    let is_harmless = || matches!(masked(name), Cow::Borrowed(_));
    match name {
        "" => None,
        _ if name.len() <= MAX_BYTES && name.chars().all(is_part) && is_harmless() => Some(name),
        _ => Some(UNNAMED),
    }
}

/// The skill whose folder `dir` lies in or is: the nearest `skills/<name>` at or above it.
pub(crate) fn skill_around(dir: &Path) -> Option<&str> {
    let below_skills = |folder: &Path| folder.parent().is_some_and(|parent| parent.ends_with("skills"));
    dir.ancestors()
        .filter(|folder| below_skills(folder))
        .find_map(|folder| skill_name(folder.file_name()?.to_str()?))
}

#[cfg(test)]
mod tests;
