//! Readings of the usage, written down for all sessions ([`Usage`]), for one ([`SessionUsage`]), and for hooks that wait for
//! better times ([`Line`]).

use std::collections::BTreeMap;
use std::time::Duration;

use pacing::{Window as Paced, is_same_reset};
use shared::host::Timestamp;
use shared::state::{LockError, MACHINE, StateError, Store};
use shared::usage::{Line, SessionUsage, Source, Usage, Window};

/// Tolerance for clocks that differ, in seconds: for readings from the future and for late resets.
const CLOCK_PLAY_SECS: i64 = 60 * 60;

/// A larger percentage is an error of its source.
const MAX_PERCENT: f64 = 1000.0;

/// Less by this many points, as the server has just reported, is an early reset or a raised limit. Replies in flight differ by less.
const RESET_POINTS: f64 = 20.0;

/// Maximum number of other accounts whose windows are kept.
const MAX_OTHERS: usize = 4;

/// The length of a window that the controller does not know, at most, in seconds.
const LONGEST_SECS: i64 = 31 * 24 * 60 * 60;

/// An unchanged [`Line`] is written again after this time: an old file counts no longer than a reading.
const LINE_AGAIN: Duration = Duration::from_secs(5 * 60);

/// One reading of the usage.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Observed {
    /// When the numbers were true, in seconds since the epoch.
    pub(crate) at: i64,
    pub(crate) source: Source,
    pub(crate) sight: Sight,
    pub(crate) windows: BTreeMap<String, Window>,
}

/// How new the numbers of a reading are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Sight {
    /// They are new to us; when the server reported them is unknown.
    #[default]
    Found,
    /// The server has just reported them, with a reply that was counted or because it was asked.
    Answered,
}

/// Adds a reading. Returns what is known then if a window holds something else; `None`: nothing new.
pub(crate) fn record(store: &Store, seen: &Observed) -> Result<Option<Usage>, StateError> {
    let mut news = None;
    store.change::<Usage>(MACHINE, |usage| {
        let known = merge(usage.clone(), seen);
        let is_changed = known != *usage;
        let holds_the_same = |(name, window): (&String, &Window)| {
            usage.windows.get(name).is_some_and(|before| holds_the_same(before, window))
        };
        news = (!known.windows.iter().all(holds_the_same)).then(|| known.clone());
        *usage = known;
        is_changed
    })?;
    Ok(news)
}

/// The usage with one more reading, window by window. Pure; a reading that comes later or twice changes nothing more.
///
/// - a window without a new value stays, with its own time;
/// - a window that nobody can have seen is dropped, and so is one that has ended, unless the controller knows it;
/// - the same window: the highest value counts, because sessions that wait repeat old numbers; for the exception see `RESET_POINTS`;
/// - another reset: the later reading counts, be it a new window or another account's. Each account keeps its own.
pub(crate) fn merge(mut known: Usage, seen: &Observed) -> Usage {
    drop_impossible(&mut known, seen.at);
    for (name, told) in &seen.windows {
        let told = Window { observed_at: seen.at, ..*told };
        let is_late = known
            .windows
            .get(name)
            .is_some_and(|before| !is_same(before, &told) && told.observed_at < before.observed_at);
        if is_credible(name, &told) && !is_late {
            take_in(&mut known, name, told, seen.sight);
        }
    }
    known.observed_at = known.windows.values().map(|window| window.observed_at).max().unwrap_or_default();
    if known.observed_at == seen.at {
        known.source = seen.source;
    }
    known
}

/// Puts a reading of a window in the place of the last one, which stays beside it if it is another account's.
fn take_in(known: &mut Usage, name: &str, told: Window, sight: Sight) {
    let mut all = known.others.remove(name).unwrap_or_default();
    all.extend(known.windows.remove(name));
    let same = all.iter().position(|window| is_same(window, &told)).map(|index| all.remove(index));
    all.retain(|window| window.resets_at > told.observed_at);
    let surplus = all.len().saturating_sub(MAX_OTHERS);
    all.drain(..surplus);
    if !all.is_empty() {
        known.others.insert(name.to_owned(), all);
    }
    let after = same.map_or(told, |before| followed(before, told, sight));
    known.windows.insert(name.to_owned(), after);
}

/// A window after another report of it.
fn followed(before: Window, told: Window, sight: Sight) -> Window {
    let is_newest = sight == Sight::Answered && told.observed_at >= before.observed_at;
    let is_reset = is_newest && before.used_percent - told.used_percent >= RESET_POINTS;
    let most = before.used_percent.max(told.used_percent);
    Window {
        used_percent: if is_reset { told.used_percent } else { most },
        resets_at: before.resets_at.max(told.resets_at),
        observed_at: before.observed_at.max(told.observed_at),
    }
}

