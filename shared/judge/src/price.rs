//! The cost of a question, in whole numbers, rounded up.

use std::time::Duration;

use super::question::{MAX_OUTPUT_TOKENS, Tokens};
use super::settings::{Backend, Price, Settings};

/// The fewest bytes of a token over a whole text. Bytes, because a character that is not ASCII may be several tokens.
const BYTES_PER_TOKEN: u64 = 2;

/// The cost of these tokens in millionths of a US dollar, rounded up. A model without a price costs as much as the dearest.
pub(super) fn of(settings: &Settings, model: &str, tokens: Tokens) -> u64 {
    // The defaults list prices, and no file can take one out.
    let all = || settings.prices.values().map(|price| cost(price, tokens)).max();
    listed(settings, model).map(|price| cost(price, tokens)).or_else(all).unwrap_or(u64::MAX)
}

pub(super) fn at_most(settings: &Settings, model: &str, bytes: usize) -> u64 {
    // `claude -p` may take a second turn to put its answer into form.
    let turns = if settings.backend == Some(Backend::ClaudeCli) { 2 } else { 1 };
    let input = u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(BYTES_PER_TOKEN).saturating_mul(turns);
    of(settings, model, Tokens { input, output: u64::from(MAX_OUTPUT_TOKENS) * turns })
}

fn listed<'s>(settings: &'s Settings, model: &str) -> Option<&'s Price> {
    let model = model.trim().to_ascii_lowercase();
    // Providers put their name and a region before the model's.
    let fits =
        |key: &str| model.starts_with(key) || model.split(['/', '.']).any(|part| part.starts_with(key));
    let prices = settings.prices.iter().map(|(key, price)| (key.trim().to_ascii_lowercase(), price));
    let fitting = prices.filter(|(key, _)| !key.is_empty() && fits(key));
    fitting.max_by_key(|(key, _)| key.len()).map(|(_, price)| price)
}

fn cost(price: &Price, tokens: Tokens) -> u64 {
    let read = billionths(price.input.get()).saturating_mul(tokens.input.into());
    let written = billionths(price.output.get()).saturating_mul(tokens.output.into());
    // Billionths of a dollar for a million tokens make millionths for one, times a billion.
    u64::try_from(read.saturating_add(written).div_ceil(1_000_000_000)).unwrap_or(u64::MAX)
}

pub(super) fn micros(dollars: f64) -> u64 {
    u64::try_from(billionths(dollars) / 1000).unwrap_or(u64::MAX)
}

/// A duration is the one checked decimal of the standard library: a dollar is a second here.
fn billionths(dollars: f64) -> u128 {
    Duration::try_from_secs_f64(dollars).map_or(0, |exact| exact.as_nanos())
}

#[cfg(test)]
mod tests;
