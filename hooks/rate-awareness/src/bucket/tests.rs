//! The arithmetic of one bucket, as vectors and as properties.

use std::time::Duration;

use proptest::prelude::*;
use shared::host::Timestamp;

use super::{Bucket, Rate};

const START: Timestamp = Timestamp::from_secs(1_795_300_000);

const fn rate(capacity: f64, refill_per_sec: f64) -> Rate {
    Rate { capacity, refill_per_sec }
}

/// Which of the calls at these times (microseconds after the start) are refused, counted from 1.
fn refused(rate: Rate, micros: impl IntoIterator<Item = i64>) -> Vec<usize> {
    let mut bucket = Bucket::full(rate, START);
    let mut refused = Vec::new();
    for (index, micros) in micros.into_iter().enumerate() {
        let (next, number) = bucket.take(rate, Timestamp::from_micros(START.micros() + micros));
        bucket = next;
        refused.extend(number.map(|_| index + 1));
    }
    refused
}

/// The numbers of the refused calls within their spells.
fn numbers(rate: Rate, micros: impl IntoIterator<Item = i64>) -> Vec<u32> {
    let mut bucket = Bucket::full(rate, START);
    let mut numbers = Vec::new();
    for micros in micros {
        let (next, number) = bucket.take(rate, Timestamp::from_micros(START.micros() + micros));
        bucket = next;
        numbers.extend(number);
    }
    numbers
}

fn every(millis: i64, calls: i64) -> impl Iterator<Item = i64> {
    (0..calls).map(move |call| call * millis * 1000)
}

/// Calls spread evenly from the start to the last one.
fn within(micros: i64, calls: i64) -> impl Iterator<Item = i64> {
    (0..calls).map(move |call| call * micros / (calls - 1))
}

#[test]
fn the_default_bucket_refuses_the_sixty_first_call_within_a_second() {
    let default = rate(60.0, 1.0);
    assert_eq!(refused(default, [0; 63]), [61, 62, 63]);
    assert_eq!(refused(default, within(990_000, 61)), [61]);
    assert_eq!(refused(default, within(999_900, 61)), [61]);
    assert_eq!(refused(default, within(1_000_000, 61)), [0; 0]);
    assert_eq!(refused(default, within(1_050_000, 61)), [0; 0]);
    assert_eq!(refused(default, every(40, 64)).first(), Some(&63));
}

#[test]
fn a_refused_call_leaves_the_fraction_where_it_is() {
    // A loop at ten ninths of the refill rate is refused one time in ten.
    assert_eq!(refused(rate(2.0, 1.0), every(900, 42)), [12, 22, 32, 42]);
    // A bucket of one token cannot keep what is over one.
    assert_eq!(refused(rate(1.0, 1.0), every(990, 12)), [2, 4, 6, 8, 10, 12]);
    assert_eq!(refused(rate(1.0, 1.0), every(500, 7)), [2, 4, 6]);
    assert_eq!(refused(rate(1.0, 0.1), every(1000, 22)).len(), 22 - 3, "ten tenths are a whole");
}

#[test]
fn a_token_that_lacks_a_millionth_is_whole_and_leaves_nothing_behind() {
    let almost = Bucket { tokens: 1.0 - 1e-7, ..Bucket::full(rate(1.0, 0.0), START) };
    let (next, refused) = almost.take(rate(1.0, 0.0), START);
    assert_eq!((next.tokens.to_bits(), refused), (0.0_f64.to_bits(), None));
    let less = Bucket { tokens: 1.0 - 1e-5, ..almost };
    assert_eq!(less.take(rate(1.0, 0.0), START).1, Some(1));
}

#[test]
fn a_refill_of_zero_never_brings_a_token_back() {
    let micros = [0, 0, 1_000_000, 86_400_000_000, 31_536_000_000_000];
    assert_eq!(refused(rate(2.0, 0.0), micros), [3, 4, 5]);
    let (empty, _) = Bucket::full(rate(1.0, 0.0), START).take(rate(1.0, 0.0), START);
    assert_eq!(empty.token_back_after(rate(1.0, 0.0)), None);
}

#[test]
fn a_clock_that_goes_back_brings_nothing_and_its_time_is_taken_over() {
    let minute = 60_000_000;
    assert_eq!(refused(rate(1.0, 1.0), [0, -minute, -minute + 500_000, -minute + 1_000_000]), [2, 3]);
    // Back and forward again: what had come before the jump is not given twice.
    assert_eq!(refused(rate(1.0, 1.0), [0, 0, -minute, -minute, -minute + 1_000_000]), [2, 3, 4]);
    assert_eq!(refused(rate(1.0, 1.0), [0, i64::MIN / 2, i64::MIN / 2]), [2, 3]);
}

#[test]
fn an_empty_spell_ends_when_a_call_leaves_a_whole_token_behind() {
    // Twice as fast as the refill: every second call is refused, and it is one spell.
    assert_eq!(numbers(rate(60.0, 1.0), every(500, 130)), [1, 2, 3, 4, 5, 6]);
    // Two seconds' rest bring two tokens: the call leaves one of them behind.
    assert_eq!(numbers(rate(5.0, 1.0), [0, 0, 0, 0, 0, 0, 0, 2_000_000, 2_000_000, 2_000_000]), [1, 2, 1]);
    // One second's rest does not.
    assert_eq!(numbers(rate(5.0, 1.0), [0, 0, 0, 0, 0, 0, 0, 1_000_000, 1_000_000]), [1, 2, 3]);
    // A bucket of one token is full with it.
    assert_eq!(numbers(rate(1.0, 1.0), [0, 0, 0, 1_000_000, 1_000_000]), [1, 2, 1]);
}

