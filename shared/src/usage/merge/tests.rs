//! Readings taken in, in any order, from any number of sessions.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{Observed, Sight, Source, Usage, Window};
use super::{MAX_OTHER_ACCOUNTS, MAX_WINDOWS, merge};

const FIVE: &str = "five_hour";
const SEVEN: &str = "seven_day";

/// The time at which the tables begin.
const T: i64 = 1_000_000;

/// The window in which they begin ends so much later.
const R: i64 = 10_000;

fn windows(told: &[(&str, f64, i64)]) -> BTreeMap<String, Window> {
    let window = |used_percent, resets_at| Window { used_percent, resets_at, observed_at: 0 };
    told.iter().map(|(name, used, resets_at)| ((*name).to_owned(), window(*used, *resets_at))).collect()
}

fn seen(after: i64, told: &[(&str, f64, i64)]) -> Observed {
    let told: Vec<_> = told.iter().map(|(name, used, resets)| (*name, *used, T + resets)).collect();
    Observed { at: T + after, source: Source::StatusLine, sight: Sight::Found, windows: windows(&told) }
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
        ("less, told by a session that lags", seen(10, &[(FIVE, 39.0, R)]), (40.0, R, 10)),
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
fn much_less_counts_at_once_if_the_server_has_just_told_it() {
    let told = |after, used| Observed { sight: Sight::Answered, ..seen(after, &[(FIVE, used, R)]) };
    let found = |after, used| seen(after, &[(FIVE, used, R)]);
    for (what, later, expected) in [
        ("twenty points less", vec![told(1, 40.0)], 40.0),
        ("a reply in flight", vec![told(1, 40.5)], 60.0),
        ("a session that waits repeats old numbers", vec![found(1, 5.0)], 60.0),
        ("written down late", vec![told(-1, 5.0)], 60.0),
        ("a session that waits repeats the higher number", vec![told(1, 5.0), found(2, 60.0)], 60.0),
        ("and then it goes on", vec![told(1, 5.0), told(2, 8.0)], 8.0),
    ] {
        let usage = known(&[vec![found(-9, 55.0), found(0, 60.0)], later].concat());
        assert_eq!(held(&usage, FIVE).map(|held| held.0), Some(expected), "{what}");
    }
}

#[test]
fn two_accounts_that_take_turns_forget_nothing_of_each_other() {
    let sights = [(0, 60.0, R), (10, 20.0, R + 500), (20, 58.0, R), (30, 19.0, R + 500), (40, 61.0, R)];
    let held: Vec<_> = (1..=sights.len())
        .map(|count| {
            let told = sights[..count].iter().map(|(at, used, end)| seen(*at, &[(FIVE, *used, *end)]));
            held(&known(&told.collect::<Vec<_>>()), FIVE).map_or(0.0, |held| held.0)
        })
        .collect();
    assert_eq!(held, [60.0, 20.0, 60.0, 20.0, 61.0]);
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
fn what_nobody_can_have_seen_does_not_count() {
    let (hour, day) = (3600, 24 * 3600);
    for (name, used, resets_at, counts) in [
        (FIVE, 1000.0, R, true),
        (FIVE, 1000.5, R, false),
        (FIVE, 1e18, R, false),
        (FIVE, 1.0, 6 * hour, true),
        (FIVE, 1.0, 6 * hour + 1, false),
        (SEVEN, 1.0, 7 * day + hour, true),
        (SEVEN, 1.0, 7 * day + hour + 1, false),
        ("seven_day_opus", 1.0, 31 * day + hour, true),
        ("seven_day_opus", 1.0, 31 * day + hour + 1, false),
        (FIVE, 1.0, i64::MAX - T, false),
    ] {
        let usage = known(&[seen(0, &[(name, used, resets_at)])]);
        assert_eq!(held(&usage, name).is_some(), counts, "{name} {used} {resets_at}");
    }
}

#[test]
fn there_are_so_many_windows_and_room_for_those_that_are_paced_by() {
    let names: Vec<String> = (0..40).map(|number| format!("a{number:02}")).collect();
    let told: Vec<_> = names.iter().map(|name| (name.as_str(), 1.0, R)).collect();
    let usage = known(&[seen(0, &told), seen(10, &[(FIVE, 40.0, R), (SEVEN, 17.0, R)])]);
    assert_eq!(usage.windows.len(), MAX_WINDOWS);
    assert!(held(&usage, FIVE).is_some() && held(&usage, SEVEN).is_some());
}

#[test]
fn windows_of_the_last_other_accounts_are_kept_until_they_end() {
    let turns: Vec<_> = (0..6).map(|turn| seen(turn, &[(FIVE, 10.0, R + 1000 * turn)])).collect();
    let others = |usage: &Usage| -> Vec<i64> {
        usage.others.values().flatten().map(|window| window.resets_at - T - R).collect()
    };
    assert_eq!(others(&known(&turns)), [4000, 3000, 2000]);
    let later = seen(R + 3000, &[(FIVE, 10.0, R + 5000)]);
    assert_eq!(others(&known(&[turns, vec![later]].concat())), [4000]);
}

/// Seen within an hour: what is later than that by the clock counts as an error of the clock.
fn sight() -> impl Strategy<Value = Observed> {
    (0..3500_i64, 0..120_u32, 0..3_i64, -90..=90_i64, any::<bool>()).prop_map(
        |(at, used, end, play, both)| {
            let resets_at = (end + 1) * 1000 + play / 2;
            let mut told = vec![(FIVE, f64::from(used), resets_at)];
            if both {
                told.push((SEVEN, f64::from(used) / 7.0, 600_000 + play / 2));
            }
            seen(at, &told)
        },
    )
}

proptest! {
    #[test]
    fn what_is_known_is_in_order_whatever_is_seen(sights in vec(sight(), 0..200)) {
        let mut usage = Usage::default();
        for sight in &sights {
            let before = usage.clone();
            usage = merge(usage, sight);
            prop_assert!(usage.observed_at >= before.observed_at);
            for (name, others) in &usage.others {
                prop_assert!((1..=MAX_OTHER_ACCOUNTS).contains(&others.len()));
                prop_assert!(others.iter().all(|other| !other.is_same_window(&usage.windows[name])));
            }
            for (name, window) in &usage.windows {
                prop_assert!(window.resets_at > window.observed_at && window.observed_at <= usage.observed_at);
                let old = before.windows.get(name);
                let same = old.filter(|old| old.resets_at.abs_diff(window.resets_at) <= 90);
                prop_assert!(same.is_none_or(|old| old.used_percent <= window.used_percent));
            }
        }
    }
}
