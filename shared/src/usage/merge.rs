//! How a new reading changes what is known of the usage. Pure; a reader that comes later or twice finds the same.

use super::{Observed, Sight, Usage, Window};

/// Tolerance for the reset of a window, in seconds.
pub const SAME_RESET_SECS: i64 = 90;

/// Maximum number of other accounts' windows that are kept, of each name.
const MAX_OTHER_ACCOUNTS: usize = 3;

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

/// Merges a new reading window by window:
///
/// - a window without a new value stays, with its own time;
/// - a window that had ended, or that nobody can have seen, is dropped; one that is not paced by goes once it has ended;
/// - the same window: the highest value counts, because sessions that wait repeat old numbers; for the exception see `RESET_POINTS`;
/// - another reset: the later reading counts, be it a new window or another account's. The one before is kept until it ends.
pub fn merge(mut known: Usage, seen: &Observed) -> Usage {
    keep_credible(&mut known, seen.at);
    let mut is_news = false;
    for (name, told) in &seen.windows {
        if !told.is_credible(name, seen.at) || told.resets_at <= seen.at || !known.has_room(name) {
            continue;
        }
        let told = Window { observed_at: seen.at, ..*told };
        let before = known.windows.get(name).copied();
        let after = match before {
            Some(before) if before.is_same_window(&told) => before.seen_again(told, seen.sight),
            Some(before) if told.observed_at < before.observed_at => continue,
            _ => known.other_window(name, before, told),
        };
        is_news = true;
        known.windows.insert(name.clone(), after);
    }
    if is_news && seen.at >= known.observed_at {
        known.observed_at = seen.at;
        known.source = seen.source;
    }
    known
}

/// Drops what was seen while the clock was wrong, and a window that is not paced by once it has ended.
fn keep_credible(known: &mut Usage, now: i64) {
    let horizon = now.saturating_add(CLOCK_PLAY_SECS);
    known
        .windows
        .retain(|name, window| window.observed_at <= horizon && (is_paced(name) || window.resets_at > now));
    for others in known.others.values_mut() {
        others.retain(|window| window.observed_at <= horizon && window.resets_at > now);
    }
    known.others.retain(|_, others| !others.is_empty());
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

    pub fn is_same_window(&self, other: &Self) -> bool {
        self.resets_at.abs_diff(other.resets_at) <= SAME_RESET_SECS.unsigned_abs()
    }

    /// A window after another report of it.
    fn seen_again(self, told: Self, sight: Sight) -> Self {
        let is_newest = sight == Sight::Answered && told.observed_at >= self.observed_at;
        let is_reset = is_newest && self.used_percent - told.used_percent >= RESET_POINTS;
        let most = self.used_percent.max(told.used_percent);
        Self {
            used_percent: if is_reset { told.used_percent } else { most },
            resets_at: self.resets_at.max(told.resets_at),
            observed_at: self.observed_at.max(told.observed_at),
        }
    }

    /// Whenever it was seen.
    pub(super) fn holds_the_same(&self, other: &Self) -> bool {
        self.used_percent.total_cmp(&other.used_percent).is_eq() && self.resets_at == other.resets_at
    }
}

impl Usage {
    /// Paced windows always have a place.
    fn has_room(&self, name: &str) -> bool {
        let others = || self.windows.keys().filter(|name| !is_paced(name)).count();
        is_paced(name) || self.windows.contains_key(name) || others() < MAX_OTHERS
    }

    /// A window after a report with another reset: the one before is kept beside it, and it goes on from what is kept of it.
    fn other_window(&mut self, name: &str, before: Option<Window>, told: Window) -> Window {
        let before = before.filter(|before| before.resets_at > told.observed_at);
        let mut others = self.others.remove(name).unwrap_or_default();
        let same = others.iter().position(|other| other.is_same_window(&told));
        let most = same.map_or(0.0, |index| others.remove(index).used_percent);
        others.splice(0..0, before);
        others.truncate(MAX_OTHER_ACCOUNTS);
        if !others.is_empty() {
            self.others.insert(name.to_owned(), others);
        }
        Window { used_percent: most.max(told.used_percent), ..told }
    }
}

#[cfg(test)]
mod tests;
