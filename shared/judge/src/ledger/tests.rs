//! The limits hold over any number of callers, over killed ones, and over a clock that goes back.

use std::fs;

use tempfile::TempDir;

use super::{Tally, reserve, settle, tally};
use crate::settings::{Settings, defaults};
use crate::silence::Silence;
use shared::host::Timestamp;
use shared::state::Store;

use crate::tests::NOON;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(NOON + secs)
}

fn limits(calls: u32, dollars: f64) -> Settings {
    let mut settings = defaults();
    settings.max_calls_per_hour = serde_json::from_value(calls.into()).unwrap();
    settings.max_cost_usd_per_day = serde_json::from_value(dollars.into()).unwrap();
    settings
}

fn store() -> (TempDir, Store) {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(scratch.path()).unwrap();
    (scratch, store)
}

/// Calls at these seconds of at most so many millionths, and why each was not made.
fn check(settings: &Settings, calls: &[(i64, u64, Option<Silence>)]) {
    let (_scratch, store) = store();
    for (number, (secs, at_most, refused)) in calls.iter().enumerate() {
        let reserved = reserve(&store, at(*secs), settings, *at_most);
        assert_eq!(reserved.err(), *refused, "call {number} at {secs}");
    }
}

#[test]
fn calls_count_for_sixty_minutes() {
    let spent = Some(Silence::CallsSpent);
    let calls = [(0, 0, None), (10, 0, None), (20, 0, spent), (HOUR - 1, 0, spent), (HOUR, 0, None)];
    check(&limits(2, 1.0), &calls);
    check(&limits(0, 1.0), &[(0, 0, spent)]);
}

#[test]
fn money_counts_for_a_day_with_what_a_call_may_still_cost() {
    let spent = Some(Silence::MoneySpent);
    check(&limits(100, 1.0), &[(0, 400_000, None), (1, 600_001, spent), (1, 600_000, None), (2, 1, spent)]);
    check(&limits(100, 1.0), &[(0, 1_000_000, None), (DAY - 1, 1, spent), (DAY, 1_000_000, None)]);
    check(&limits(100, 0.0), &[(0, 1, spent), (0, 0, None)]);
    check(&limits(100, 1.0), &[(0, u64::MAX, spent), (0, 1, None), (0, u64::MAX, spent)]);
}

#[test]
fn what_it_did_cost_replaces_what_it_could_have_once() {
    let (_scratch, store) = store();
    let settings = limits(100, 1.0);
    let first = reserve(&store, at(0), &settings, 900_000).unwrap();
    assert_eq!(tally(&store, at(1)), Some(Tally { calls: 1, micro_usd: 900_000 }));
    settle(&store, at(2), first, 1000);
    assert_eq!(tally(&store, at(2)), Some(Tally { calls: 1, micro_usd: 1000 }));
    let second = reserve(&store, at(3), &settings, 900_000).unwrap();
    settle(&store, at(4), second, 2000);
    assert_eq!(tally(&store, at(4)), Some(Tally { calls: 2, micro_usd: 3000 }));
    assert_eq!(tally(&store, at(5 + HOUR)), Some(Tally { calls: 0, micro_usd: 3000 }));
}

#[test]
fn a_clock_that_goes_back_opens_nothing_and_blocks_for_no_longer_than_the_limit() {
    let (calls, money) = (Some(Silence::CallsSpent), Some(Silence::MoneySpent));
    for back in [-1, -HOUR, -2 * DAY, -400 * DAY] {
        let then = [(0, 1, None), (back, 1, calls), (back + HOUR - 1, 1, calls), (back + HOUR, 1, None)];
        check(&limits(1, 1.0), &then);
        let dear =
            [(0, 1_000_000, None), (back, 1, money), (back + DAY - 1, 1, money), (back + DAY, 1, None)];
        check(&limits(100, 1.0), &dear);
    }
}

#[test]
fn what_cannot_be_read_or_written_counts_nothing_and_so_nobody_is_asked() {
    let (scratch, store) = store();
    let file = scratch.path().join("judge.json");
    let refused = || (reserve(&store, at(0), &limits(10, 1.0), 1).err(), tally(&store, at(0)));
    fs::write(&file, r#"{"version":99,"session":"","state":{"calls":7}}"#).unwrap();
    assert_eq!(refused(), (Some(Silence::NoState), None));
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(refused(), (Some(Silence::NoState), None));
    let gone = Store::at(&scratch.path().join("gone"));
    assert_eq!(reserve(&gone, at(0), &limits(10, 1.0), 1).err(), Some(Silence::NoState));
}
