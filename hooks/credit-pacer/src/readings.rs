//! Readings of the usage: taken in from Claude Code and the usage API, written down for all sessions ([`Usage`]) and for one
//! ([`SessionUsage`]), and the usage and rules for one session ([`Scene`]).
//!
//! Two accounts at once on one machine take turns in the one file of readings: each reports other resets of its windows. A session
//! is paced by the windows that its own status line reported.

use std::collections::BTreeMap;
use std::time::Duration;

use pacing::{Reading, Readings, Rules, Window as Paced, is_same_reset, whole_seconds};
use serde_json::Value;
use shared::host::Timestamp;
use shared::state::{MACHINE, StateError, Store};
use shared::usage::{SessionUsage, Source, Usage, Window};

use crate::rules;
use crate::settings::Settings;

/// Tolerance for clocks that differ, in seconds: for readings from the future and for late resets.
const CLOCK_PLAY_SECS: i64 = 60 * 60;

/// Less by this many points, as the server has just reported, is an early reset or a raised limit. Replies in flight differ by less.
const RESET_POINTS: f64 = 20.0;

/// More windows of a report, and higher usage, are nobody's.
const MAX_WINDOWS: usize = 16;
const MAX_PERCENT: f64 = 1_000.0;

/// One reading of the usage.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Observed {
    /// When the numbers were true, in seconds since the epoch.
    pub(crate) at: i64,
    pub(crate) source: Source,
    /// The server has just reported the numbers, with a reply that was counted or because it was asked. Else they are new to us only.
    pub(crate) is_answer: bool,
    pub(crate) windows: BTreeMap<String, Window>,
}

/// Adds a reading. Returns what is known then if a window holds something else; `None`: nothing new.
pub(crate) fn record(store: &Store, seen: &Observed) -> Result<Option<Usage>, StateError> {
    let mut news = None;
    store.change::<Usage>(MACHINE, |usage| {
        let known = merge(usage.clone(), seen);
        let is_changed = known != *usage;
        news = (!holds_the_same(&usage.windows, &known.windows)).then(|| known.clone());
        *usage = known;
        is_changed
    })?;
    Ok(news)
}

/// The usage with one more reading, window by window. Pure; a reading that comes later or twice changes nothing more.
///
/// - a window without a new value stays, with its own time;
/// - a reading of a time when the clock was wrong is dropped, and a window that the controller does not know once it has ended;
/// - the same window: the highest value counts, because sessions that wait repeat old numbers; for the exception see `RESET_POINTS`;
/// - another reset: the later reading counts, be it a new window or another account's.
fn merge(mut known: Usage, seen: &Observed) -> Usage {
    let horizon = seen.at.saturating_add(CLOCK_PLAY_SECS);
    known.windows.retain(|name, window| {
        window.observed_at <= horizon && (paced(name).is_some() || window.resets_at > seen.at)
    });
    for (name, reported) in &seen.windows {
        let reported = Window { observed_at: seen.at, ..*reported };
        let after = match known.windows.get(name) {
            _ if !is_credible(name, &reported) => continue,
            Some(before) if is_same(before, &reported) => followed(*before, reported, seen.is_answer),
            Some(before) if reported.observed_at < before.observed_at => continue,
            _ => reported,
        };
        known.windows.insert(name.clone(), after);
    }
    known.observed_at = known.windows.values().map(|window| window.observed_at).max().unwrap_or_default();
    if known.observed_at == seen.at {
        known.source = seen.source;
    }
    known
}

/// A window after another report of it.
fn followed(before: Window, reported: Window, is_answer: bool) -> Window {
    let is_newest = is_answer && reported.observed_at >= before.observed_at;
    let is_reset = is_newest && before.used_percent - reported.used_percent >= RESET_POINTS;
    let most = before.used_percent.max(reported.used_percent);
    Window {
        used_percent: if is_reset { reported.used_percent } else { most },
        resets_at: before.resets_at.max(reported.resets_at),
        observed_at: before.observed_at.max(reported.observed_at),
    }
}

/// The window can have been seen when it was observed, and goes on.
fn is_credible(name: &str, window: &Window) -> bool {
    let latest = |length| window.observed_at.saturating_add(length).saturating_add(CLOCK_PLAY_SECS);
    let is_possible = paced(name).is_none_or(|paced| window.resets_at <= latest(paced.length_secs()));
    is_possible && window.resets_at > window.observed_at
}

/// The window of this name, if the controller goes by it.
pub(crate) fn paced(name: &str) -> Option<Paced> {
    Paced::ALL.into_iter().find(|window| window.key() == name)
}

fn is_same(one: &Window, other: &Window) -> bool {
    is_same_reset(one.resets_at, other.resets_at)
}

/// The windows of a report hold what they held before, whenever that was observed.
fn holds_the_same(before: &BTreeMap<String, Window>, now: &BTreeMap<String, Window>) -> bool {
    now.iter().all(|(name, window)| {
        before.get(name).is_some_and(|before| {
            before.used_percent.total_cmp(&window.used_percent).is_eq()
                && before.resets_at == window.resets_at
        })
    })
}

