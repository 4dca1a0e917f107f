//! A record in numbers, and the snapshot of it. Pure.

use serde_json::{Value, json};
use shared::host::Timestamp;

use super::lists::{accomplishments, files_touched, next_steps};
use super::{ActionSummary, ContextUsage, IncrementalPause, SCHEMA_VERSION, Snapshot};
use crate::material::Material;
use crate::record::{Action, Kind, NOT_RECORDED, Recorded};

const MAX_ACTIONS_SUMMARY: usize = 10;

/// A record in numbers, at `at` or at its own end where it has one.
pub(crate) struct Numbers {
    pub(crate) began: Timestamp,
    ended: Timestamp,
    /// Recorded and counted actions without the one that ends the record.
    pub(crate) actions: u64,
    /// How full the context was at the beginning and at the end, 0 to 1.
    pub(crate) range: [f64; 2],
    /// From its beginning to its end; none where the clock was set back.
    pub(crate) seconds: u64,
}

impl Numbers {
    pub(crate) fn new(recorded: &Recorded, at: Timestamp) -> Self {
        let (first, last) = (recorded.actions.first(), recorded.actions.last());
        let end = last.filter(|action| action.kind == Kind::PauseFinalized);
        let ended = end.map_or(at, |end| end.at);
        let began = first.map_or(ended, |first| first.at);
        let left_out = recorded.actions.iter().filter_map(|action| action.data.get(NOT_RECORDED)?.as_u64());
        Self {
            began,
            ended,
            actions: left_out.fold(happened(recorded).count() as u64, u64::saturating_add),
            range: [first, last].map(|action| action.map_or(0.0, |action| action.share.clamp(0.0, 1.0))),
            seconds: ended.since(began).as_secs(),
        }
    }

    /// The data of the line that ends the record.
    pub(crate) fn of_end(&self) -> Value {
        json!({
            "total_actions": self.actions,
            "final_percentage": self.range[1],
            "pause_started_at": self.began.rfc3339(),
            "duration_seconds": self.seconds,
        })
    }
}

fn happened(recorded: &Recorded) -> impl DoubleEndedIterator<Item = &Action> {
    recorded.actions.iter().filter(|action| action.kind != Kind::PauseFinalized)
}

#[expect(clippy::cast_precision_loss, reason = "seconds are far below 2^52")]
pub(crate) fn build(recorded: &Recorded, material: &Material, numbers: &Numbers) -> Snapshot {
    let summary = |action: &Action| ActionSummary { kind: action.kind, timestamp: action.at.rfc3339() };
    let mut actions_summary: Vec<ActionSummary> =
        happened(recorded).rev().take(MAX_ACTIONS_SUMMARY).map(summary).collect();
    actions_summary.reverse();
    Snapshot {
        session_id: recorded.id.clone(),
        paused_at: numbers.ended.rfc3339(),
        duration_hours: (numbers.seconds as f64 / 36.0).round() / 100.0,
        context_usage: context_usage(numbers.range[1], recorded),
        incremental_pause: IncrementalPause {
            enabled: true,
            action_count: numbers.actions,
            duration_seconds: numbers.seconds,
            context_range: numbers.range,
            tool_calls: recorded.actions.iter().filter(|action| action.kind == Kind::ToolCall).count() as u64,
            actions_summary,
        },
        schema_version: SCHEMA_VERSION,
        git: material.git.clone(),
        todos: material.todos.clone(),
        files_touched: files_touched(recorded, material),
        accomplishments: accomplishments(recorded, material, numbers.began),
        next_steps: next_steps(recorded, material),
        skipped_lines: recorded.skipped_lines,
    }
}

/// The window is the one that the record names last.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tokens are far below 2^52, and a share is at most 1"
)]
fn context_usage(share: f64, recorded: &Recorded) -> ContextUsage {
    let total = |action: &Action| {
        let initial = action.data.get("initial_state").and_then(Value::as_object);
        initial.unwrap_or(&action.data).get("tokens_total")?.as_u64()
    };
    let tokens_total = recorded.actions.iter().rev().find_map(total).unwrap_or_default();
    ContextUsage {
        // Rounded: 0.93 of 200,000 is a little less than 186,000 in binary.
        tokens_used: (share * tokens_total as f64).round() as u64,
        tokens_total,
        percentage: (share * 10_000.0).round() / 100.0,
    }
}
