//! Numbers that look random and are the same in every run, so that a failure can be repeated. No secret is made of them.

use std::time::Duration;

/// A sequence of numbers; the same seed gives the same sequence.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.number().to_le_bytes()[0]).collect()
    }

    /// A time below `limit`, to the microsecond.
    pub(crate) fn time_below(&mut self, limit: Duration) -> Duration {
        let limit = u64::try_from(limit.as_micros()).unwrap();
        Duration::from_micros(self.number() % limit)
    }
}
