//! The usage of one account. Two accounts at once on one machine take turns in the one file of readings: each reports other resets
//! of its windows. A session is paced by the windows that its own status line reported.

use shared::host::Timestamp;
use shared::state::Store;
use shared::usage::session::{self, SessionUsage};
use shared::usage::{self, SAME_RESET_SECS, Usage, Window};

use crate::settings::Settings;

/// The usage of the session's account; without a session, the last reading. The session's own file is read only if there are several
/// accounts.
pub(crate) fn known(
    store: &Store,
    session: Option<&str>,
    settings: &Settings,
    now: Timestamp,
) -> Option<Usage> {
    let usage = usage::read(store)?;
    let now = now.micros().div_euclid(1_000_000);
    let own =
        session.filter(|_| is_of_several(&usage, now)).and_then(|session| session::read(store, session));
    let stale_after = i64::from(settings.stale_after_secs.get());
    Some(match own {
        Some(own) => of_account(usage, &own, now, stale_after),
        None => usage,
    })
}

/// Some window has two resets to come. One account has one after the other.
fn is_of_several(usage: &Usage, now: i64) -> bool {
    let is_another = |(name, was): (&String, &Window)| {
        let is_other = |window: &Window| !is_same(window, was) && window.resets_at > now;
        was.resets_at > now && usage.windows.get(name).is_some_and(is_other)
    };
    usage.earlier.iter().any(|earlier| earlier.windows.iter().any(is_another))
}

/// The readings without those of other accounts, as far as the session's own say which are. What is past stays, whosever it
/// was: what a call costs is read from it.
fn of_account(mut usage: Usage, own: &SessionUsage, now: i64, stale_after: i64) -> Usage {
    let is_fresh = |window: &Window| now.saturating_sub(window.observed_at) <= stale_after;
    for (name, told) in own.windows.iter().filter(|(_, told)| is_fresh(told) && told.resets_at > now) {
        for earlier in &mut usage.earlier {
            earlier.windows.retain(|of, was| of != name || was.resets_at <= now || is_same(was, told));
        }
        let kept = usage.earlier.iter().filter_map(|earlier| earlier.windows.get(name));
        let same = kept.chain(usage.windows.get(name)).filter(|was| is_same(was, told));
        let most = same.fold(*told, |most, was| Window {
            used_percent: most.used_percent.max(was.used_percent),
            observed_at: most.observed_at.max(was.observed_at),
            ..most
        });
        usage.windows.insert(name.clone(), most);
    }
    usage
}

fn is_same(one: &Window, other: &Window) -> bool {
    one.resets_at.abs_diff(other.resets_at) <= SAME_RESET_SECS.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use shared::host::Timestamp;
    use shared::state::Store;
    use shared::usage::session::{self, SessionUsage};
    use shared::usage::{self, Observed, Sight, Source, Usage, Window, merge};

    use super::{is_of_several, known, of_account};
    use crate::settings::Settings;

    const FIVE: &str = "five_hour";

    fn window(used_percent: f64, resets_at: i64, observed_at: i64) -> Window {
        Window { used_percent, resets_at, observed_at }
    }

    fn told(told: &[(i64, f64, i64)]) -> Usage {
        let context = told.iter().map(|(at, used, resets_at)| Observed {
            at: *at,
            source: Source::StatusLine,
            sight: Sight::Answered,
            windows: [(FIVE.to_owned(), window(*used, *resets_at, 0))].into(),
        });
        context.fold(Usage::default(), |usage, context| merge(usage, &context))
    }

    #[test]
    fn two_ends_to_come_are_two_accounts() {
        for (what, sights, now, expected) in [
            ("one", &[(100, 60.0, 10_000), (200, 61.0, 10_060)][..], 300, false),
            ("one after the other", &[(100, 60.0, 10_000), (10_100, 1.0, 28_100)], 10_200, false),
            ("two", &[(100, 60.0, 10_000), (200, 20.0, 12_000)], 300, true),
            ("the one has ended meanwhile", &[(100, 60.0, 10_000), (200, 20.0, 12_000)], 10_000, false),
        ] {
            assert_eq!(is_of_several(&told(sights), now), expected, "{what}");
        }
    }

    #[test]
    fn of_two_accounts_a_sessions_own_one_counts_while_its_reading_is_fresh() {
        let turns =
            told(&[(100, 60.0, 10_000), (200, 20.0, 12_000), (300, 62.0, 10_000), (400, 21.0, 12_000)]);
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
    }

    #[test]
    fn each_session_goes_by_its_own_file_and_one_without_by_what_was_told_last() {
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
            let usage = known(&store, session, &settings, Timestamp::from_secs(300)).unwrap();
            assert_eq!(usage.windows[FIVE].used_percent.to_bits(), expected.to_bits(), "{session:?}");
        }
    }

    #[test]
    fn what_is_past_stays() {
        let course = told(&[(100, 90.0, 5000), (5100, 20.0, 23_000), (5200, 60.0, 10_000)]);
        let windows = [(FIVE.to_owned(), window(20.0, 23_000, 5100))].into();
        let own = SessionUsage { windows, ..SessionUsage::default() };
        let usage = of_account(course, &own, 5300, 900);
        let used: Vec<f64> = usage
            .earlier
            .iter()
            .filter_map(|earlier| earlier.windows.get(FIVE))
            .map(|window| window.used_percent)
            .collect();
        assert_eq!(used, [90.0, 20.0]);
    }
}
