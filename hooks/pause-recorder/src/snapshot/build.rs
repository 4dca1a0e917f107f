//! Out of a record and what else is known. Pure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::host::Timestamp;

use super::done::{accomplishments, files_touched, next_steps};
use super::{ActionSummary, ContextUsage, IncrementalPause, MAX_ACTIONS_SUMMARY, SCHEMA_VERSION, Snapshot};
use crate::material::Material;
use crate::record::{Action, Kind, Recorded};

/// What can be said of a record at any time. The seed's keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Summary {
    /// The record's id.
    pub session_id: String,
    /// Recorded actions, the first one included, `pause_finalized` not; with those that were only counted.
    pub action_count: u64,
    /// Whole seconds since the record began.
    pub duration_seconds: u64,
    /// How full the context was at the beginning and is now, 0 to 1.
    pub context_range: [f64; 2],
    /// When it began, in UTC.
    pub pause_started_at: String,
    /// What the last action was.
    pub last_action_type: Kind,
    /// When it was, in UTC; empty where its line does not tell.
    pub last_updated: String,
}

/// What can be said of a record now; `None` where no line could be read.
#[must_use]
pub(crate) fn summary(recorded: &Recorded, left_out: u64, now: Timestamp) -> Option<Summary> {
    let last = recorded.actions.last()?;
    let course = Course::until(now, recorded, left_out);
    Some(Summary {
        session_id: recorded.id.clone(),
        action_count: course.actions,
        duration_seconds: course.seconds(),
        context_range: course.range,
        pause_started_at: course.began.rfc3339(),
        last_action_type: last.kind,
        last_updated: utc(last),
    })
}

/// The data of the line that ends a record: `total_actions` (without itself), `final_percentage` (0 to 1),
/// `pause_started_at`, `duration_seconds`.
#[must_use]
pub(crate) fn finalized_data(recorded: &Recorded, left_out: u64, at: Timestamp) -> Map<String, Value> {
    let course = Course::of(recorded, left_out, at);
    let entries: [(&str, Value); 4] = [
        (TOTAL_ACTIONS, course.actions.into()),
        ("final_percentage", course.range[1].into()),
        ("pause_started_at", course.began.rfc3339().into()),
        ("duration_seconds", course.seconds().into()),
    ];
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

const TOTAL_ACTIONS: &str = "total_actions";

/// The snapshot of a record that ends at `at`; where it has ended already, at its own end. `left_out`: actions that were only
/// counted.
#[must_use]
pub(crate) fn build(recorded: &Recorded, material: &Material, left_out: u64, at: Timestamp) -> Snapshot {
    let course = Course::of(recorded, left_out, at);
    Snapshot {
        session_id: recorded.id.clone(),
        paused_at: course.ended.rfc3339(),
        duration_hours: course.hours(),
        context_usage: context_usage(course.range[1], tokens_total(recorded)),
        incremental_pause: IncrementalPause {
            enabled: true,
            action_count: course.actions,
            duration_seconds: course.seconds(),
            context_range: course.range,
            tool_calls: recorded.actions.iter().filter(|action| action.kind == Kind::ToolCall).count() as u64,
            actions_summary: actions_summary(recorded),
        },
        schema_version: SCHEMA_VERSION,
        git: material.git.clone(),
        todos: material.todos.clone(),
        files_touched: files_touched(recorded, material),
        accomplishments: accomplishments(recorded, material, course.began),
        next_steps: next_steps(recorded, material),
        skipped_lines: recorded.skipped_lines,
    }
}

/// The record in numbers.
struct Course {
    began: Timestamp,
    ended: Timestamp,
    /// Without those that ended it.
    actions: u64,
    /// How full the context was, 0 to 1.
    range: [f64; 2],
}

impl Course {
    /// To its own end where it has one.
    fn of(recorded: &Recorded, left_out: u64, at: Timestamp) -> Self {
        let Some(last) = recorded.actions.last().filter(|action| action.kind == Kind::PauseFinalized) else {
            return Self::until(at, recorded, left_out);
        };
        let ended = time(last).unwrap_or(at);
        // Who finalizes it once more may not know any more what was left out.
        let told = last.data.get(TOTAL_ACTIONS).and_then(Value::as_u64);
        let left_out = told.map_or(left_out, |total| total.saturating_sub(recorded_actions(recorded)));
        Self::until(ended, recorded, left_out)
    }

    fn until(ended: Timestamp, recorded: &Recorded, left_out: u64) -> Self {
        let ends = [recorded.actions.first(), recorded.actions.last()];
        Self {
            began: recorded.actions.iter().find_map(time).unwrap_or(ended),
            ended,
            actions: recorded_actions(recorded).saturating_add(left_out),
            range: ends.map(|action| action.map_or(0.0, share)),
        }
    }

    /// None where the clock was set back.
    fn seconds(&self) -> u64 {
        self.ended.since(self.began).as_secs()
    }

    #[expect(clippy::cast_precision_loss, reason = "seconds are far below 2^52")]
    fn hours(&self) -> f64 {
        (self.seconds() as f64 / 36.0).round() / 100.0
    }
}

fn recorded_actions(recorded: &Recorded) -> u64 {
    recorded.actions.iter().filter(|action| action.kind != Kind::PauseFinalized).count() as u64
}

fn time(action: &Action) -> Option<Timestamp> {
    Timestamp::from_rfc3339(&action.timestamp)
}

/// As we write it: the line may come from anybody.
fn utc(action: &Action) -> String {
    time(action).map(Timestamp::rfc3339).unwrap_or_default()
}

fn share(action: &Action) -> f64 {
    // The sum makes a zero of a negative zero.
    action.context_percentage.clamp(0.0, 1.0) + 0.0
}

/// Somebody has told how full the context is.
#[must_use]
pub(crate) fn is_context_known(recorded: &Recorded) -> bool {
    tokens_total(recorded) > 0
}

/// As the record was last told; 0: never.
fn tokens_total(recorded: &Recorded) -> u64 {
    let told = |action: &Action| {
        let state = match action.kind {
            Kind::PauseStarted => action.data.get("initial_state")?.get("tokens_total")?,
            Kind::SystemEvent => action.data.get("tokens_total")?,
            _ => return None,
        };
        state.as_u64().filter(|total| *total > 0)
    };
    recorded.actions.iter().rev().find_map(told).unwrap_or_default()
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tokens are far below 2^52, and a share is at most 1"
)]
fn context_usage(share: f64, tokens_total: u64) -> ContextUsage {
    ContextUsage {
        // Rounded: 0.93 of 200,000 is a little less than 186,000 in binary.
        tokens_used: (share * tokens_total as f64).round() as u64,
        tokens_total,
        percentage: (share * 10_000.0).round() / 100.0,
    }
}

fn actions_summary(recorded: &Recorded) -> Vec<ActionSummary> {
    let actions: Vec<&Action> =
        recorded.actions.iter().filter(|action| action.kind != Kind::PauseFinalized).collect();
    let last = &actions[actions.len().saturating_sub(MAX_ACTIONS_SUMMARY)..];
    last.iter().map(|action| ActionSummary { kind: action.kind, timestamp: utc(action) }).collect()
}

#[cfg(test)]
mod tests;
