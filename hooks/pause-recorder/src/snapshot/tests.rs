//! Records and snapshots for tests, and a record in numbers, as the seed's example has them.

mod gathered;
mod lists;

use serde_json::{Value, json};
use shared::host::Timestamp;

use super::{Material, Numbers, Snapshot, Todos, build};
use crate::git::{Commit, GitContext, Status};
use crate::record::{Action, Kind, NOT_RECORDED, Recorded};

const ID: &str = "session-20260106-120000";

/// So many seconds after noon, when the seed's record begins.
pub(crate) fn noon(seconds: i64) -> Timestamp {
    let noon = Timestamp::from_rfc3339("2026-01-06T12:00:00Z").unwrap();
    Timestamp::from_micros(noon.micros() + seconds * 1_000_000)
}

pub(crate) fn line(kind: Kind, seconds: i64, share: f64, data: Value) -> Action {
    Action { session_id: ID.to_owned(), ..Action::new(kind, noon(seconds), data, share) }
}

/// A line with this data, of no special time.
pub(crate) fn of(kind: Kind, data: Value) -> Action {
    line(kind, 60, 0.93, data)
}

pub(crate) fn started(tokens_total: u64) -> Action {
    let state = json!({ "tokens_used": 180_000, "tokens_total": tokens_total });
    line(Kind::PauseStarted, 0, 0.9, json!({ "context_percentage": 0.9, "initial_state": state }))
}

pub(crate) fn edit(path: &str) -> Action {
    of(Kind::ToolCall, json!({ "tool": "Edit", "path": path }))
}

pub(crate) fn said(summary: &str) -> Action {
    of(Kind::AssistantResponse, json!({ "summary": summary }))
}

pub(crate) fn asked(message: &str) -> Action {
    of(Kind::UserMessage, json!({ "message": message }))
}

pub(crate) fn recorded(actions: Vec<Action>) -> Recorded {
    Recorded { id: ID.to_owned(), actions, skipped_lines: 0 }
}

/// The seed's example: 15 actions, 8 of them tool calls, from 90 to 93 %, over 300 s.
fn seeds() -> Recorded {
    let call = |at| line(Kind::ToolCall, at, 0.91, json!({ "tool": "Read", "path": "/p/a" }));
    let turn = |at: i64| line(Kind::AssistantResponse, 20 + at, 0.93, json!({ "summary": "done" }));
    recorded(std::iter::once(started(200_000)).chain((1..=8).map(call)).chain((0..6).map(turn)).collect())
}

pub(crate) fn commit(sha: &str, timestamp: &str, message: &str) -> Commit {
    let [sha, timestamp, message] = [sha, timestamp, message].map(ToOwned::to_owned);
    Commit { sha, author: "Ada".to_owned(), timestamp, message }
}

pub(crate) fn material() -> Material {
    let status = Status {
        clean: false,
        modified_files: vec!["src/a.rs".to_owned()],
        untracked_files: vec!["with space".to_owned(), "line\nbreak".to_owned()],
    };
    Material {
        root: "/p".into(),
        git: GitContext {
            is_git_repo: true,
            branch: Some("main".to_owned()),
            recent_commits: vec![commit("1a2b3c4", "2026-01-06T12:03:00Z", "add the parser")],
            status,
        },
        todos: Todos { active: vec!["write docs".to_owned()], completed: vec!["write code".to_owned()] },
        files: vec!["/p/src/a.rs".into(), "/elsewhere/b".into()],
        ..Material::default()
    }
}

/// A snapshot that has something of everything.
pub(crate) fn full() -> Snapshot {
    let mut recorded = seeds();
    recorded.actions.extend([edit("/p/src/c.rs"), said("all is written"), asked("and the docs?")]);
    recorded.actions[1].data.insert(NOT_RECORDED.to_owned(), 3.into());
    recorded.skipped_lines = 2;
    build(&recorded, &material(), noon(300))
}

/// A snapshot that has next to nothing.
pub(crate) fn least() -> Snapshot {
    build(&Recorded::default(), &Material::default(), Timestamp::from_secs(0))
}

fn numbers(recorded: &Recorded, at: Timestamp) -> Value {
    serde_json::to_value(build(recorded, &Material::default(), at)).unwrap()
}

#[test]
fn seeds_example_comes_out_as_in_the_seed() {
    let value = numbers(&seeds(), noon(300));
    let pause = &value["incremental_pause"];
    let last = json!({ "type": "assistant_response", "timestamp": "2026-01-06T12:00:25.000Z" });
    for (found, expected) in [
        (&value["session_id"], json!(ID)),
        (&value["duration_hours"], json!(0.08)),
        (&value["paused_at"], json!("2026-01-06T12:05:00.000Z")),
        (
            &value["context_usage"],
            json!({ "tokens_used": 186_000, "tokens_total": 200_000, "percentage": 93.0 }),
        ),
        (&pause["enabled"], json!(true)),
        (&pause["action_count"], json!(15)),
        (&pause["duration_seconds"], json!(300)),
        (&pause["tool_calls"], json!(8)),
        (&pause["context_range"], json!([0.9, 0.93])),
        (&pause["actions_summary"][9], last),
        (&pause["actions_summary"][10], Value::Null),
    ] {
        assert_eq!(*found, expected);
    }
}

#[test]
fn tokens_and_percentage_are_rounded_and_of_the_last_window() {
    let level =
        |total: u64| of(Kind::SystemEvent, json!({ "event": "level_reached", "tokens_total": total }));
    for (share, actions, used, total, percentage) in [
        (0.123_456, vec![started(200_000)], 24_691, 200_000, 12.35),
        (0.93, vec![], 0, 0, 93.0),
        (0.5, vec![started(200_000), level(1_000_000)], 500_000, 1_000_000, 50.0),
    ] {
        let last = Action { share, ..said("x") };
        let actions = actions.into_iter().chain([last]).collect();
        let usage = &numbers(&recorded(actions), noon(0))["context_usage"];
        let expected = json!({ "tokens_used": used, "tokens_total": total, "percentage": percentage });
        assert_eq!(*usage, expected);
    }
}

#[test]
fn last_line_counts_what_was_left_out() {
    let mut open = seeds();
    for (index, count) in [(3, 1), (9, 3)] {
        open.actions[index].data.insert(NOT_RECORDED.to_owned(), count.into());
    }
    let data = Numbers::new(&open, noon(300)).of_end();
    let expected = json!({
        "total_actions": 19,
        "final_percentage": 0.93,
        "pause_started_at": "2026-01-06T12:00:00.000Z",
        "duration_seconds": 300
    });
    assert_eq!(data, expected);
}