/// Writes down what Claude Code reports of a session: `now`, with `written_at` and nothing for `observed_at`. Returns what [`record`]
/// does of its usage.
pub(crate) fn record_session(
    store: &Store,
    session: &str,
    now: SessionUsage,
) -> Result<Option<Usage>, StateError> {
    let mut news = Ok(None);
    store.change::<SessionUsage>(session, |known| {
        let answer = observed(known, &now);
        // The session's file comes last: a process that is killed in between does both again.
        if let Some(is_answer) = answer {
            let (at, windows) = (now.written_at, now.windows.clone());
            news = record(store, &Observed { at, source: Source::StatusLine, is_answer, windows });
        }
        *known = following(now, known, answer.is_some());
        true
    })?;
    news
}

/// Whether the server has just reported the usage in `now`; `None`: Claude Code only repeats it.
///
/// The numbers come with a reply. So they are new where they differ from the session's last report, or where the session has waited
/// for another reply since. The first report of a session counts if the session has had a reply at all, and may be as old as
/// that reply. When Claude Code begins or goes on with an older session, it reports no numbers, and the time of the replies may
/// begin anew.
fn observed(previous: &SessionUsage, now: &SessionUsage) -> Option<bool> {
    let is_first = previous.written_at == 0;
    let (before, after) = (previous.total_api_duration_ms, now.total_api_duration_ms);
    let has_replied = after > 0 && after != before;
    let is_new = has_replied || (!is_first && !holds_the_same(&previous.windows, &now.windows));
    (is_new && !now.windows.is_empty()).then_some(!is_first && after > before)
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

#[derive(Debug, Clone)]
pub(crate) struct Scene {
    /// The last reading, if there is one.
    pub(crate) usage: Option<Usage>,
    /// The same, for the arithmetic.
    pub(crate) readings: Readings,
    /// No window can be over its line, whatever the calendar says.
    pub(crate) is_clearly_within: bool,
    pub(crate) rules: Rules,
}

impl Scene {
    /// The time zone is looked up only if there may be something to decide.
    pub(crate) fn of(usage: Option<Usage>, settings: &Settings, now: i64) -> Self {
        let readings = usage.as_ref().map(readings).unwrap_or_default();
        let rules = rules::without_zone(settings);
        let is_clearly_within = pacing::is_clearly_within(&readings, &rules);
        let rules = if is_clearly_within { rules } else { rules::around(settings, now) };
        Self { usage, readings, is_clearly_within, rules }
    }
}

/// The usage of the session's account: a window with another reset than the last report's is as the session's own status line
/// reported it, if it did lately.
pub(crate) fn known(
    store: Option<&Store>,
    session: Option<&str>,
    settings: &Settings,
    now: i64,
) -> Option<Usage> {
    let store = store?;
    let mut usage = store.read::<Usage>(MACHINE)?;
    let own = session.and_then(|id| store.read::<SessionUsage>(id)).unwrap_or_default();
    let oldest = now.saturating_sub(settings.stale_after_secs.get().into());
    for (name, reported) in own.windows {
        let is_current = reported.observed_at >= oldest && reported.resets_at > now;
        if is_current
            && is_credible(&name, &reported)
            && !usage.windows.get(&name).is_some_and(|last| is_same(last, &reported))
        {
            usage.windows.insert(name, reported);
        }
    }
    Some(usage)
}

/// Each window at the time of its report.
fn readings(usage: &Usage) -> Readings {
    Paced::ALL.map(|window| {
        let reported = usage.windows.get(window.key())?;
        Some(Reading::new(reported.observed_at, reported.used_percent, reported.resets_at))
    })
}

/// The windows that Claude Code or the usage API reports, by their names.
pub(crate) fn reported(windows: &Value) -> BTreeMap<String, Window> {
    let named = windows.as_object().into_iter().flatten().filter(|(name, _)| is_window_name(name));
    named
        .take(MAX_WINDOWS)
        .filter_map(|(name, window)| Some((name.clone(), reported_window(window)?)))
        .collect()
}

/// The name is as Claude Code writes names of windows.
fn is_window_name(name: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(is_of_name)
}

/// A window that is not running has no reset, and is no reading.
fn reported_window(window: &Value) -> Option<Window> {
    let used = window.get("used_percentage").or_else(|| window.get("utilization"))?;
    let used_percent = used.as_f64().filter(|used| (0.0..=MAX_PERCENT).contains(used))?;
    let resets_at = match window.get("resets_at")? {
        // The server's fractions of a second wander around the full hour.
        Value::String(time) => Timestamp::from_rfc3339(time)?.plus(Duration::from_millis(500)).secs(),
        time => whole_seconds(time.as_f64()?),
    };
    Some(Window { used_percent, resets_at, observed_at: 0 })
}

#[cfg(test)]
mod tests;
