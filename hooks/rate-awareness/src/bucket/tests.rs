//! The arithmetic of one bucket, as vectors and as properties.

use std::time::Duration;

use proptest::prelude::*;
use shared::host::Timestamp;

use super::{Bucket, Minute, Rate};

const START: Timestamp = Timestamp::from_secs(1_795_300_000);

const fn rate(capacity: f64, refill_per_sec: f64) -> Rate {
    Rate { capacity, refill_per_sec }
}

/// The calls at these times (microseconds after the start) without a token: their index from 1, and their number in the empty window.
fn refused(rate: Rate, micros: impl IntoIterator<Item = i64>) -> Vec<(usize, u32)> {
    let mut bucket = Bucket::full(rate, START);
    let mut refused = Vec::new();
    for (index, micros) in micros.into_iter().enumerate() {
        let (next, number) = bucket.take(rate, Timestamp::from_micros(START.micros() + micros));
        bucket = next;
        refused.extend(number.map(|number| (index + 1, number)));
    }
    refused
}

fn indexes(rate: Rate, micros: impl IntoIterator<Item = i64>) -> Vec<usize> {
    refused(rate, micros).into_iter().map(|(index, _)| index).collect()
}

fn numbers(rate: Rate, micros: impl IntoIterator<Item = i64>) -> Vec<u32> {
    refused(rate, micros).into_iter().map(|(_, number)| number).collect()
}

fn every(millis: i64, calls: i64) -> impl Iterator<Item = i64> {
    (0..calls).map(move |call| call * millis * 1000)
}

#[test]
fn the_default_bucket_refuses_the_sixty_first_call_within_a_second() {
    let within = |micros: i64| (0..61).map(move |call| call * micros / 60);
    let default = rate(60.0, 1.0);
    assert_eq!(indexes(default, [0; 63]), [61, 62, 63]);
    assert_eq!(indexes(default, within(999_900)), [61]);
    assert_eq!(indexes(default, within(1_000_000)), [0; 0]);
}

#[test]
fn a_call_without_a_token_leaves_the_fraction_where_it_is() {
    // A loop at ten ninths of the refill rate is refused one time in ten.
    assert_eq!(indexes(rate(2.0, 1.0), every(900, 42)), [12, 22, 32, 42]);
    // A bucket of one token cannot keep what is over one.
    assert_eq!(indexes(rate(1.0, 1.0), every(990, 12)), [2, 4, 6, 8, 10, 12]);
    assert_eq!(indexes(rate(1.0, 0.1), every(1000, 22)).len(), 22 - 3, "ten tenths are a whole");
}

#[test]
fn a_refill_of_zero_and_a_clock_that_goes_back_bring_no_token() {
    assert_eq!(indexes(rate(2.0, 0.0), [0, 0, 1_000_000, 86_400_000_000]), [3, 4]);
    let minute = 60_000_000;
    assert_eq!(indexes(rate(1.0, 1.0), [0, -minute, -minute + 500_000, -minute + 1_000_000]), [2, 3]);
    // Back and forward again: what had come before the jump is not given twice.
    assert_eq!(indexes(rate(1.0, 1.0), [0, 0, -minute, -minute, -minute + 1_000_000]), [2, 3, 4]);
}

#[test]
fn an_empty_window_ends_when_a_call_leaves_a_whole_token_behind() {
    // Twice as fast as the refill: every second call is refused, and it is one window.
    assert_eq!(numbers(rate(60.0, 1.0), every(500, 130)), [1, 2, 3, 4, 5, 6]);
    // Two seconds' rest bring two tokens: the call leaves one of them behind. One second's rest does not.
    assert_eq!(numbers(rate(5.0, 1.0), [0, 0, 0, 0, 0, 0, 0, 2_000_000, 2_000_000, 2_000_000]), [1, 2, 1]);
    assert_eq!(numbers(rate(5.0, 1.0), [0, 0, 0, 0, 0, 0, 0, 1_000_000, 1_000_000]), [1, 2, 3]);
    // A bucket of one token is full with it.
    assert_eq!(numbers(rate(1.0, 1.0), [0, 0, 0, 1_000_000, 1_000_000]), [1, 2, 1]);
}

