//! What is remembered: when the user last typed something. File `<session>-tempo.json`.

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::Timestamp;

/// What is remembered of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// When the user last typed something.
    pub typed_at: Option<Timestamp>,
}

impl Remembered for State {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("{session}-tempo.json"))
    }
}
