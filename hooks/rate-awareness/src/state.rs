//! The memory: the buckets, and the turn of each agent. File `<session>-buckets.json`; the buckets stand under `_buckets` as in the
//! Python tool of the same name, whose keys were `<session>::<skill>`.
//!
//! The token bucket: full at first, a token per call, refilled by time. Loops: the same call again and again, or two calls in turn,
//! known by their fingerprints alone. Pure arithmetic, total over any number a damaged file can hold.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::Timestamp;
use shared::state::file_key;

/// More buckets, or more agents, are not kept: those used longest ago go.
const MAX_ENTRIES: usize = 64;

/// The name of the main session, where a subagent's id would stand.
const MAIN: &str = "main";

/// The buckets and agents of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// By `<agent>::<skill>`; no agent's name has a colon.
    #[serde(rename = "_buckets")]
    pub(crate) buckets: BTreeMap<String, Bucket>,
    agents: BTreeMap<String, Agent>,
}

/// The turn of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Agent {
    /// A hash of the prompt's id. The rest holds for this prompt only.
    pub(crate) prompt: u64,
    pub(crate) skill: Option<String>,
    pub(crate) loops: Loops,
    /// The time of the agent's last call.
    pub(crate) last: Timestamp,
}

impl Remembered for State {
    const FILE: &'static str = "*-buckets.json";
}

/// The name of an agent; `None` is the main session.
pub(crate) fn agent_key(agent_id: Option<&str>) -> String {
    agent_id.map_or_else(|| MAIN.to_owned(), file_key)
}

/// The name of a bucket.
pub(crate) fn bucket_key(agent: &str, skill: &str) -> String {
    format!("{agent}::{skill}")
}

impl State {
    /// The turn of an agent, if it is of this prompt.
    pub(crate) fn agent(&self, agent: &str, prompt: u64) -> Option<&Agent> {
        self.agents.get(agent).filter(|found| found.prompt == prompt)
    }

    /// The skill an agent works under for this prompt: its own, else that of the main session, which started the work.
    pub(crate) fn skill(&self, agent: &str, prompt: u64) -> Option<&str> {
        [agent, MAIN].into_iter().find_map(|agent| self.agent(agent, prompt)?.skill.as_deref())
    }

    /// The state with a new value of one agent and one bucket.
    #[must_use]
    pub(crate) fn with(&self, (name, agent): (String, Agent), (key, bucket): (String, Bucket)) -> Self {
        let mut next = self.clone();
        next.buckets.insert(key.clone(), bucket);
        next.agents.insert(name.clone(), agent);
        drop_oldest(&mut next.buckets, &[&key], |bucket| bucket.last);
        // Subagents ask for the main session's skill, however long ago it made its last call.
        drop_oldest(&mut next.agents, &[&name, MAIN], |agent| agent.last);
        next
    }
}

/// Drops the entry that was used longest ago beyond the bound, but none of those that stay.
fn drop_oldest<T>(entries: &mut BTreeMap<String, T>, stay: &[&str], last: fn(&T) -> Timestamp) {
    while entries.len() > MAX_ENTRIES {
        let droppable = entries.iter().filter(|(key, _)| !stay.contains(&key.as_str()));
        let oldest = droppable.min_by_key(|(_, entry)| last(entry)).map(|(key, _)| key.clone());
        let Some(oldest) = oldest else { return };
        entries.remove(&oldest);
    }
}

/// A token that lacks less than this is whole: sums of fractions are no more exact, nor is a clock of microseconds.
const GRAIN: f64 = 1e-6;

/// A minute is counted in this many slots of five seconds.
const SLOTS: usize = 12;

const SLOT_MICROS: i64 = 5_000_000;

/// The speed at which calls may be made. Finite; the capacity at least 1, the refill not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rate {
    /// Tokens when full.
    pub(crate) capacity: f64,
    /// Tokens that come back per second.
    pub(crate) refill_per_sec: f64,
}

