//! What is found in a change without a model: only what the change brings, never what stood there before. Pure.

use serde::{Deserialize, Serialize};

use crate::change::Versions;
use crate::settings::Checks;

/// Something that should not be so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Finding {
    /// The rule.
    pub(crate) rule: String,
    /// The line in the file as it would be, from 1; 0 where that is not known. Within the piece for a fragment.
    pub(crate) line: u32,
    /// Why.
    pub(crate) why: String,
    /// What to do.
    pub(crate) fix: String,
}

/// What the checks find, in the order of the lines.
pub(crate) fn find(_path: &str, _versions: &Versions, _checks: &Checks) -> Vec<Finding> {
    Vec::new()
}
