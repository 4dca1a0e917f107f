//! The settings of the judge. The defaults are in config/defaults.yaml. Only the global file sets them: they choose a model, start
//! a process, name a host and spend money.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use shared::config::{Bounded, Decimal};

/// The map `judge` at the top of the global file, common to all hooks that ask a model.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// How a model is reached. Empty: no model is asked.
    pub backend: Option<Backend>,
    /// The program of `claude_cli`: a name looked for in PATH, or a path, absolute or from `~`.
    pub claude_program: PathBuf,
    /// Seconds until the call goes on without a verdict; a second try is within them.
    pub deadline_secs: Bounded<1, 50>,
    /// Questions in any hour, of all sessions together. 0: none.
    pub max_calls_per_hour: Bounded<0, 10_000>,
    /// Cost of the questions in any 24 hours, in US dollars, of all sessions together, by `prices`.
    pub max_cost_usd_per_day: Decimal<0, 10_000>,
    /// No model is asked while your usage is past its safe line, as credit-pacer sees it.
    pub yield_to_pacing: bool,
    /// The outcome of a call when the judge fails.
    pub on_judge_failure: OnFailure,
    /// So many of the last messages of the conversation go to the model.
    pub context_messages: Bounded<1, 100>,
    /// Characters of the conversation that the model sees; the oldest are cut first.
    pub max_conversation_chars: Bounded<1_000, 200_000>,
    /// Characters of a change that the model sees.
    pub max_diff_chars: Bounded<1_000, 200_000>,
    /// Files whose content goes to no model: globs, matched against the file's name and against its path in the project.
    pub never_send: Vec<String>,
    /// Prices of models, in US dollars, by the beginning of the name. The longest that fits counts; a model that is not listed costs as
    /// much as the most expensive one.
    pub prices: BTreeMap<String, Price>,
}

/// A way to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// Anthropic's Messages API, with the key in `ANTHROPIC_API_KEY`.
    MessagesApi,
    /// Your own `claude -p`, with your login.
    ClaudeCli,
}

/// What becomes of a call without a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// It goes on.
    Allow,
    /// The user is asked, where the event allows it; a stop goes on.
    Ask,
}

/// What a model costs, in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// So many dollars for a million tokens it reads.
    pub input: Decimal<0, 10_000>,
    /// So many dollars for a million tokens it writes.
    pub output: Decimal<0, 10_000>,
}

#[cfg(test)]
pub(super) fn defaults() -> Settings {
    let mut section: BTreeMap<String, Settings> =
        shared::config::read_typed(shared::config::section_defaults("judge")).unwrap_or_default();
    section.remove("judge").unwrap_or_else(|| unreachable!("config/defaults.yaml has the section"))
}
