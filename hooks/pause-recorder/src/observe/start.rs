//! What earlier sessions of the project have left, looked at when a session starts.

use shared::hook::Seen;

use super::Left;
use crate::record::Sessions;
use crate::settings::Settings;

/// What they have left.
pub(super) fn left(
    _seen: &Seen<'_, Settings>,
    _session: &str,
    _source: &str,
    _sessions: Option<&Sessions>,
) -> Left {
    Left::default()
}
