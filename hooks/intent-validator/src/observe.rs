//! What the hook looks at, in the order of its price. Nothing is decided here.

use shared::hook::Seen;

use crate::settings::Settings;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Facts {
    /// The session ends.
    SessionEnd,
}

pub(crate) fn observe(_seen: &Seen<'_, Settings>) -> Option<Facts> {
    None
}
