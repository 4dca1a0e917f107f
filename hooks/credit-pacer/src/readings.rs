//! Usage and rules for one session.
//!
//! Two accounts at once on one machine take turns in the one file of readings: each reports other resets of its windows. A session
//! is paced by the windows that its own status line reported.

use std::collections::BTreeMap;

use pacing::{Reading, Rules, Snapshot, Window, is_same_reset};
use shared::state::Store;
use shared::usage::session::{self, SessionUsage};
use shared::usage::{self, Usage};

use crate::rules;
use crate::settings::Settings;

#[derive(Debug, Clone)]
pub(crate) struct Scene {
    /// The last reading, if there is one.
    pub(crate) usage: Option<Usage>,
    /// The same and those before it, for the arithmetic.
    pub(crate) snapshots: Vec<Snapshot>,
    pub(crate) rules: Rules,
}

impl Scene {
    /// The time zone is looked up only if there may be something to decide or to report.
    pub(crate) fn of(usage: Option<Usage>, settings: &Settings, now: i64) -> Self {
        let snapshots = usage.as_ref().map(snapshots).unwrap_or_default();
        let rules = rules::without_zone(settings);
        let highest = usage.iter().flat_map(|usage| usage.windows.values());
        let highest = highest.map(|window| window.used_percent).fold(0.0, f64::max);
        let has_alerts = settings.alerts.iter().any(|percent| highest >= f64::from(percent.get()));
        let is_quiet = pacing::is_clearly_within(&snapshots, &rules) && !has_alerts;
        let rules = if is_quiet { rules } else { rules::around(settings, now) };
        Self { usage, snapshots, rules }
    }

    /// No window can be over its line, whatever the calendar says.
    pub(crate) fn is_clearly_within(&self) -> bool {
        pacing::is_clearly_within(&self.snapshots, &self.rules)
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
    let usage = usage::read(store)?;
    let own = session.filter(|_| is_of_several(&usage, now)).and_then(|id| session::read(store, id));
    let stale_after = i64::from(settings.stale_after_secs.get());
    Some(match own {
        Some(own) => of_account(usage, &own, now, stale_after),
        None => usage,
    })
}

/// Some window has two resets to come. One account has one after the other.
fn is_of_several(usage: &Usage, now: i64) -> bool {
    let mut earlier = usage.earlier.iter().flat_map(|earlier| &earlier.windows);
    earlier.any(|(name, was)| {
        let window = usage.windows.get(name).filter(|window| window.resets_at.min(was.resets_at) > now);
        window.is_some_and(|window| !is_same_reset(window.resets_at, was.resets_at))
    })
}

/// The readings without those of other accounts, as far as the session's own say which are. What is past stays, whosever it
/// was: what a call costs is read from it.
fn of_account(mut usage: Usage, own: &SessionUsage, now: i64, stale_after: i64) -> Usage {
    let counts =
        |told: &&usage::Window| now.saturating_sub(told.observed_at) <= stale_after && told.resets_at > now;
    for (name, told) in &own.windows {
        let Some(told) = Some(told).filter(counts) else { continue };
        let is_same = |was: &usage::Window| is_same_reset(was.resets_at, told.resets_at);
        for earlier in &mut usage.earlier {
            earlier.windows.retain(|of, was| of != name || was.resets_at <= now || is_same(was));
        }
        let kept = usage.earlier.iter().filter_map(|earlier| earlier.windows.get(name));
        let same = kept.chain(usage.windows.get(name)).filter(|was| is_same(was));
        let most = same.fold(*told, |most, was| usage::Window {
            used_percent: most.used_percent.max(was.used_percent),
            observed_at: most.observed_at.max(was.observed_at),
            ..most
        });
        usage.windows.insert(name.clone(), most);
    }
    usage
}

/// The readings, oldest first, as the arithmetic takes them: each window at the time of its report.
fn snapshots(usage: &Usage) -> Vec<Snapshot> {
    let earlier = usage.earlier.iter().map(|earlier| (earlier.at, &earlier.windows));
    let mut by_time: BTreeMap<i64, Snapshot> = BTreeMap::new();
    for (at, windows) in earlier.chain([(usage.observed_at, &usage.windows)]) {
        for window in Window::ALL {
            let Some(told) = windows.get(window.key()) else { continue };
            let at = if told.observed_at == 0 { at } else { told.observed_at };
            let snapshot = by_time.entry(at).or_insert(Snapshot { at, ..Snapshot::default() });
            let reading = Some(Reading { used_percent: told.used_percent, resets_at: told.resets_at });
            match window {
                Window::FiveHour => snapshot.five_hour = reading,
                Window::SevenDay => snapshot.seven_day = reading,
            }
        }
    }
    by_time.into_values().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pacing::Reading;
    use shared::state::Store;
    use shared::usage::session::{self, SessionUsage};
    use shared::usage::{self, Observed, Sight, Source, Usage, Window, merge};

    use super::{is_of_several, known, of_account, snapshots};
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
        let usage = told(&[
            (100, FIVE, 40.0, 20_000),
            (100, SEVEN, 10.0, 20_000),
            (200, SEVEN, 10.0, 20_000),
            (300, FIVE, 41.0, 20_000),
            (400, FIVE, 41.0, 20_000),
            (400, "seven_day_opus", 3.0, 20_000),
        ]);
        let used = |reading: Option<Reading>| reading.map(|reading| reading.used_percent);
        let found: Vec<_> =
            snapshots(&usage).iter().map(|at| (at.at, used(at.five_hour), used(at.seven_day))).collect();
        let expected = [
            (100, Some(40.0), Some(10.0)),
            (200, None, Some(10.0)),
            (300, Some(41.0), None),
            (400, Some(41.0), None),
        ];
        assert_eq!(found, expected);
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
        for (what, own, now, expected, kept) in [
            ("the one that was told last", window(21.0, 12_000, 400), 500, (21.0, 12_000), 2),
            ("the other", window(62.0, 10_000, 300), 500, (62.0, 10_000), 2),
            ("the other, and it lags", window(59.0, 10_030, 300), 500, (62.0, 10_030), 2),
            ("one that nobody has told of", window(5.0, 9000, 300), 500, (5.0, 9000), 0),
            ("too old", window(62.0, 10_000, 300), 1201, (21.0, 12_000), 4),
            ("ended", window(62.0, 450, 300), 500, (21.0, 12_000), 4),
        ] {
            let own = SessionUsage { windows: [(FIVE.to_owned(), own)].into(), ..SessionUsage::default() };
            let usage = of_account(turns.clone(), &own, now, 900);
            let found = usage.windows[FIVE];
            assert_eq!((found.used_percent, found.resets_at), expected, "{what}");
            let left = usage.earlier.iter().filter(|earlier| earlier.windows.contains_key(FIVE)).count();
            assert_eq!(left, kept, "{what}");
        }
        let course = five(&[(100, 90.0, 5000), (5100, 20.0, 23_000), (5200, 60.0, 10_000)]);
        let windows = [(FIVE.to_owned(), window(20.0, 23_000, 5100))].into();
        let own = SessionUsage { windows, ..SessionUsage::default() };
        let left = of_account(course, &own, 5300, 900).earlier;
        let used: Vec<f64> = left.iter().filter_map(|at| Some(at.windows.get(FIVE)?.used_percent)).collect();
        assert_eq!(used, [90.0, 20.0], "what is past stays");
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
            session::record(&store, session, told, |sight| {
                usage::record(&store, &Observed { at, source, sight, windows }).unwrap();
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
