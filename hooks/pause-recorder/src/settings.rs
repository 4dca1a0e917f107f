//! The settings. The defaults are in config/defaults.yaml, the common keys in `shared::config`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use shared::config::{Bounded, SettingFault};
use shared::messages::strange_names;

use crate::brief::BRIEF;

/// The section `pause-recorder`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Percentages of the context window at which something happens.
    pub levels: Levels,
    /// Points between the beginning of the record and the place where Claude Code last compacted this model by itself, if that is
    /// below `levels.auto_pause`.
    pub compaction_margin_points: Bounded<0, 50>,
    /// Tokens of the context window, where the status line does not report them. Empty: those of the model.
    pub context_window_tokens: Option<Bounded<1_000, 100_000_000>>,
    /// Tokens of the window of models whose id begins with this name; the longest name counts.
    pub context_windows_tokens: BTreeMap<String, Bounded<1_000, 100_000_000>>,
    /// A new session gets the last snapshot of its project.
    pub resume_context: bool,
    /// Days after which a snapshot is not handed over.
    pub resume_within_days: Bounded<1, 365>,
    /// Hours of silence after which the next session's start finalizes a record.
    pub finalize_orphans_after_hours: Bounded<1, 8_760>,
    /// MiB after which a record only counts what happens.
    pub max_record_mib: Bounded<1, 1_024>,
    /// Days after which a session's start compresses an archive. 0: never.
    pub compress_after_days: Bounded<0, 3_650>,
    /// Paths of your own texts by name: absolute, from `~`, or from the configuration folder.
    pub message_files: BTreeMap<String, PathBuf>,
    /// The hook commits the snapshot to the project's repository when its record ends.
    pub git_commit: bool,
}

/// Percent of the context window. A level is reached at exactly its percentage.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Levels {
    /// Percent at which the user is notified that the context fills.
    pub caution: Bounded<1, 100>,
    /// Percent at which the user is notified that the context will soon be full.
    pub warning: Bounded<1, 100>,
    /// Percent from which the session is recorded.
    pub auto_pause: Bounded<1, 100>,
    /// Percent at which the user is notified that next to nothing is left.
    pub critical: Bounded<1, 100>,
}

impl Settings {
    /// Levels in another order than their names say, and texts that we do not have.
    pub(crate) fn faults(&self) -> Vec<SettingFault> {
        let mut faults = strange_names(&self.message_files, &[BRIEF]);
        faults.extend(self.levels.fault());
        faults
    }

    /// The window that is set for the longest name with which this model begins.
    pub(crate) fn window_of(&self, model: &str) -> Option<u64> {
        let known = self.context_windows_tokens.iter().filter(|(name, _)| begins_with(model, name));
        known.max_by_key(|(name, _)| name.len()).map(|(_, window)| u64::from(window.get()))
    }
}

impl Levels {
    /// Nobody knows which of two levels is the wrong one, so the fault names all of them.
    fn fault(&self) -> Option<SettingFault> {
        let rising = [self.caution, self.warning, self.auto_pause, self.critical];
        let what = "do not rise from caution to warning, auto_pause and critical; each is reported at its own percentage, \
                    and the record begins at auto_pause";
        let is_wrong = rising.windows(2).any(|pair| pair[0] >= pair[1]);
        is_wrong.then(|| SettingFault { path: vec!["levels".to_owned()], what: what.to_owned() })
    }
}

/// Words, with dashes between them: after the name the id may go on with a dash.
fn begins_with(model: &str, name: &str) -> bool {
    let rest = model.strip_prefix(name).filter(|_| !name.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '[', '@']))
}

#[cfg(test)]
mod tests;
