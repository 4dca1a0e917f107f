//! Snapshots are written whole, once, and repeatably.

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use shared::config::read_typed;

use super::{End, Ending, Step, is_as_written, json_of};
use crate::record::{ARCHIVE, JSON, Kind, MARKDOWN, YAML, read};
use crate::snapshot::Snapshot;
use crate::snapshot::tests::{material, noon};
use crate::tests::World;

/// A record of two lines.
fn recorded() -> World {
    let world = World::new(noon(0));
    world.begins("s");
    world.appends("s", Kind::ToolCall, json!({}));
    world
}

impl World {
    fn finish(&self, ending: Ending, seconds: i64) -> Result<(), String> {
        let path = self.sessions().active_path("s");
        let end = End { path, ending, material: material(), at: noon(seconds), commit: false };
        self.does(Step::Finish(Box::new(end)))
    }

    fn file(&self, end: &str) -> PathBuf {
        self.sessions().file(&self.entry().id, end)
    }

    fn json(&self) -> Vec<u8> {
        json_of(&self.sessions(), &self.entry().id).unwrap()
    }

    fn left(&self) -> Snapshot {
        serde_json::from_slice(&self.json()).unwrap()
    }

    fn is_active(&self) -> bool {
        self.sessions().active("s").is_some()
    }
}

#[test]
fn snapshot_has_three_forms_and_the_record_is_archived() {
    let world = recorded();
    world.finish(Ending::Full, 300).unwrap();
    assert!(world.file(MARKDOWN).is_file() && !world.is_active());
    let yaml = fs::read_to_string(world.file(YAML)).unwrap();
    assert_eq!(read_typed::<Snapshot>(&yaml).unwrap(), world.left());
    assert_eq!(world.left().incremental_pause.action_count, 2);
    assert!(is_as_written(&world.json(), &world.entry().digest));
    assert!(!is_as_written(b"", "") && !is_as_written(b"x", &world.entry().digest));
    let last = read(&world.file(ARCHIVE)).unwrap().actions.pop().unwrap();
    assert_eq!((last.kind, &last.data["total_actions"]), (Kind::PauseFinalized, &2.into()));
    let latest = fs::read_to_string(world.sessions().latest()).unwrap();
    assert_eq!(latest.lines().next(), Some(world.entry().id.as_str()));
    assert_eq!(world.finish(Ending::Full, 900), Ok(()), "it is gone, and nothing happens");
    assert!(world.left().paused_at.contains("12:05:00"));
}

#[test]
fn record_goes_on_after_a_compaction_and_leaves_its_archive_alone_where_that_is_asked() {
    let world = recorded();
    world.finish(Ending::GoesOn, 300).unwrap();
    assert!(world.is_active() && world.left().paused_at.contains("12:05:00"));
    let world = recorded();
    world.finish(Ending::Minimal, 300).unwrap();
    assert!(
        world.file(ARCHIVE).is_file() && !world.file(JSON).exists() && !world.sessions().latest().exists()
    );
}

#[test]
fn failed_snapshot_keeps_the_record_and_is_repeated_with_the_same_result() {
    let world = recorded();
    fs::create_dir(world.file(MARKDOWN)).unwrap();
    assert!(world.finish(Ending::Full, 300).unwrap_err().contains("can be finalized again"));
    assert!(world.is_active());
    let before = world.json();
    fs::remove_dir(world.file(MARKDOWN)).unwrap();
    world.finish(Ending::Full, 900).unwrap();
    assert_eq!((world.json(), world.is_active()), (before, false));
}
