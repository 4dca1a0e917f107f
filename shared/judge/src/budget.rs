//! The limits of the judge over all sessions together: calls an hour, money a day, in `<state>/judge.json`; and the price of a
//! question, in whole numbers, rounded up; the judge's lines of `status`.
//!
//! A call is counted before it is made, with the most it may cost, and corrected afterwards. A process that dies leaves the
//! most standing for a day, so the limits hold whoever is killed when.

use std::time::Duration;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::question::{MAX_OUTPUT_TOKENS, Tokens};
use super::silence::{Silence, global_file, standing};
use super::{Backend, Price, Settings, messages_api};
use shared::hook::Remembered;
use shared::host::{DAY, HOUR, Host, Timestamp};
use shared::state::{MACHINE, Store};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Calls of the last hour.
    pub(super) calls: u32,
    /// Money of the last 24 hours, in millionths of a US dollar.
    pub(super) micro_usd: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Ledger {
    calls: Vec<Made>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Made {
    /// Random, so that a file begun anew gives no id away again.
    id: u64,
    at_us: Timestamp,
    /// The most it may cost, until it is settled.
    micro_usd: u64,
}

impl Remembered for Ledger {
    const FILE: &'static str = "judge.json";
}

pub(super) fn reserve(
    store: &Store,
    now: Timestamp,
    settings: &Settings,
    at_most_micro_usd: u64,
) -> Result<u64, Silence> {
    let made = Made { id: rand::rng().random(), at_us: now, micro_usd: at_most_micro_usd };
    change(store, now, |ledger| {
        refusal(ledger.tally(now), settings, at_most_micro_usd).map_or(Ok(()), Err)?;
        ledger.calls.push(made);
        Ok(made.id)
    })?
}

/// Corrects the cost of a call. Where the correction cannot be kept, the most stays.
pub(super) fn settle(store: &Store, now: Timestamp, id: u64, micro_usd: u64) {
    let _ = change(store, now, |ledger| {
        for made in ledger.calls.iter_mut().filter(|made| made.id == id) {
            made.micro_usd = micro_usd;
        }
    });
}

/// Forgets a call that did not come about.
pub(super) fn release(store: &Store, now: Timestamp, id: u64) {
    let _ = change(store, now, |ledger| ledger.calls.retain(|made| made.id != id));
}

/// The costs up to now; `None` if they are unknown, and then the judge calls no model.
pub(super) fn tally(store: &Store, now: Timestamp) -> Option<Tally> {
    change(store, now, |ledger| ledger.tally(now)).ok()
}

fn refusal(tally: Tally, settings: &Settings, at_most_micro_usd: u64) -> Option<Silence> {
    if tally.calls >= settings.max_calls_per_hour.get() {
        return Some(Silence::CallsSpent);
    }
    let together = tally.micro_usd.saturating_add(at_most_micro_usd);
    (together > micros(settings.max_cost_usd_per_day.get())).then_some(Silence::MoneySpent)
}

fn change<T>(store: &Store, now: Timestamp, change: impl FnOnce(&mut Ledger) -> T) -> Result<T, Silence> {
    let mut said = None;
    let changed = store.change::<Ledger>(MACHINE, |ledger| {
        let there = ledger.clone();
        ledger.up_to(now);
        said = Some(change(ledger));
        // A refused call writes too: what a clock that went back has left must age from now on.
        *ledger != there
    });
    changed.ok().and(said).ok_or(Silence::NoState)
}

impl Ledger {
    /// Drops calls older than a day. A call of the future was counted before the clock went back, and counts as of now.
    fn up_to(&mut self, now: Timestamp) {
        for made in &mut self.calls {
            made.at_us = made.at_us.min(now);
        }
        self.calls.retain(|made| now.since(made.at_us) < DAY);
    }

    fn tally(&self, now: Timestamp) -> Tally {
        let recent = self.calls.iter().filter(|made| now.since(made.at_us) < HOUR).count();
        Tally {
            calls: u32::try_from(recent).unwrap_or(u32::MAX),
            micro_usd: self.calls.iter().map(|made| made.micro_usd).fold(0, u64::saturating_add),
        }
    }
}

/// The fewest bytes of a token over a whole text. Bytes, because a character that is not ASCII may be several tokens.
const BYTES_PER_TOKEN: u64 = 2;

/// The cost of these tokens in millionths of a US dollar, rounded up. A model without a price costs as much as the dearest.
pub(super) fn price(settings: &Settings, model: &str, tokens: Tokens) -> u64 {
    // The defaults list prices, and no file can take one out.
    let all = || settings.prices.values().map(|price| cost(price, tokens)).max();
    listed(settings, model).map(|price| cost(price, tokens)).or_else(all).unwrap_or(u64::MAX)
}

pub(super) fn at_most(settings: &Settings, model: &str, bytes: usize) -> u64 {
    // `claude -p` may take a second turn to put its answer into form.
    let turns = if settings.backend == Some(Backend::ClaudeCli) { 2 } else { 1 };
    let input = u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(BYTES_PER_TOKEN).saturating_mul(turns);
    price(settings, model, Tokens { input, output: u64::from(MAX_OUTPUT_TOKENS) * turns })
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

fn micros(dollars: f64) -> u64 {
    u64::try_from(billionths(dollars) / 1000).unwrap_or(u64::MAX)
}

/// A duration is the one checked decimal of the standard library: a dollar is a second here.
fn billionths(dollars: f64) -> u128 {
    Duration::try_from_secs_f64(dollars).map_or(0, |exact| exact.as_nanos())
}

pub fn status_lines(settings: &Settings, store: Option<&Store>, host: &Host) -> Vec<String> {
    lines(settings, store, host, messages_api::key(host).is_some())
}

fn lines(settings: &Settings, store: Option<&Store>, host: &Host, has_key: bool) -> Vec<String> {
    let way = settings.backend.map(|backend| match backend {
        Backend::MessagesApi => {
            "a model answers through the Messages API, with the key in ANTHROPIC_API_KEY".to_owned()
        }
        Backend::ClaudeCli => {
            let program = settings.claude_program.display();
            format!("a model answers through your own `{program} -p`, with your login")
        }
    });
    let tally = store.and_then(|store| tally(store, host.now()));
    let lacks_key = settings.backend == Some(Backend::MessagesApi) && !has_key;
    let why_not = standing(settings, store, host, host.cwd().as_deref())
        .or_else(|| tally.map_or(Some(Silence::NoState), |tally| refusal(tally, settings, 1)))
        .or_else(|| lacks_key.then_some(Silence::NoKey));
    let home = host.environment.home.as_deref();
    let config_dir = host.environment.claude_config_dir.clone().or(home.map(|home| home.join(".claude")));
    let file = global_file(config_dir.as_deref(), home);
    let why_not = why_not.map(|why| format!("the hooks ask no model now: {}", why.explained(&file)));
    way.into_iter().chain(tally.map(|tally| spent(settings, tally))).chain(why_not).collect()
}

fn spent(settings: &Settings, tally: Tally) -> String {
    format!(
        "in the last hour {} of {} questions, in 24 hours {} of {} USD",
        tally.calls,
        settings.max_calls_per_hour.get(),
        usd(tally.micro_usd),
        usd(micros(settings.max_cost_usd_per_day.get()))
    )
}

fn usd(micros: u64) -> String {
    let cents = micros.div_ceil(10_000);
    format!("{}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests;
