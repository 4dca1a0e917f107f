//! The limits hold over any number of callers, over killed ones, and over a clock that goes back; prices to the last millionth.

use std::fs;

use serde_json::{Map, json};

use super::{Tally, at_most, lines, price, reserve, settle, tally};
use crate::question::Tokens;
use crate::silence::Silence;
use crate::tests::{NOON, Scene, settings};
use crate::{Backend, Settings};
use shared::host::Timestamp;
use shared::state::Store;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(NOON + secs)
}

fn limits(calls: u32, dollars: f64) -> Settings {
    settings(&json!({ "max_calls_per_hour": calls, "max_cost_usd_per_day": dollars }))
}

/// Calls at these seconds of at most so many millionths, and why each was not made.
fn check(calls: u32, dollars: f64, script: &[(i64, u64, Option<Silence>)]) {
    let scene = Scene::new();
    for (secs, at_most, refused) in script {
        let reserved = reserve(&scene.store, at(*secs), &limits(calls, dollars), *at_most);
        assert_eq!(reserved.err(), *refused, "the call at {secs} of {script:?}");
    }
}

#[test]
fn calls_count_for_an_hour_and_money_for_a_day_with_what_a_call_may_still_cost() {
    let spent = Some(Silence::CallsSpent);
    check(2, 1.0, &[(0, 0, None), (10, 0, None), (20, 0, spent), (HOUR - 1, 0, spent), (HOUR, 0, None)]);
    check(0, 1.0, &[(0, 0, spent)]);
    let spent = Some(Silence::MoneySpent);
    check(100, 1.0, &[(0, 400_000, None), (1, 600_001, spent), (1, 600_000, None), (2, 1, spent)]);
    check(100, 1.0, &[(0, 1_000_000, None), (DAY - 1, 1, spent), (DAY, 1_000_000, None)]);
    check(100, 0.0, &[(0, 1, spent), (0, 0, None)]);
    check(100, 1.0, &[(0, 1, None), (0, u64::MAX, spent)]);
}

#[test]
fn a_clock_that_goes_back_opens_nothing_and_blocks_for_no_longer_than_the_limit() {
    for (calls, cost, limit, spent) in
        [(1, 1, HOUR, Silence::CallsSpent), (100, 1_000_000, DAY, Silence::MoneySpent)]
    {
        for back in [-1, -HOUR, -2 * DAY, -400 * DAY] {
            let script =
                [(0, None), (back, Some(spent)), (back + limit - 1, Some(spent)), (back + limit, None)];
            check(calls, 1.0, &script.map(|(secs, refused)| (secs, cost, refused)));
        }
    }
}

#[test]
fn real_cost_replaces_the_reserved_cost_once() {
    let scene = Scene::new();
    let (store, settings) = (&scene.store, &scene.settings);
    let first = reserve(store, at(0), settings, 900_000).unwrap();
    assert_eq!(tally(store, at(1)), Some(Tally { calls: 1, micro_usd: 900_000 }));
    settle(store, at(2), first, 1000);
    assert_eq!(tally(store, at(2)), Some(Tally { calls: 1, micro_usd: 1000 }));
    let second = reserve(store, at(3), settings, 900_000).unwrap();
    settle(store, at(4), second, 2000);
    assert_eq!(tally(store, at(4)), Some(Tally { calls: 2, micro_usd: 3000 }));
    assert_eq!(tally(store, at(5 + HOUR)), Some(Tally { calls: 0, micro_usd: 3000 }));
}

#[test]
fn unreadable_ledger_allows_no_question() {
    let scene = Scene::new();
    let ledger = r#"{"version":99,"session":"","state":{"calls":7}}"#;
    fs::write(scene.store.dir().join("judge.json"), ledger).unwrap();
    for store in [&scene.store, &Store::at(&scene.store.dir().join("gone"))] {
        assert_eq!(reserve(store, at(0), &scene.settings, 1), Err(Silence::NoState));
        assert_eq!(tally(store, at(0)), None);
    }
}

