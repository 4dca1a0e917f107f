//! The safe line: how much of a window may be used by now.

use crate::calendar::{Calendar, until};
use crate::{Window, seconds, whole_seconds};

#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// The share of the allowance that is safe, from 0 to 1.
    pub safety: f64,
    /// Points above the safe line that are tolerated.
    pub threshold: f64,
    /// A shorter delay is none, in seconds.
    pub shortest_delay: f64,
    /// A longer delay is cut, in seconds.
    pub longest_delay: f64,
    /// An older reading says nothing, in seconds.
    pub stale_after: f64,
    /// By [`Window`].
    pub limits: [Limit; 2],
    pub calendar: Calendar,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    pub is_enabled: bool,
    /// The usage that is allowed from the window's beginning on, in percent.
    pub preload: f64,
}

/// A window's place in time; of the week working time counts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Line {
    pub elapsed_percent: f64,
    /// The usage that is allowed by now.
    pub allowance_percent: f64,
    /// The allowance without the reserve.
    pub safe_percent: f64,
    /// In seconds; at least its even share while working time stands still.
    pub(crate) elapsed: f64,
    /// Until the reset, in seconds.
    pub(crate) left: f64,
}

impl Rules {
    /// The place of the window that resets at `resets_at`.
    pub fn line(&self, window: Window, resets_at: i64, now: f64) -> Line {
        let length = seconds(window.length_secs());
        // A window that would only begin later begins now.
        let end = resets_at.min(whole_seconds(now).saturating_add(window.length_secs()));
        let left = (seconds(end) - now).clamp(0.0, length);
        let working = match window {
            Window::FiveHour => Vec::new(),
            Window::SevenDay => self.calendar.working(end.saturating_sub(window.length_secs()), end),
        };
        // Without working time in it, the clock counts.
        let (over, whole) = match until(&working, f64::INFINITY) {
            whole if whole > 0.0 => (until(&working, now), whole),
            _ => (length - left, length),
        };
        let elapsed_percent = (over / whole * 100.0).clamp(0.0, 100.0);
        let allowance_percent = self.limits[window as usize].preload.max(elapsed_percent);
        Line {
            elapsed_percent,
            allowance_percent,
            safe_percent: allowance_percent * self.safety,
            elapsed: over.max(whole * (length - left) / length),
            left: whole - over,
        }
    }
}
