//! Snapshots are written whole, once, and repeatably.

use std::fs;
use std::path::PathBuf;

use shared::config::read_typed;
use shared::state::Store;

use super::{End, Ending, finalize, is_as_written, json_of};
use crate::record::{ARCHIVE, JSON, Kind, MARKDOWN, Sessions, YAML, append, read, start};
use crate::registry::{self, Entry};
use crate::snapshot::Snapshot;
use crate::snapshot::tests::{line, map, material, noon};

struct World {
    _scratch: tempfile::TempDir,
    sessions: Sessions,
    own: Store,
    id: String,
}

impl World {
    /// A record of two lines.
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("p");
        fs::create_dir(&root).unwrap();
        let own = Store::open(&scratch.path().join("own")).unwrap();
        let sessions = Sessions { dir: root.join(".claude/sessions"), root };
        let action = |kind, second| line(kind, second, 0.9, map(&serde_json::json!({})));
        let id = start(&sessions, "s", action(Kind::PauseStarted, 0)).unwrap();
        append(&sessions, &sessions.active_path("s"), vec![action(Kind::ToolCall, 60)]).unwrap();
        let entry = Entry { id: id.clone(), project: sessions.root.clone(), ..Entry::default() };
        registry::change(&own, |registry| registry.begin(entry)).unwrap();
        Self { _scratch: scratch, sessions, own, id }
    }

    fn finish(&self, ending: Ending, seconds: i64, left_out: u64) -> Result<(), String> {
        let path = self.sessions.active_path("s");
        let end = End { path, ending, material: material(), at: noon(seconds), left_out, commit: false };
        finalize(&self.sessions, &self.own, &end)
    }

    fn json(&self) -> Vec<u8> {
        json_of(&self.sessions, &self.id).unwrap()
    }

    fn snapshot(&self) -> Snapshot {
        serde_json::from_slice(&self.json()).unwrap()
    }

    fn digest(&self) -> String {
        self.own.read::<registry::Registry>("").unwrap().entries[0].digest.clone()
    }

    fn files(&self) -> Vec<PathBuf> {
        let files = [JSON, YAML, MARKDOWN, ARCHIVE].map(|end| self.sessions.file(&self.id, end));
        files.into_iter().chain([self.sessions.latest()]).filter(|file| file.exists()).collect()
    }
}

#[test]
fn snapshot_has_three_forms_and_the_record_is_archived() {
    let world = World::new();
    world.finish(Ending::Full, 300, 3).unwrap();
    assert_eq!(world.files().len(), 5);
    assert!(!world.sessions.active_path("s").exists());
    let yaml = fs::read_to_string(world.sessions.file(&world.id, YAML)).unwrap();
    assert_eq!(read_typed::<Snapshot>(&yaml).unwrap(), world.snapshot());
    assert_eq!(world.snapshot().incremental_pause.action_count, 5);
    assert!(is_as_written(&world.json(), &world.digest()));
    assert!(!is_as_written(b"", "") && !is_as_written(b"x", &world.digest()));
    let last = read(&world.sessions.file(&world.id, ARCHIVE)).unwrap().unwrap().actions.pop().unwrap();
    assert_eq!((last.kind, &last.data["total_actions"]), (Kind::PauseFinalized, &5.into()));
    let latest = fs::read_to_string(world.sessions.latest()).unwrap();
    assert_eq!(latest.lines().next(), Some(world.id.as_str()));
    assert_eq!(world.finish(Ending::Full, 900, 0), Ok(()), "it is gone, and nothing happens");
    assert!(world.snapshot().paused_at.contains("12:05:00"));
}

#[test]
fn record_goes_on_after_a_compaction_and_leaves_its_archive_alone_where_that_is_asked() {
    let world = World::new();
    world.finish(Ending::GoesOn, 300, 0).unwrap();
    assert!(world.sessions.active_path("s").exists() && world.snapshot().paused_at.contains("12:05:00"));
    let world = World::new();
    world.finish(Ending::Minimal, 300, 0).unwrap();
    assert_eq!(world.files(), [world.sessions.file(&world.id, ARCHIVE)]);
}

#[test]
fn failed_snapshot_keeps_the_record_and_is_repeated_with_the_same_result() {
    let world = World::new();
    let markdown = world.sessions.file(&world.id, MARKDOWN);
    fs::create_dir(&markdown).unwrap();
    assert!(world.finish(Ending::Full, 300, 3).unwrap_err().contains("can be finalized again"));
    assert!(world.sessions.active_path("s").exists());
    let before = world.json();
    fs::remove_dir(markdown).unwrap();
    world.finish(Ending::Full, 900, 0).unwrap();
    assert_eq!((world.json(), world.files().len()), (before, 5));
    let world = World::new();
    fs::write(world.sessions.active_path("s"), "garbage\n").unwrap();
    assert!(world.finish(Ending::GoesOn, 300, 0).unwrap_err().contains("no line"));
}
