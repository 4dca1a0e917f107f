//! Calls an hour and money a day, over all sessions together: `<state>/judge.json`.

use super::permission::NotAsked;
use super::settings::Settings;
use crate::host::Timestamp;
use crate::state::Store;

/// A call that is counted before it is made, with what it may cost at most.
#[derive(Debug)]
pub(super) struct Reservation(pub(super) u64);

/// What was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Calls in the last hour.
    pub(super) calls: u32,
    /// In the last 24 hours, in millionths of a US dollar.
    pub(super) micro_usd: u64,
}

/// Counts a call before it is made.
///
/// # Errors
/// Why it may not be made.
pub(super) fn reserve(
    _store: &Store,
    _now: Timestamp,
    _settings: &Settings,
    _at_most_micro_usd: u64,
) -> Result<Reservation, NotAsked> {
    Err(NotAsked::CallsSpent)
}

/// What it has cost after all.
pub(super) fn settle(_store: &Store, _reservation: &Reservation, _micro_usd: u64) {}

/// What was spent up to now.
pub(super) fn tally(_store: &Store, _now: Timestamp) -> Tally {
    Tally::default()
}
