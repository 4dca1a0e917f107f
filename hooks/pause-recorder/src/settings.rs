//! What can be set. The defaults are in config/defaults.yaml, the common keys in `shared::config`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use shared::config::{Bounded, SettingFault};

/// The section `pause-recorder`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// At how many percent of the context window something happens.
    pub levels: Levels,
    /// The record begins so many points below where the client compacted this model by itself last, if that is below
    /// `levels.auto_pause`.
    pub compaction_margin_points: Bounded<0, 50>,
    /// Tokens that fit into the context window. Empty: as the status line or the model says.
    pub context_window_tokens: Option<Bounded<1_000, 100_000_000>>,
    /// Tokens that fit into the window of models that begin with such a name, where nobody says; of several the longest counts.
    pub context_windows_tokens: BTreeMap<String, Bounded<1_000, 100_000_000>>,
    /// A new session is told of the last snapshot of its project.
    pub resume_context: bool,
    /// Snapshots older than so many days are not handed over.
    pub resume_within_days: Bounded<1, 365>,
    /// A record of a session that was silent for so many hours is finalized at the next session's start.
    pub finalize_orphans_after_hours: Bounded<1, 8_760>,
    /// A record longer than so many MiB is not written on; what comes after is only counted.
    pub max_record_mib: Bounded<1, 1_024>,
    /// Archives older than so many days are compressed at a session's start. 0: never.
    pub compress_after_days: Bounded<0, 3_650>,
    /// Texts of yours in place of built-in ones, by name: paths, absolute, from `~`, or from the configuration folder.
    pub message_files: BTreeMap<String, PathBuf>,
    /// Each snapshot is committed to the project's repository, by itself.
    pub git_commit: bool,
}

/// Percent of the context window. A level is reached at exactly its percentage.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Levels {
    /// The user is told that it fills.
    pub caution: Bounded<1, 100>,
    /// The user is told that it will soon be full.
    pub warning: Bounded<1, 100>,
    /// The record begins.
    pub auto_pause: Bounded<1, 100>,
    /// The user is told that next to nothing is left.
    pub critical: Bounded<1, 100>,
}

impl Settings {
    /// Levels in another order than their names say.
    pub(crate) fn faults(&self) -> Vec<SettingFault> {
        Vec::new()
    }
}
