//! The content of state files.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// State of a hook between the calls of one session.
pub trait Remembered: Serialize + DeserializeOwned + Default {
    /// One memory for all sessions of the machine instead of one for each.
    const MACHINE_WIDE: bool = false;

    /// The state file's name for a session (its id made safe); `None`: nothing is remembered.
    fn file_name(session: &str) -> Option<String>;

    /// Reads a file of the original tool, which had no envelope; `None`: not one.
    fn from_original(_bytes: &[u8]) -> Option<Self> {
        None
    }
}

impl Remembered for () {
    fn file_name(_session: &str) -> Option<String> {
        None
    }
}
