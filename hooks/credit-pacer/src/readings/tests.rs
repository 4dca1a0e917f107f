//! Readings taken in, in any order, from any number of sessions; what is written down of them.

use std::collections::BTreeMap;

use pacing::Reading;
use proptest::collection::vec;
use proptest::prelude::*;
use shared::state::{MACHINE, Store};
use shared::usage::{ContextWindow, SessionUsage, Source, Usage, Window};

use super::{Observed, known as usage_of, merge, observed, readings, record, record_session};
use crate::settings::Settings;

const FIVE: &str = "five_hour";
const SEVEN: &str = "seven_day";

/// The time at which the tables begin.
const T: i64 = 1_000_000;

/// The window in which they begin ends so much later.
const R: i64 = 10_000;

fn windows(reported: &[(&str, f64, i64)]) -> BTreeMap<String, Window> {
    let window = |used_percent, resets_at| Window { used_percent, resets_at, observed_at: 0 };
    reported.iter().map(|(name, used, resets_at)| ((*name).to_owned(), window(*used, *resets_at))).collect()
}

fn seen(after: i64, reported: &[(&str, f64, i64)]) -> Observed {
    let reported: Vec<_> = reported.iter().map(|(name, used, resets)| (*name, *used, T + resets)).collect();
    Observed { at: T + after, source: Source::StatusLine, is_answer: false, windows: windows(&reported) }
}

fn known(sights: &[Observed]) -> Usage {
    sights.iter().fold(Usage::default(), merge)
}

/// Used, end and sight of a window, the times counted from T.
fn held(usage: &Usage, name: &str) -> Option<(f64, i64, i64)> {
    usage.windows.get(name).map(|window| (window.used_percent, window.resets_at - T, window.observed_at - T))
}

#[test]
fn within_one_window_the_most_that_anybody_saw_counts() {
    for (what, second, expected) in [
        ("more", seen(10, &[(FIVE, 42.0, R)]), (42.0, R, 10)),
        ("the same, seen again", seen(10, &[(FIVE, 40.0, R)]), (40.0, R, 10)),
        ("less, reported by a session that lags", seen(10, &[(FIVE, 39.0, R)]), (40.0, R, 10)),
        ("its end is a little later", seen(10, &[(FIVE, 41.0, R + 90)]), (41.0, R + 90, 10)),
        ("its end is a little earlier", seen(10, &[(FIVE, 41.0, R - 90)]), (41.0, R, 10)),
        ("more than all", seen(10, &[(FIVE, 104.5, R)]), (104.5, R, 10)),
        ("more, written down late", seen(-10, &[(FIVE, 41.0, R)]), (41.0, R, 0)),
    ] {
        let usage = known(&[seen(0, &[(FIVE, 40.0, R)]), second]);
        assert_eq!(held(&usage, FIVE), Some(expected), "{what}");
    }
}

#[test]
fn much_lower_reading_from_the_server_counts_at_once() {
    let reported = |after, used| Observed { is_answer: true, ..seen(after, &[(FIVE, used, R)]) };
    let found = |after, used| seen(after, &[(FIVE, used, R)]);
    for (what, later, expected) in [
        ("twenty points less", vec![reported(1, 40.0)], 40.0),
        ("a reply in flight", vec![reported(1, 40.5)], 60.0),
        ("a session that waits repeats old numbers", vec![found(1, 5.0)], 60.0),
        ("written down late", vec![reported(-1, 5.0)], 60.0),
        ("a session that waits repeats the higher number", vec![reported(1, 5.0), found(2, 60.0)], 60.0),
        ("and then it goes on", vec![reported(1, 5.0), reported(2, 8.0)], 8.0),
    ] {
        let usage = known(&[vec![found(-9, 55.0), found(0, 60.0)], later].concat());
        assert_eq!(held(&usage, FIVE).map(|held| held.0), Some(expected), "{what}");
    }
}

