//! Calls in a circle: the same call again and again, or two calls in turn. Calls are known by their fingerprints alone.
//! Alternation is no repetition, and repetition no alternation.

use serde::{Deserialize, Serialize};

/// An agent's last calls for one prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loops {
    /// The last call; none before the first one and after one that does not count.
    last: Option<u64>,
    /// The call before it.
    before: Option<u64>,
    /// Calls in a row that are the same, up to the last one.
    pub(crate) in_a_row: u32,
    /// Calls of which each differs from the one before it and is the same as the one before that, up to the last one.
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
mod tests {
    use super::Loops;

    #[test]
    fn counts_calls_in_a_row_and_rounds_in_turn() {
        for (calls, in_a_row, rounds, ends_round) in [
            ("a", 1, 0, false),
            ("aaaa", 4, 0, false),
            ("aab", 1, 1, true),
            ("aabb", 2, 0, false),
            ("aa.a", 1, 0, false),
            ("aba", 1, 1, false),
            ("abab", 1, 2, true),
            ("aabab", 1, 2, true),
            ("abba", 1, 1, true),
            ("abac", 1, 1, true),
            ("abab.abab", 1, 2, true),
            ("abcabcabc", 1, 1, true),
        ] {
            let loops = calls.chars().fold(Loops::default(), |loops, call| {
                loops.after((call != '.').then_some(u64::from(u32::from(call))))
            });
            let found = (loops.in_a_row, loops.rounds(), loops.ends_round());
            assert_eq!(found, (in_a_row, rounds, ends_round), "{calls}");
        }
    }
}
