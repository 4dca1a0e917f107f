//! Out of a record and what else is known. Pure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::host::Timestamp;

use super::{ContextUsage, IncrementalPause, SCHEMA_VERSION, Snapshot};
use crate::material::Material;
use crate::record::{Kind, Recorded};

/// What can be said of a record at any time. The seed's keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The record's id.
    pub session_id: String,
    /// Recorded actions, the first one included.
    pub action_count: u64,
    /// Whole seconds since the record began.
    pub duration_seconds: u64,
    /// How full the context was at the beginning and is now, 0 to 1.
    pub context_range: [f64; 2],
    /// When it began, in UTC.
    pub pause_started_at: String,
    /// What the last action was.
    pub last_action_type: Kind,
    /// When it was, in UTC.
    pub last_updated: String,
}

/// What can be said of a record now; `None` where no line could be read.
#[must_use]
pub fn summary(_recorded: &Recorded, _left_out: u64, _now: Timestamp) -> Option<Summary> {
    None
}

/// The data of the line that ends a record: `total_actions` (without itself), `final_percentage` (0 to 1),
/// `pause_started_at`, `duration_seconds`.
#[must_use]
pub fn finalized_data(_recorded: &Recorded, _left_out: u64, _at: Timestamp) -> Map<String, Value> {
    Map::new()
}

/// The snapshot of a record that ends at `at`; where it has ended already, at its own end. `left_out`: actions that were only
/// counted.
#[must_use]
pub fn build(recorded: &Recorded, material: &Material, left_out: u64, at: Timestamp) -> Snapshot {
    let _ = left_out;
    Snapshot {
        schema_version: SCHEMA_VERSION,
        session_id: recorded.id.clone(),
        paused_at: at.rfc3339(),
        duration_hours: 0.0,
        context_usage: ContextUsage::default(),
        incremental_pause: IncrementalPause {
            enabled: true,
            action_count: 0,
            duration_seconds: 0,
            context_range: [0.0, 0.0],
            tool_calls: 0,
            actions_summary: Vec::new(),
        },
        git: material.git.clone(),
        todos: material.todos.clone(),
        files_touched: Vec::new(),
        accomplishments: Vec::new(),
        next_steps: Vec::new(),
        skipped_lines: recorded.skipped_lines,
    }
}
