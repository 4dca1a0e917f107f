//! What is remembered of a session: recorded declarations, files asked about, verdicts that hold still.

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;

/// What is remembered of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {}

impl Remembered for State {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("{session}-intent.json"))
    }
}
