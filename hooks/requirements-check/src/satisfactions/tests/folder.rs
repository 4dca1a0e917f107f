//! The folder on a real disk: parallel writers, damage, newer versions, what cannot be written.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use shared::host::Timestamp;

use super::super::{Failure, Folder};
use crate::satisfactions::{By, Key, Satisfaction, Satisfactions};

const NOW: Timestamp = Timestamp::from_secs(1_795_300_000);
const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// As an older version wrote it.
const PLAN: &str = r#"{"version":"2","branch":"main","project":"","created_at":0,"updated_at":0,"requirements":{"plan":{"everyone":{"satisfied_at":1}}}}"#;

struct World {
    _scratch: tempfile::TempDir,
    folder: Folder,
}

impl World {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        Self { folder: Folder::of_repository(scratch.path()), _scratch: scratch }
    }

    /// The file of main, and what lies beside it under this ending.
    fn file(&self, ending: &str) -> PathBuf {
        self.folder.dir().join(format!("{}{ending}", main().file_name()))
    }

    fn write(&self, content: &str) {
        fs::create_dir_all(self.folder.dir()).unwrap();
        fs::write(self.file(""), content).unwrap();
    }

    /// Other tests run at the same time, so the hook's second may be too short.
    fn satisfy(&self, name: &str) {
        while let Err(failure) = self.change(|kept| set(kept, name)) {
            assert!(matches!(failure, Failure::Lock(_)), "{failure}");
        }
    }

    fn change(&self, change: impl FnOnce(&mut Satisfactions)) -> Result<(), Failure> {
        self.folder.change(&main(), NOW, change)
    }

    fn satisfied(&self) -> Vec<String> {
        self.folder.read(&main()).0.requirements.into_keys().collect()
    }
}

fn set(kept: &mut Satisfactions, name: &str) {
    kept.set(name, None, Satisfaction::new(By::User, NOW));
}

fn main() -> Key {
    Key::Branch("main".to_owned())
}

#[test]
fn reads_what_was_satisfied_and_writes_nothing_without_a_change() {
    let world = World::new();
    assert_eq!(world.satisfied(), [""; 0]);
    assert!(!world.folder.dir().exists(), "reading makes nothing");
    world.change(|kept| kept.clear(Some("plan"), None)).unwrap();
    assert!(!world.file("").exists());
    world.satisfy("plan");
    let later = NOW.plus(Duration::from_secs(5));
    world.folder.change(&main(), later, |kept| set(kept, "review")).unwrap();
    let (read, _) = world.folder.read(&main());
    assert_eq!((read.requirements.len(), read.branch.as_str()), (2, "main"));
    assert_eq!(read.updated_at, 1_795_300_005);
    let before = fs::read(world.file("")).unwrap();
    world.satisfy("plan");
    assert_eq!(fs::read(world.file("")).unwrap(), before);
    world.change(|kept| kept.clear(None, None)).unwrap();
    assert!(!world.file("").exists(), "nothing is left in it");
    world.write(PLAN);
    world.satisfy("review");
    assert_eq!(world.satisfied(), ["plan", "review"], "an older version's file");
}

#[test]
fn parallel_writers_lose_nothing_and_readers_see_the_old_or_the_new() {
    let world = World::new();
    world.satisfy("r");
    let names: Vec<String> = (0..30).map(|number| format!("r{number:02}")).collect();
    std::thread::scope(|scope| {
        let writers: Vec<_> = names.iter().map(|name| scope.spawn(|| world.satisfy(name))).collect();
        let mut last = 1;
        while !writers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            let (read, note) = world.folder.read(&main());
            assert_eq!(note, None);
            assert!(read.requirements.len() >= last);
            last = read.requirements.len();
        }
    });
    assert_eq!(world.satisfied()[1..], names);
}

