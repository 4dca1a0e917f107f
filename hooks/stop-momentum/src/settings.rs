//! The settings. The defaults are in config/defaults.yaml, the common keys in `shared::config`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use shared::config::Bounded;

/// The section `stop-momentum`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Insist: block up to three stops per prompt, not one, before a stop without the token is allowed.
    pub enforce_ack: bool,
    /// Blocks per prompt before a stop without the token is allowed. Empty: 1, or 3 with `enforce_ack`.
    /// At most 6, because the client overrides stop hooks at 8 continuations.
    pub max_blocks: Option<Bounded<1, 6>>,
    /// When to ask.
    pub only_when: OnlyWhen,
    /// A text of yours in place of the built-in guidance: a path, absolute, from `~`, or from the configuration folder.
    /// A project's `.claude/momentum-guide.md` comes before it.
    pub message_file: Option<PathBuf>,
}

/// When to ask for an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnlyWhen {
    /// After every turn that used tools.
    Always,
    /// Only on evidence: open tasks, a failed last command, unproven edits, announced work.
    Unfinished,
}

impl Settings {
    /// How many stops of one prompt are blocked.
    pub(crate) fn blocks_per_prompt(&self) -> u32 {
        match self.max_blocks {
            Some(max) => max.get(),
            None if self.enforce_ack => 3,
            None => 1,
        }
    }
}