/// The tokens of one agent under one skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bucket {
    /// Tokens at `last`; the fraction stays when a call finds no whole token.
    tokens: f64,
    /// The time of the last call.
    pub(crate) last: Timestamp,
    /// Calls without a token in this empty window; 0: there is none. The window lasts until a call leaves a whole token behind: a
    /// loop at twice the refill rate is one window, not one per second.
    #[serde(default)]
    refused: u32,
    minute: Minute,
}

/// The calls of the last minute, those without a token too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Minute {
    /// The number of the running slot, counted from the epoch.
    slot: i64,
    /// Calls per slot, the running one first.
    calls: [u32; SLOTS],
}

impl Bucket {
    pub(crate) fn full(rate: Rate, now: Timestamp) -> Self {
        Self { tokens: rate.capacity, last: now, refused: 0, minute: Minute::default() }
    }

    /// The bucket after one more call, and the call's number within the empty window if there was no token for it.
    pub(crate) fn take(&self, rate: Rate, now: Timestamp) -> (Self, Option<u32>) {
        let tokens = self.tokens_at(rate, now);
        let mut next = Self { tokens, last: now, refused: self.refused, minute: self.minute.with_call(now) };
        if tokens < 1.0 - GRAIN {
            next.refused = self.refused.saturating_add(1);
            let number = next.refused;
            return (next, Some(number));
        }
        next.tokens = (tokens - 1.0).max(0.0);
        if next.tokens >= 1.0 - GRAIN || tokens >= rate.capacity - GRAIN {
            next.refused = 0;
        }
        (next, None)
    }

    /// The time from the last call to the next whole token; `None` if there never is one.
    pub(crate) fn token_back_after(&self, rate: Rate) -> Option<Duration> {
        Duration::try_from_secs_f64((1.0 - self.tokens).max(0.0) / rate.refill_per_sec).ok()
    }

    /// The calls of the minute that ends with the last one, exact to a slot.
    pub(crate) fn calls_in_last_minute(&self) -> u32 {
        self.minute.calls.iter().fold(0, |sum, calls| sum.saturating_add(*calls))
    }

    /// The tokens at a time. A clock that went back has brought none.
    fn tokens_at(&self, rate: Rate, now: Timestamp) -> f64 {
        let came = now.since(self.last).as_secs_f64() * rate.refill_per_sec;
        (self.tokens + came).max(0.0).min(rate.capacity)
    }
}

impl Minute {
    /// A clock that went back stays in the running slot.
    fn with_call(&self, now: Timestamp) -> Self {
        let slot = now.micros().div_euclid(SLOT_MICROS);
        let passed = usize::try_from(slot.saturating_sub(self.slot)).unwrap_or(0).min(SLOTS);
        let mut calls = [0; SLOTS];
        calls[passed..].copy_from_slice(&self.calls[..SLOTS - passed]);
        calls[0] = calls[0].saturating_add(1);
        Self { slot, calls }
    }
}

/// An agent's last calls for one prompt. Alternation is no repetition, and repetition no alternation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Loops {
    /// The last call; none before the first one and after one that does not count.
    last: Option<u64>,
    /// The call before it.
    before: Option<u64>,
    /// Calls in a row that are the same, up to the last one.
    pub(crate) in_a_row: u32,
    /// Calls in turn, up to the last one: each differs from the call before it and equals the call before that.
    in_turn: u32,
}

impl Loops {
    /// The state after one more call. A call without fingerprint does not count: it ends a loop.
    #[must_use]
    pub(crate) fn after(&self, call: Option<u64>) -> Self {
        if call.is_none() {
            return Self::default();
        }
        let (in_a_row, in_turn) = match self.last {
            None => (1, 1),
            last if last == call => (self.in_a_row.saturating_add(1), 1),
            Some(_) if self.before == call => (1, self.in_turn.saturating_add(1)),
            Some(_) => (1, 2),
        };
        Self { last: call, before: self.last, in_a_row, in_turn }
    }

    /// Rounds of two different calls in turn.
    pub(crate) const fn rounds(&self) -> u32 {
        self.in_turn / 2
    }

    /// The last call ends a round.
    pub(crate) const fn ends_round(&self) -> bool {
        self.in_turn.is_multiple_of(2)
    }
}

#[cfg(test)]
mod tests;
