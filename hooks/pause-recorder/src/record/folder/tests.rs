//! The folder: where it may lie, and the names in it.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use flate2::read::GzDecoder;
use shared::host::Timestamp;

use super::{ARCHIVE, ENDS, Sessions, is_record_id};
use crate::tests::World;

const ONE: &str = "session-20260101-120000";
const TWO: &str = "session-20260102-120000";

fn project() -> (World, Sessions) {
    let world = World::new(Timestamp::from_secs(0));
    let sessions = world.sessions();
    (world, sessions)
}

fn opened() -> (World, Sessions) {
    let (world, sessions) = project();
    sessions.open().unwrap();
    (world, sessions)
}

#[test]
fn creates_the_folder_with_a_gitignore_and_keeps_an_existing_one() {
    let (_world, sessions) = opened();
    let ignored = sessions.dir.join(".gitignore");
    assert_eq!(fs::read_to_string(&ignored).unwrap(), "*\n");
    fs::write(&ignored, "").unwrap();
    sessions.open().unwrap();
    assert_eq!(fs::read_to_string(&ignored).unwrap(), "");
    assert!(sessions.is_usable());
    // In the home folder `.claude` is Claude Code's own.
    let mut home = World::new(Timestamp::from_secs(0));
    home.places.project_claude_dir = None;
    assert_eq!(home.sessions().dir, home.at("state/pause-recorder/sessions"));
}

#[test]
fn uses_no_folder_outside_of_the_project() {
    for link in [".claude", ".claude/sessions"] {
        let (world, sessions) = project();
        let outside = world.at("outside");
        fs::create_dir(&outside).unwrap();
        let place = sessions.root.join(link);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(&outside, place).unwrap();
        assert!(sessions.open().is_err(), "{link}");
        assert!(!sessions.is_usable() && sessions.actives().is_empty());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{link}");
    }
    let (_world, sessions) = project();
    fs::write(sessions.root.join(".claude"), "a file").unwrap();
    assert!(sessions.open().is_err());
}

#[test]
fn finds_an_id_that_no_file_has() {
    let (_world, sessions) = opened();
    let at = Timestamp::from_rfc3339("2026-01-06T12:00:00Z").unwrap();
    let free = || sessions.free_id(at);
    assert_eq!(free(), "session-20260106-120000");
    fs::write(sessions.dir.join("session-20260106-120000-2.md"), "").unwrap();
    assert_eq!(free(), "session-20260106-120000");
    fs::write(sessions.dir.join("session-20260106-120000-incremental.jsonl.gz"), "").unwrap();
    assert_eq!(free(), "session-20260106-120000-3");
    fs::write(sessions.dir.join("notes.json"), "").unwrap();
    assert_eq!(sessions.ids(&ENDS), ["session-20260106-120000-2", "session-20260106-120000"]);
}

#[test]
fn knows_an_id() {
    for (id, is_one) in [
        ("session-20260106-120000", true),
        ("session-20260106-120000-12", true),
        ("session-20260106-12000", false),
        ("session-20260106-120000/..", false),
        ("../session-20260106-120000", false),
        ("", false),
    ] {
        assert_eq!(is_record_id(id), is_one, "{id}");
    }
}

#[test]
fn compresses_old_archives_of_this_machine() {
    let (_world, sessions) = opened();
    let now = SystemTime::now();
    let old = now - Duration::from_secs(1_000);
    for (id, modified) in [(ONE, old), (TWO, now), ("session-20260103-120000", old)] {
        let archive = sessions.file(id, ARCHIVE);
        fs::write(&archive, "a line\n").unwrap();
        File::options().append(true).open(archive).unwrap().set_modified(modified).unwrap();
    }
    let before = Timestamp::from(now - Duration::from_secs(500));
    sessions.compress_archives(before, |id| id != "session-20260103-120000").unwrap();
    let compressed = sessions.dir.join(format!("{ONE}-incremental.jsonl.gz"));
    let mut text = String::new();
    GzDecoder::new(File::open(&compressed).unwrap()).read_to_string(&mut text).unwrap();
    assert_eq!(text, "a line\n");
    assert!(!sessions.file(ONE, ARCHIVE).exists() && sessions.file(TWO, ARCHIVE).exists());
    assert_eq!(sessions.ids(&ENDS).len(), 3);
}
