//! Snapshots are written whole, once, and repeatably.

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use shared::config::read_typed;
use shared::state::Store;

use super::{End, Ending, finalize, is_as_written, json_of};
use crate::record::{ARCHIVE, JSON, Kind, MARKDOWN, Sessions, YAML, append, read};
use crate::registry::{self, Entry};
use crate::snapshot::Snapshot;
use crate::snapshot::tests::{line, material, noon};
use crate::tests::World;

struct Scene {
    world: World,
    sessions: Sessions,
    own: Store,
    id: String,
}

impl Scene {
    /// A record of two lines.
    fn new() -> Self {
        let world = World::new(noon(0));
        let own = registry::own_store(&world.places.open_store().unwrap()).unwrap();
        let sessions = world.sessions();
        let action = |kind, second| line(kind, second, 0.9, json!({}));
        let id = append(&sessions, "s", vec![action(Kind::PauseStarted, 0)]).unwrap().unwrap();
        append(&sessions, "s", vec![action(Kind::ToolCall, 60)]).unwrap();
        let entry = Entry { id: id.clone(), project: sessions.root.clone(), ..Entry::default() };
        registry::change(&own, |registry| registry.begin(entry)).unwrap();
        Self { world, sessions, own, id }
    }

    fn finish(&self, ending: Ending, seconds: i64) -> Result<(), String> {
        let path = self.sessions.active_path("s");
        let end = End { path, ending, material: material(), at: noon(seconds), commit: false };
        finalize(&self.sessions, &self.own, &end)
    }

    fn json(&self) -> Vec<u8> {
        json_of(&self.sessions, &self.id).unwrap()
    }

    fn snapshot(&self) -> Snapshot {
        serde_json::from_slice(&self.json()).unwrap()
    }

    fn digest(&self) -> String {
        self.world.registry().entries[0].digest.clone()
    }

    fn files(&self) -> Vec<PathBuf> {
        let files = [JSON, YAML, MARKDOWN, ARCHIVE].map(|end| self.sessions.file(&self.id, end));
        files.into_iter().chain([self.sessions.latest()]).filter(|file| file.exists()).collect()
    }
}

#[test]
fn snapshot_has_three_forms_and_the_record_is_archived() {
    let scene = Scene::new();
    scene.finish(Ending::Full, 300).unwrap();
    assert_eq!(scene.files().len(), 5);
    assert!(!scene.sessions.active_path("s").exists());
    let yaml = fs::read_to_string(scene.sessions.file(&scene.id, YAML)).unwrap();
    assert_eq!(read_typed::<Snapshot>(&yaml).unwrap(), scene.snapshot());
    assert_eq!(scene.snapshot().incremental_pause.action_count, 2);
    assert!(is_as_written(&scene.json(), &scene.digest()));
    assert!(!is_as_written(b"", "") && !is_as_written(b"x", &scene.digest()));
    let last = read(&scene.sessions.file(&scene.id, ARCHIVE)).unwrap().actions.pop().unwrap();
    assert_eq!((last.kind, &last.data["total_actions"]), (Kind::PauseFinalized, &2.into()));
    let latest = fs::read_to_string(scene.sessions.latest()).unwrap();
    assert_eq!(latest.lines().next(), Some(scene.id.as_str()));
    assert_eq!(scene.finish(Ending::Full, 900), Ok(()), "it is gone, and nothing happens");
    assert!(scene.snapshot().paused_at.contains("12:05:00"));
}

#[test]
fn record_goes_on_after_a_compaction_and_leaves_its_archive_alone_where_that_is_asked() {
    let scene = Scene::new();
    scene.finish(Ending::GoesOn, 300).unwrap();
    assert!(scene.sessions.active_path("s").exists() && scene.snapshot().paused_at.contains("12:05:00"));
    let scene = Scene::new();
    scene.finish(Ending::Minimal, 300).unwrap();
    assert_eq!(scene.files(), [scene.sessions.file(&scene.id, ARCHIVE)]);
}

#[test]
fn failed_snapshot_keeps_the_record_and_is_repeated_with_the_same_result() {
    let scene = Scene::new();
    let markdown = scene.sessions.file(&scene.id, MARKDOWN);
    fs::create_dir(&markdown).unwrap();
    assert!(scene.finish(Ending::Full, 300).unwrap_err().contains("can be finalized again"));
    assert!(scene.sessions.active_path("s").exists());
    let before = scene.json();
    fs::remove_dir(markdown).unwrap();
    scene.finish(Ending::Full, 900).unwrap();
    assert_eq!((scene.json(), scene.files().len()), (before, 5));
}