#[test]
fn sets_a_damaged_file_aside_and_reports_it_once() {
    let world = World::new();
    let wrong = PLAN.replace(r#"{"everyone":{"satisfied_at":1}}"#, "true");
    for damage in ["{", "", "[]", "{}", "\u{0}", &wrong, &" ".repeat(5 << 20)] {
        world.write(damage);
        let (read, note) = world.folder.read(&main());
        assert!(
            read.requirements.is_empty()
                && note.is_some_and(|note| note.contains(".json.corrupt is damaged"))
        );
        assert_eq!(fs::read_to_string(world.file(".corrupt")).unwrap(), damage);
        assert_eq!(world.folder.read(&main()).1, None);
    }
    world.write("{");
    world.satisfy("plan");
    assert_eq!(world.satisfied(), ["plan"], "a change sets it aside, too");
}

#[test]
fn a_newer_versions_file_is_read_as_far_as_it_is_understood_and_else_set_aside() {
    let world = World::new();
    world.write(&PLAN.replace(r#""2""#, r#""4","new":[]"#));
    assert_eq!(world.folder.read(&main()).1, None);
    world.satisfy("review");
    assert_eq!(world.satisfied(), ["plan", "review"]);
    let unknown = r#"{"version":"4","marks":[]}"#;
    world.write(unknown);
    let (read, note) = world.folder.read(&main());
    assert!(read.requirements.is_empty() && note.is_some());
    assert_eq!(fs::read_to_string(world.file(".corrupt")).unwrap(), unknown);
}

#[test]
fn failed_write_leaves_the_file_as_it_was() {
    let world = World::new();
    world.satisfy("plan");
    fs::create_dir(world.file(".tmp")).unwrap();
    assert!(matches!(world.change(|kept| set(kept, "review")), Err(Failure::File(..))));
    fs::remove_dir(world.file(".tmp")).unwrap();
    let second = |kept: &mut Satisfactions| {
        let second = world.folder.change(&main(), NOW, |_| unreachable!("the lock is held"));
        assert!(matches!(second, Err(Failure::Lock(_))));
        assert_eq!(world.satisfied(), ["plan"], "reading goes on");
        set(kept, "review");
    };
    world.change(second).unwrap();
    assert_eq!(world.satisfied(), ["plan", "review"]);
    let gone = world.folder.dir().join("gone/.git");
    let changed = Folder::of_repository(&gone).change(&main(), NOW, |kept| set(kept, "x"));
    assert!(matches!(changed, Err(Failure::File(..))) && !gone.exists(), "a repository that is gone");
}

#[test]
fn lists_what_is_ours_and_forgets_sessions_of_a_month_ago() {
    let world = World::new();
    let branches = ["main", "gone"].map(|name| Key::Branch(name.to_owned()));
    for key in branches.iter().chain([&Key::Permanent]) {
        world.folder.change(key, NOW, |kept| set(kept, "plan")).unwrap();
    }
    let own = |kept: &mut Satisfactions| {
        kept.set("plan", Some("s1"), Satisfaction::new(By::Agent, NOW));
    };
    world.change(own).unwrap();
    fs::copy(world.file(""), world.folder.dir().join("copy.json")).unwrap();
    fs::write(world.folder.dir().join("notes.json"), "{}").unwrap();
    let listed = || -> Vec<_> {
        let list = world.folder.list().into_iter();
        list.map(|(key, of)| (key, of.requirements.len(), of.sessions().len())).collect()
    };
    let [main, gone] = branches.clone();
    assert_eq!(listed(), [(gone.clone(), 1, 0), (main.clone(), 1, 1), (Key::Permanent, 1, 0)]);
    for (later, sessions) in [(MONTH, 1), (MONTH + Duration::from_secs(1), 0)] {
        world.folder.change(&main, NOW.plus(later), |_| ()).unwrap();
        assert_eq!(listed(), [(gone.clone(), 1, 0), (main.clone(), 1, sessions), (Key::Permanent, 1, 0)]);
    }
}

#[cfg(unix)]
#[test]
fn writes_through_no_link() {
    use std::os::unix::fs::symlink;
    let (world, outside) = (World::new(), tempfile::tempdir().unwrap());
    let target = outside.path().join("outside.json");
    fs::write(&target, PLAN).unwrap();
    fs::create_dir_all(world.folder.dir()).unwrap();
    symlink(&target, world.file("")).unwrap();
    let (read, note) = world.folder.read(&main());
    assert!(read.requirements.is_empty() && note.is_some());
    world.satisfy("review");
    assert_eq!(fs::read_to_string(&target).unwrap(), PLAN);
    fs::remove_dir_all(world.folder.dir()).unwrap();
    symlink(outside.path(), world.folder.dir()).unwrap();
    assert!(matches!(world.change(|kept| set(kept, "plan")), Err(Failure::File(..))));
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}
