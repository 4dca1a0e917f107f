//! The settings. The defaults are in config/defaults.yaml, the common keys in `shared::config`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use shared::config::Bounded;

/// The section `tempo-stop`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// The stops that the hook asks a model about.
    pub(crate) mode: Mode,
    /// You are away when you have typed nothing for so many seconds.
    pub(crate) away_secs: Bounded<1, 86_400>,
    /// So many stops of one prompt are blocked before one is allowed.
    pub(crate) max_blocks: Bounded<1, 6>,
    /// The model, by a name as the backend takes it.
    pub(crate) model: String,
    /// The model in its place when that one is limited or overloaded. Empty: none.
    pub(crate) fallback_model: Option<String>,
    /// At a session's start Claude learns that its work will be compared with the requests.
    pub(crate) announce: bool,
    /// Texts of yours in place of built-in ones, by the name of the prompt file: paths, absolute, from `~`, or from the
    /// configuration folder.
    pub(crate) message_files: BTreeMap<String, PathBuf>,
    /// Model backend and limits.
    pub(crate) judge: judge::Settings,
}

/// The stops that the hook asks a model about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// At every stop after work.
    On,
    /// Never.
    Off,
    /// Only while the user is away.
    Auto,
}

impl Settings {
    /// The model and the time of its questions, for `status`.
    pub(crate) fn in_words(&self) -> String {
        let (model, most) = (&self.model, self.max_blocks.get());
        let when = match self.mode {
            Mode::Off => return "mode off: no stop is judged".to_owned(),
            Mode::On => "at every stop after work".to_owned(),
            Mode::Auto => {
                format!("at stops after work once you have typed nothing for {} s", self.away_secs.get())
            }
        };
        format!("{model} judges {when}; it blocks at most {most} stops of one prompt")
    }
}
