//! Compressed archives and removed snapshots.

use std::fs::{self, File};
use std::io::Read;
use std::time::{Duration, SystemTime};

use flate2::read::GzDecoder;
use shared::host::Timestamp;

use crate::record::{ARCHIVE, ENDS, Sessions};
use crate::tests::World;

const ONE: &str = "session-20260101-120000";
const TWO: &str = "session-20260102-120000";

fn folder() -> (World, Sessions) {
    let world = World::new(Timestamp::from_secs(0));
    let sessions = world.sessions();
    sessions.open().unwrap();
    (world, sessions)
}

fn names(sessions: &Sessions) -> Vec<String> {
    sessions.names().into_iter().filter(|name| name.starts_with("session-")).collect()
}

#[test]
fn compresses_old_archives_of_this_machine() {
    let (_world, sessions) = folder();
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
    assert_eq!(names(&sessions).len(), 3, "{:?}", names(&sessions));
    assert_eq!(sessions.ids(&ENDS).len(), 3);
}

#[test]
fn removes_all_files_of_a_snapshot_and_points_to_the_newest_other() {
    let (_world, sessions) = folder();
    for id in [ONE, TWO] {
        for end in [".json", ".yaml", ".md", "-incremental.jsonl.gz"] {
            fs::write(sessions.dir.join(format!("{id}{end}")), "x").unwrap();
        }
    }
    let latest = sessions.latest();
    fs::write(&latest, format!("{TWO}\n\nmore\n")).unwrap();
    sessions.remove_snapshot(TWO).unwrap();
    assert!(names(&sessions).iter().all(|name| name.starts_with(ONE)), "{:?}", names(&sessions));
    assert_eq!(fs::read_to_string(&latest).unwrap().lines().next(), Some(ONE));
    sessions.remove_snapshot(ONE).unwrap();
    assert!(names(&sessions).is_empty() && !latest.exists());
}
