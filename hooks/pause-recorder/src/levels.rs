//! The levels and their percentages. Pure.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared::config::Bounded;

use crate::settings::Settings;

/// A level. The user gets one message for each until the context falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The context fills.
    Caution,
    /// It will soon be full.
    Warning,
    /// The record begins.
    AutoPause,
    /// Next to nothing is left.
    Critical,
}

/// The points below the lowest level at which the levels begin anew.
const CLIMB_ENDS_BELOW: f64 = 10.0;

/// The percentage of each level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Thresholds {
    pub caution: f64,
    pub warning: f64,
    /// The setting, or less where the client compacts before.
    pub auto_pause: f64,
    pub critical: f64,
}

impl Thresholds {
    /// By the settings, and where the client compacted this model by itself last, in percent of the window.
    pub(crate) fn new(settings: &Settings, compacted_at: Option<f64>) -> Self {
        let percent = |level: Bounded<1, 100>| f64::from(level.get());
        let set = percent(settings.levels.auto_pause);
        let margin = f64::from(settings.compaction_margin_points.get());
        Self {
            caution: percent(settings.levels.caution),
            warning: percent(settings.levels.warning),
            auto_pause: compacted_at.map_or(set, |point| (point - margin).max(1.0)).min(set),
            critical: percent(settings.levels.critical),
        }
    }

    /// The levels reached at `percent`.
    pub(crate) fn reached(&self, percent: f64) -> BTreeSet<Level> {
        self.pairs().into_iter().filter(|(_, at)| percent >= *at).map(|(level, _)| level).collect()
    }

    /// The context has fallen so far that the levels begin anew.
    pub(crate) fn is_over(&self, percent: f64) -> bool {
        self.pairs().iter().all(|(_, at)| percent < at - CLIMB_ENDS_BELOW)
    }

    /// The one of these levels that is reached last.
    pub(crate) fn highest(&self, levels: &BTreeSet<Level>) -> Option<Level> {
        let those = self.pairs().into_iter().filter(|(level, _)| levels.contains(level));
        those.max_by(|left, right| left.1.total_cmp(&right.1)).map(|(level, _)| level)
    }

    fn pairs(&self) -> [(Level, f64); 4] {
        [
            (Level::Caution, self.caution),
            (Level::Warning, self.warning),
            (Level::AutoPause, self.auto_pause),
            (Level::Critical, self.critical),
        ]
    }
}

#[cfg(test)]
mod tests;
