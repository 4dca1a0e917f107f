//! messages_api

use super::Desk;
use super::exchange::{Exchange, Reply, Trouble};

/// Asks.
///
/// # Errors
/// Why there is no reply.
pub(super) fn send(_exchange: &Exchange<'_>, _desk: &Desk<'_>) -> Result<Reply, Trouble> {
    Err(Trouble::NotStarted)
}
