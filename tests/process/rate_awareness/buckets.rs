//! The token bucket over real processes: sixty calls and the next one, the fraction that stays, clocks that jump, and many
//! calls at once.

use super::{Calls, now_micros, only_capacity, told};
use crate::driver::notice;
use std::time::Instant;

#[test]
fn sixty_calls_at_once_are_silent_and_the_sixty_first_is_told_with_the_numbers() {
    let calls = Calls::new(&only_capacity(60));
    for number in 1..=60 {
        assert_eq!(calls.call(&number.to_string()), None, "call {number}");
    }
    let text = notice(calls.call("61").as_ref());
    assert!(
        text.starts_with(
            "rate-awareness.global_default: the bucket `ungated` is empty: 61 calls in the last minute; \
             allowed are 60 at once and 0 a minute in the long run. No token comes back,"
        ),
        "{text}"
    );
    assert_eq!(calls.call("62").map(|_| ()), Some(()), "the second of the spell is told, too");
    let journal = calls.journal();
    let is_advice = journal.contains(r#""what":"advise","rule":"rate-awareness.global_default""#);
    assert!(is_advice && journal.contains("the bucket `ungated` is empty"), "{journal}");
}

#[test]
fn without_any_configuration_sixty_calls_in_a_second_are_the_limit_and_one_a_second_comes_back() {
    let calls = Calls::unconfigured();
    let began = Instant::now();
    let (mut silent, mut answer) = (0_u64, None);
    while answer.is_none() && silent < 1000 {
        answer = calls.call(&silent.to_string());
        silent += u64::from(answer.is_none());
    }
    // On a slow machine some tokens come back meanwhile.
    assert!((60..=60 + began.elapsed().as_secs()).contains(&silent), "{silent} in {:?}", began.elapsed());
    let text = notice(answer.as_ref());
    assert!(
        text.contains(" allowed are 60 at once and 60 a minute in the long run. The next token is back in "),
        "{text}"
    );
    assert!(answer.unwrap()["hookSpecificOutput"].is_null(), "the call goes on");
}

#[test]
fn refused_calls_are_told_at_powers_of_two_and_silent_in_between() {
    assert_eq!(Calls::new(&only_capacity(1)).told_at(18), [2, 3, 5, 9, 17]);
}

#[test]
fn a_refused_call_leaves_the_fraction_where_it_is() {
    let calls = Calls::new(&only_capacity(1));
    calls.remember(0.75, now_micros());
    assert!(calls.call("a").is_some());
    assert_eq!(calls.bucket("main::ungated")["tokens"], 0.75);
    assert!(calls.call("b").is_some());
    assert_eq!(calls.bucket("main::ungated")["tokens"], 0.75);
    assert_eq!(calls.bucket("main::ungated")["refused"], 2);
}

#[test]
fn a_single_call_is_told_as_one() {
    let calls = Calls::new(&only_capacity(1));
    calls.remember(0.0, now_micros());
    assert!(notice(calls.call("a").as_ref()).contains("is empty: 1 call in the last minute;"));
}

#[test]
fn a_clock_that_went_back_brings_no_token_and_its_time_is_taken_over() {
    let calls = Calls::new("rate-awareness: {global_default: {capacity: 60, refill_per_sec: 0.000001}}\n");
    let future = now_micros() + 86_400_000_000;
    calls.remember(0.5, future);
    assert!(calls.call("a").is_some());
    let bucket = calls.bucket("main::ungated");
    assert!(bucket["last"].as_i64().unwrap() < future, "{bucket}");
    assert!((bucket["tokens"].as_f64().unwrap() - 0.5).abs() < 1e-3, "{bucket}");
}

#[test]
fn a_clock_far_ahead_fills_the_bucket_and_no_more() {
    let calls = Calls::new("rate-awareness: {global_default: {capacity: 3, refill_per_sec: 0.000001}}\n");
    calls.remember(0.0, 0);
    // Since 1970 more than the capacity has come back.
    assert_eq!(calls.silent_calls(), 3);
}

#[test]
fn eighty_calls_at_once_pay_one_token_each() {
    const COPIES: u64 = 80;
    let calls = Calls::new(&only_capacity(50));
    let payloads: Vec<_> = (0..COPIES).map(|number| calls.bash(&number.to_string())).collect();
    let answers = calls.ask_at_once(&payloads);
    // On a loaded machine a copy may not get the lock in its second: then it passes and says so.
    let busy = calls.journal().matches("held by another process").count() as u64;
    assert!(busy < COPIES / 4, "{busy} copies gave up");
    let bucket = calls.bucket("main::ungated");
    let refused = COPIES - busy - 50;
    assert_eq!((&bucket["tokens"], &bucket["refused"]), (&0.0.into(), &refused.into()), "{bucket}");
    let powers = (1..=refused).filter(|number| number.is_power_of_two()).count();
    assert_eq!(told(&answers).len(), powers, "each number of the spell is told once");
}
