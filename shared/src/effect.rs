//! Effects: changes beside the answer and the state.

use crate::host::{Places, Timestamp};

/// Change in the world beside the session's own state: a satisfaction in a repository, a file of a registry.
pub trait Effect: Sized {
    /// Does it, under the session's lock and before anything is said.
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String>;
}

/// There is nothing to do: this cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoEffect {}

impl Effect for NoEffect {
    fn carry_out(self, _places: &Places, _now: Timestamp) -> Result<(), String> {
        match self {}
    }
}
