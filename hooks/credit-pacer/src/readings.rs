//! Usage and rules for one session.
//!
//! Two accounts at once on one machine take turns in the one file of readings: each reports other resets of its windows. A session
//! is paced by the windows that its own status line reported.

use std::collections::BTreeMap;
use std::time::Duration;

use pacing::{Reading, Readings, Rules, Window, whole_seconds};
use serde_json::Value;
use shared::host::Timestamp;
use shared::state::{MACHINE, Store};
use shared::usage::{self, SessionUsage, Usage};

use crate::recorded::{is_same, paced};
use crate::rules;
use crate::settings::Settings;

/// Maximum number of windows of a report, those of the controller among them.
const MAX_WINDOWS: usize = 16;

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

/// The usage of the session's account; without a session, the last reading. The session's own file is read only if there are several
/// accounts.
pub(crate) fn known(
    store: Option<&Store>,
    session: Option<&str>,
    settings: &Settings,
    now: i64,
) -> Option<Usage> {
    let store = store?;
    let mut usage = store.read::<Usage>(MACHINE)?;
    let has_others = usage.others.values().flatten().any(|window| window.resets_at > now);
    let own = session.filter(|_| has_others).and_then(|id| store.read::<SessionUsage>(id));
    let stale_after = i64::from(settings.stale_after_secs.get());
    for (name, told) in own.into_iter().flat_map(|own| own.windows) {
        if now.saturating_sub(told.observed_at) <= stale_after && told.resets_at > now {
            use_own(&mut usage, name, told);
        }
    }
    Some(usage)
}

/// The window of the session's own account counts, with the most that anybody saw of it.
fn use_own(usage: &mut Usage, name: String, told: usage::Window) {
    let all = usage.others.get(&name).into_iter().flatten().chain(usage.windows.get(&name));
    let same = all.filter(|was| is_same(was, &told));
    let most = same.fold(told, |most, was| usage::Window {
        used_percent: most.used_percent.max(was.used_percent),
        observed_at: most.observed_at.max(was.observed_at),
        ..most
    });
    usage.windows.insert(name, most);
}

/// Each window at the time of its report.
fn readings(usage: &Usage) -> Readings {
    Window::ALL.map(|window| {
        let told = usage.windows.get(window.key())?;
        let at = if told.observed_at == 0 { usage.observed_at } else { told.observed_at };
        Some(Reading::new(at, told.used_percent, told.resets_at))
    })
}

/// The windows that Claude Code or the usage API reports, by their names: those that pace, and as many others as are kept.
pub(crate) fn reported(windows: &Value) -> BTreeMap<String, usage::Window> {
    let named = windows.as_object().into_iter().flatten().filter(|(name, _)| is_window_name(name));
    let read = named.filter_map(|(name, window)| Some((name.clone(), reported_window(window)?)));
    let (own, others): (Vec<_>, Vec<_>) = read.partition(|(name, _)| paced(name).is_some());
    own.into_iter().chain(others).take(MAX_WINDOWS).collect()
}

/// The name is as Claude Code writes names of windows.
fn is_window_name(name: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(is_of_name)
}

/// A window that is not running has no reset, and is no reading.
fn reported_window(window: &Value) -> Option<usage::Window> {
    let used = window.get("used_percentage").or_else(|| window.get("utilization"))?;
    let used_percent = used.as_f64().filter(|used| *used >= 0.0)?;
    let resets_at = match window.get("resets_at")? {
        // The server's fractions of a second wander around the full hour.
        Value::String(time) => Timestamp::from_rfc3339(time)?.plus(Duration::from_millis(500)).secs(),
        time => whole_seconds(time.as_f64()?),
    };
    Some(usage::Window { used_percent, resets_at, observed_at: 0 })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pacing::Reading;
    use shared::state::Store;
    use shared::usage::{SessionUsage, Source, Usage, Window};

    use super::{known, readings, use_own};
    use crate::recorded::{Observed, Sight, merge, record, record_session};
    use crate::settings::Settings;

    const FIVE: &str = "five_hour";
    const SEVEN: &str = "seven_day";

    fn window(used_percent: f64, resets_at: i64, observed_at: i64) -> Window {
        Window { used_percent, resets_at, observed_at }
    }

    /// One reading after the other: its time, its window, usage and reset.
    fn told(told: &[(i64, &str, f64, i64)]) -> Usage {
        told.iter().fold(Usage::default(), |usage, (at, name, used, reset)| {
            let windows = [((*name).to_owned(), window(*used, *reset, 0))].into();
            let (source, sight) = (Source::StatusLine, Sight::Answered);
            merge(usage, &Observed { at: *at, source, sight, windows })
        })
    }

    fn five(readings: &[(i64, f64, i64)]) -> Usage {
        told(&readings.iter().map(|(at, used, reset)| (*at, FIVE, *used, *reset)).collect::<Vec<_>>())
    }

    #[test]
    fn each_window_stands_at_the_time_of_its_report() {
        let usage = told(&[(100, FIVE, 40.0, 20_000), (100, SEVEN, 10.0, 20_000), (300, FIVE, 41.0, 20_000)]);
        let expected = [Reading::new(300, 41.0, 20_000), Reading::new(100, 10.0, 20_000)];
        assert_eq!(readings(&usage), expected.map(Some));
    }

    #[test]
    fn own_account_counts_with_the_most_that_anybody_saw() {
        let turns =
            five(&[(100, 60.0, 10_000), (200, 20.0, 12_000), (300, 62.0, 10_000), (400, 21.0, 12_000)]);
        for (what, own, expected) in [
            ("the one that was told last", window(21.0, 12_000, 400), (21.0, 12_000)),
            ("the other", window(62.0, 10_000, 300), (62.0, 10_000)),
            ("the other, and it lags", window(59.0, 10_030, 300), (62.0, 10_030)),
            ("one that nobody has told of", window(5.0, 9000, 300), (5.0, 9000)),
        ] {
            let mut usage = turns.clone();
            use_own(&mut usage, FIVE.to_owned(), own);
            let found = usage.windows[FIVE];
            assert_eq!((found.used_percent, found.resets_at), expected, "{what}");
        }
    }

    #[test]
    fn session_goes_by_its_own_file_and_one_without_by_the_last_reading() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        let settings = Settings::over_defaults(&serde_json::Map::new()).unwrap();
        for (session, at, used, resets_at) in [("a", 100, 60.0, 10_000), ("b", 200, 20.0, 12_000)] {
            let windows = BTreeMap::from([(FIVE.to_owned(), window(used, resets_at, 0))]);
            let told =
                SessionUsage { written_at: at, windows, total_api_duration_ms: 5, ..SessionUsage::default() };
            let (source, windows) = (Source::StatusLine, told.windows.clone());
            record_session(&store, session, told, |sight| {
                record(&store, &Observed { at, source, sight, windows }).unwrap();
            })
            .unwrap();
        }
        for (session, now, expected) in [
            (Some("a"), 300, 60.0_f64),
            (Some("b"), 300, 20.0),
            (Some("c"), 300, 20.0),
            (None, 300, 20.0),
            // The session's own report is too old.
            (Some("a"), 1001, 20.0),
        ] {
            let usage = known(Some(&store), session, &settings, now).unwrap();
            assert_eq!(usage.windows[FIVE].used_percent.to_bits(), expected.to_bits(), "{session:?} {now}");
        }
    }
}
