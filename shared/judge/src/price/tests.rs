//! Prices of listed and unlisted models, to the last millionth.

use super::{at_most, of};
use crate::question::Tokens;
use crate::settings::{Backend, Settings, defaults};

const fn tokens(input: u64, output: u64) -> Tokens {
    Tokens { input, output }
}

fn with(prices: &[(&str, f64, f64)]) -> Settings {
    let price = |(key, input, output): &(&str, f64, f64)| {
        let price = serde_json::json!({ "input": input, "output": output });
        ((*key).to_owned(), serde_json::from_value(price).unwrap())
    };
    Settings { prices: prices.iter().map(price).collect(), ..defaults() }
}

#[test]
fn the_longest_beginning_counts_whoever_provides_the_model() {
    let settings = with(&[
        ("claude-sonnet", 3.0, 15.0),
        ("Claude-Sonnet-5-5", 2.0, 10.0),
        ("claude", 7.0, 7.0),
        ("us.anthropic.claude-opus", 5.0, 25.0),
        ("", 0.0, 0.0),
    ]);
    for (model, million) in [
        ("claude-sonnet-4-5", 3),
        ("anthropic.claude-sonnet-5-5-v1:0", 2),
        ("projects/anthropic/models/claude-sonnet-4", 3),
        ("us.anthropic.claude-opus-4", 5),
        ("eu.anthropic.claude-opus-4", 7),
        ("sonnet", 7),
    ] {
        assert_eq!(of(&settings, model, tokens(1_000_000, 0)), million * 1_000_000, "{model}");
    }
}

#[test]
fn an_unknown_model_costs_what_the_dearest_would_for_just_these_tokens() {
    let settings = with(&[("a", 10.0, 10.0), ("b", 1.0, 50.0)]);
    assert_eq!(of(&settings, "c", tokens(100, 0)), 1000);
    assert_eq!(of(&settings, "c", tokens(0, 100)), 5000);
}

#[test]
fn a_fraction_is_rounded_up_and_nothing_overflows() {
    for (input, output, read, written, cost) in [
        (0.1, 0.5, 1, 0, 1),
        (0.1, 0.5, 11, 0, 2),
        (0.1, 0.5, 5, 1, 1),
        (0.000_001, 0.0, 1, 0, 1),
        (0.0, 0.0, 1_000_000, 1_000_000, 0),
        (10_000.0, 10_000.0, u64::MAX, u64::MAX, u64::MAX),
    ] {
        let settings = with(&[("m", input, output)]);
        assert_eq!(of(&settings, "m", tokens(read, written)), cost, "{input} {output} {read} {written}");
    }
}

#[test]
fn a_question_may_cost_a_token_for_two_bytes_and_the_longest_answer_in_each_turn() {
    let mut settings = with(&[("m", 2.0, 10.0)]);
    assert_eq!(at_most(&settings, "m", 1001), 501 * 2 + 4000 * 10);
    settings.backend = Some(Backend::ClaudeCli);
    assert_eq!(at_most(&settings, "m", 1001), 2 * (501 * 2 + 4000 * 10));
}
