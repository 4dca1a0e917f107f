//! What is remembered of a session. Whether it is being recorded is not: its file says that.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::Timestamp;

use crate::levels::Level;
use crate::models::Model;

/// The memory of one session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// The levels that were told in this climb.
    pub told: BTreeSet<Level>,
    /// The model as the client named it at the session's start; it may say `[1m]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The client is about to compact by itself: what was in the context then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compacting: Option<Compacting>,
    /// It was compacted, and no reply has come since: older numbers count for nothing.
    #[serde(skip_serializing_if = "is_false")]
    pub compacted: bool,
    /// When this climb's record was last begun, or was to be; the shelf knows it by that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begun: Option<Timestamp>,
    /// The session's own user has ended or dropped this climb's record: no other begins by itself.
    #[serde(skip_serializing_if = "is_false")]
    pub dropped: bool,
    /// What was learnt of the session's model, looked up when it was first seen.
    #[serde(rename = "model_learnt", skip_serializing_if = "Option::is_none")]
    pub learnt: Option<Learnt>,
    /// Actions that were only counted, because the record is full.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// What was in the context before a compaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compacting {
    /// The model.
    pub model: String,
    /// Tokens.
    pub tokens: u64,
}

/// What was learnt of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Learnt {
    /// Its id.
    pub model: String,
    /// What.
    pub what: Model,
}

impl State {
    /// The levels begin anew, and with them the record.
    pub(crate) fn climb_anew(&mut self) {
        self.told.clear();
        self.begun = None;
        self.dropped = false;
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Remembered for State {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("{session}-pause.json"))
    }
}
