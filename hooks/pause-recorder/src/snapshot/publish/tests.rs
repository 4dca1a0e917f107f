//! Snapshots are written whole, once, and repeatably.

use std::fs;
use std::path::PathBuf;

use serde_json::Map;
use shared::config::read_typed;

use super::super::Snapshot;
use super::super::world::{material, noon};
use super::{End, Ending, Finished, finish, is_as_written, json_of};
use crate::record::{Draft, Kind, Sessions, append, read, start};

struct World {
    _scratch: tempfile::TempDir,
    sessions: Sessions,
    id: String,
}

impl World {
    /// A record of two lines.
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().to_path_buf();
        let sessions = Sessions { dir: root.join(".claude/sessions"), root };
        let draft = |kind, second| Draft { kind, at: noon(second), data: Map::new(), share: 0.9 };
        let id = start(&sessions, "s", &draft(Kind::PauseStarted, 0)).unwrap();
        append(&sessions, &sessions.active_path("s"), &[draft(Kind::ToolCall, 60)]).unwrap();
        Self { _scratch: scratch, sessions, id }
    }

    fn end(&self, ending: Ending) -> End {
        let path = self.sessions.active_path("s");
        End { path, ending, material: material(), at: noon(300), left_out: 3, commit: false }
    }

    fn finish(&self, ending: Ending) -> Result<Option<Finished>, String> {
        finish(&self.sessions, &self.end(ending), |_| Ok(()))
    }

    fn snapshot(&self) -> Snapshot {
        serde_json::from_slice(&json_of(&self.sessions, &self.id).unwrap()).unwrap()
    }

    fn files(&self) -> Vec<PathBuf> {
        let files = self.sessions.files(&self.id);
        [files.json, files.yaml, files.markdown, files.archive, files.latest]
            .into_iter()
            .filter(|file| file.exists())
            .collect()
    }
}

#[test]
fn writes_one_snapshot_in_three_forms_and_archives_the_record() {
    let world = World::new();
    let finished = world.finish(Ending::Full).unwrap().unwrap();
    let files = world.sessions.files(&world.id);
    assert_eq!(world.files().len(), 5);
    assert!(!world.sessions.active_path("s").exists());
    let yaml = fs::read_to_string(&files.yaml).unwrap();
    assert_eq!(read_typed::<Snapshot>(&yaml).unwrap(), world.snapshot());
    assert_eq!(world.snapshot().incremental_pause.action_count, 5);
    assert!(is_as_written(&fs::read(&files.json).unwrap(), &finished.digest));
    assert!(!is_as_written(b"", "") && !is_as_written(b"x", &finished.digest));
    let last = read(&files.archive).unwrap().unwrap().actions.pop().unwrap();
    assert_eq!((last.kind, &last.data["total_actions"]), (Kind::PauseFinalized, &5.into()));
    let latest = fs::read_to_string(&files.latest).unwrap();
    assert_eq!(latest.lines().next(), Some(world.id.as_str()));
    assert_eq!(world.finish(Ending::Full), Ok(None), "it is gone");
}

#[test]
fn leaves_the_record_at_a_compaction_and_only_the_archive_where_that_is_asked() {
    let world = World::new();
    world.finish(Ending::GoesOn).unwrap();
    assert!(world.sessions.active_path("s").exists() && world.snapshot().paused_at.contains("12:05:00"));
    let world = World::new();
    world.finish(Ending::Minimal).unwrap();
    assert_eq!(world.files(), [world.sessions.files(&world.id).archive]);
}

#[test]
fn repeats_what_failed_with_the_same_result() {
    let world = World::new();
    let failed = finish(&world.sessions, &world.end(Ending::Full), |_| Err("no".to_owned()));
    assert_eq!(failed, Err("no".to_owned()));
    let before = fs::read(world.sessions.files(&world.id).json).unwrap();
    let later = End { at: noon(900), left_out: 0, ..world.end(Ending::Full) };
    finish(&world.sessions, &later, |_| Ok(())).unwrap();
    assert_eq!(fs::read(world.sessions.files(&world.id).json).unwrap(), before);
    assert_eq!(world.files().len(), 5);
}

#[test]
fn keeps_the_record_where_something_is_in_the_way() {
    let world = World::new();
    fs::create_dir(world.sessions.files(&world.id).json).unwrap();
    assert!(world.finish(Ending::Full).unwrap_err().contains("can be finalized again"));
    assert!(world.sessions.active_path("s").exists());
    fs::write(world.sessions.active_path("s"), "garbage\n").unwrap();
    assert!(world.finish(Ending::GoesOn).unwrap_err().contains("no line"));
}
