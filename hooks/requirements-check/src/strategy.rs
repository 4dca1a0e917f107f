//! How a requirement is met: one trait, four types. Each says whether it is met now, why not, and what would meet it in the
//! permission mode of the call. All pure, from what was looked at before.

mod blocking;
mod dynamic;
mod evidence;
mod guard;

use crate::rule::Rule;
use crate::settings::{Kind, Requirement};
use crate::view::View;

/// One type of requirement.
pub trait Strategy: Sync {
    /// What is missing for it to work, in words; `None` if it can.
    fn lacks(&self, set: &Requirement) -> Option<&'static str>;

    /// Whether it is met now.
    fn standing(&self, rule: &Rule<'_>, view: &View<'_>) -> Standing;

    /// What would meet it.
    fn remedy(&self, rule: &Rule<'_>, view: &View<'_>) -> Remedy;

    /// The session has done what makes it due at the end of a turn.
    fn is_due(&self, rule: &Rule<'_>, view: &View<'_>) -> bool {
        view.state.triggered.contains(rule.name)
    }
}

/// Whether a requirement is met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is; how, for people.
    Met(String),
    /// It is not; why.
    Unmet(String),
}

impl Standing {
    /// The requirement is satisfied.
    pub fn is_met(&self) -> bool {
        matches!(self, Self::Met(_))
    }

    /// How, or why not.
    pub fn words(&self) -> &str {
        match self {
            Self::Met(words) | Self::Unmet(words) => words,
        }
    }
}

/// What would meet a requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// A mark that Claude may set: several are set by one command.
    Mark {
        /// What may set it instead.
        or: Option<String>,
    },
    /// Anything else, as a sentence.
    Do(String),
}

/// The type's strategy.
pub(crate) fn strategy(kind: Kind) -> &'static dyn Strategy {
    match kind {
        Kind::Blocking => &blocking::Blocking,
        Kind::Dynamic => &dynamic::Dynamic,
        Kind::Guard => &guard::Guard,
        Kind::Evidence => &evidence::Evidence,
    }
}

#[cfg(test)]
mod tests;
