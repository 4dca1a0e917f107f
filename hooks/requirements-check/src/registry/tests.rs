//! The registry on a real disk: who is live, for how long, and what is left alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shared::host::Timestamp;

use super::{Entry, KEEP_FOR, LIVE_FOR, MAX_SWEPT, Registry, TOUCH_EVERY, set_time};

const NOW: Timestamp = Timestamp::from_secs(1_795_300_000);
const SECOND: Duration = Duration::from_secs(1);

struct World {
    scratch: tempfile::TempDir,
    registry: Registry,
}

impl World {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let registry = Registry::new(&scratch.path().join("state"));
        Self { scratch, registry }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join("state/sessions").join(name)
    }

    fn register(&self, session: &str, project: &str, now: Timestamp) {
        self.registry.register(&entry(session, project, now), now);
    }

    fn live(&self, now: Timestamp) -> Vec<String> {
        self.registry.live(Path::new("/repo"), now).into_iter().map(|entry| entry.session).collect()
    }
}

fn entry(session: &str, project: &str, now: Timestamp) -> Entry {
    Entry {
        session: session.to_owned(),
        project: PathBuf::from(project),
        branch: Some("main".to_owned()),
        entrypoint: Some("cli".to_owned()),
        started_at: now.micros() / 1_000_000,
        touched: now,
    }
}

#[test]
fn what_was_registered_is_found_as_it_was() {
    let world = World::new();
    assert!(world.registry.all().is_empty() && world.registry.entry("s1").is_none());
    for session in ["s1", "../../s 2"] {
        world.register(session, "/repo", NOW);
        assert_eq!(world.registry.entry(session), Some(entry(session, "/repo", NOW)));
    }
    assert_eq!(world.registry.all().len(), 2);
}

#[test]
fn a_session_is_live_for_fifteen_minutes_after_its_last_sign_of_life() {
    let world = World::new();
    world.register("s1", "/repo", NOW);
    assert_eq!(world.live(NOW.plus(LIVE_FOR)), ["s1"]);
    assert_eq!(world.live(NOW.plus(LIVE_FOR + SECOND)), [""; 0]);
    assert!(world.registry.touch("s1", NOW.plus(LIVE_FOR)));
    assert_eq!(world.live(NOW.plus(LIVE_FOR + SECOND)), ["s1"]);
    assert_eq!(world.live(NOW), ["s1"], "the clock went back");
}

#[test]
fn a_sign_of_life_is_noted_once_a_minute_and_again_when_the_clock_went_back() {
    let world = World::new();
    world.register("s1", "/repo", NOW);
    let half = TOUCH_EVERY / 2;
    let noted = [
        (half, NOW),
        (Duration::from_secs(59), NOW),
        (TOUCH_EVERY, NOW.plus(TOUCH_EVERY)),
        (half, NOW.plus(half)),
    ];
    for (after, expected) in noted {
        assert!(world.registry.touch("s1", NOW.plus(after)));
        assert_eq!(world.registry.entry("s1").unwrap().touched, expected, "{after:?}");
    }
    assert!(!world.registry.touch("s2", NOW), "it is not registered");
    assert!(!world.file("s2.json").exists());
}

#[test]
fn sessions_of_another_work_tree_are_of_another_project() {
    let world = World::new();
    for (session, project) in [("s1", "/repo"), ("s2", "/repo-tree-2"), ("s3", "/repo/sub"), ("s0", "/repo")]
    {
        world.register(session, project, NOW);
    }
    assert_eq!(world.live(NOW), ["s0", "s1"]);
    assert_eq!(world.registry.all().len(), 4);
}

#[test]
fn a_session_that_comes_back_keeps_its_start_and_gets_its_new_place() {
    let world = World::new();
    world.register("s1", "/old", NOW);
    let later = NOW.plus(Duration::from_secs(5000));
    world.register("s1", "/repo", later);
    let back = world.registry.entry("s1").unwrap();
    assert_eq!((back.started_at, back.project, back.touched), (1_795_300_000, PathBuf::from("/repo"), later));
    assert_eq!(world.registry.all().len(), 1);
}

#[test]
fn an_ended_session_leaves_nothing_behind() {
    let world = World::new();
    world.register("s1", "/repo", NOW);
    world.register("s1", "/repo", NOW);
    world.register("s2", "/repo", NOW);
    world.registry.forget("s1");
    world.registry.forget("s1");
    world.registry.forget("s2");
    assert_eq!(fs::read_dir(world.file("")).unwrap().count(), 0);
}

#[test]
fn files_that_are_no_entries_are_skipped_and_stay() {
    let world = World::new();
    world.register("s1", "/repo", NOW);
    let whole = fs::read_to_string(world.file("s1.json")).unwrap();
    let others = [
        ("corrupt.json", "{".to_owned()),
        ("renamed.json", whole.clone()),
        ("newer.json", whole.replace("s1", "newer").replace(r#""version":1"#, r#""version":2"#)),
        ("large.json", whole.replace("s1", "large") + &" ".repeat(70_000)),
        ("thesis.txt", "mine".to_owned()),
    ];
    for (name, content) in &others {
        fs::write(world.file(name), content).unwrap();
        set_time(&world.file(name), NOW).unwrap();
    }
    assert_eq!(world.live(NOW), ["s1"]);
    assert_eq!(world.registry.all().len(), 1);
    assert!(
        world.registry.entry("renamed").is_none() && !world.registry.touch("corrupt", NOW.plus(TOUCH_EVERY))
    );
    world.registry.forget("renamed");
    world.registry.sweep(NOW.plus(KEEP_FOR + SECOND));
    assert!(!world.file("s1.json").exists());
    for (name, content) in &others {
        assert_eq!(&fs::read_to_string(world.file(name)).unwrap(), content, "{name}");
    }
}

#[test]
fn an_entry_is_swept_when_nobody_touched_it_for_thirty_days() {
    let world = World::new();
    world.register("s1", "/repo", NOW);
    world.register("s2", "/repo", NOW.plus(SECOND));
    world.registry.sweep(NOW.plus(KEEP_FOR));
    assert_eq!(world.registry.all().len(), 2);
    world.registry.sweep(NOW.plus(KEEP_FOR + SECOND));
    assert!(world.registry.entry("s1").is_none() && world.registry.entry("s2").is_some());
}

#[test]
fn sessions_that_start_together_are_all_there() {
    let world = World::new();
    std::thread::scope(|scope| {
        for number in 0..20 {
            let world = &world;
            scope.spawn(move || world.register(&format!("s{:02}", number % 10), "/repo", NOW));
        }
    });
    assert_eq!(world.live(NOW).len(), 10);
}

#[test]
fn one_sweep_removes_so_many_and_the_next_one_the_rest() {
    let world = World::new();
    for number in 0..=MAX_SWEPT {
        world.register(&format!("s{number}"), "/repo", NOW);
    }
    let later = NOW.plus(KEEP_FOR + SECOND);
    world.registry.sweep(later);
    assert_eq!(world.registry.all().len(), 1);
    world.registry.sweep(later);
    assert_eq!(fs::read_dir(world.file("")).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn entries_are_private_to_their_user() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.register("s1", "/repo", NOW);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&world.file("")), mode(&world.file("s1.json"))), (0o700, 0o600));
}
