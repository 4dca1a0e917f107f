//! The rules. Pure.

use shared::hook::{Given, Outcome};

use crate::TempoStop;
use crate::state::State;

pub(crate) fn decide(_given: &Given<'_, TempoStop>) -> Outcome<State> {
    Outcome::pass()
}
