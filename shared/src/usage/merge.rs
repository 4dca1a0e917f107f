//! How a new reading changes what is known of the usage. Pure; a reader that comes later or twice finds the same.

use std::collections::BTreeMap;

use super::{Earlier, Observed, Sight, Usage, Window};

/// Tolerance for the reset of a window, in seconds.
pub const SAME_RESET_SECS: i64 = 90;

/// Maximum number of changes that are kept.
pub const MAX_EARLIER: usize = 64;

/// A change is kept for so long, in seconds: the longest window and a day.
const KEPT_SECS: i64 = 8 * 24 * 60 * 60;

/// Tolerance for clocks that differ, in seconds: for readings from the future and for late resets.
const CLOCK_PLAY_SECS: i64 = 60 * 60;

/// A larger percentage is an error of its source.
const MAX_PERCENT: f64 = 1000.0;

/// Less by so many points, as the server has just told, is an early reset or a raised limit. Replies in flight differ by less.
const RESET_POINTS: f64 = 20.0;

/// Maximum number of windows, the two that are paced by among them.
pub const MAX_WINDOWS: usize = 16;

/// The windows that are paced by, and how long each is, in seconds.
const PACED: [(&str, i64); 2] = [("five_hour", 5 * 60 * 60), ("seven_day", 7 * 24 * 60 * 60)];

const MAX_OTHERS: usize = MAX_WINDOWS - PACED.len();

/// The length of any other window at most, in seconds.
const LONGEST_SECS: i64 = 31 * 24 * 60 * 60;

/// A change of window is dropped so much later than another change: what was used up to a reset is read from it.
const RESET_WEIGHT: i128 = 8;

/// Merges a new reading window by window:
///
/// - a window without a new value stays, with its own time;
/// - a window that had ended, or that nobody can have seen, is dropped; one that is not paced by goes once it has ended;
/// - the same window: the highest value counts, because sessions that wait repeat old numbers; for the exception see `RESET_POINTS`;
/// - another reset: the later reading counts, be it a new window or another account's, with the most that is kept of it.
pub fn merge(mut known: Usage, seen: &Observed) -> Usage {
    keep_credible(&mut known, seen.at);
    let (mut is_news, mut is_changed) = (false, false);
    for (name, told) in &seen.windows {
        if !told.is_credible(name, seen.at) || told.resets_at <= seen.at || !known.has_room(name) {
            continue;
        }
        let told = Window { observed_at: seen.at, ..*told };
        let before = known.windows.get(name).copied();
        let after = match before {
            Some(before) if before.is_same_window(&told) => known.same_window(name, before, told, seen.sight),
            Some(before) if told.observed_at < before.observed_at => continue,
            _ => known.other_window(name, told),
        };
        is_news = true;
        is_changed |= before.is_none_or(|before| !before.holds_the_same(&after));
        known.windows.insert(name.clone(), after);
    }
    if is_news && seen.at >= known.observed_at {
        known.observed_at = seen.at;
        known.source = seen.source;
    }
    if is_changed {
        remember(&mut known.earlier, known.observed_at, &known.windows);
    }
    known
}

/// Drops what was seen while the clock was wrong, and a window that is not paced by once it has ended.
fn keep_credible(known: &mut Usage, now: i64) {
    let horizon = now.saturating_add(CLOCK_PLAY_SECS);
    known
        .windows
        .retain(|name, window| window.observed_at <= horizon && (is_paced(name) || window.resets_at > now));
    known.earlier.retain(|earlier| earlier.at <= horizon);
    if known.observed_at > horizon {
        known.observed_at = known.windows.values().map(|window| window.observed_at).max().unwrap_or_default();
    }
}

/// A window may be called so: as the client writes names.
pub fn is_window_name(name: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(is_of_name)
}

/// It is one of those that are paced by.
pub fn is_paced(name: &str) -> bool {
    PACED.iter().any(|(paced, _)| *paced == name)
}

