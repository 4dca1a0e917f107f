//! The folder on a real disk: parallel writers, names that collide, damage, newer versions, what cannot be written.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shared::host::Timestamp;

use super::{Failure, Folder, KEEP_SESSIONS_SECS, MAX_BYTES, TOO_LARGE, UNWRITABLE};
use crate::satisfactions::{By, Holder, Key, Satisfaction, Satisfactions};
use crate::settings::Scope;

const NOW: Timestamp = Timestamp::from_secs(1_795_300_000);
const NEWER: &str = r#"{"version":"3","branch":"main","project":"","created_at":0,"updated_at":0,"requirements":{"plan":{"everyone":{"satisfied_at":1}}}}"#;

struct World {
    scratch: tempfile::TempDir,
    folder: Folder,
}

impl World {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        // Other tests run at the same time: the hook's second is too short for a promise.
        let folder =
            Folder::of_repository(scratch.path(), Path::new("/repo/tree")).patient(Duration::from_secs(60));
        Self { scratch, folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        let own = name.replacen("main.json", &branch("main").file_name(), 1);
        let own = own.replacen("other.json", &branch("other").file_name(), 1);
        self.scratch.path().join("requirements").join(own)
    }

    fn write(&self, name: &str, content: &str) {
        fs::create_dir_all(self.folder.dir()).unwrap();
        fs::write(self.file(name), content).unwrap();
    }

    fn satisfy(&self, key: &Key, name: &str) {
        self.folder.change(key, NOW, |kept| set(kept, name)).unwrap();
    }

    fn satisfied(&self, key: &Key) -> Vec<String> {
        self.folder.read(key).unwrap().satisfactions.requirements.into_keys().collect()
    }

    fn files(&self) -> BTreeSet<String> {
        let files = fs::read_dir(self.folder.dir()).unwrap();
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    }
}

fn set(kept: &mut Satisfactions, name: &str) {
    kept.set(name, Scope::Branch, Holder::Everyone, Satisfaction::new(By::User, NOW));
}

fn branch(name: &str) -> Key {
    Key::Branch(name.to_owned())
}

#[test]
fn what_was_satisfied_is_read_and_says_where_from() {
    let world = World::new();
    assert_eq!(world.satisfied(&branch("main")), [""; 0]);
    assert!(!world.folder.dir().exists(), "reading makes nothing");
    world.satisfy(&branch("main"), "plan");
    world
        .folder
        .change(&branch("main"), NOW.plus(Duration::from_secs(5)), |kept| set(kept, "review"))
        .unwrap();
    let read = world.folder.read(&branch("main")).unwrap();
    assert_eq!(read.corrupt, None);
    assert_eq!(read.satisfactions.requirements.len(), 2);
    assert_eq!(
        (read.satisfactions.branch.as_str(), read.satisfactions.project.as_str()),
        ("main", "/repo/tree")
    );
    assert_eq!(
        (read.satisfactions.created_at, read.satisfactions.updated_at),
        (1_795_300_000, 1_795_300_005)
    );
}

#[test]
fn a_change_that_changes_nothing_writes_nothing() {
    let world = World::new();
    let clear = |kept: &mut Satisfactions| kept.clear(Some("plan"), Holder::Everyone);
    world.folder.change(&branch("main"), NOW, clear).unwrap();
    assert!(world.files().is_empty());
    world.satisfy(&branch("main"), "plan");
    let before = fs::read(world.file("main.json")).unwrap();
    world.folder.change(&branch("main"), NOW.plus(Duration::from_secs(9)), |kept| set(kept, "plan")).unwrap();
    assert_eq!(fs::read(world.file("main.json")).unwrap(), before);
}

#[test]
fn thirty_parallel_writers_lose_nothing() {
    let world = World::new();
    let names: Vec<String> = (0..30).map(|number| format!("r{number:02}")).collect();
    std::thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| world.satisfy(&branch("main"), name));
        }
    });
    assert_eq!(world.satisfied(&branch("main")), names);
}

