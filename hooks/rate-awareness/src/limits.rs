//! The limits of an agent. The token bucket: full at first, a token per call, refilled by time. Loops: the same call again and again, or
//! two calls in turn, known by their fingerprints alone. Pure arithmetic, total over any number a damaged file can hold.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::host::Timestamp;

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
