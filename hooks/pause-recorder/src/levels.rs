//! The levels with their percentages, and the memory of a session. Pure. Whether the session is recorded does not stand here: its file
//! says that.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;

use crate::settings::Settings;

/// A level. The user gets one message for each until the context falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    Caution,
    Warning,
    /// The record begins.
    AutoPause,
    Critical,
}

/// The memory of one session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct State {
    /// The levels that were reported since the context last fell. With `auto_pause` no record begins by itself.
    pub(crate) told: BTreeSet<Level>,
    /// The model as Claude Code named it at the session's start; it may say `[1m]`.
    pub(crate) model: Option<String>,
    /// The context was compacted and no reply has come since: older numbers do not count.
    pub(crate) compacted: bool,
    /// The last compaction of the session's model, looked up once; `tokens` is 0 where none is known.
    pub(crate) learnt: Option<Compaction>,
    /// The actions that were only counted since the last line, because the record is full.
    pub(crate) left_out: u64,
}

/// The context of a model before it was compacted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Compaction {
    pub(crate) model: String,
    pub(crate) tokens: u64,
}

impl Remembered for State {
    const FILE: &'static str = "*-pause.json";
}

/// The points below the lowest level at which the levels begin anew.
const LEVELS_RESTART_BELOW: f64 = 10.0;

pub(crate) struct Thresholds([(Level, f64); 4]);

impl Thresholds {
    /// By the settings, and where Claude Code compacted this model by itself last, in percent of the window: the record begins
    /// before that.
    pub(crate) fn new(settings: &Settings, compacted_at: Option<f64>) -> Self {
        let levels = &settings.levels;
        let margin = f64::from(settings.compaction_margin_points.get());
        let latest = compacted_at.map_or(100.0, |point| (point - margin).max(1.0));
        Self([
            (Level::Caution, f64::from(levels.caution.get())),
            (Level::Warning, f64::from(levels.warning.get())),
            (Level::AutoPause, f64::from(levels.auto_pause.get()).min(latest)),
            (Level::Critical, f64::from(levels.critical.get())),
        ])
    }

    pub(crate) fn of(&self, level: Level) -> f64 {
        self.0[level as usize].1
    }

    pub(crate) fn reached(&self, percent: f64) -> BTreeSet<Level> {
        self.0.iter().filter(|(_, at)| percent >= *at).map(|(level, _)| *level).collect()
    }

    /// The context has fallen so far that the levels begin anew.
    pub(crate) fn is_over(&self, percent: f64) -> bool {
        self.0.iter().all(|(_, at)| percent < at - LEVELS_RESTART_BELOW)
    }
}

#[cfg(test)]
mod tests;