#[test]
fn reports_when_the_next_token_is_there() {
    for (rate, micros, expected) in [
        (rate(1.0, 1.0), 0, Some(1000)),
        (rate(1.0, 1.0), 250_000, Some(750)),
        (rate(1.0, 4.0), 0, Some(250)),
        (rate(1.0, 0.0), 0, None),
        (rate(1.0, 1e-300), 0, None),
    ] {
        let (bucket, _) = Bucket::full(rate, START).take(rate, START);
        let (bucket, _) = bucket.take(rate, START.plus(Duration::from_micros(micros)));
        assert_eq!(bucket.token_back_after(rate), expected.map(Duration::from_millis), "{rate:?} {micros}");
    }
}

#[test]
fn a_changed_capacity_bounds_the_tokens_and_a_larger_one_fills_by_refill_alone() {
    let full = Bucket::full(rate(60.0, 1.0), START);
    assert_eq!(full.take(rate(2.0, 1.0), START).0.tokens.to_bits(), 1.0_f64.to_bits());
    assert_eq!(full.take(rate(200.0, 1.0), START).0.tokens.to_bits(), 59.0_f64.to_bits());
}

#[test]
fn calls_count_for_a_minute_to_a_slot() {
    for (seconds, expected) in [
        (&[1000, 1004, 1005, 1054][..], 4),
        (&[1000, 1059], 2),
        (&[1000, 1060], 1),
        (&[1000, 1_000_000_000], 1),
        // A clock that goes back forgets no call.
        (&[1000, 1000, 10, 60], 4),
        (&[1000, 1000, 10, 70], 1),
    ] {
        let bucket = seconds.iter().fold(Bucket::full(rate(9.0, 1.0), START), |bucket, secs| {
            bucket.take(rate(9.0, 1.0), Timestamp::from_secs(*secs)).0
        });
        assert_eq!(bucket.calls_in_last_minute(), expected, "{seconds:?}");
    }
}

proptest! {
    #[test]
    fn tokens_lie_between_none_and_the_capacity_whatever_a_file_holds(
        tokens in any::<f64>().prop_filter("JSON has no others", |tokens| tokens.is_finite()),
        last in any::<i64>(), refused in any::<u32>(), capacity in 1.0..1e6, refill_per_sec in 0.0..1e6,
        times in proptest::collection::vec(any::<i64>(), 1..20),
    ) {
        let rate = Rate { capacity, refill_per_sec };
        let last = Timestamp::from_micros(last);
        let mut bucket = Bucket { tokens, last, refused, minute: Minute::default() };
        for now in times.into_iter().map(Timestamp::from_micros) {
            let before = bucket.tokens_at(rate, now);
            let (next, refused) = bucket.take(rate, now);
            prop_assert!((0.0..=capacity).contains(&next.tokens) && next.last == now);
            match refused {
                Some(number) => {
                    prop_assert!(before < 1.0 && number > 0);
                    prop_assert_eq!(next.tokens.to_bits(), before.to_bits(), "the fraction stays");
                }
                None => prop_assert!((next.tokens - (before - 1.0)).abs() <= 1e-6),
            }
            bucket = next;
        }
    }

    #[test]
    fn as_many_calls_have_a_token_as_capacity_and_refill_allow(capacity in 2..50_u32, refill in 1..20_u32, calls in 1..200_i64) {
        // As fast as tokens come back, to the microsecond, after all of them were spent at once; then one more.
        let rate = rate(f64::from(capacity), f64::from(refill));
        let times: Vec<i64> = vec![0; capacity as usize].into_iter()
            .chain((1..=calls).map(|call| (call * 1_000_000 + i64::from(refill) - 1) / i64::from(refill))).collect();
        prop_assert_eq!(indexes(rate, times.iter().copied()), Vec::<usize>::new());
        let last = *times.last().unwrap();
        prop_assert_eq!(indexes(rate, times.into_iter().chain([last, last])).len(), 2);
    }
}
