//! What can be set. The defaults are in config/defaults.yaml, the common keys in `shared::config`.

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
    /// At how many percent of the context window something happens.
    pub levels: Levels,
    /// The record begins so many points below where the client compacted this model by itself last, if that is below
    /// `levels.auto_pause`.
    pub compaction_margin_points: Bounded<0, 50>,
    /// Tokens that fit into the context window, where the status line does not say. Empty: as the model says.
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
    /// The snapshot is committed to the project's repository, by itself, when its record ends.
    pub git_commit: bool,
}

/// Percent of the context window. A level is reached at exactly its percentage.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Levels {
    /// From so many percent on the user is told that it fills.
    pub caution: Bounded<1, 100>,
    /// From so many percent on the user is told that it will soon be full.
    pub warning: Bounded<1, 100>,
    /// From so many percent on the session is recorded.
    pub auto_pause: Bounded<1, 100>,
    /// From so many percent on the user is told that next to nothing is left.
    pub critical: Bounded<1, 100>,
}

impl Settings {
    /// Levels in another order than their names say, names that no model has, and texts that we do not have.
    pub(crate) fn faults(&self) -> Vec<SettingFault> {
        let mut faults = strange_names(&self.message_files, &[BRIEF]);
        faults.extend(self.levels.fault());
        let strange = self.context_windows_tokens.keys().filter(|name| !is_a_models_name(name));
        faults.extend(strange.map(|name| {
            SettingFault {
                path: vec!["context_windows_tokens".to_owned(), name.clone()],
                what: "is no beginning of a model's id, such as claude-opus-5-5, so it counts for no model"
                    .to_owned(),
            }
        }));
        faults
    }

    /// What is set for models that begin with a name this one begins with; of several the longest.
    pub(crate) fn window_of(&self, model: &str) -> Option<u64> {
        let known = self.context_windows_tokens.iter().filter(|(name, _)| begins_with(model, name));
        known.max_by_key(|(name, _)| name.len()).map(|(_, window)| u64::from(window.get()))
    }
}

impl Levels {
    /// Where they stand is one key for the file that sets any of them: which of two is the wrong one nobody knows.
    fn fault(&self) -> Option<SettingFault> {
        let levels = [
            ("caution", self.caution),
            ("warning", self.warning),
            ("auto_pause", self.auto_pause),
            ("critical", self.critical),
        ];
        let pairs = levels.iter().zip(&levels[1..]);
        let wrong: Vec<String> = pairs
            .filter(|((_, lower), (_, upper))| lower >= upper)
            .map(|((lower, _), (upper, _))| format!("{upper} is not above {lower}"))
            .collect();
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
