//! The file of a record: whole lines, whatever happens to it. The folder: where it may lie, and the names in it.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use flate2::read::GzDecoder;
use serde_json::json;
use shared::host::Timestamp;

use super::{
    ARCHIVE, Action, ENDS, IGNORE_OURS, Kind, Recorded, Sessions, append, is_record_id, read, remove,
};
use crate::tests::World;

const ID: &str = "session-20260106-120000";

fn action(kind: Kind, second: i64) -> Action {
    let at = Timestamp::from_secs(1_767_700_800 + second);
    Action::new(kind, at, json!({}), 0.9)
}

impl World {
    fn path(&self) -> PathBuf {
        self.sessions().active_path("s")
    }

    fn writes(&self, kind: Kind, second: i64) -> Result<(), String> {
        append(&self.path(), vec![action(kind, second)], || Ok(ID.to_owned()))
    }

    fn start(&self) {
        self.sessions().open().unwrap();
        self.writes(Kind::PauseStarted, 0).unwrap();
    }

    fn append(&self, second: i64) {
        self.writes(Kind::ToolCall, second).unwrap();
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    fn recorded(&self) -> Recorded {
        read(&self.path()).unwrap()
    }

    fn kinds(&self) -> Vec<Kind> {
        self.recorded().actions.iter().map(|action| action.kind).collect()
    }
}

#[test]
fn holds_a_line_for_each_action_and_is_private() {
    let world = World::new(Timestamp::from_secs(0));
    world.start();
    world.append(1);
    let recorded = world.recorded();
    assert_eq!((recorded.id.as_str(), recorded.skipped_lines), (ID, 0));
    assert_eq!(world.kinds(), [Kind::PauseStarted, Kind::ToolCall]);
    assert_eq!(fs::metadata(world.path()).unwrap().permissions().mode() & 0o777, 0o600);
    let first = r#"{"type":"pause_started","timestamp":"2026-01-06T12:00:00.000Z","session_id":"session-20260106-120000","data":{},"context_percentage":0.9}"#;
    assert_eq!(world.text().lines().next(), Some(first));
}

#[test]
fn goes_on_where_it_exists() {
    let world = World::new(Timestamp::from_secs(0));
    world.start();
    world.start();
    assert_eq!(world.kinds(), [Kind::PauseStarted]);
}

#[test]
fn ends_a_torn_line_and_counts_what_it_cannot_read() {
    let world = World::new(Timestamp::from_secs(0));
    world.start();
    let text = world.text() + "\n{\"type\":\"tool_call\",\"time";
    fs::write(world.path(), text).unwrap();
    world.append(1);
    assert_eq!((world.kinds().len(), world.recorded().skipped_lines), (2, 1));
    let long = format!("{{\"type\":\"{}\"}}\n", "x".repeat(2 * 1024 * 1024));
    fs::write(world.path(), world.text() + &long + "\u{0}\n[]\n").unwrap();
    world.append(2);
    assert_eq!((world.kinds().len(), world.recorded().skipped_lines), (3, 4));
}

#[test]
fn is_not_created_again_by_an_append() {
    let world = World::new(Timestamp::from_secs(0));
    world.start();
    remove(&world.path()).unwrap();
    world.append(1);
    assert!(!world.path().exists() && read(&world.path()) == Ok(Recorded::default()));
    assert_eq!(remove(&world.path()), Ok(()));
}

#[test]
fn is_no_link() {
    let world = World::new(Timestamp::from_secs(0));
    world.sessions().open().unwrap();
    let target = world.at("target");
    fs::write(&target, "precious").unwrap();
    symlink(&target, world.path()).unwrap();
    assert!(world.writes(Kind::PauseStarted, 0).is_err() && world.writes(Kind::ToolCall, 1).is_err());
    assert_eq!(fs::read_to_string(target).unwrap(), "precious");
}

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
fn git_ignores_our_files_whatever_the_repository_says() {
    let (_world, sessions) = opened();
    let ignored = sessions.dir.join(".gitignore");
    assert_eq!(fs::read_to_string(&ignored).unwrap(), "*\n");
    let ours = String::from_utf8(IGNORE_OURS.to_vec()).unwrap();
    for (there, expected) in [
        ("*\n", "*\n".to_owned()),
        ("", ours.clone()),
        ("*\n!*", format!("*\n!*\n{ours}")),
        ("notes\n", format!("notes\n{ours}")),
    ] {
        fs::write(&ignored, there).unwrap();
        sessions.open().unwrap();
        sessions.open().unwrap();
        assert_eq!(fs::read_to_string(&ignored).unwrap(), expected, "{there:?}");
    }
    fs::remove_file(&ignored).unwrap();
    symlink("../settings.json", &ignored).unwrap();
    sessions.open().unwrap();
    assert_eq!(fs::read_to_string(&ignored).unwrap(), ours);
    assert!(sessions.is_usable() && ignored.symlink_metadata().unwrap().is_file());
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
