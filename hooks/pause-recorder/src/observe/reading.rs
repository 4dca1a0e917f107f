//! How full the context is: by the status line where it has just told it, else by the transcript's last reply.

use shared::hook::Seen;

use crate::levels::Thresholds;
use crate::occupancy::Reading;
use crate::settings::Settings;
use crate::state::State;

/// How full the context is; `None` where nobody knows, or where it does not matter at this event.
pub(super) fn of(_seen: &Seen<'_, Settings>, _state: &State, _is_recorded: bool) -> Option<Reading> {
    None
}

/// Where the levels are for this model.
pub(super) fn thresholds(seen: &Seen<'_, Settings>, _reading: Option<&Reading>) -> Thresholds {
    Thresholds::new(seen.settings, None)
}
