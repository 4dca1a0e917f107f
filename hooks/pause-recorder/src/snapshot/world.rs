//! Records and snapshots for tests.

use serde_json::{Map, Value, json};
use shared::host::Timestamp;

use super::{Snapshot, Todos, build};
use crate::git::{Commit, GitContext, Status};
use crate::material::Material;
use crate::record::{Action, Kind, Recorded};

pub(super) const ID: &str = "session-20260106-120000";

/// So many seconds after noon, when the seed's record begins.
pub(super) fn noon(seconds: i64) -> Timestamp {
    let noon = Timestamp::from_rfc3339("2026-01-06T12:00:00Z").unwrap();
    Timestamp::from_micros(noon.micros() + seconds * 1_000_000)
}

pub(super) fn map(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

pub(super) fn line(kind: Kind, seconds: i64, share: f64, data: &Value) -> Action {
    Action {
        kind,
        timestamp: noon(seconds).rfc3339(),
        session_id: ID.to_owned(),
        data: map(data),
        context_percentage: share,
    }
}

pub(super) fn started(tokens_total: u64) -> Action {
    let state = json!({ "tokens_used": 180_000, "tokens_total": tokens_total });
    line(Kind::PauseStarted, 0, 0.9, &json!({ "context_percentage": 0.9, "initial_state": state }))
}

pub(super) fn edit(path: &str) -> Action {
    line(Kind::ToolCall, 60, 0.91, &json!({ "tool": "Edit", "path": path }))
}

pub(super) fn said(summary: &str) -> Action {
    line(Kind::AssistantResponse, 120, 0.92, &json!({ "summary": summary }))
}

pub(super) fn asked(message: &str) -> Action {
    line(Kind::UserMessage, 150, 0.93, &json!({ "message": message }))
}

pub(super) fn recorded(actions: Vec<Action>) -> Recorded {
    Recorded { id: ID.to_owned(), actions, skipped_lines: 0 }
}

/// The seed's example: 15 actions, 8 of them tool calls, from 90 to 93 %, over 300 s.
pub(super) fn seeds() -> Recorded {
    let calls = (1..=8).map(|at| line(Kind::ToolCall, at, 0.91, &json!({ "tool": "Read", "path": "/p/a" })));
    let turns = (0..6).map(|at| line(Kind::AssistantResponse, 20 + at, 0.93, &json!({ "summary": "done" })));
    recorded(std::iter::once(started(200_000)).chain(calls).chain(turns).collect())
}

pub(super) fn commit(sha: &str, timestamp: &str, message: &str) -> Commit {
    Commit {
        sha: sha.to_owned(),
        author: "Ada".to_owned(),
        timestamp: timestamp.to_owned(),
        message: message.to_owned(),
    }
}

pub(super) fn material() -> Material {
    Material {
        root: "/p".into(),
        git: GitContext {
            is_git_repo: true,
            branch: Some("main".to_owned()),
            recent_commits: vec![commit("1a2b3c4", "2026-01-06T12:03:00Z", "add the parser")],
            status: Status {
                clean: false,
                modified_files: vec!["src/a.rs".to_owned()],
                untracked_files: vec!["with space".to_owned(), "line\nbreak".to_owned()],
            },
        },
        todos: Todos { active: vec!["write docs".to_owned()], completed: vec!["write code".to_owned()] },
        files: vec!["/p/src/a.rs".into(), "/elsewhere/b".into()],
        ..Material::default()
    }
}

/// A snapshot that has something of everything.
pub(super) fn full() -> Snapshot {
    let mut recorded = seeds();
    recorded.actions.extend([edit("/p/src/c.rs"), said("all is written"), asked("and the docs?")]);
    recorded.skipped_lines = 2;
    build(&recorded, &material(), 3, noon(300))
}

/// A snapshot that has next to nothing.
pub(super) fn least() -> Snapshot {
    build(&Recorded::default(), &Material::default(), 0, noon(0))
}
