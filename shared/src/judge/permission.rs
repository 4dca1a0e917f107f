//! When nobody is asked.

use super::Desk;

/// Why nobody was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAsked {
    /// No backend is chosen.
    NoBackend,
    /// There is no state folder, so nothing can be counted.
    NoState,
    /// The project's settings could lead the question elsewhere.
    Misled,
    /// The credits are used faster than they last.
    Pacing,
    /// So many questions in an hour are enough.
    CallsSpent,
    /// So much money in a day is enough.
    MoneySpent,
    /// Another hook has refused the call, or blocked the stop: what it costs would be for nothing.
    RefusedElsewhere,
}

/// Why nobody may be asked now; what counts calls and money is `ledger`.
pub(super) fn obstacle(_desk: &Desk<'_>) -> Option<NotAsked> {
    Some(NotAsked::NoBackend)
}