fn with(prices: &[(&str, f64, f64)]) -> Settings {
    let price = |of: &(&str, f64, f64)| (of.0.to_owned(), json!({ "input": of.1, "output": of.2 }));
    settings(&json!({ "prices": prices.iter().map(price).collect::<Map<_, _>>() }))
}

#[test]
fn the_longest_beginning_counts_whoever_provides_the_model_and_for_none_the_dearest_price() {
    let listed = with(&[
        ("claude-sonnet", 3.0, 15.0),
        ("Claude-Sonnet-5-5", 2.0, 10.0),
        ("claude", 7.0, 7.0),
        ("us.anthropic.claude-opus", 5.0, 25.0),
        ("", 0.0, 0.0),
    ]);
    for (model, input, output, cost) in [
        ("anthropic.claude-sonnet-5-5-v1:0", 100, 0, 200),
        ("projects/anthropic/models/claude-sonnet-4", 100, 0, 300),
        ("us.anthropic.claude-opus-4", 100, 0, 500),
        ("eu.anthropic.claude-opus-4", 100, 0, 700),
        // Just these tokens count.
        ("sonnet", 100, 0, 700),
        ("sonnet", 0, 100, 2500),
    ] {
        assert_eq!(price(&listed, model, Tokens { input, output }), cost, "{model}");
    }
}

#[test]
fn a_fraction_is_rounded_up_and_nothing_overflows() {
    for (dollars, input, output, cost) in [
        ((0.1, 0.5), 1, 0, 1),
        ((0.1, 0.5), 11, 0, 2),
        ((0.1, 0.5), 5, 1, 1),
        ((10_000.0, 10_000.0), u64::MAX, u64::MAX, u64::MAX),
    ] {
        let settings = with(&[("m", dollars.0, dollars.1)]);
        assert_eq!(price(&settings, "m", Tokens { input, output }), cost, "{dollars:?} {input} {output}");
    }
}

#[test]
fn a_question_may_cost_a_token_for_two_bytes_and_the_longest_answer_in_each_turn() {
    let mut settings = with(&[("m", 2.0, 10.0)]);
    assert_eq!(at_most(&settings, "m", 1001), 501 * 2 + 4000 * 10);
    settings.backend = Some(Backend::ClaudeCli);
    assert_eq!(at_most(&settings, "m", 1001), 2 * (501 * 2 + 4000 * 10));
}

fn check_lines(scene: &Scene, has_key: bool, expected: &[&str]) {
    let said = scene.with(|caller| lines(caller.settings, caller.store, caller.host, has_key));
    let fits = said.iter().zip(expected).all(|(line, expected)| line.starts_with(expected));
    assert!(said.len() == expected.len() && fits, "{said:?} {expected:?}");
}

#[test]
fn the_way_and_what_was_spent_and_why_nobody_would_be_asked() {
    let api = "a model answers through the Messages API, with the key in ANTHROPIC_API_KEY";
    let nothing = "in the last hour 0 of 60 questions, in 24 hours 0.00 of 2.00 USD";
    let mut scene = Scene::new();
    check_lines(&scene, true, &[api, nothing]);
    check_lines(&scene, false, &[api, nothing, "the hooks ask no model now: there is no ANTHROPIC_API_KEY"]);
    scene.settings.backend = Some(Backend::ClaudeCli);
    let cli = "a model answers through your own `claude -p`, with your login";
    reserve(&scene.store, at(0), &scene.settings, 123_456).unwrap();
    let one = "in the last hour 1 of 60 questions, in 24 hours 0.13 of 2.00 USD";
    check_lines(&scene, false, &[cli, one]);
    scene.past_the_line();
    check_lines(&scene, false, &[cli, one, "the hooks ask no model now: your usage is past its safe line"]);
    scene.settings.backend = None;
    let unset = "the hooks ask no model now: no backend is chosen (judge.backend in ~/.claude/";
    check_lines(&scene, false, &[one, unset]);
}