#[test]
fn another_end_is_another_window_and_the_later_sight_counts() {
    for (what, second, expected) in [
        ("it has begun anew", seen(R + 5, &[(FIVE, 1.0, R + 18_000)]), (1.0, R + 18_000, R + 5)),
        ("another account, later end", seen(10, &[(FIVE, 3.0, R + 91)]), (3.0, R + 91, 10)),
        ("another account, earlier end", seen(10, &[(FIVE, 3.0, R - 91)]), (3.0, R - 91, 10)),
        ("another account, seen before", seen(-1, &[(FIVE, 3.0, R + 500)]), (40.0, R, 0)),
        ("one that has ended", seen(10, &[(FIVE, 99.0, 10)]), (40.0, R, 0)),
        ("the same one after its end", seen(R + 1, &[(FIVE, 99.0, R)]), (40.0, R, 0)),
    ] {
        let usage = known(&[seen(0, &[(FIVE, 40.0, R)]), second]);
        assert_eq!(held(&usage, FIVE), Some(expected), "{what}");
    }
}

#[test]
fn impossible_reading_does_not_count() {
    let (hour, day) = (3600, 24 * 3600);
    for (name, resets_at, counts) in [
        (FIVE, 6 * hour, true),
        (FIVE, 6 * hour + 1, false),
        (SEVEN, 7 * day + hour, true),
        (SEVEN, 7 * day + hour + 1, false),
        (FIVE, i64::MAX - T, false),
    ] {
        let usage = known(&[seen(0, &[(name, 1.0, resets_at)])]);
        assert_eq!(held(&usage, name).is_some(), counts, "{name} {resets_at}");
    }
}

/// Seen within an hour: what is later than that by the clock counts as an error of the clock.
fn sight() -> impl Strategy<Value = Observed> {
    (0..3500_i64, 0..120_u32, 0..3_i64, -90..=90_i64, any::<bool>()).prop_map(
        |(at, used, end, play, both)| {
            let resets_at = (end + 1) * 1000 + play / 2;
            let mut reported = vec![(FIVE, f64::from(used), resets_at)];
            if both {
                reported.push((SEVEN, f64::from(used) / 7.0, 600_000 + play / 2));
            }
            seen(at, &reported)
        },
    )
}

proptest! {
    #[test]
    fn readings_stay_in_order_whatever_comes_in(sights in vec(sight(), 0..200)) {
        let mut usage = Usage::default();
        for sight in &sights {
            let before = usage.clone();
            usage = merge(usage, sight);
            prop_assert!(usage.observed_at >= before.observed_at);
            for (name, window) in &usage.windows {
                prop_assert!(window.resets_at > window.observed_at && window.observed_at <= usage.observed_at);
                let old = before.windows.get(name);
                let same = old.filter(|old| old.resets_at.abs_diff(window.resets_at) <= 90);
                prop_assert!(same.is_none_or(|old| old.used_percent <= window.used_percent));
            }
        }
    }
}

#[test]
fn recorded_reading_is_read_and_reported_once() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(scratch.path()).unwrap();
    assert_eq!(store.read::<Usage>(MACHINE), None);
    for (at, percent, is_news, known) in [
        (100, 41.0, true, 41.0),
        (100, 41.0, false, 41.0),
        (101, 41.0, false, 41.0),
        (102, 40.0, false, 41.0),
        (103, 42.5, true, 42.5),
        (99, 42.5, false, 42.5),
    ] {
        let recorded = record(&store, &seen(at, &[(FIVE, percent, R)])).unwrap();
        let there = store.read::<Usage>(MACHINE).unwrap();
        assert_eq!(recorded.is_some(), is_news, "{at} {percent}");
        assert!(recorded.is_none_or(|recorded| recorded == there), "{at} {percent}");
        assert!(there.windows[FIVE].used_percent.total_cmp(&known).is_eq(), "{at} {percent}");
    }
}

/// A session's report at that time: the used part of five hours, if it has any, and how long it has waited for replies.
fn report(written_at: i64, used: Option<f64>, total_api_duration_ms: u64) -> SessionUsage {
    let window = |used_percent| Window { used_percent, resets_at: 20_000, observed_at: 0 };
    SessionUsage {
        written_at,
        model: "a-model".to_owned(),
        context: ContextWindow { size: Some(200_000), used_tokens: Some(5000), used_percent: Some(3.0) },
        windows: used.map(|used| ("five_hour".to_owned(), window(used))).into_iter().collect(),
        total_api_duration_ms,
        ..SessionUsage::default()
    }
}

