//! The memory of a session. Whether the session is recorded does not stand here: its file says that.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;

use crate::levels::Level;

/// The memory of one session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// The levels that were reported since the context last fell. With `auto_pause` no record begins by itself.
    pub told: BTreeSet<Level>,
    /// The model as Claude Code named it at the session's start; it may say `[1m]`.
    pub model: Option<String>,
    /// The context was compacted and no reply has come since: older numbers do not count.
    pub compacted: bool,
    /// The last compaction of the session's model, looked up once; `tokens` is 0 where none is known.
    pub learnt: Option<Compaction>,
    /// The actions that were only counted since the last line, because the record is full.
    pub left_out: u64,
}

/// The context of a model before it was compacted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Compaction {
    pub model: String,
    pub tokens: u64,
}

impl Remembered for State {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("{session}-pause.json"))
    }
}
