//! What `status` says of the judge.

use super::settings::Settings;
use crate::host::Host;
use crate::state::Store;

/// How a model is asked, and what was spent, a line each.
#[must_use]
pub fn status_lines(_settings: &Settings, _store: Option<&Store>, _host: &Host) -> Vec<String> {
    Vec::new()
}
