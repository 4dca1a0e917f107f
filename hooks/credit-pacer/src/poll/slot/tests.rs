//! When the usage API may be asked next, after each thing that can happen.

use std::time::Duration;

use proptest::prelude::*;
use shared::host::Timestamp;
use shared::state::Store;

use super::{Slot, after, taken};
use crate::poll::trouble::{Kind, Trouble};

const INTERVAL: Duration = Duration::from_secs(600);

const fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(secs)
}

fn failed(kind: Kind, retry_after: Option<u64>) -> Result<(), Trouble> {
    Err(Trouble { kind, retry_after: retry_after.map(Duration::from_secs) })
}

#[test]
fn how_long_nobody_asks() {
    // What happened, how often it had failed before, the interval; then the wait and the failures in a row.
    for (result, failures, interval, wait, then) in [
        (failed(Kind::TooMany, None), 0, 300, 300, 1),
        (failed(Kind::TooMany, None), 1, 300, 600, 2),
        (failed(Kind::TooMany, None), 2, 300, 1200, 3),
        (failed(Kind::TooMany, None), 3, 300, 2400, 4),
        (failed(Kind::TooMany, None), 4, 300, 3600, 5),
        (failed(Kind::TooMany, None), 400, 300, 3600, 401),
        (failed(Kind::TooMany, None), u32::MAX, 300, 3600, u32::MAX),
        // Never sooner than without a failure.
        (failed(Kind::TooMany, None), 0, 600, 600, 1),
        (failed(Kind::TooMany, None), 0, 7200, 7200, 1),
        (failed(Kind::TooMany, Some(3405)), 0, 600, 3405, 1),
        (failed(Kind::TooMany, Some(3405)), 4, 600, 3600, 5),
        (failed(Kind::TooMany, Some(7000)), 4, 600, 7000, 5),
        (failed(Kind::TooMany, Some(0)), 3, 600, 2400, 4),
        (failed(Kind::TooMany, Some(u64::MAX)), 0, 600, 86_400, 1),
        (failed(Kind::Server, None), 2, 600, 1200, 3),
        (failed(Kind::Server, Some(1500)), 0, 600, 1500, 1),
        (failed(Kind::Timeout, None), 3, 600, 2400, 4),
        (failed(Kind::Unreachable, None), 3, 600, 2400, 4),
        (failed(Kind::Garbage, None), 3, 600, 2400, 4),
        (failed(Kind::Strange, None), 3, 600, 2400, 4),
        (failed(Kind::Refused, None), 0, 600, 3600, 1),
        (failed(Kind::Refused, None), 5, 600, 3600, 6),
        (failed(Kind::NoLogin, None), 2, 600, 600, 2),
        (failed(Kind::Expired, None), 2, 600, 600, 2),
        (failed(Kind::NoCourier, None), 0, 600, 600, 0),
        (failed(Kind::NotKept, None), 0, 600, 600, 0),
    ] {
        let slot = Slot { next_at: 1600, asked_at: 1000, failures, trouble: None };
        let trouble = result.err().map(|trouble| trouble.kind);
        let expected = Slot { next_at: 1010 + wait, failures: then, trouble, ..slot };
        assert_eq!(after(result, slot, at(1010), Duration::from_secs(interval)), expected, "{result:?}");
    }
}

#[test]
fn a_reading_ends_all_trouble_and_the_next_is_due_as_if_there_had_been_none() {
    let slot = Slot { next_at: 1600, asked_at: 1000, failures: 7, trouble: Some(Kind::Server) };
    let expected = Slot { failures: 0, trouble: None, ..slot };
    assert_eq!(after(Ok(()), slot, at(1010), INTERVAL), expected);
}

#[test]
fn due_from_its_time_on_and_where_the_clock_went_back() {
    let slot = Slot { next_at: 1600, asked_at: 1000, ..Slot::default() };
    for (now, due) in [(1000, false), (1599, false), (1600, true), (9999, true), (999, true), (0, true)] {
        assert_eq!(slot.is_due(at(now)), due, "{now}");
    }
    assert!(Slot::default().is_due(at(0)));
    assert!(!taken(Slot::default(), at(0), INTERVAL).is_due(at(599)));
}

#[test]
fn of_many_at_once_one_takes_it_and_a_new_process_keeps_to_what_was_settled() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(scratch.path()).unwrap();
    let takers = |now| {
        std::thread::scope(|scope| {
            let all: Vec<_> =
                (0..16).map(|_| scope.spawn(|| Slot::take(&store, at(now), INTERVAL))).collect();
            all.into_iter().map(|one| one.join().unwrap()).filter(|has_it| *has_it).count()
        })
    };
    assert_eq!(takers(1000), 1);
    assert_eq!(takers(1599), 0);
    let before = Slot::settle(&store, failed(Kind::TooMany, Some(2000)), at(1001), INTERVAL);
    assert_eq!(before.map(|slot| slot.trouble), Some(None));
    assert_eq!(takers(3000), 0);
    assert!(!Slot::peek(&store).is_due(at(3000)));
    assert!(Slot::peek(&store).is_due(at(3001)));
    assert_eq!(takers(3001), 1);
    let before = Slot::settle(&store, Ok(()), at(3002), INTERVAL).unwrap();
    assert_eq!((before.trouble, before.failures), (Some(Kind::TooMany), 1));
    assert_eq!(Slot::peek(&store), Slot { next_at: 3601, asked_at: 3001, failures: 0, trouble: None });
}

#[test]
fn what_cannot_be_kept_is_not_taken() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::at(&scratch.path().join("missing"));
    assert!(!Slot::take(&store, at(1000), INTERVAL));
    std::fs::write(scratch.path().join("usage-poll.json"), r#"{"version":99,"session":"","state":{}}"#)
        .unwrap();
    assert!(!Slot::take(&Store::at(scratch.path()), at(1000), INTERVAL), "a newer version's");
}

fn any_kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![
        Kind::NoLogin,
        Kind::Expired,
        Kind::Refused,
        Kind::TooMany,
        Kind::Server,
        Kind::Strange,
        Kind::Garbage,
        Kind::Unreachable,
        Kind::Timeout,
        Kind::NoCourier,
        Kind::NotKept,
    ])
}

proptest! {
    #[test]
    fn nobody_asks_sooner_than_the_interval_nor_waits_longer_than_a_day(
        kind in any_kind(),
        retry_after in any::<Option<u64>>(),
        failures in any::<u32>(),
        now in 0_i64..10_000_000_000,
        interval in 300_u64..=86_400,
    ) {
        let slot = taken(Slot { failures, ..Slot::default() }, at(now), Duration::from_secs(interval));
        let settled = after(failed(kind, retry_after), slot, at(now), Duration::from_secs(interval));
        let wait = settled.next_at - now;
        prop_assert!(wait >= i64::try_from(interval).unwrap());
        prop_assert!(wait <= 86_400);
    }
}
