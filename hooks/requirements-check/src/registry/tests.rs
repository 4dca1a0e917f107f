//! The registry on a real disk: who is live, for how long, and what is left alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shared::host::Timestamp;

use super::{Entry, KEEP_FOR, LIVE_FOR, Registry, TOUCH_EVERY, resolve_session, set_time};

const NOW: Timestamp = Timestamp::from_secs(1_795_300_000);
const SECOND: Duration = Duration::from_secs(1);

struct World {
    scratch: tempfile::TempDir,
    registry: Registry,
}

impl World {
    /// With one session.
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let registry = Registry::new(&scratch.path().join("state"));
        let world = Self { scratch, registry };
        world.register("s1", "/repo");
        world
    }

    fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join("state/sessions").join(name)
    }

    fn register(&self, session: &str, project: &str) {
        self.registry.register(&entry(session, project), NOW);
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
    assert!(world.registry.touch("s1", NOW.plus(LIVE_FOR)));
    assert_eq!(world.live(NOW.plus(LIVE_FOR + SECOND)), ["s1"]);
    assert_eq!(world.live(NOW), ["../../s 0", "s1"], "the clock went back");
    world.register("s1", "/moved");
    assert_eq!(world.registry.entry("s1"), Some(entry("s1", "/moved")), "it came back elsewhere");
    assert_eq!(world.registry.all().len(), 4);
}

#[test]
fn a_sign_of_life_is_noted_once_a_minute_and_again_when_the_clock_went_back() {
    let world = World::new();
    let half = TOUCH_EVERY / 2;
    let noted = [(half, NOW), (TOUCH_EVERY, NOW.plus(TOUCH_EVERY)), (half, NOW.plus(half))];
    for (after, expected) in noted {
        assert!(world.registry.touch("s1", NOW.plus(after)));
        assert_eq!(world.registry.entry("s1").unwrap().touched, expected, "{after:?}");
    }
    assert!(!world.registry.touch("s2", NOW), "it is not registered");
    assert!(!world.file("s2.json").exists());
}

#[test]
fn an_ended_or_swept_session_leaves_nothing_behind_and_no_other_file_goes() {
    let world = World::new();
    world.register("s2", "/repo");
    world.register("s2", "/repo");
    world.registry.forget("s2");
    let whole = fs::read_to_string(world.file("s1.json")).unwrap();
    let large = whole.replace("s1", "large") + &" ".repeat(70_000);
    let others =
        [("corrupt.json", "{"), ("renamed.json", &whole), ("large.json", &large), ("thesis.txt", "mine")];
    for (name, content) in others {
        fs::write(world.file(name), content).unwrap();
        set_time(&world.file(name), NOW);
    }
    assert_eq!(world.registry.all().len(), 1);
    assert!(!world.registry.touch("corrupt", NOW.plus(TOUCH_EVERY)));
    world.registry.forget("renamed");
    world.registry.sweep(NOW.plus(KEEP_FOR));
    assert_eq!(world.registry.all().len(), 1);
    world.registry.sweep(NOW.plus(KEEP_FOR + SECOND));
    let mut left: Vec<_> =
        fs::read_dir(world.file("")).unwrap().map(|file| file.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["corrupt.json", "large.json", "renamed.json", "thesis.txt"]);
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

#[cfg(unix)]
#[test]
fn entries_are_private_to_their_user() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&world.file("")), mode(&world.file("s1.json"))), (0o700, 0o600));
}

const KNOWN: [&str; 4] = ["bf41c52e-72c4", "bf41c52e-9999", "0a41c52e-72c4", "s1"];

#[test]
fn a_session_is_named_by_enough_of_its_id() {
    let resolve = |prefix| resolve_session(prefix, KNOWN.into_iter().chain(KNOWN));
    for (prefix, expected) in [
        ("0a41c52e", Ok("0a41c52e-72c4")),
        ("0a41c52e-72c4", Ok("0a41c52e-72c4")),
        ("bf41c52e-7", Ok("bf41c52e-72c4")),
        ("s1", Ok("s1")),
        ("bf41c52e", Err("several sessions begin with bf41c52e: bf41c52e-72c4, bf41c52e-9999;")),
        ("bf41c52e-0", Err("no session's id begins with bf41c52e-0;")),
        ("", Err("at least 8")),
        ("0a41c52", Err("at least 8")),
    ] {
        match (resolve(prefix), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(why), Err(expected)) => assert!(why.contains(expected), "{why}"),
            other => panic!("{prefix}: {other:?}"),
        }
    }
    let known = ["bf41c52e", "bf41c52e-72c4"];
    assert_eq!(resolve_session("bf41c52e", known.into_iter()).as_deref(), Ok("bf41c52e"), "a full id");
}
