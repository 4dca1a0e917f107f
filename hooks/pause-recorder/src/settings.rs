//! The settings. The defaults are in config/defaults.yaml, the common keys in `shared::config`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use shared::config::Bounded;

/// The section `pause-recorder`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// Percentages of the context window at which something happens.
    pub(crate) levels: Levels,
    /// Points between the beginning of the record and the place where Claude Code last compacted this model by itself, if that is
    /// below `levels.auto_pause`.
    pub(crate) compaction_margin_points: Bounded<0, 50>,
    /// Tokens of the context window, where the status line does not report them. Empty: those of the model.
    pub(crate) context_window_tokens: Option<Bounded<1_000, 100_000_000>>,
    /// Tokens of the window of models whose id begins with this name; the longest name counts.
    pub(crate) context_windows_tokens: BTreeMap<String, Bounded<1_000, 100_000_000>>,
    /// A new session gets the last snapshot of its project.
    pub(crate) resume_context: bool,
    /// Days after which a snapshot is not handed over.
    pub(crate) resume_within_days: Bounded<1, 365>,
    /// Hours of silence after which the next session's start finalizes a record.
    pub(crate) finalize_orphans_after_hours: Bounded<1, 8_760>,
    /// MiB after which a record only counts what happens.
    pub(crate) max_record_mib: Bounded<1, 1_024>,
    /// Days after which a session's start compresses an archive. 0: never.
    pub(crate) compress_after_days: Bounded<0, 3_650>,
    /// Paths of your own texts by name: absolute, from `~`, or from the configuration folder.
    pub(crate) message_files: BTreeMap<String, PathBuf>,
    /// The hook commits the snapshot to the project's repository when its record ends.
    pub(crate) git_commit: bool,
}

/// Percent of the context window. A level is reached at exactly its percentage.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Levels {
    /// Percent at which the user is notified that the context fills.
    pub(crate) caution: Bounded<1, 100>,
    /// Percent at which the user is notified that the context will soon be full.
    pub(crate) warning: Bounded<1, 100>,
    /// Percent from which the session is recorded.
    pub(crate) auto_pause: Bounded<1, 100>,
    /// Percent at which the user is notified that next to nothing is left.
    pub(crate) critical: Bounded<1, 100>,
}