#[test]
fn says_when_the_next_token_is_there() {
    let after = |capacity, refill, micros: &[i64]| {
        let rate = rate(capacity, refill);
        let take = |bucket: Bucket, micros: &i64| {
            bucket.take(rate, Timestamp::from_micros(START.micros() + micros)).0
        };
        micros.iter().fold(Bucket::full(rate, START), take).token_back_after(rate)
    };
    assert_eq!(after(1.0, 1.0, &[0, 0]), Some(Duration::from_secs(1)));
    assert_eq!(after(1.0, 1.0, &[0, 250_000]), Some(Duration::from_millis(750)));
    assert_eq!(after(1.0, 4.0, &[0, 0]), Some(Duration::from_millis(250)));
    assert_eq!(after(2.0, 1.0, &[0]), Some(Duration::ZERO));
    assert_eq!(after(1.0, 1e-300, &[0]), None, "longer than time lasts");
}

#[test]
fn a_bucket_that_is_full_again_and_long_unused_is_as_new() {
    let rate = rate(60.0, 1.0);
    let (used, _) = Bucket::full(rate, START).take(rate, START);
    let at = |secs| START.plus(Duration::from_secs(secs));
    assert!(!used.is_as_new(rate, at(60)), "its calls still count in the last minute");
    assert!(used.is_as_new(rate, at(61)));
    assert!(!used.is_as_new(super::Rate { refill_per_sec: 0.0, ..rate }, at(1_000_000)));
    assert!(!used.is_as_new(rate, Timestamp::from_secs(0)), "a clock that went back makes nothing old");
}

#[test]
fn a_changed_capacity_bounds_what_is_left_and_grows_by_refill_alone() {
    let full = Bucket::full(rate(60.0, 1.0), START);
    let (bounded, _) = full.take(rate(2.0, 1.0), START);
    assert_eq!(bounded.tokens.to_bits(), 1.0_f64.to_bits());
    let (grown, _) = full.take(rate(200.0, 1.0), START);
    assert_eq!(grown.tokens.to_bits(), 59.0_f64.to_bits());
}

/// Any bucket a file could hold.
fn bucket() -> impl Strategy<Value = Bucket> {
    let tokens =
        prop_oneof![any::<f64>().prop_filter("JSON has no others", |tokens| tokens.is_finite()), 0.0..100.0];
    (tokens, any::<i64>(), any::<u32>()).prop_map(|(tokens, last, refused)| Bucket {
        tokens,
        last: Timestamp::from_micros(last),
        refused,
        minute: super::Minute::default(),
    })
}

fn any_rate() -> impl Strategy<Value = Rate> {
    let refill = prop_oneof![Just(0.0), 0.0..10.0, 0.0..1e6];
    (prop_oneof![1.0..100.0, 1.0..1e6], refill).prop_map(|(capacity, refill)| rate(capacity, refill))
}

proptest! {
    #[test]
    fn tokens_lie_between_none_and_the_capacity_whatever_a_file_holds(
        bucket in bucket(), rate in any_rate(), times in proptest::collection::vec(any::<i64>(), 1..20)
    ) {
        let mut bucket = bucket;
        for micros in times {
            let now = Timestamp::from_micros(micros);
            let before = bucket.tokens_at(rate, now);
            prop_assert!((0.0..=rate.capacity).contains(&before));
            let (next, refused) = bucket.take(rate, now);
            prop_assert!(next.tokens >= 0.0 && next.tokens <= rate.capacity);
            prop_assert_eq!(next.last, now);
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
    fn no_more_calls_are_admitted_than_capacity_and_refill_allow(
        rate in any_rate(), steps in proptest::collection::vec(0..3_000_000_i64, 1..300)
    ) {
        let times: Vec<i64> = steps.iter().scan(0, |now, step| { *now += step; Some(*now) }).collect();
        let refused = refused(rate, times.iter().copied());
        for (first, _) in times.iter().enumerate().step_by(7) {
            for (last, _) in times.iter().enumerate().skip(first).step_by(5) {
                let admitted = (first..=last).filter(|index| !refused.contains(&(index + 1))).count();
                #[expect(clippy::cast_precision_loss, reason = "small numbers")]
                let (admitted, elapsed) = (admitted as f64, (times[last] - times[first]) as f64 / 1e6);
                prop_assert!(admitted <= rate.capacity + rate.refill_per_sec * elapsed + 1e-3);
            }
        }
    }

    #[test]
    fn nothing_that_is_allowed_is_refused(capacity in 2..50_u32, refill in 1..20_u32, calls in 1..200_i64) {
        // As fast as tokens come back, to the microsecond, after all of them were spent at once.
        let rate = rate(f64::from(capacity), f64::from(refill));
        let at_once = vec![0; capacity as usize];
        let later = (1..=calls).map(|call| (call * 1_000_000 + i64::from(refill) - 1) / i64::from(refill));
        prop_assert_eq!(refused(rate, at_once.into_iter().chain(later)), Vec::<usize>::new());
    }

    #[test]
    fn a_bucket_written_and_read_again_is_the_same_to_a_grain(bucket in bucket(), rate in any_rate()) {
        let read: Bucket = serde_json::from_str(&serde_json::to_string(&bucket).unwrap()).unwrap();
        let now = bucket.last;
        let apart = read.tokens_at(rate, now) - bucket.tokens_at(rate, now);
        prop_assert!(apart.abs() <= 1e-6 && read.last == bucket.last && read.refused == bucket.refused);
    }
}