/// Drops readings of a time when the clock was wrong, and a window that the controller does not know once it has ended.
fn drop_impossible(known: &mut Usage, now: i64) {
    let horizon = now.saturating_add(CLOCK_PLAY_SECS);
    let is_possible = |window: &Window| window.observed_at <= horizon;
    known
        .windows
        .retain(|name, window| is_possible(window) && (paced(name).is_some() || window.resets_at > now));
    known.others.retain(|_, others| {
        others.retain(|window| is_possible(window) && window.resets_at > now);
        !others.is_empty()
    });
}

/// The window can have been seen when it was observed, and goes on.
fn is_credible(name: &str, window: &Window) -> bool {
    let at = window.observed_at;
    let length = paced(name).map_or(LONGEST_SECS, Paced::length_secs);
    let latest = at.saturating_add(length).saturating_add(CLOCK_PLAY_SECS);
    let is_possible = (0.0..=MAX_PERCENT).contains(&window.used_percent) && window.resets_at <= latest;
    is_possible && window.resets_at > at
}

/// The window of this name, if the controller goes by it.
pub(crate) fn paced(name: &str) -> Option<Paced> {
    Paced::ALL.into_iter().find(|window| window.key() == name)
}

pub(crate) fn is_same(one: &Window, other: &Window) -> bool {
    is_same_reset(one.resets_at, other.resets_at)
}

fn holds_the_same(one: &Window, other: &Window) -> bool {
    one.used_percent.total_cmp(&other.used_percent).is_eq() && one.resets_at == other.resets_at
}

/// Writes down what Claude Code reports of a session: `now`, with `written_at` and nothing for `observed_at`. `book` runs before,
/// if the usage was observed: a process that is killed in between does it again.
pub(crate) fn record_session(
    store: &Store,
    session: &str,
    now: SessionUsage,
    book: impl FnOnce(Sight),
) -> Result<(), StateError> {
    store.change::<SessionUsage>(session, |known| {
        let sight = observed(known, &now);
        sight.map(book);
        *known = following(now, known, sight.is_some());
        true
    })
}

/// How new the usage in `now` is; `None`: Claude Code only repeats it.
///
/// The numbers come with a reply. So they are new where they differ from the session's last report, or where the session has waited
/// for another reply since. The first report of a session counts if the session has had a reply at all, and may be as old as
/// that reply. When Claude Code begins or goes on with an older session, it reports no numbers, and the time of the replies may
/// begin anew.
fn observed(previous: &SessionUsage, now: &SessionUsage) -> Option<Sight> {
    let is_first = previous.written_at == 0;
    let (before, after) = (previous.total_api_duration_ms, now.total_api_duration_ms);
    let is_changed = |(name, window): (&String, &Window)| {
        previous.windows.get(name).is_none_or(|before| !holds_the_same(before, window))
    };
    let has_replied = after > 0 && after != before;
    let is_new = has_replied || (!is_first && now.windows.iter().any(is_changed));
    let sight = if !is_first && after > before { Sight::Answered } else { Sight::Found };
    (is_new && !now.windows.is_empty()).then_some(sight)
}

/// The report as it is kept. One without windows leaves those that are known.
fn following(mut now: SessionUsage, previous: &SessionUsage, is_observed: bool) -> SessionUsage {
    now.observed_at = if is_observed { now.written_at } else { previous.observed_at };
    if now.windows.is_empty() {
        now.windows.clone_from(&previous.windows);
    }
    for window in now.windows.values_mut() {
        window.observed_at = now.observed_at;
    }
    now
}

/// The file says something else, or is due to be written again. So not every call writes.
pub(crate) fn is_news(written: &Line, found: &Line) -> bool {
    let age = Timestamp::from_secs(found.at).since(Timestamp::from_secs(written.at));
    let is_old = age >= LINE_AGAIN || written.at > found.at;
    written.past != found.past || (is_old && !found.past.is_empty())
}

/// Writes down the windows past their line.
pub(crate) fn write_line(store: &Store, found: &Line) -> Result<(), StateError> {
    let written = store.change::<Line>(MACHINE, |line| {
        let is_news = line != found;
        line.clone_from(found);
        is_news
    });
    match written {
        // Another process writes what it found at the same moment, or a newer version does.
        Err(StateError::Newer(_) | StateError::Lock(LockError::Busy(_))) => Ok(()),
        written => written,
    }
}

#[cfg(test)]
mod tests;
