//! The arithmetic of one bucket, as vectors and as properties, loops of calls, and what a session remembers.

use std::time::Duration;

use proptest::prelude::*;
use shared::host::Timestamp;

use super::{Agent, Bucket, Loops, MAX_ENTRIES, Minute, Rate, State, agent_key, bucket_key};

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

fn every(millis: i64, calls: i64) -> Vec<i64> {
    (0..calls).map(|call| call * millis * 1000).collect()
}

#[test]
fn refuses_calls_without_a_whole_token() {
    let (default, minute) = (rate(60.0, 1.0), 60_000_000);
    let within = |micros: i64| (0..61).map(|call| call * micros / 60).collect();
    for (rate, times, expected) in [
        (default, vec![0; 63], &[(61, 1), (62, 2), (63, 3)][..]),
        (default, within(999_900), &[(61, 1)]),
        (default, within(1_000_000), &[]),
        // A loop at ten ninths of the refill rate: the fraction stays, and one call in ten is refused.
        (rate(2.0, 1.0), every(900, 42), &[(12, 1), (22, 2), (32, 3), (42, 4)]),
        (rate(2.0, 0.0), vec![0, 0, 1_000_000, 86_400_000_000], &[(3, 1), (4, 2)]),
        // The clock goes back: what had come before the jump is not given twice.
        (rate(1.0, 1.0), vec![0, 0, -minute, -minute, -minute + 1_000_000], &[(2, 1), (3, 2), (4, 3)]),
        // Twice as fast as the refill is one empty window; it ends when a call leaves a whole token behind.
        (rate(5.0, 1.0), every(500, 15), &[(10, 1), (12, 2), (14, 3)]),
        (rate(2.0, 1.0), vec![0, 0, 0, 2_000_000, 2_000_000, 2_000_000], &[(3, 1), (6, 1)]),
        (rate(1.0, 1.0), vec![0, 0, 0, 1_000_000, 1_000_000], &[(2, 1), (3, 2), (5, 1)]),
    ] {
        assert_eq!(refused(rate, times.clone()), expected, "{rate:?} {times:?}");
    }
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
}

#[test]
fn counts_calls_in_a_row_and_rounds_in_turn() {
    for (calls, in_a_row, rounds, ends_round) in [
        ("a", 1, 0, false),
        ("aaaa", 4, 0, false),
        ("aab", 1, 1, true),
        ("aabb", 2, 0, false),
        ("aa.a", 1, 0, false),
        ("aba", 1, 1, false),
        ("abab", 1, 2, true),
        ("aabab", 1, 2, true),
        ("abba", 1, 1, true),
        ("abac", 1, 1, true),
        ("abab.abab", 1, 2, true),
        ("abcabcabc", 1, 1, true),
    ] {
        let loops = calls.chars().fold(Loops::default(), |loops, call| {
            loops.after((call != '.').then_some(u64::from(u32::from(call))))
        });
        let found = (loops.in_a_row, loops.rounds(), loops.ends_round());
        assert_eq!(found, (in_a_row, rounds, ends_round), "{calls}");
    }
}

/// The state after one call of this agent under this skill, for this prompt.
fn called(state: &State, agent: Option<&str>, skill: &str, prompt: u64, secs: i64) -> State {
    let (agent, now) = (agent_key(agent), Timestamp::from_secs(secs));
    let key = bucket_key(&agent, skill);
    let bucket = Bucket::full(Rate { capacity: 60.0, refill_per_sec: 0.0 }, now);
    let skill = Some(skill.to_owned());
    state.with((agent, Agent { prompt, skill, last: now, ..Agent::default() }), (key, bucket))
}

#[test]
fn no_two_agents_and_skills_share_a_name() {
    let keys = [(None, "a"), (Some("a"), "a"), (Some("a::b"), "c"), (Some("a"), "b::c"), (Some("a:"), "b")]
        .map(|(agent, skill)| bucket_key(&agent_key(agent), skill));
    for (index, key) in keys.iter().enumerate() {
        assert!(!keys[..index].contains(key), "{key}");
    }
}

#[test]
fn beyond_sixty_four_the_least_recently_used_goes() {
    let state = (0..70).fold(called(&State::default(), None, "x", 7, 0), |state, number| {
        called(&state, Some(&format!("a{number:02}")), "x", 7, 1 + number)
    });
    assert_eq!((state.buckets.len(), state.agents.len()), (MAX_ENTRIES, MAX_ENTRIES));
    assert!(!state.buckets.contains_key("main::x") && !state.buckets.contains_key("a05::x"));
    assert!(state.buckets.contains_key("a06::x") && state.buckets.contains_key("a69::x"));
    assert!(state.agent("main", 7).is_some(), "subagents ask for the main session's skill");
    let state = called(&state, Some("late"), "x", 7, -1000);
    assert!(state.buckets.contains_key("late::x"), "the clock went back");
}
