//! What may be used by now, and what of the window's time is left.

use crate::settings::Settings;

use super::clock::{Clock, Off, Spans};
use super::{SAME_RESET_SECS, Window, seconds, whole_seconds};

/// The length of a slot in which there were calls or not.
const SLOT_SECS: i64 = 600;

/// Slots of a day.
const DAY_SLOTS: i64 = 144;

/// Slots until the reset of five hours, at most.
const MOST_SLOTS: i64 = 30;

/// What share of the working time is worked is known after a day of it: a fifth of a usual week.
const WORKING_DAYS: f64 = 5.0;

/// Whoever makes calls works a little.
const LEAST_SHARE: f64 = 0.02;

/// What the settings say, ready for arithmetic. The time zone is looked for when it is needed.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    /// So much of what may be used counts, from 0 to 1.
    safety: f64,
    /// So many points above the safe line are let pass.
    pub(super) threshold: f64,
    /// A shorter delay is none, in seconds.
    pub(super) shortest_delay: f64,
    /// A longer one is cut, in seconds.
    pub(super) longest_delay: f64,
    /// An older reading says nothing, in seconds.
    pub(super) stale_after: f64,
    five_hour: Limit,
    seven_day: Limit,
    clock: Clock,
}

/// What the settings say of a window.
#[derive(Debug, Clone, Copy)]
struct Limit {
    is_enabled: bool,
    /// So much may be used from its beginning on, in percent.
    preload: f64,
}

/// Where a window stands in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    /// The share of its time that is over, in percent; of the week it is working time.
    pub(super) elapsed_percent: f64,
    /// What may be used by now, in percent.
    pub(super) allowance_percent: f64,
    /// The same without the reserve.
    pub(super) safe_percent: f64,
    /// The time that is over, in seconds of the same kind; at least its even share while the working time stands still.
    pub(super) elapsed: f64,
    /// The time that is left, in seconds of the same kind; never none before the reset.
    pub(super) left: f64,
    /// All of it until the reset, in seconds by the wall clock.
    pub(super) until_reset: f64,
}

/// A window's place on the wall clock.
#[derive(Debug, Clone, Copy)]
struct Place {
    from: i64,
    to: i64,
    elapsed: f64,
    left: f64,
}

impl Line {
    /// The share of its time that is left, from 0 to 1.
    pub(super) fn share_left(&self) -> f64 {
        self.left / (self.left + self.elapsed)
    }
}

impl Rules {
    /// Of these settings.
    pub(crate) fn of(settings: &Settings) -> Self {
        let limit = |window| Limit {
            is_enabled: settings.is_paced_by(window),
            preload: settings.preload_percent(window).clamp(0.0, 100.0),
        };
        Self {
            safety: settings.safety_buffer_pct.get() / 100.0,
            threshold: settings.threshold_points(),
            shortest_delay: settings.shortest_delay(),
            longest_delay: settings.longest_delay(),
            stale_after: settings.stale_after_secs.get().into(),
            five_hour: limit(Window::FiveHour),
            seven_day: limit(Window::SevenDay),
            clock: Clock::of(settings),
        }
    }

    const fn limit(&self, window: Window) -> Limit {
        match window {
            Window::FiveHour => self.five_hour,
            Window::SevenDay => self.seven_day,
        }
    }

    /// The window is paced by.
    pub(crate) const fn is_enabled(&self, window: Window) -> bool {
        self.limit(window).is_enabled
    }

    /// So much of a window is to be used at its end, in percent: the rest is the reserve.
    pub(crate) fn target(&self) -> f64 {
        100.0 * self.safety
    }

    /// The safe line at a window's beginning with what is let pass above it, in percent. It is never lower.
    pub(super) fn least_safe_percent(&self, window: Window) -> f64 {
        self.limit(window).preload * self.safety + self.threshold
    }

    /// The safe line of the window that ends at `resets_at`, in percent used, at any time of it.
    pub(crate) fn safe_at(&self, window: Window, resets_at: i64, now: f64) -> f64 {
        self.line(window, resets_at, now).safe_percent
    }

