//! How a requirement is satisfied: whether it is now, why not, and what would satisfy it in the permission mode of the call. A
//! module for each type. All pure, from what was looked at before.

mod blocking;
mod dynamic;
mod evidence;
mod guard;

use crate::rule::Rule;
use crate::settings::Terms;
use crate::view::View;

impl Rule<'_> {
    /// Whether it is satisfied now.
    pub fn standing(&self, view: &View<'_>) -> Standing {
        match &self.set.terms {
            Terms::Blocking(blocking) => blocking::standing(self, blocking, view),
            Terms::Dynamic(dynamic) => dynamic::standing(self, dynamic, view),
            Terms::Guard(guard) => guard::standing(self, guard, view),
            Terms::Evidence(evidence) => evidence::standing(self, evidence, view),
            Terms::Off(_) => Standing::Met("it is off".to_owned()),
        }
    }

    /// What would satisfy it.
    pub fn remedy(&self, view: &View<'_>) -> Remedy {
        match &self.set.terms {
            Terms::Blocking(blocking) => blocking::remedy(self, blocking, view),
            Terms::Dynamic(_) => dynamic::remedy(self, view),
            Terms::Guard(guard) => guard::remedy(self, guard, view),
            Terms::Evidence(evidence) => evidence::remedy(self, evidence, view),
            Terms::Off(_) => Remedy::Do("switch it on".to_owned()),
        }
    }

    /// The session has done what makes it due at the end of a turn.
    pub(crate) fn is_due(&self, view: &View<'_>) -> bool {
        let is_edited = || self.set.evidence().is_some() && view.state.edited.contains(self.name);
        view.state.triggered.contains(self.name) || is_edited()
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

#[cfg(test)]
mod tests;
