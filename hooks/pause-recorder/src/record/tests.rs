//! The file of a record: whole lines, whatever happens to it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use serde_json::json;
use shared::host::Timestamp;

use super::{Action, Kind, Recorded, append, read, remove};
use crate::tests::World;

fn action(kind: Kind, second: i64) -> Action {
    let at = Timestamp::from_secs(1_767_700_800 + second);
    Action::new(kind, at, json!({}), 0.9)
}

impl World {
    fn path(&self) -> PathBuf {
        self.sessions().active_path("s")
    }

    fn start(&self) -> String {
        append(&self.sessions(), "s", vec![action(Kind::PauseStarted, 0)]).unwrap().unwrap()
    }

    fn append(&self, second: i64) {
        append(&self.sessions(), "s", vec![action(Kind::ToolCall, second)]).unwrap();
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    fn recorded(&self) -> Recorded {
        read(&self.path()).unwrap()
    }

    fn kinds(&self) -> Vec<Kind> {
        self.recorded().actions.iter().map(|action| action.kind).collect()
    }
}

#[test]
fn holds_a_line_for_each_action_and_is_private() {
    let world = World::new(Timestamp::from_secs(0));
    let id = world.start();
    world.append(1);
    let recorded = world.recorded();
    assert_eq!((recorded.id.as_str(), recorded.skipped_lines), (id.as_str(), 0));
    assert_eq!(world.kinds(), [Kind::PauseStarted, Kind::ToolCall]);
    assert_eq!(fs::metadata(world.path()).unwrap().permissions().mode() & 0o777, 0o600);
    let first = r#"{"type":"pause_started","timestamp":"2026-01-06T12:00:00.000Z","session_id":"session-20260106-120000","data":{},"context_percentage":0.9}"#;
    assert_eq!(world.text().lines().next(), Some(first));
}

#[test]
fn goes_on_where_it_exists() {
    let world = World::new(Timestamp::from_secs(0));
    let id = world.start();
    assert_eq!(world.start(), id);
    assert_eq!(world.kinds(), [Kind::PauseStarted]);
    let other = append(&world.sessions(), "another", vec![action(Kind::PauseStarted, 0)]).unwrap();
    assert_eq!(other.as_deref(), Some("session-20260106-120000-2"));
}

#[test]
fn ends_a_torn_line_and_counts_what_it_cannot_read() {
    let world = World::new(Timestamp::from_secs(0));
    world.start();
    let text = world.text() + "\n{\"type\":\"tool_call\",\"time";
    fs::write(world.path(), text).unwrap();
    world.append(1);
    assert_eq!((world.kinds().len(), world.recorded().skipped_lines), (2, 1));
    let long = format!("{{\"type\":\"{}\"}}\n", "x".repeat(2 * 1024 * 1024));
    fs::write(world.path(), world.text() + &long + "\u{0}\n[]\n").unwrap();
    world.append(2);
    assert_eq!((world.kinds().len(), world.recorded().skipped_lines), (3, 4));
}

#[test]
fn is_not_created_again_by_an_append() {
    let world = World::new(Timestamp::from_secs(0));
    world.start();
    remove(&world.path()).unwrap();
    world.append(1);
    assert!(!world.path().exists() && read(&world.path()) == Ok(Recorded::default()));
    assert_eq!(remove(&world.path()), Ok(()));
}

#[test]
fn is_no_link() {
    let world = World::new(Timestamp::from_secs(0));
    world.sessions().open().unwrap();
    let target = world.at("target");
    fs::write(&target, "precious").unwrap();
    symlink(&target, world.path()).unwrap();
    assert!(append(&world.sessions(), "s", vec![action(Kind::PauseStarted, 0)]).is_err());
    assert!(append(&world.sessions(), "s", vec![action(Kind::ToolCall, 1)]).is_err());
    assert_eq!(fs::read_to_string(target).unwrap(), "precious");
}
