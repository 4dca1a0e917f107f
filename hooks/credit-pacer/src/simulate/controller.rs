//! Who says how long a call waits.

use super::original;
use crate::pacing::{self, Question, Rules};

/// Who says it.
#[derive(Debug)]
pub(super) enum Controller<'a> {
    /// Nobody: nothing waits.
    None,
    /// The rules of this hook.
    Pacer(&'a Rules),
    /// The formula of the tool this hook goes back to.
    Original,
    /// What was answered before, up to a moment; from then on the longest delay there is.
    Held {
        /// The answers, in order.
        before: &'a [f64],
        /// The next one.
        next: usize,
        /// The moment, in seconds since the epoch.
        from: f64,
        /// The longest delay, in seconds.
        longest_secs: f64,
    },
}

impl Controller<'_> {
    /// How long the call waits, in seconds.
    pub(super) fn delay_secs(&mut self, question: &Question<'_>) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Pacer(rules) => pacing::decide(question, rules).delay_secs,
            Self::Original => original::delay_secs(question),
            Self::Held { from, longest_secs, .. } if question.now >= *from => *longest_secs,
            Self::Held { before, next, .. } => {
                let delay = before.get(*next).copied().unwrap_or(0.0);
                *next += 1;
                delay
            }
        }
    }
}
