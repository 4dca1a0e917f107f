//! When the usage API may be asked next: one slot for the whole machine, in `<state>/usage-poll.json`, so that neither many
//! sessions nor many new processes ask it more often than one would.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::{DAY, HOUR, Timestamp};
use shared::state::{MACHINE, Store};

use crate::state::secs;

/// The first wait after a failure; each further one doubles it.
const FIRST_BACK_OFF: Duration = Duration::from_secs(300);

/// The longest of these waits, and the wait after a denied login.
const MAX_BACK_OFF: Duration = HOUR;

/// The longest wait that a server may ask for.
const MAX_RETRY_AFTER: Duration = DAY;

/// An attempt that brought nothing, and how long the server wants to be left alone.
pub(super) type Failure = (Kind, Option<Duration>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// There is none, or it has expired.
    NoLogin,
    /// The statuses 401 and 403.
    Refused,
    /// The status 429.
    TooMany,
    /// No connection, no answer in time, or the statuses 500 to 599.
    Unreachable,
    /// No answer of the usage API: another status, or another text.
    Garbage,
    NoCourier,
    NotKept,
}

impl Kind {
    /// The sentence for the user.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::NoLogin => "there is no login of Claude Code that is valid: start `claude` and log in",
            Self::Refused => "the server does not take the login: start `claude` and log in again",
            Self::TooMany => "the server was asked too often, and is left alone for a while",
            Self::Unreachable => "the server cannot be reached or does not work, and is asked again later",
            Self::Garbage => {
                "the server's answer cannot be read: is credit-pacer.usage_api.url right, and Barbless up to date?"
            }
            Self::NoCourier => {
                "the program `courier`, which asks it, is missing beside credit-pacer or does not work: install again"
            }
            Self::NotKept => "what it said could not be written to the state folder",
        }
    }
}

impl From<Kind> for Failure {
    fn from(kind: Kind) -> Self {
        (kind, None)
    }
}

/// The memory of all attempts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Slot {
    /// Nobody asks before this, in seconds since the epoch.
    pub(crate) next_at: i64,
    /// When somebody asked last, or began to.
    pub(crate) asked_at: i64,
    /// So many requests in a row have failed.
    pub(crate) failures: u32,
    pub(crate) trouble: Option<Kind>,
}

impl Remembered for Slot {
    fn file_name(_session: &str) -> Option<String> {
        Some("usage-poll.json".to_owned())
    }
}

impl Slot {
    /// The slot as it is now, without the lock: only good for deciding whether to look closer.
    pub(crate) fn peek(store: &Store) -> Self {
        store.read(MACHINE).unwrap_or_default()
    }

    /// Somebody may ask. A clock that was set back must not keep everybody waiting.
    pub(crate) const fn is_due(&self, now: Timestamp) -> bool {
        let now = secs(now);
        now >= self.next_at || now < self.asked_at
    }

    /// Takes the slot for this process; `false`: it is not due, or cannot be kept, and nobody asks then.
    pub(super) fn take(store: &Store, now: Timestamp, interval: Duration) -> bool {
        let mut is_taken = false;
        let kept = store.change::<Self>(MACHINE, |slot| {
            is_taken = slot.is_due(now);
            if is_taken {
                // A process that takes it and is killed has had its turn.
                (slot.next_at, slot.asked_at) = (later(now, interval), secs(now));
            }
            is_taken
        });
        kept.is_ok() && is_taken
    }

    /// Keeps the result. Returns a new kind of failure. If that cannot be kept, the next request comes after the interval.
    pub(super) fn settle(
        store: &Store,
        result: Result<(), Failure>,
        now: Timestamp,
        interval: Duration,
    ) -> Option<Kind> {
        let mut news = None;
        let _ = store.change::<Self>(MACHINE, |slot| {
            let next = slot.after(result, now, interval);
            news = next.trouble.filter(|trouble| Some(*trouble) != slot.trouble);
            *slot = next;
            true
        });
        news
    }

    /// The slot after an attempt. Pure.
    fn after(self, result: Result<(), Failure>, now: Timestamp, interval: Duration) -> Self {
        let Err((kind, retry_after)) = result else {
            return Self { failures: 0, trouble: None, ..self };
        };
        let wait = match kind {
            // The server was not asked, or has answered.
            Kind::NoLogin | Kind::NoCourier | Kind::NotKept => {
                return Self { next_at: later(now, interval), trouble: Some(kind), ..self };
            }
            Kind::Refused => MAX_BACK_OFF,
            Kind::TooMany | Kind::Unreachable | Kind::Garbage => {
                let doubled = FIRST_BACK_OFF.saturating_mul(2_u32.saturating_pow(self.failures));
                // A server that says 0 can be stuck for hours.
                doubled.min(MAX_BACK_OFF).max(retry_after.unwrap_or_default().min(MAX_RETRY_AFTER))
            }
        };
        let failures = self.failures.saturating_add(1);
        Self { next_at: later(now, wait.max(interval)), failures, trouble: Some(kind), ..self }
    }
}

const fn later(now: Timestamp, wait: Duration) -> i64 {
    secs(now).saturating_add_unsigned(wait.as_secs())
}

#[cfg(test)]
mod tests;
