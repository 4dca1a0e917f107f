//! The safe line: how much of a window may be used by now.

use crate::calendar::{Calendar, Off, Spans};
use crate::{SAME_RESET_SECS, Window, seconds, whole_seconds};

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
    pub five_hour: Limit,
    pub seven_day: Limit,
    pub calendar: Calendar,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    pub is_enabled: bool,
    /// The usage that is allowed from its beginning on, in percent.
    pub preload: f64,
}

/// A window's place in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Line {
    /// The share of its time that is over, in percent. In the week it is working time.
    pub(crate) elapsed_percent: f64,
    /// The usage that is allowed by now, in percent.
    pub(crate) allowance_percent: f64,
    /// The allowance without the reserve.
    pub(crate) safe_percent: f64,
    /// Elapsed time of the same kind in seconds; at least its even share while working time stands still.
    pub(crate) elapsed: f64,
    /// Time of the same kind until the reset, in seconds.
    pub(crate) left: f64,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    from: i64,
    to: i64,
    elapsed: f64,
    left: f64,
}

impl Rules {
    pub const fn limit(&self, window: Window) -> Limit {
        match window {
            Window::FiveHour => self.five_hour,
            Window::SevenDay => self.seven_day,
        }
    }

    /// The lowest safe line of a window, with what is tolerated above it. No calendar is needed for it.
    pub(crate) fn least_safe_percent(&self, window: Window) -> f64 {
        self.limit(window).preload * self.safety + self.threshold
    }

    /// The safe line of the window that resets at `resets_at`, in percent.
    pub fn safe_at(&self, window: Window, resets_at: i64, now: f64) -> f64 {
        self.line(window, resets_at, now).safe_percent
    }

    /// The place of the window that resets at `resets_at`. One that would only begin later begins now.
    pub(crate) fn line(&self, window: Window, resets_at: i64, now: f64) -> Line {
        let place = Place::of(window, resets_at, now);
        let (over, whole, left) = match &self.working(window, place) {
            None => (place.elapsed, place.elapsed + place.left, place.left),
            Some(working) => (working.until(now), working.total(), working.total() - working.until(now)),
        };
        let elapsed_percent = (over / whole * 100.0).clamp(0.0, 100.0);
        let allowance_percent = self.limit(window).preload.max(elapsed_percent);
        let even = whole * place.elapsed / (place.elapsed + place.left);
        Line {
            elapsed_percent,
            allowance_percent,
            safe_percent: allowance_percent * self.safety,
            elapsed: over.max(even),
            left,
        }
    }

    fn working(&self, window: Window, place: Place) -> Option<Spans> {
        let spans = (window == Window::SevenDay).then(|| self.calendar.working(place.from, place.to));
        spans.filter(|spans| spans.total() > 0.0)
    }

    /// Until when the allowance of a window stands still, and why; `None` if it does not, or is complete.
    pub(crate) fn standstill(&self, window: Window, resets_at: i64, now: f64) -> Option<(i64, Off)> {
        let working = self.working(window, Place::of(window, resets_at, now))?;
        Some((working.goes_on(whole_seconds(now))?, self.calendar.why_off(whole_seconds(now))))
    }
}

impl Place {
    fn of(window: Window, resets_at: i64, now: f64) -> Self {
        let length = window.length_secs();
        let is_later = seconds(resets_at) - now > seconds(length.saturating_add_unsigned(SAME_RESET_SECS));
        let to = if is_later { whole_seconds(now).saturating_add(length) } else { resets_at };
        let left = if is_later { seconds(length) } else { (seconds(to) - now).clamp(0.0, seconds(length)) };
        Self { from: to.saturating_sub(length), to, elapsed: seconds(length) - left, left }
    }
}
