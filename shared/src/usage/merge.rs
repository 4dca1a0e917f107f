//! How a new reading changes what is known of the usage. Pure; a reader that comes later or twice finds the same.

mod lower;

use std::collections::BTreeMap;

use super::{Earlier, Observed, Usage, Window};

pub use lower::Lower;

/// Tolerance for the reset of a window, in seconds.
pub const SAME_RESET_SECS: i64 = 90;

/// So many changes are kept.
pub const MAX_EARLIER: usize = 64;

/// A change is kept for so long, in seconds: the longest window and a day.
const KEPT_SECS: i64 = 8 * 24 * 60 * 60;

/// Readings further in the future come from a time when the clock was wrong.
const CLOCK_PLAY_SECS: i64 = 60 * 60;

/// More percent than that is a slip of whoever told it.
const MAX_PERCENT: f64 = 1000.0;

/// So many windows are kept, the two that are paced by among them.
pub const MAX_WINDOWS: usize = 16;

/// The windows that are paced by, and how long each is, in seconds.
const PACED: [(&str, i64); 2] = [("five_hour", 5 * 60 * 60), ("seven_day", 7 * 24 * 60 * 60)];

/// No other window is longer, in seconds.
const LONGEST_SECS: i64 = 31 * 24 * 60 * 60;

/// Tolerance for a late end, in seconds: clocks differ.
const END_PLAY_SECS: i64 = 60 * 60;

/// A change of window is dropped so much later than another change: what was used up to a reset is read from it.
const RESET_WEIGHT: i128 = 8;

/// Merges a new reading window by window:
///
/// - one that was not told of stays, with its own time;
/// - one that had ended when it was seen, or that nobody can have seen, is dropped: no number, more than 1000 %, an end
///   further away than the window is long, a name that is none;
/// - one that is not paced by goes once it has ended, and there are at most [`MAX_WINDOWS`];
/// - the same window: what is used never goes down, for sessions that have waited know less, not better; only what the server
///   itself has told again and again, and nobody more than that, is believed, see [`Lower`];
/// - another reset: the later sight counts, be it that the window has begun anew or that it is another account's. Of one that
///   was seen before, among what is kept, what is used has not gone down either.
pub fn merge(mut known: Usage, seen: &Observed) -> Usage {
    let horizon = seen.at.saturating_add(CLOCK_PLAY_SECS);
    known.windows.retain(|_, window| window.observed_at <= horizon);
    known.earlier.retain(|earlier| earlier.at <= horizon);
    known.lower.retain(|name, lower| lower.last <= horizon && known.windows.contains_key(name));
    keep_credible(&mut known, seen.at);
    if known.observed_at > horizon {
        known.observed_at = known.windows.values().map(|window| window.observed_at).max().unwrap_or_default();
    }
    let mut is_news = false;
    let mut is_changed = false;
    for (name, told) in &seen.windows {
        if !told.is_credible(name, seen.at) || told.resets_at <= seen.at || !has_room(&known.windows, name) {
            continue;
        }
        let told = Window { observed_at: seen.at, ..*told };
        let before = known.windows.get(name).copied();
        let Some(after) = before.map_or(Some(told), |before| before.after(told)) else { continue };
        let after = match before {
            Some(before) if before.is_same_window(&told) => {
                known.lowered(name, before, after, told, seen.sight)
            }
            Some(_) => known.as_kept(name, after),
            None => after,
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

/// A window may be called so: as the client writes names.
pub fn is_window_name(name: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(is_of_name)
}

/// It is one of those that are paced by.
pub fn is_paced(name: &str) -> bool {
    PACED.iter().any(|(paced, _)| *paced == name)
}

/// Whatever has come into the file, by a slip or an earlier version: what nobody can have seen goes again.
fn keep_credible(known: &mut Usage, now: i64) {
    let mut others = 0;
    known.windows.retain(|name, window| {
        if is_paced(name) {
            return window.is_credible(name, window.observed_at.max(now));
        }
        let stays = window.is_credible(name, window.observed_at.max(now)) && window.resets_at > now;
        others += usize::from(stays);
        stays && others <= MAX_WINDOWS - PACED.len()
    });
    for earlier in &mut known.earlier {
        let at = earlier.at;
        earlier.windows.retain(|name, window| window.is_credible(name, at));
    }
}

/// Paced windows always have a place.
fn has_room(windows: &BTreeMap<String, Window>, name: &str) -> bool {
    let others = || windows.keys().filter(|name| !is_paced(name)).count();
    is_paced(name) || windows.contains_key(name) || others() < MAX_WINDOWS - PACED.len()
}

impl Window {
    /// It can have been seen at that time.
    fn is_credible(&self, name: &str, at: i64) -> bool {
        let length = PACED.iter().find(|(paced, _)| *paced == name).map_or(LONGEST_SECS, |(_, secs)| *secs);
        let latest = at.saturating_add(length).saturating_add(END_PLAY_SECS);
        is_window_name(name) && (0.0..=MAX_PERCENT).contains(&self.used_percent) && self.resets_at <= latest
    }

    fn is_same_window(&self, other: &Self) -> bool {
        self.resets_at.abs_diff(other.resets_at) <= SAME_RESET_SECS.unsigned_abs()
    }

    /// Whenever it was seen.
    pub(super) fn holds_the_same(&self, other: &Self) -> bool {
        self.used_percent.total_cmp(&other.used_percent).is_eq() && self.resets_at == other.resets_at
    }

    /// Merges a later report; `None` if it says nothing new.
    fn after(self, told: Self) -> Option<Self> {
        if self.is_same_window(&told) {
            return Some(Self {
                used_percent: self.used_percent.max(told.used_percent),
                resets_at: self.resets_at.max(told.resets_at),
                observed_at: self.observed_at.max(told.observed_at),
            });
        }
        (told.observed_at >= self.observed_at).then_some(told)
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

/// The entry whose absence is noticed least: where the gap it leaves is small for its age. So gaps grow with age. Neither
/// the first nor the last.
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
    /// A window that comes back after another account's, with the most that is kept of it.
    fn as_kept(&mut self, name: &str, window: Window) -> Window {
        self.lower.remove(name);
        let kept = self.earlier.iter().filter_map(|earlier| earlier.windows.get(name));
        let same = kept.filter(|kept| kept.is_same_window(&window));
        let used_percent = same.map(|kept| kept.used_percent).fold(window.used_percent, f64::max);
        Window { used_percent, ..window }
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