#[test]
fn readers_beside_a_writer_see_the_old_or_the_new_satisfactions() {
    let world = World::new();
    world.satisfy(&branch("main"), "r");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in 0..50 {
                world.satisfy(&branch("main"), &format!("r{number}"));
            }
        });
        let mut last = 0;
        while !writer.is_finished() {
            let read = world.folder.read(&branch("main")).unwrap();
            assert_eq!(read.corrupt, None);
            assert!(read.satisfactions.requirements.len() >= last.max(1));
            last = read.satisfactions.requirements.len();
        }
    });
    assert_eq!(world.satisfied(&branch("main")).len(), 51);
}

#[test]
fn nothing_is_made_in_a_repository_that_is_gone() {
    let scratch = tempfile::tempdir().unwrap();
    let common_dir = scratch.path().join("gone/.git");
    let folder = Folder::of_repository(&common_dir, Path::new("/repo"));
    let changed = folder.change(&branch("main"), NOW, |kept| set(kept, "plan"));
    assert!(matches!(changed, Err(Failure::File(_, UNWRITABLE))));
    assert!(!scratch.path().join("gone").exists());
}

#[test]
fn a_damaged_file_is_set_aside_and_never_lost() {
    let world = World::new();
    let file = |requirements: &str| {
        let rest = r#""branch":"main","project":"","created_at":0,"updated_at":0"#;
        format!(r#"{{"version":"2",{rest},"requirements":{requirements}}}"#)
    };
    let wrong = [r#"{"plan":true}"#, r#"{"plan":{"sessions":{"a":1}}}"#, "[]"].map(file);
    let damaged = ["{", "", "[]", "{}", "\u{0}"].map(str::to_owned).into_iter().chain(wrong);
    for (index, damage) in damaged.enumerate() {
        world.write("main.json", &damage);
        let read = world.folder.read(&branch("main")).unwrap();
        let number = if index == 0 { String::new() } else { format!("-{}", index + 1) };
        let aside = world.file(&format!("main.json.corrupt{number}"));
        assert_eq!(read.corrupt.as_ref(), Some(&aside), "{damage}");
        assert!(read.satisfactions.requirements.is_empty());
        assert_eq!(fs::read_to_string(aside).unwrap(), damage);
        assert_eq!(world.folder.read(&branch("main")).unwrap().corrupt, None, "reported once");
    }
    world.write("main.json", "{");
    world.satisfy(&branch("main"), "plan");
    assert_eq!(world.satisfied(&branch("main")), ["plan"], "a change sets it aside, too");
}

#[test]
fn damage_that_cannot_be_set_aside_is_told_all_the_same() {
    let world = World::new();
    world.write("main.json", "{");
    // The folder stands in place of the lock.
    fs::create_dir(world.file("main.json.lock")).unwrap();
    let read = world.folder.read(&branch("main")).unwrap();
    assert_eq!(read.corrupt, Some(world.file("main.json")));
    assert!(read.satisfactions.requirements.is_empty());
    assert_eq!(fs::read_to_string(world.file("main.json")).unwrap(), "{");
}

#[test]
fn a_file_too_large_is_damaged_and_one_just_small_enough_is_not() {
    let world = World::new();
    let padded = |length: u64| {
        let text = r#"{"version":"2","branch":"main","project":"","created_at":0,"updated_at":0,"requirements":{"plan":{"everyone":{}}}}"#;
        text.to_owned() + &" ".repeat(usize::try_from(length).unwrap() - text.len())
    };
    world.write("main.json", &padded(MAX_BYTES));
    assert_eq!(world.satisfied(&branch("main")), ["plan"]);
    world.write("main.json", &padded(MAX_BYTES + 1));
    assert!(world.folder.read(&branch("main")).unwrap().corrupt.is_some());
}

#[test]
fn no_file_too_large_to_be_read_is_written() {
    let world = World::new();
    world.satisfy(&branch("main"), "plan");
    let note = |kept: &mut Satisfactions, session: &str, at: Timestamp| {
        let mut satisfaction = Satisfaction::new(By::User, at);
        satisfaction.metadata.note = Some("x".repeat(usize::try_from(MAX_BYTES).unwrap() / 2));
        kept.set("note", Scope::Session, Holder::Session(session), satisfaction);
    };
    let month = Duration::from_secs(KEEP_SESSIONS_SECS.cast_unsigned());
    let later = NOW.plus(month);
    world.folder.change(&branch("main"), NOW, |kept| note(kept, "s1", NOW)).unwrap();
    let refused = world.folder.change(&branch("main"), later, |kept| note(kept, "s2", later));
    assert!(matches!(refused, Err(Failure::File(_, TOO_LARGE))));
    assert_eq!(world.satisfied(&branch("main")), ["note", "plan"]);
    let after = later.plus(Duration::from_secs(1));
    world.folder.change(&branch("main"), after, |kept| note(kept, "s2", after)).unwrap();
    let kept = world.folder.read(&branch("main")).unwrap().satisfactions;
    assert_eq!(kept.sessions().into_iter().collect::<Vec<_>>(), ["s2"], "a month old makes room");
    assert_eq!(kept.requirements.len(), 2);
}

#[test]
fn a_newer_versions_file_is_read_and_not_changed() {
    let world = World::new();
    world.write("main.json", NEWER);
    assert_eq!(world.satisfied(&branch("main")), ["plan"]);
    let changed = world.folder.change(&branch("main"), NOW, |kept| set(kept, "review"));
    assert!(matches!(changed, Err(Failure::Newer(_))));
    world.folder.prune(NOW, |_| false).unwrap();
    assert_eq!(fs::read_to_string(world.file("main.json")).unwrap(), NEWER);

    let unknown = r#"{"version":"3","marks":[]}"#;
    world.write("main.json", unknown);
    assert!(matches!(world.folder.read(&branch("main")), Err(Failure::Newer(_))));
    let changed = world.folder.change(&branch("main"), NOW, |kept| set(kept, "review"));
    assert!(matches!(changed, Err(Failure::Newer(_))));
    assert_eq!(fs::read_to_string(world.file("main.json")).unwrap(), unknown);
}

#[test]
fn a_write_that_fails_leaves_what_was_there() {
    let world = World::new();
    world.satisfy(&branch("main"), "plan");
    let before = fs::read(world.file("main.json")).unwrap();
    fs::create_dir(world.file("main.json.tmp")).unwrap();
    let changed = world.folder.change(&branch("main"), NOW, |kept| set(kept, "review"));
    assert!(matches!(changed, Err(Failure::File(_, UNWRITABLE))));
    assert_eq!(fs::read(world.file("main.json")).unwrap(), before);
}

#[test]
fn a_lock_held_by_another_for_too_long_is_an_error_and_reading_goes_on() {
    let world = World::new();
    world.satisfy(&branch("main"), "plan");
    let hurried = world.folder.clone().patient(Duration::from_millis(20));
    world
        .folder
        .change(&branch("main"), NOW, |kept| {
            let second = hurried.change(&branch("main"), NOW, |_| unreachable!("the lock is held"));
            assert!(matches!(second, Err(Failure::Lock(_))));
            assert_eq!(world.satisfied(&branch("main")), ["plan"]);
            set(kept, "review");
        })
        .unwrap();
    assert_eq!(world.satisfied(&branch("main")), ["plan", "review"]);
}

#[test]
fn listing_names_whose_satisfactions_there_are_and_leaves_out_what_is_not_ours() {
    let world = World::new();
    for (key, name) in [(branch("main"), "plan"), (branch("feature/x"), "plan"), (Key::Permanent, "plan")] {
        world.satisfy(&key, name);
    }
    world
        .folder
        .change(&branch("main"), NOW, |kept| {
            kept.set("review", Scope::Session, Holder::Session("s1"), Satisfaction::new(By::Agent, NOW));
        })
        .unwrap();
    world.write("copy of main.json", &fs::read_to_string(world.file("main.json")).unwrap());
    world.write("notes.json", "{}");
    world.write("main.json.corrupt", "{");
    fs::create_dir(world.file("sessions")).unwrap();
    let listed: Vec<_> =
        world.folder.list().into_iter().map(|of| (of.key, of.requirements, of.sessions)).collect();
    assert_eq!(listed, [(branch("feature/x"), 1, 0), (branch("main"), 2, 1), (Key::Permanent, 1, 0)]);
}

#[test]
fn pruning_removes_what_belongs_to_no_branch_and_session_satisfactions_of_a_month_ago() {
    let world = World::new();
    for key in [branch("main"), branch("gone"), Key::Permanent] {
        world.satisfy(&key, "plan");
    }
    let old = |kept: &mut Satisfactions| {
        kept.set("plan", Scope::Session, Holder::Session("s1"), Satisfaction::new(By::Agent, NOW));
    };
    world.folder.change(&branch("main"), NOW, old).unwrap();
    let month = NOW.plus(Duration::from_secs(KEEP_SESSIONS_SECS.cast_unsigned()));
    world.folder.prune(month, |key| *key != branch("gone")).unwrap();
    assert_eq!(world.folder.list()[0].sessions, 1);
    world.folder.prune(month.plus(Duration::from_secs(1)), |_| true).unwrap();
    assert_eq!(world.folder.list().len(), 2);
    assert_eq!(world.folder.list()[0].sessions, 0);
    assert!(world.files().iter().all(|file| !file.starts_with("gone.")), "{:?}", world.files());
}

#[test]
fn a_branch_that_comes_back_while_clearing_up_keeps_its_satisfactions() {
    let world = World::new();
    world.satisfy(&branch("main"), "plan");
    let asked = std::cell::Cell::new(0);
    world.folder.prune(NOW, |_| asked.replace(asked.get() + 1) > 0).unwrap();
    assert_eq!(world.satisfied(&branch("main")), ["plan"]);
}

#[cfg(unix)]
mod on_unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    use super::{Failure, Folder, Key, NOW, Path, UNWRITABLE, World, branch, fs, set};

    #[test]
    fn a_link_in_place_of_a_file_is_set_aside_unread() {
        let world = World::new();
        world.satisfy(&branch("other"), "plan");
        let outside = world.scratch.path().join("outside.json");
        fs::rename(world.file("other.json"), &outside).unwrap();
        symlink(&outside, world.file("other.json")).unwrap();
        let read = world.folder.read(&branch("other")).unwrap();
        assert!(read.satisfactions.requirements.is_empty() && read.corrupt.is_some());
        assert!(fs::symlink_metadata(world.file("other.json.corrupt")).unwrap().is_symlink());
        world.satisfy(&branch("other"), "review");
        assert!(!fs::read_to_string(outside).unwrap().contains("review"));
    }

    #[test]
    fn a_folder_that_is_a_link_is_not_written_into() {
        let world = World::new();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), world.folder.dir()).unwrap();
        let changed = world.folder.change(&Key::Permanent, NOW, |kept| set(kept, "plan"));
        assert!(matches!(changed, Err(Failure::File(_, UNWRITABLE))));
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_configuration_that_includes_a_pipe_holds_nobody_up() {
        let scratch = tempfile::tempdir().unwrap();
        let pipe = scratch.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        fs::write(scratch.path().join("config"), "[include]\n\tpath = pipe\n").unwrap();
        let folder = Folder::of_repository(scratch.path(), Path::new("/repo"));
        folder.change(&branch("main"), NOW, |kept| set(kept, "plan")).unwrap();
    }

    #[test]
    fn modes_follow_the_repositorys_sharing() {
        for (shared, folder, file) in
            [("umask", 0o700, 0o600), ("group", 0o2770, 0o660), ("0664", 0o2775, 0o664)]
        {
            let scratch = tempfile::tempdir().unwrap();
            let config = format!("[core]\n\tsharedRepository = {shared}\n");
            fs::write(scratch.path().join("config"), config).unwrap();
            let shared = Folder::of_repository(scratch.path(), Path::new("/repo"));
            shared.change(&branch("main"), NOW, |kept| set(kept, "plan")).unwrap();
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
            assert_eq!(mode(shared.dir()), folder);
            for rest in ["", ".lock"] {
                let name = format!("{}{rest}", branch("main").file_name());
                assert_eq!(mode(&shared.dir().join(&name)), file, "{name}");
            }
        }
    }
}
