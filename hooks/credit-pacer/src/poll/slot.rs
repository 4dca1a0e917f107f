//! When the usage API may be asked next: one slot for the whole machine, in `<state>/usage-poll.json`, so that neither many
//! sessions nor many new processes ask it more often than one would.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::{DAY, HOUR, Timestamp};
use shared::state::{MACHINE, Store};

/// The longest of these waits.
const MAX_BACK_OFF: Duration = HOUR;

/// The longest wait that a server may ask for.
const MAX_RETRY_AFTER: Duration = DAY;

/// Why an attempt brought nothing, as a sentence for the user, and for how long at least the server is to be left alone; `None`: it
/// was not asked, or has answered.
pub(super) type Failure = (&'static str, Option<Duration>);

/// The memory of all attempts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Slot {
    /// Nobody asks before this, in seconds since the epoch.
    pub(crate) next_at: i64,
    /// When somebody asked last, or began to.
    pub(crate) asked_at: i64,
    /// So many requests in a row have failed.
    pub(crate) failures: u32,
    /// The sentence about the last failure; `None` after a success.
    pub(crate) trouble: Option<String>,
}

impl Remembered for Slot {
    const FILE: &'static str = "usage-poll.json";
}

impl Slot {
    /// The slot as it is now, without the lock: only good for deciding whether to look closer.
    pub(crate) fn peek(store: &Store) -> Self {
        store.read(MACHINE).unwrap_or_default()
    }

    /// Somebody may ask. A clock that was set back must not keep everybody waiting.
    pub(crate) const fn is_due(&self, now: Timestamp) -> bool {
        let now = now.secs();
        now >= self.next_at || now < self.asked_at
    }

    /// Takes the slot for this process; `false`: it is not due, or cannot be kept, and nobody asks then.
    pub(super) fn take(store: &Store, now: Timestamp, interval: Duration) -> bool {
        let mut is_taken = false;
        let kept = store.change::<Self>(MACHINE, |slot| {
            is_taken = slot.is_due(now);
            if is_taken {
                // A process that takes it and is killed has had its turn.
                slot.asked_at = now.secs();
                slot.next_at = slot.asked_at.saturating_add_unsigned(interval.as_secs());
            }
            is_taken
        });
        kept.is_ok() && is_taken
    }

    /// Keeps the result. If that fails, the next request comes after the interval.
    pub(super) fn settle(store: &Store, result: Result<(), Failure>, now: Timestamp, interval: Duration) {
        let _ = store.change::<Self>(MACHINE, |slot| {
            *slot = slot.after(result, now, interval);
            true
        });
    }

    /// The slot after an attempt. Pure.
    fn after(&self, result: Result<(), Failure>, now: Timestamp, interval: Duration) -> Self {
        let Err((why, wait)) = result else {
            return Self { failures: 0, trouble: None, ..*self };
        };
        // Each failure doubles the wait: a server that asks for none can be stuck for hours.
        let doubled = interval.saturating_mul(2_u32.saturating_pow(self.failures)).min(MAX_BACK_OFF);
        let wait = wait.map(|wait| doubled.max(wait.min(MAX_RETRY_AFTER)));
        Self {
            next_at: now.secs().saturating_add_unsigned(wait.unwrap_or_default().max(interval).as_secs()),
            failures: self.failures.saturating_add(u32::from(wait.is_some())),
            trouble: Some(why.to_owned()),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests;
