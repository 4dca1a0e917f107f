//! What can be set. The defaults are in config/defaults.yaml, the common keys in `shared::config`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use shared::config::{Bounded, SettingFault};
use shared::messages::strange_names;

use crate::texts;

/// The section `tempo-stop`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// When the model is asked.
    pub mode: Mode,
    /// You are away when you have typed nothing for so many seconds.
    pub away_secs: Bounded<1, 86_400>,
    /// Stops of one prompt that are held before one is let go.
    pub max_blocks: Bounded<1, 6>,
    /// The model that is asked: a name as the backend takes it.
    pub model: String,
    /// The one that is asked where that one is limited or overloaded. Empty: none.
    pub fallback_model: Option<String>,
    /// At a session's start Claude is told that its work will be held against what was asked.
    pub announce: bool,
    /// Texts of yours in place of built-in ones, by the name of the prompt file: paths, absolute, from `~`, or from the
    /// configuration folder.
    pub message_files: BTreeMap<String, PathBuf>,
    /// How a model is asked.
    pub judge: judge::Settings,
}

/// When the model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// At every stop after work.
    On,
    /// Never.
    Off,
    /// Only while the user is away.
    Auto,
}

impl Settings {
    /// Texts that replace none.
    pub(crate) fn faults(&self) -> Vec<SettingFault> {
        strange_names(&self.message_files, &texts::ALL)
    }
}
