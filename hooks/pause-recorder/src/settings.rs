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
    /// Levels in another order than their names say, names that no model has, and texts that we do not have.
    pub(crate) fn faults(&self) -> Vec<SettingFault> {
        let mut faults = strange_names(&self.message_files, &[BRIEF]);
        faults.extend(self.levels.fault());
        let strange = self.context_windows_tokens.keys().filter(|name| !is_a_models_name(name));
        let what = "is no beginning of a model's id, such as claude-opus-5-5, so it counts for no model";
        faults.extend(strange.map(|name| SettingFault {
            path: vec!["context_windows_tokens".to_owned(), name.clone()],
            what: what.to_owned(),
        }));
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
        let pairs = [
            ("caution", self.caution, "warning", self.warning),
            ("warning", self.warning, "auto_pause", self.auto_pause),
            ("auto_pause", self.auto_pause, "critical", self.critical),
        ];
        let wrong = pairs.iter().filter(|(_, lower, _, upper)| lower >= upper);
        let wrong: Vec<String> =
            wrong.map(|(lower, _, upper, _)| format!("{upper} is not above {lower}")).collect();
        let what = format!(
            "{}; each is told at its own percentage, in the order of the numbers, and the record begins at auto_pause",
            wrong.join(", ")
        );
        (!wrong.is_empty()).then(|| SettingFault { path: vec!["levels".to_owned()], what })
    }
}

/// Words, with dashes between them: after the name the id may go on with a dash.
fn begins_with(model: &str, name: &str) -> bool {
    let rest = model.strip_prefix(name).filter(|_| !name.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '[', '@']))
}

fn is_a_models_name(name: &str) -> bool {
    let is_of_an_id = |letter: char| letter.is_ascii_alphanumeric() || "-._:/@[]".contains(letter);
    !name.is_empty() && !name.ends_with('-') && name.chars().all(is_of_an_id)
}

#[cfg(test)]
mod tests;
