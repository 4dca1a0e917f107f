//! The registry on a real disk: who is live, for how long, and what is left alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use shared::host::Timestamp;
use shared::state::Store;

use super::super::{Entry, LIVE_FOR, Registry, TOUCH_EVERY};

const NOW: Timestamp = Timestamp::from_secs(1_795_300_000);

struct World {
    scratch: tempfile::TempDir,
    registry: Registry,
}

impl World {
    /// With one session.
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let world = Self { registry: Registry::new(scratch.path()), scratch };
        world.lives("s1", "/repo", NOW);
        world
    }

    /// A sign of life, as of then.
    fn lives(&self, session: &str, project: &str, now: Timestamp) {
        let started_at = now.secs();
        self.registry.note(&Entry { started_at, ..entry(session, project) });
        let file = Store::at(self.scratch.path()).session_file::<Entry>(session).unwrap();
        fs::File::open(file).unwrap().set_modified(SystemTime::from(now)).unwrap();
    }

    fn live(&self, now: Timestamp) -> Vec<String> {
        self.registry.live(Path::new("/repo"), now).into_iter().map(|entry| entry.session).collect()
    }
}

fn entry(session: &str, project: &str) -> Entry {
    Entry {
        session: session.to_owned(),
        project: PathBuf::from(project),
        branch: Some("main".to_owned()),
        started_at: NOW.secs(),
        ..Entry::default()
    }
}

#[test]
fn a_session_is_live_in_its_work_tree_for_fifteen_minutes_after_its_last_sign_of_life() {
    let world = World::new();
    for (session, project) in [("s2", "/repo-tree-2"), ("s3", "/repo/sub"), ("../../s 0", "/repo")] {
        world.lives(session, project, NOW);
        assert_eq!(world.registry.entry(session), Some(entry(session, project)));
    }
    world.registry.note(&Entry { is_headless: true, ..entry("s4", "/repo") });
    assert_eq!(world.live(NOW.plus(LIVE_FOR)), ["../../s 0", "s1"]);
    world.lives("s1", "/repo", NOW.plus(LIVE_FOR));
    assert_eq!(world.live(NOW.plus(LIVE_FOR + TOUCH_EVERY)), ["s1"]);
    assert_eq!(world.live(NOW), ["../../s 0", "s1"], "the clock went back");
    world.lives("s1", "/moved", NOW);
    assert_eq!(world.registry.entry("s1"), Some(entry("s1", "/moved")), "it came back elsewhere");
    world.registry.forget("s2");
    assert!(world.registry.entry("s2").is_none());
    fs::write(world.scratch.path().join("corrupt-session.json"), "{").unwrap();
    assert_eq!(world.registry.all().len(), 4);
}

#[test]
fn a_session_is_quiet_after_a_minute_and_when_the_clock_went_back() {
    let world = World::new();
    for (after, expected) in [(TOUCH_EVERY / 2, false), (TOUCH_EVERY, true)] {
        assert_eq!(world.registry.is_quiet("s1", NOW.plus(after)), expected, "{after:?}");
    }
    world.lives("s1", "/repo", NOW.plus(TOUCH_EVERY));
    assert!(!world.registry.is_quiet("s1", NOW.plus(TOUCH_EVERY)) && world.registry.is_quiet("s1", NOW));
    assert_eq!(world.registry.entry("s1").unwrap().started_at, NOW.secs(), "it began once");
    assert!(world.registry.is_quiet("s2", NOW), "it is not registered");
}

#[test]
fn sessions_that_start_together_are_all_there() {
    let world = World::new();
    std::thread::scope(|scope| {
        for number in 0..20 {
            let world = &world;
            scope.spawn(move || world.lives(&format!("s{:02}", number % 10), "/repo", NOW));
        }
    });
    assert_eq!(world.live(NOW).len(), 11);
}