#[test]
fn usage_is_observed_with_a_reply_and_not_when_it_is_repeated() {
    let (found, answered) = (Some(false), Some(true));
    let before = Some((Some(42.0), 70));
    for (what, previous, now, expected) in [
        ("a new session, before its first reply", None, (None, 0), None),
        ("a new session that tells what it cannot know", None, (Some(42.0), 0), None),
        ("first seen, maybe long after its last reply", None, (Some(42.0), 70), found),
        ("this login has no limits", before, (None, 900), None),
        ("a session that waits repeats itself", before, (Some(42.0), 70), None),
        ("another reply, and the same is used", before, (Some(42.0), 95), answered),
        ("more is used, though no reply was counted", before, (Some(43.0), 70), found),
        ("the first reply of a session", Some((None, 0)), (Some(42.0), 70), answered),
        ("goes on, and the time begins anew", before, (Some(42.0), 0), None),
        ("goes on, first reply of the new time", before, (Some(42.0), 30), found),
    ] {
        let previous = previous.map(|(used, duration)| report(100, used, duration)).unwrap_or_default();
        assert_eq!(observed(&previous, &report(200, now.0, now.1)), expected, "{what}");
    }
}

#[test]
fn reading_keeps_the_time_when_it_was_new() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(scratch.path()).unwrap();
    assert_eq!(store.read::<SessionUsage>("s"), None);
    for (now, observed_at, used) in [
        (report(100, None, 0), 0, None),
        (report(110, Some(42.0), 70), 110, Some(42.0)),
        (report(120, Some(42.0), 70), 110, Some(42.0)),
        (report(130, None, 70), 110, Some(42.0)),
        (report(140, Some(41.0), 95), 140, Some(41.0)),
    ] {
        record_session(&store, "s", now.clone()).unwrap();
        let there: SessionUsage = store.read("s").unwrap();
        let for_all = store.read::<Usage>(MACHINE).map_or(0, |usage| usage.observed_at);
        assert_eq!((there.observed_at, for_all), (observed_at, observed_at), "{now:?}");
        assert_eq!((there.written_at, there.context), (now.written_at, now.context));
        let window = there.windows.get("five_hour");
        assert_eq!(window.map(|window| window.used_percent), used, "{now:?}");
        assert!(window.is_none_or(|window| window.observed_at == observed_at), "{there:?}");
    }
    assert_eq!(store.read::<SessionUsage>("another"), None);
    assert!(scratch.path().join("s-usage.json").is_file());
}

#[test]
fn each_window_stands_at_the_time_of_its_report() {
    let usage = known(&[seen(0, &[(FIVE, 40.0, R), (SEVEN, 10.0, R)]), seen(200, &[(FIVE, 41.0, R)])]);
    let expected = [Reading::new(T + 200, 41.0, T + R), Reading::new(T, 10.0, T + R)];
    assert_eq!(readings(&usage), expected.map(Some));
}

#[test]
fn session_goes_by_its_own_file_and_one_without_by_the_last_reading() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(scratch.path()).unwrap();
    let settings = Settings::over_defaults(&serde_json::Map::new()).unwrap();
    for (session, at, used, resets_at) in [
        ("a", 100, 60.0, 10_000),
        ("b", 200, 20.0, 12_000),
        ("lags", 200, 18.0, 12_030),
        ("impossible", 200, 97.0, 9_999_999),
    ] {
        let windows = windows(&[(FIVE, used, resets_at)]);
        record_session(&store, session, SessionUsage { windows, ..report(at, None, 5) }).unwrap();
    }
    for (session, now, expected) in [
        (Some("a"), 300, 60.0_f64),
        (Some("b"), 300, 20.0),
        (Some("lags"), 300, 20.0),
        (Some("impossible"), 300, 20.0),
        (Some("c"), 300, 20.0),
        (None, 300, 20.0),
        // The session's own report is too old.
        (Some("a"), 1001, 20.0),
    ] {
        let usage = usage_of(Some(&store), session, &settings, now).unwrap();
        assert_eq!(usage.windows[FIVE].used_percent.to_bits(), expected.to_bits(), "{session:?} {now}");
    }
}
