//! The levels and their percentages. Pure.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// A level. The user gets one message for each until the context falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// It fills.
    Caution,
    /// It will soon be full.
    Warning,
    /// The record begins.
    AutoPause,
    /// Next to nothing is left.
    Critical,
}

impl Level {
    /// As the settings and the record name it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Caution => "caution",
            Self::Warning => "warning",
            Self::AutoPause => "auto_pause",
            Self::Critical => "critical",
        }
    }
}

/// The points below the lowest level at which the levels begin anew.
const CLIMB_ENDS_BELOW: f64 = 10.0;

/// The points below the lowest level from which the facts of the model are looked up.
const NEAR: f64 = 5.0;

/// The percentage of each level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Thresholds {
    /// Percent of [`Level::Caution`].
    pub caution: f64,
    /// Percent of [`Level::Warning`].
    pub warning: f64,
    /// Percent of [`Level::AutoPause`]: the setting, or less where the client compacts before.
    pub auto_pause: f64,
    /// Percent of [`Level::Critical`].
    pub critical: f64,
}

impl Thresholds {
    /// By the settings, and where the client compacted this model by itself last, in percent of the window.
    #[must_use]
    pub fn new(settings: &Settings, compacted_at: Option<f64>) -> Self {
        let percent = |level: shared::config::Bounded<1, 100>| f64::from(level.get());
        let set = percent(settings.levels.auto_pause);
        let margin = f64::from(settings.compaction_margin_points.get());
        let learned = compacted_at.map_or(set, |point| (point - margin).max(1.0));
        Self {
            caution: percent(settings.levels.caution),
            warning: percent(settings.levels.warning),
            auto_pause: set.min(learned),
            critical: percent(settings.levels.critical),
        }
    }

    /// The levels reached at `percent`.
    #[must_use]
    pub fn reached(&self, percent: f64) -> BTreeSet<Level> {
        self.pairs().into_iter().filter(|(_, at)| percent >= *at).map(|(level, _)| level).collect()
    }

    /// The context has fallen so far that the levels begin anew.
    #[must_use]
    pub fn is_over(&self, percent: f64) -> bool {
        percent < self.lowest() - CLIMB_ENDS_BELOW
    }

    /// A level is reached or near.
    #[must_use]
    pub fn is_near(&self, percent: f64) -> bool {
        percent >= self.lowest() - NEAR
    }

    fn lowest(&self) -> f64 {
        self.pairs().into_iter().map(|(_, at)| at).fold(f64::INFINITY, f64::min)
    }

    /// The one of these levels that is reached last.
    #[must_use]
    pub fn highest(&self, levels: &BTreeSet<Level>) -> Option<Level> {
        let known = self.pairs().into_iter().filter(|(level, _)| levels.contains(level));
        known.max_by(|left, right| left.1.total_cmp(&right.1)).map(|(level, _)| level)
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