    /// Where the window that ends at `resets_at` stands. One that would only begin later begins now.
    pub(super) fn line(&self, window: Window, resets_at: i64, now: f64) -> Line {
        let place = Place::of(window, resets_at, now);
        let working = self.working(window, place, now);
        let (over, whole, left) = match &working {
            None => (place.elapsed, place.elapsed + place.left, place.left),
            Some(working) => {
                let (over, whole) = (working.until(now), working.total());
                (over, whole, if whole > over { whole - over } else { place.left })
            }
        };
        let elapsed_percent = percent(over, whole);
        let allowance_percent = self.limit(window).preload.max(elapsed_percent);
        let even = whole * place.elapsed / (place.elapsed + place.left);
        Line {
            elapsed_percent,
            allowance_percent,
            safe_percent: allowance_percent * self.safety,
            elapsed: over.max(even),
            left,
            until_reset: place.left,
        }
    }

    /// The working time of a window that goes by it and has some.
    fn working(&self, window: Window, place: Place, now: f64) -> Option<Spans> {
        match window {
            Window::FiveHour => None,
            Window::SevenDay => {
                let spans = self.clock.working(place.from, place.to);
                (spans.total() > 0.0 && now.is_finite()).then_some(spans)
            }
        }
    }

    /// The share of the working time so far in which calls were made, by slots of ten minutes; `None` if the window does not
    /// go by working time, has none left, or too little of it is known.
    pub(super) fn worked_share(
        &self,
        window: Window,
        resets_at: i64,
        now: f64,
        busy_slots: &[i64],
    ) -> Option<f64> {
        let place = Place::of(window, resets_at, now);
        let working = self.working(window, place, now)?;
        let start = |slot: &i64| slot.saturating_mul(SLOT_SECS);
        let first = busy_slots.iter().map(start).find(|start| *start >= place.from)?;
        // What was before the first call ever seen is not known; what was before the first of this window is.
        let since = if busy_slots.first().map(start)? < place.from { place.from } else { first };
        let (over, known) = (working.until(now), working.until(now) - working.until(seconds(since)));
        if over >= working.total() || known < working.total() / WORKING_DAYS {
            return None;
        }
        let is_counted = |start: &i64| *start >= since && seconds(*start) <= now && working.contains(*start);
        let busy = busy_slots.iter().map(start).filter(is_counted).count();
        let busy = u32::try_from(busy).map_or(f64::MAX, f64::from) * seconds(SLOT_SECS);
        Some((busy / known).clamp(LEAST_SHARE, 1.0))
    }

    /// Why what may be used of a window stands still, and until when; `None` if it does not, or is all of it already.
    pub(super) fn standstill(&self, window: Window, resets_at: i64, now: f64) -> Option<(i64, Off)> {
        let working = self.working(window, Place::of(window, resets_at, now), now)?;
        let until = working.goes_on(whole_seconds(now))?;
        Some((until, self.clock.why_off(whole_seconds(now))?))
    }

    /// Nothing is to be delayed at this time of day.
    pub(crate) fn is_quiet(&self, now: f64) -> bool {
        self.clock.is_quiet(whole_seconds(now))
    }

    /// A moment as people say it, in their time zone: `Fri 16:00`, or `Fri 4 Dec 16:00` if it is more than six days off.
    pub(crate) fn local(&self, at: i64, now: i64) -> String {
        self.clock.said(at, now).unwrap_or_else(|| "at no time of any calendar".to_owned())
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

/// The share of the time until the reset of the five hours in which there will be calls, by the days before on which there
/// were some at this time of day; `None` if there is no such day.
pub(super) fn likely_share(resets_at: i64, now: f64, busy_slots: &[i64]) -> Option<f64> {
    let from = whole_seconds(now).div_euclid(SLOT_SECS);
    let to = resets_at.div_euclid(SLOT_SECS).clamp(from, from + MOST_SLOTS);
    // People are not on time to the slot.
    let is_busy = |slot: i64| (-1..=1).any(|by| busy_slots.binary_search(&(slot + by)).is_ok());
    let days = (1..=7).map(|day| day * DAY_SLOTS).filter(|day| is_busy(from - day));
    let (days, busy) = days.fold((0_i64, 0_usize), |(days, busy), day| {
        (days + 1, busy + (from..to).filter(|slot| is_busy(slot - day)).count())
    });
    let all = seconds(days * (to - from));
    let busy = u32::try_from(busy).map_or(f64::MAX, f64::from);
    (all > 0.0).then(|| (busy / all).clamp(LEAST_SHARE, 1.0))
}

fn percent(part: f64, whole: f64) -> f64 {
    (part / whole * 100.0).clamp(0.0, 100.0)
}
