//! Usage and rules for one session.
//!
//! Two accounts at once on one machine take turns in the one file of readings: each reports other resets of its windows. A session
//! is paced by the windows that its own status line reported.

use std::collections::BTreeMap;
use std::time::Duration;

use pacing::{Reading, Readings, Rules, Window, is_same_reset, whole_seconds};
use serde_json::Value;
use shared::host::Timestamp;
use shared::state::{MACHINE, Store};
use shared::usage::{self, SessionUsage, Usage};

use crate::recorded::{MAX_WINDOWS, is_paced, is_window_name};
use crate::rules;
use crate::settings::Settings;
use crate::state::secs;

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
    let usage = store.read::<Usage>(MACHINE)?;
    let own = session.filter(|_| is_of_several(&usage, now)).and_then(|id| store.read(id));
    let stale_after = i64::from(settings.stale_after_secs.get());
    Some(match own {
        Some(own) => of_account(usage, &own, now, stale_after),
        None => usage,
    })
}

/// Some window has two resets to come. One account has one after the other.
fn is_of_several(usage: &Usage, now: i64) -> bool {
    let goes_on = |window: &usage::Window| window.resets_at > now;
    usage
        .windows
        .iter()
        .filter(|(_, window)| goes_on(window))
        .any(|(name, _)| usage.others.get(name).is_some_and(|others| others.iter().any(goes_on)))
}

/// The windows of the session's own account, as far as the session's own report says which are.
fn of_account(mut usage: Usage, own: &SessionUsage, now: i64, stale_after: i64) -> Usage {
    let is_fresh = |told: &usage::Window| now.saturating_sub(told.observed_at) <= stale_after;
    for (name, told) in own.windows.iter().filter(|(_, told)| is_fresh(told) && told.resets_at > now) {
        let all = usage.others.get(name).into_iter().flatten().chain(usage.windows.get(name));
        let same = all.filter(|was| is_same_reset(was.resets_at, told.resets_at));
        let most = same.fold(*told, |most, was| usage::Window {
            used_percent: most.used_percent.max(was.used_percent),
            observed_at: most.observed_at.max(was.observed_at),
            ..most
        });
        usage.windows.insert(name.clone(), most);
    }
    usage
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
    let (paced, others): (Vec<_>, Vec<_>) = read.partition(|(name, _)| is_paced(name));
    paced.into_iter().chain(others).take(MAX_WINDOWS).collect()
}

/// A window that is not running has no reset, and is no reading.
fn reported_window(window: &Value) -> Option<usage::Window> {
    let used = window.get("used_percentage").or_else(|| window.get("utilization"))?;
    let used_percent = used.as_f64().filter(|used| *used >= 0.0)?;
    let resets_at = match window.get("resets_at")? {
        // The server's fractions of a second wander around the full hour.
        Value::String(time) => secs(Timestamp::from_rfc3339(time)?.plus(Duration::from_millis(500))),
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

    use super::{is_of_several, known, of_account, readings};
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
    fn two_resets_to_come_are_two_accounts() {
        for (what, readings, now, expected) in [
            ("one", &[(100, 60.0, 10_000), (200, 61.0, 10_060)][..], 300, false),
            ("one after the other", &[(100, 60.0, 10_000), (10_100, 1.0, 28_100)], 10_200, false),
            ("two", &[(100, 60.0, 10_000), (200, 20.0, 12_000)], 300, true),
            ("the one has ended meanwhile", &[(100, 60.0, 10_000), (200, 20.0, 12_000)], 10_000, false),
        ] {
            assert_eq!(is_of_several(&five(readings), now), expected, "{what}");
        }
    }

    #[test]
    fn own_account_counts_while_its_reading_is_fresh() {
        let turns =
            five(&[(100, 60.0, 10_000), (200, 20.0, 12_000), (300, 62.0, 10_000), (400, 21.0, 12_000)]);
        for (what, own, now, expected) in [
            ("the one that was told last", window(21.0, 12_000, 400), 500, (21.0, 12_000)),
            ("the other", window(62.0, 10_000, 300), 500, (62.0, 10_000)),
            ("the other, and it lags", window(59.0, 10_030, 300), 500, (62.0, 10_030)),
            ("one that nobody has told of", window(5.0, 9000, 300), 500, (5.0, 9000)),
            ("too old", window(62.0, 10_000, 300), 1201, (21.0, 12_000)),
            ("ended", window(62.0, 450, 300), 500, (21.0, 12_000)),
        ] {
            let own = SessionUsage { windows: [(FIVE.to_owned(), own)].into(), ..SessionUsage::default() };
            let usage = of_account(turns.clone(), &own, now, 900);
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
        for (session, expected) in [(Some("a"), 60.0_f64), (Some("b"), 20.0), (Some("c"), 20.0), (None, 20.0)]
        {
            let usage = known(Some(&store), session, &settings, 300).unwrap();
            assert_eq!(usage.windows[FIVE].used_percent.to_bits(), expected.to_bits(), "{session:?}");
        }
    }
}
