//! When the usage API may be asked next, after each possible result.

use std::time::Duration;

use shared::host::Timestamp;
use shared::state::Store;

use super::{Failure, Slot};

const INTERVAL: Duration = Duration::from_secs(600);

const fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(secs)
}

/// The server was asked, and wants to be left alone for so long.
const fn failed(wait: u64) -> Result<(), Failure> {
    Err(("busy", Some(Duration::from_secs(wait))))
}

#[test]
fn each_failure_has_its_wait() {
    let not_asked = Err(("no login", None));
    // The result, the failures before it, the interval; then the wait and the failures in a row.
    for (result, failures, interval, wait, then) in [
        (failed(0), 0, 300, 300, 1),
        (failed(0), 2, 600, 2400, 3),
        (failed(0), 3, 300, 2400, 4),
        (failed(0), u32::MAX, 300, 3600, u32::MAX),
        // Never sooner than without a failure.
        (failed(0), 0, 600, 600, 1),
        (failed(0), 0, 7200, 7200, 1),
        (failed(3405), 0, 600, 3405, 1),
        (failed(u64::MAX), 0, 600, 86_400, 1),
        (not_asked, 2, 600, 600, 2),
    ] {
        let slot = Slot { next_at: 1600, asked_at: 1000, failures, trouble: None };
        let trouble = result.err().map(|(why, _)| why.to_owned());
        let expected = Slot { next_at: 1010 + wait, failures: then, trouble, ..slot };
        assert_eq!(slot.after(result, at(1010), Duration::from_secs(interval)), expected, "{result:?}");
    }
    let slot = Slot { next_at: 1600, asked_at: 1000, failures: 7, trouble: Some("busy".to_owned()) };
    assert_eq!(slot.after(Ok(()), at(1010), INTERVAL), Slot { failures: 0, trouble: None, ..slot });
}

#[test]
fn one_of_many_takes_it_and_a_new_process_keeps_to_what_was_settled() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(scratch.path()).unwrap();
    let takers = |now| {
        std::thread::scope(|scope| {
            let all: Vec<_> =
                (0..16).map(|_| scope.spawn(|| Slot::take(&store, at(now), INTERVAL))).collect();
            all.into_iter().map(|one| one.join().unwrap()).filter(|has_it| *has_it).count()
        })
    };
    assert_eq!((takers(1000), takers(1599)), (1, 0));
    assert!(Slot::peek(&store).is_due(at(999)), "the clock went back");
    let settle = |result, secs| Slot::settle(&store, result, at(secs), INTERVAL);
    settle(failed(2000), 1001);
    settle(failed(2000), 1001);
    assert_eq!((takers(3000), takers(3001)), (0, 1));
    assert_eq!(Slot::peek(&store).failures, 2);
    settle(Ok(()), 3002);
    assert_eq!(Slot::peek(&store), Slot { next_at: 3601, asked_at: 3001, failures: 0, trouble: None });
}

#[test]
fn a_slot_that_cannot_be_kept_is_not_taken() {
    let scratch = tempfile::tempdir().unwrap();
    assert!(!Slot::take(&Store::at(&scratch.path().join("missing")), at(1000), INTERVAL));
    let newer = r#"{"version":99,"session":"","state":{}}"#;
    std::fs::write(scratch.path().join("usage-poll.json"), newer).unwrap();
    assert!(!Slot::take(&Store::at(scratch.path()), at(1000), INTERVAL), "a newer version's");
}
