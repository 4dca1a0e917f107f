//! Going in a circle: the same call again and again, or two calls in turn. Calls are known by their fingerprints alone.
//! Alternation is no repetition, and repetition no alternation.

use serde::{Deserialize, Serialize};

/// How an agent's last calls for one prompt stand to each other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loops {
    /// The last call; none before the first one and after one that does not count.
    last: Option<u64>,
    /// The one before it.
    before: Option<u64>,
    /// Calls in a row that are the same, up to the last one.
    in_a_row: u32,
    /// Calls of which each differs from the one before it and is the same as the one before that, up to the last one.
    in_turn: u32,
}

impl Loops {
    /// After one more call. One without fingerprint does not count: it ends what was, and the next one begins anew.
    #[must_use]
    pub(crate) fn after(&self, call: Option<u64>) -> Self {
        let Some(call) = call else { return Self::default() };
        let last = Some(call);
        match self.last {
            Some(previous) if previous == call => {
                Self { last, before: self.last, in_a_row: self.in_a_row.saturating_add(1), in_turn: 1 }
            }
            Some(_) if self.before == last => {
                Self { last, before: self.last, in_a_row: 1, in_turn: self.in_turn.saturating_add(1) }
            }
            Some(_) => Self { last, before: self.last, in_a_row: 1, in_turn: 2 },
            None => Self { last, before: None, in_a_row: 1, in_turn: 1 },
        }
    }

    /// The same call so many times in a row, the last one included.
    pub(crate) const fn in_a_row(&self) -> u32 {
        self.in_a_row
    }

    /// So many rounds of two different calls in turn.
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
    use proptest::prelude::*;

    use super::Loops;

    fn after(calls: &str) -> Loops {
        calls.chars().fold(Loops::default(), |loops, call| {
            loops.after((call != '.').then_some(u64::from(u32::from(call))))
        })
    }

    #[test]
    fn counts_the_same_call_in_a_row() {
        for (calls, in_a_row) in
            [("", 0), ("a", 1), ("aa", 2), ("aaaa", 4), ("aab", 1), ("aabb", 2), ("abab", 1), ("aa.a", 1)]
        {
            assert_eq!(after(calls).in_a_row(), in_a_row, "{calls}");
        }
    }

    #[test]
    fn counts_rounds_of_two_calls_in_turn_and_sees_where_one_ends() {
        for (calls, rounds, ends) in [
            ("a", 0, false),
            ("ab", 1, true),
            ("aba", 1, false),
            ("abab", 2, true),
            ("aabab", 2, true),
            ("abababab", 4, true),
            ("aaaaaaaa", 0, false),
            ("abba", 1, true),
            ("abac", 1, true),
            ("abab.abab", 2, true),
            ("abcabcabc", 1, true),
        ] {
            let loops = after(calls);
            assert_eq!((loops.rounds(), loops.ends_round()), (rounds, ends), "{calls}");
        }
    }

    /// The longest end of the calls for which `holds`.
    fn longest_end(calls: &[u64], holds: impl Fn(&[u64]) -> bool) -> usize {
        (0..=calls.len()).rev().find(|length| holds(&calls[calls.len() - length..])).unwrap_or(0)
    }

    proptest! {
        #[test]
        fn what_is_counted_call_by_call_is_what_the_whole_row_shows(calls in proptest::collection::vec(0..3_u64, 1..40)) {
            let loops = calls.iter().fold(Loops::default(), |loops, call| loops.after(Some(*call)));
            let same = longest_end(&calls, |end| end.iter().all(|call| *call == end[0]));
            let in_turn = longest_end(&calls, |end| {
                end.windows(2).all(|pair| pair[0] != pair[1]) && end.windows(3).all(|three| three[0] == three[2])
            });
            prop_assert_eq!(loops.in_a_row() as usize, same);
            prop_assert_eq!(loops.rounds() as usize, in_turn / 2);
            prop_assert_eq!(loops.ends_round(), in_turn % 2 == 0);
        }
    }
}
