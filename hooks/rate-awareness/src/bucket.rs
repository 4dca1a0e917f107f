//! The token bucket: full at first, a token per call, refilled by time. Pure arithmetic, total over any number a damaged
//! file can hold.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::host::Timestamp;

use crate::minute::Minute;

/// A token that lacks less than this is whole: sums of fractions are no more exact, nor is a clock of microseconds.
const GRAIN: f64 = 1e-6;

/// The calls of a minute ago are told nobody any more.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(60);

/// How fast calls may be made. Finite; the capacity at least 1, the refill not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rate {
    /// Tokens when full.
    pub(crate) capacity: f64,
    /// Tokens that come back per second.
    pub(crate) refill_per_sec: f64,
}

/// What is left for one agent under one skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// Tokens at `last`; the fraction stays when a call is refused.
    tokens: f64,
    /// When they were counted: at the last call.
    last: Timestamp,
    /// Calls refused in this empty spell; 0: there is none. It begins with a refused call and lasts until a call leaves
    /// a whole token behind: a loop at twice the refill rate is one spell, not one per second.
    #[serde(default, skip_serializing_if = "is_none")]
    refused: u32,
    /// The calls of the last minute, refused ones too.
    minute: Minute,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_none(count: &u32) -> bool {
    *count == 0
}

impl Bucket {
    /// A new one.
    pub(crate) fn full(rate: Rate, now: Timestamp) -> Self {
        Self { tokens: rate.capacity, last: now, refused: 0, minute: Minute::default() }
    }

    /// One more call: what is left, and its number among the refused calls of its spell if there was no token for it.
    pub(crate) fn take(&self, rate: Rate, now: Timestamp) -> (Self, Option<u32>) {
        let before = self.tokens_at(rate, now);
        let minute = self.minute.with_call(now);
        if before < 1.0 - GRAIN {
            let refused = self.refused.saturating_add(1);
            return (Self { tokens: before, last: now, refused, minute }, Some(refused));
        }
        let tokens = (before - 1.0).max(0.0);
        let ends_spell = tokens >= 1.0 - GRAIN || before >= rate.capacity - GRAIN;
        let refused = if ends_spell { 0 } else { self.refused };
        (Self { tokens, last: now, refused, minute }, None)
    }

    /// It is full again, and nobody needs to know how it came to be: a new one does as well.
    pub(crate) fn is_as_new(&self, rate: Rate, now: Timestamp) -> bool {
        now.since(self.last) > FORGOTTEN_AFTER && self.tokens_at(rate, now) >= rate.capacity - GRAIN
    }

    /// How long after the last call a whole token is there; `None` if there never is.
    pub(crate) fn token_back_after(&self, rate: Rate) -> Option<Duration> {
        let lacking = (1.0 - self.tokens).max(0.0);
        Duration::try_from_secs_f64(lacking / rate.refill_per_sec).ok()
    }

    /// Calls in the last minute before and with the last one.
    pub(crate) fn calls_in_last_minute(&self) -> u32 {
        self.minute.count()
    }

    /// When it was used last.
    pub(crate) const fn last(&self) -> Timestamp {
        self.last
    }

    /// The tokens at a time. A clock that went back has brought none.
    fn tokens_at(&self, rate: Rate, now: Timestamp) -> f64 {
        let came = now.since(self.last).as_secs_f64() * rate.refill_per_sec;
        (self.tokens + came).max(0.0).min(rate.capacity)
    }
}

#[cfg(test)]
mod tests;
