//! The controller of credit-pacer: usage, habits and rules in, a delay out. Pure.
//!
//! It stretches the natural gaps between tool calls by how much the forecast exceeds the budget.
//!
//! - `calendar`: working time in the user's time zone; `line`: how much of a window may be used by now
//! - `learned`: natural gap and cost of a call; `habit`: calls per quarter of an hour over four weeks
//! - `forecast`: how many calls come until a reset; `decide`: the delay; `reason`: the sentence about it
//!
//! No clock, no file and no settings are reachable from here. The hook and `cargo xtask simulate` use this crate alike.

mod calendar;
mod decide;
mod forecast;
mod habit;
mod learned;
mod line;
mod reason;

use serde::{Deserialize, Serialize};

pub use calendar::{Calendar, DAY_SECS, Hours, Zone};
pub use decide::{
    CLOCK_PLAY_SECS, Fit, Pace, Status, WindowPace, decide, is_clearly_within, is_over, stretch,
};
pub use forecast::Forecast;
pub use habit::Habit;
pub use learned::{Call, Learned};
pub use line::{Limit, Line, Rules};
pub use reason::{duration, percent};

/// Two readings of a reset that differ by at most this many seconds name the same window.
pub const SAME_RESET_SECS: u64 = 90;

/// No moment is further from the epoch, in seconds: it would be a slip.
const SANE_SECS: i64 = 100_000_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Window {
    /// Five hours by the wall clock.
    FiveHour,
    /// Seven days; only working time counts.
    SevenDay,
}

impl Window {
    /// Both, the shorter one first.
    pub const ALL: [Self; 2] = [Self::FiveHour, Self::SevenDay];

    /// Claude Code's name of it, which is also the key in the settings.
    pub const fn key(self) -> &'static str {
        match self {
            Self::FiveHour => "five_hour",
            Self::SevenDay => "seven_day",
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::FiveHour => "5-hour limit",
            Self::SevenDay => "weekly limit",
        }
    }

    /// From one reset to the next, in seconds.
    pub const fn length_secs(self) -> i64 {
        match self {
            Self::FiveHour => 5 * 3600,
            Self::SevenDay => 7 * DAY_SECS,
        }
    }
}

/// The usage of a window at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// When the number was true, in seconds since the epoch.
    pub at: i64,
    /// 0 to 100; more if Claude Code says so.
    pub used_percent: f64,
    pub resets_at: i64,
}

/// The newest reading of each [`Window`].
pub type Readings = [Option<Reading>; 2];

impl Reading {
    /// A reading within the bounds of the calendar, whatever a file holds.
    pub fn new(at: i64, used_percent: f64, resets_at: i64) -> Self {
        let used_percent = if used_percent.is_finite() { used_percent.clamp(0.0, 1000.0) } else { 0.0 };
        let sane = |at: i64| at.clamp(-SANE_SECS, SANE_SECS);
        Self { at: sane(at), used_percent, resets_at: sane(resets_at) }
    }
}

/// Two resets are those of the same window.
pub const fn is_same_reset(one: i64, other: i64) -> bool {
    one.abs_diff(other) <= SAME_RESET_SECS
}

/// The newest reading of these, oldest first. Within one window usage never falls: a lower reading is an older one.
pub fn newest(readings: &[Reading]) -> Option<Reading> {
    let newest = readings.last()?;
    let same = readings.iter().filter(|reading| is_same_reset(reading.resets_at, newest.resets_at));
    let used_percent = same.map(|reading| reading.used_percent).fold(newest.used_percent, f64::max);
    Some(Reading { used_percent, ..*newest })
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    #[default]
    None,
    /// Less than 5 points over the safe line.
    Minimal,
    /// Less than 20.
    Gradual,
    /// 20 and more.
    Aggressive,
    /// The longest delay.
    Emergency,
}

impl Strategy {
    pub fn word(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

#[expect(clippy::cast_precision_loss, reason = "rounded far from any calendar only")]
pub const fn seconds(whole: i64) -> f64 {
    whole as f64
}

#[expect(clippy::cast_possible_truncation, reason = "beyond the bounds it is the bound")]
pub fn whole_seconds(moment: f64) -> i64 {
    moment.floor() as i64
}

#[cfg(test)]
mod tests;
