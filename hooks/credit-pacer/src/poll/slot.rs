//! When the usage API may be asked next: one slot for the whole machine, in `<state>/usage-poll.json`, so that neither many
//! sessions nor many new processes ask it more often than one would.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::{DAY, HOUR, Timestamp};
use shared::state::{MACHINE, Store};

use super::trouble::{Kind, Trouble};

/// The first wait after a failure; each further one doubles it.
const FIRST_BACK_OFF: Duration = Duration::from_secs(300);

/// It is not doubled beyond this.
const MAX_BACK_OFF: Duration = HOUR;

/// A login that was refused is tried again after so long.
const AFTER_REFUSAL: Duration = HOUR;

/// A server that wants to be left alone for longer is asked again after this: it may be a slip of its own.
const MAX_RETRY_AFTER: Duration = DAY;

/// What is remembered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Slot {
    /// Nobody asks before this, in seconds since the epoch.
    pub(crate) next_at: i64,
    /// When somebody asked last, or began to.
    pub(crate) asked_at: i64,
    /// So many requests in a row have failed.
    pub(crate) failures: u32,
    /// Why there was no reading the last time.
    pub(crate) trouble: Option<Kind>,
}

impl Remembered for Slot {
    fn file_name(_session: &str) -> Option<String> {
        Some("usage-poll.json".to_owned())
    }
}

impl Slot {
    /// As it is now, without the lock: only good for deciding whether to look closer.
    pub(crate) fn peek(store: &Store) -> Self {
        store.read(MACHINE).unwrap_or_default()
    }

    /// Somebody may ask. A clock that was set back must not keep everybody waiting.
    pub(crate) const fn is_due(&self, now: Timestamp) -> bool {
        let now = secs(now);
        now >= self.next_at || now < self.asked_at
    }

    /// Takes it for this process; `false`: it is not due, or cannot be kept, and nobody asks then.
    pub(super) fn take(store: &Store, now: Timestamp, interval: Duration) -> bool {
        let taken = change(store, |slot| slot.is_due(now).then(|| taken(slot, now, interval)));
        taken.is_some()
    }

    /// Keeps what came of it. What was there before; `None` if it could not be kept: then the next is asked after the interval.
    pub(super) fn settle(
        store: &Store,
        result: Result<(), Trouble>,
        now: Timestamp,
        interval: Duration,
    ) -> Option<Self> {
        change(store, |slot| Some(after(result, slot, now, interval)))
    }
}

/// Replaces it, if `next` says by what. What was there before; `None` where nothing was replaced.
fn change(store: &Store, next: impl FnOnce(Slot) -> Option<Slot>) -> Option<Slot> {
    let mut replaced = None;
    let changed = store.change::<Slot>(MACHINE, |slot| {
        let before = *slot;
        replaced = next(before).map(|next| {
            *slot = next;
            before
        });
        replaced.is_some()
    });
    changed.ok().and(replaced)
}

/// A process that takes it and is killed has had its turn.
const fn taken(slot: Slot, now: Timestamp, interval: Duration) -> Slot {
    Slot { next_at: later(now, interval), asked_at: secs(now), ..slot }
}

/// The slot after an attempt. Pure.
fn after(result: Result<(), Trouble>, slot: Slot, now: Timestamp, interval: Duration) -> Slot {
    let Err(Trouble { kind, retry_after }) = result else {
        return Slot { failures: 0, trouble: None, ..slot };
    };
    let (wait, failures) = match kind {
        // The server was not asked, or has answered.
        Kind::NoLogin | Kind::Expired | Kind::NoCourier | Kind::NotKept => (interval, slot.failures),
        Kind::Refused => (AFTER_REFUSAL, slot.failures.saturating_add(1)),
        Kind::TooMany | Kind::Server | Kind::Strange | Kind::Garbage | Kind::Unreachable | Kind::Timeout => {
            let doubled = FIRST_BACK_OFF.saturating_mul(2_u32.saturating_pow(slot.failures));
            // A server that says 0 can be stuck for hours.
            let wanted = retry_after.unwrap_or_default().min(MAX_RETRY_AFTER);
            (doubled.min(MAX_BACK_OFF).max(wanted), slot.failures.saturating_add(1))
        }
    };
    Slot { next_at: later(now, wait.max(interval)), failures, trouble: Some(kind), ..slot }
}

const fn later(now: Timestamp, wait: Duration) -> i64 {
    secs(now).saturating_add_unsigned(wait.as_secs())
}

/// Whole seconds since the epoch.
pub(super) const fn secs(time: Timestamp) -> i64 {
    time.micros().div_euclid(1_000_000)
}

#[cfg(test)]
mod tests;