impl Window {
    /// It can have been seen at that time.
    fn is_credible(&self, name: &str, at: i64) -> bool {
        let length = PACED.iter().find(|(paced, _)| *paced == name).map_or(LONGEST_SECS, |(_, secs)| *secs);
        let latest = at.saturating_add(length).saturating_add(CLOCK_PLAY_SECS);
        is_window_name(name) && (0.0..=MAX_PERCENT).contains(&self.used_percent) && self.resets_at <= latest
    }

    fn is_same_window(&self, other: &Self) -> bool {
        self.resets_at.abs_diff(other.resets_at) <= SAME_RESET_SECS.unsigned_abs()
    }

    /// Whenever it was seen.
    pub(super) fn holds_the_same(&self, other: &Self) -> bool {
        self.used_percent.total_cmp(&other.used_percent).is_eq() && self.resets_at == other.resets_at
    }
}

/// Adds a change, in the place of one of the same second.
fn remember(earlier: &mut Vec<Earlier>, at: i64, windows: &BTreeMap<String, Window>) {
    earlier.retain(|entry| entry.at < at && entry.at.saturating_add(KEPT_SECS) > at);
    earlier.push(Earlier { at, windows: windows.clone() });
    while earlier.len() > MAX_EARLIER {
        let Some(index) = least_missed(earlier) else { return };
        earlier.remove(index);
    }
}

/// The entry (not first or last) whose absence is noticed least: the gap it leaves is small for its age.
fn least_missed(earlier: &[Earlier]) -> Option<usize> {
    let last = earlier.last()?.at;
    let inner = earlier.windows(3).zip(1..);
    let cost = |around: &[Earlier]| {
        let [before, entry, after] = around else { return 0 };
        let gap = i128::from(after.at) - i128::from(before.at);
        let age = (i128::from(last) - i128::from(entry.at)).max(1);
        let weight =
            if entry.has_same_windows(after) && before.has_same_windows(entry) { 1 } else { RESET_WEIGHT };
        gap * weight * 1_000_000 / age
    };
    inner.min_by_key(|(around, _)| cost(around)).map(|(_, index)| index)
}

impl Usage {
    /// Paced windows always have a place.
    fn has_room(&self, name: &str) -> bool {
        let others = || self.windows.keys().filter(|name| !is_paced(name)).count();
        is_paced(name) || self.windows.contains_key(name) || others() < MAX_OTHERS
    }

    /// A window after another report of it. Readers take the highest of all readings, so those above a reset go.
    fn same_window(&mut self, name: &str, before: Window, told: Window, sight: Sight) -> Window {
        let is_newest = sight == Sight::Answered && told.observed_at >= before.observed_at;
        let is_reset = is_newest && before.used_percent - told.used_percent >= RESET_POINTS;
        if is_reset {
            for earlier in &mut self.earlier {
                earlier.windows.retain(|kept, was| {
                    kept != name || !was.is_same_window(&told) || was.used_percent <= told.used_percent
                });
            }
            self.earlier.retain(|earlier| !earlier.windows.is_empty());
        }
        let most = before.used_percent.max(told.used_percent);
        Window {
            used_percent: if is_reset { told.used_percent } else { most },
            resets_at: before.resets_at.max(told.resets_at),
            observed_at: before.observed_at.max(told.observed_at),
        }
    }

    /// A window after a report with another reset, with the most that is kept of it.
    fn other_window(&self, name: &str, told: Window) -> Window {
        let kept = self.earlier.iter().filter_map(|earlier| earlier.windows.get(name));
        let same = kept.filter(|kept| kept.is_same_window(&told));
        let used_percent = same.map(|kept| kept.used_percent).fold(told.used_percent, f64::max);
        Window { used_percent, ..told }
    }
}

impl Earlier {
    fn has_same_windows(&self, other: &Self) -> bool {
        self.windows.len() == other.windows.len()
            && self.windows.iter().all(|(name, window)| {
                other.windows.get(name).is_some_and(|other| window.is_same_window(other))
            })
    }
}

#[cfg(test)]
mod tests;
