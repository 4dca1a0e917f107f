//! The registry on a real disk: who is live, for how long, and what is left alone.

use std::fs;
use std::path::{Path, PathBuf};

use shared::host::Timestamp;

use super::{Entry, LIVE_FOR, Registry, TOUCH_EVERY};

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
        world.register("s1", "/repo");
        world
    }

    fn register(&self, session: &str, project: &str) {
        self.registry.note(&entry(session, project));
    }

    fn lives(&self, now: Timestamp) {
        self.registry.note(&Entry { touched: now, started_at: 0, ..entry("s1", "/repo") });
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
        entrypoint: Some("cli".to_owned()),
        started_at: NOW.micros() / 1_000_000,
        touched: NOW,
    }
}

#[test]
fn a_session_is_live_in_its_work_tree_for_fifteen_minutes_after_its_last_sign_of_life() {
    let world = World::new();
    for (session, project) in [("s2", "/repo-tree-2"), ("s3", "/repo/sub"), ("../../s 0", "/repo")] {
        world.register(session, project);
        assert_eq!(world.registry.entry(session), Some(entry(session, project)));
    }
    assert_eq!(world.live(NOW.plus(LIVE_FOR)), ["../../s 0", "s1"]);
    world.lives(NOW.plus(LIVE_FOR));
    assert_eq!(world.live(NOW.plus(LIVE_FOR + TOUCH_EVERY)), ["s1"]);
    assert_eq!(world.live(NOW), ["../../s 0", "s1"], "the clock went back");
    world.register("s1", "/moved");
    assert_eq!(world.registry.entry("s1"), Some(entry("s1", "/moved")), "it came back elsewhere");
    world.registry.forget("s2");
    assert!(world.registry.entry("s2").is_none());
    fs::write(world.scratch.path().join("corrupt-session.json"), "{").unwrap();
    assert_eq!(world.registry.all().len(), 3);
}

#[test]
fn a_session_is_quiet_after_a_minute_and_when_the_clock_went_back() {
    let world = World::new();
    for (after, expected) in [(TOUCH_EVERY / 2, false), (TOUCH_EVERY, true)] {
        assert_eq!(world.registry.is_quiet("s1", NOW.plus(after)), expected, "{after:?}");
    }
    world.lives(NOW.plus(TOUCH_EVERY));
    assert!(!world.registry.is_quiet("s1", NOW.plus(TOUCH_EVERY)) && world.registry.is_quiet("s1", NOW));
    assert_eq!(world.registry.entry("s1").unwrap().started_at, NOW.micros() / 1_000_000, "it began once");
    assert!(world.registry.is_quiet("s2", NOW), "it is not registered");
}

#[test]
fn sessions_that_start_together_are_all_there() {
    let world = World::new();
    std::thread::scope(|scope| {
        for number in 0..20 {
            let world = &world;
            scope.spawn(move || world.register(&format!("s{:02}", number % 10), "/repo"));
        }
    });
    assert_eq!(world.live(NOW).len(), 11);
}
