//! How many calls there were in the last minute: counts in slots of time, not single times. Exact to a slot: the count is
//! over the slot that is running and the eleven before it, hence over the last 55 to 60 seconds.

use serde::{Deserialize, Serialize};
use shared::host::Timestamp;

/// How long a slot is, in microseconds.
const SLOT_MICROS: i64 = 5_000_000;

/// So many slots make a minute.
const SLOTS: usize = 12;

/// The calls of the last minute.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minute {
    /// The number of the running slot, counted from the epoch.
    slot: i64,
    /// Calls per slot, the running one first.
    calls: [u32; SLOTS],
}

impl Minute {
    /// With one more call, made now. A clock that went back stays in the running slot.
    #[must_use]
    pub(crate) fn with_call(&self, now: Timestamp) -> Self {
        let slot = now.micros().div_euclid(SLOT_MICROS);
        let passed = usize::try_from(slot.saturating_sub(self.slot)).unwrap_or(0).min(SLOTS);
        let mut calls = [0; SLOTS];
        calls[passed..].copy_from_slice(&self.calls[..SLOTS - passed]);
        calls[0] = calls[0].saturating_add(1);
        Self { slot, calls }
    }

    /// How many there were.
    #[must_use]
    pub(crate) fn count(&self) -> u32 {
        self.calls.iter().fold(0, |sum, calls| sum.saturating_add(*calls))
    }
}

#[cfg(test)]
mod tests {
    use shared::host::Timestamp;

    use super::Minute;

    /// The count after calls at these seconds.
    fn count(seconds: impl IntoIterator<Item = i64>) -> u32 {
        let made = |minute: Minute, secs| minute.with_call(Timestamp::from_secs(secs));
        seconds.into_iter().fold(Minute::default(), made).count()
    }

    #[test]
    fn calls_count_for_a_minute_to_a_slot() {
        assert_eq!(count([1000]), 1);
        assert_eq!(count([1000; 61]), 61);
        assert_eq!(count([1000, 1004, 1005, 1054]), 4);
        assert_eq!(count([1000, 1059]), 2, "the eleventh slot after it is the last that counts it");
        assert_eq!(count([1000, 1060]), 1);
        assert_eq!(count([1000, 1004, 1005, 1060]), 2);
        assert_eq!(count([1000, 1_000_000_000]), 1);
        assert_eq!(count(1000..2000), 60);
    }

    #[test]
    fn a_clock_that_goes_back_forgets_no_call_and_counts_on_from_there() {
        assert_eq!(count([1000, 1000, 10]), 3);
        assert_eq!(count([1000, 1000, 10, 60]), 4);
        assert_eq!(count([1000, 1000, 10, 70]), 1);
        let first = Minute::default().with_call(Timestamp::from_micros(i64::MAX));
        assert_eq!(first.with_call(Timestamp::from_micros(i64::MIN)).count(), 2);
    }
}
