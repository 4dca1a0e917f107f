//! Old archives and snapshots: what is compressed and removed, and what is not.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use flate2::read::GzDecoder;
use shared::host::Timestamp;

use super::{MAX_BYTES_IN_ONE_GO, MAX_IN_ONE_GO, Sessions};

const OLD: SystemTime = SystemTime::UNIX_EPOCH;
const BEFORE: Timestamp = Timestamp::from_secs(1_000);

struct Scratch {
    folder: tempfile::TempDir,
    sessions: Sessions,
}

impl Scratch {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("project");
        fs::create_dir(&root).unwrap();
        let sessions = Sessions { dir: root.join(".claude/sessions"), root };
        sessions.open().unwrap();
        Self { folder, sessions }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.sessions.dir.join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.at(name), text).unwrap();
        self.at(name)
    }

    fn old(&self, name: &str, text: &str) -> PathBuf {
        let file = self.file(name, text);
        File::options().write(true).open(&file).unwrap().set_modified(OLD).unwrap();
        file
    }

    /// Everything in the folder but what is always there.
    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.sessions.dir).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| name != ".gitignore" && !name.contains(".lock"));
        names.sort();
        names
    }
}

fn unpacked(file: &PathBuf) -> String {
    let mut text = String::new();
    GzDecoder::new(File::open(file).unwrap()).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn old_archives_are_compressed_and_keep_their_time() {
    let scratch = Scratch::new();
    let never = |_| unreachable!("none is old");
    scratch.sessions.compress_archives(BEFORE, never).unwrap();
    let text = "{\"type\":\"tool_call\"}\n".repeat(1_000);
    scratch.old("session-20260106-120000-incremental.jsonl", &text);
    scratch.file("session-20260106-120001-incremental.jsonl", "young");
    scratch.old("session-20260106-120000.json", "{}");
    scratch.old("notes-incremental.jsonl", "not ours");
    scratch.old("ACTIVE-PAUSE-12345678.jsonl", "active");
    scratch.sessions.compress_archives(BEFORE, |old| old).unwrap();
    assert_eq!(
        scratch.names(),
        [
            "ACTIVE-PAUSE-12345678.jsonl",
            "notes-incremental.jsonl",
            "session-20260106-120000-incremental.jsonl.gz",
            "session-20260106-120000.json",
            "session-20260106-120001-incremental.jsonl",
        ]
    );
    let compressed = scratch.at("session-20260106-120000-incremental.jsonl.gz");
    assert_eq!(unpacked(&compressed), text);
    let metadata = compressed.metadata().unwrap();
    assert_eq!(metadata.modified().unwrap(), OLD);
    assert!(metadata.len() < 1_000);
}

#[test]
fn what_is_somebody_elses_or_too_long_stays() {
    let scratch = Scratch::new();
    let archive = |number: u32| format!("session-20260106-12000{number}-incremental.jsonl");
    for number in 0..3 {
        scratch.old(&archive(number), "x");
    }
    let long = File::options().write(true).open(scratch.at(&archive(2))).unwrap();
    long.set_len(MAX_BYTES_IN_ONE_GO + 1).unwrap();
    long.set_modified(OLD).unwrap();
    let not_the_second = |mut old: Vec<PathBuf>| {
        assert_eq!(old, [scratch.at(&archive(0)), scratch.at(&archive(1))]);
        old.truncate(1);
        old
    };
    scratch.sessions.compress_archives(BEFORE, not_the_second).unwrap();
    assert_eq!(scratch.names(), [archive(0) + ".gz", archive(1), archive(2)]);
}

#[test]
fn what_a_killed_run_left_is_done_again() {
    let scratch = Scratch::new();
    let archive = "session-20260106-120000-incremental.jsonl";
    scratch.old(archive, "whole");
    scratch.file(&format!("{archive}.gz"), "half");
    scratch.file(&format!("{archive}.gz.tmp"), "half");
    scratch.sessions.compress_archives(BEFORE, |old| old).unwrap();
    assert_eq!(scratch.names(), [format!("{archive}.gz")]);
    assert_eq!(unpacked(&scratch.at(&format!("{archive}.gz"))), "whole");
}

#[test]
fn a_few_in_one_go_the_oldest_first() {
    let scratch = Scratch::new();
    for number in 0..MAX_IN_ONE_GO + 3 {
        let file = scratch.file(&format!("session-20260106-1200{number:02}-incremental.jsonl"), "x");
        let modified = OLD + Duration::from_secs(900 - number as u64);
        File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
    }
    scratch.sessions.compress_archives(BEFORE, |old| old).unwrap();
    let left: Vec<String> = scratch.names().into_iter().filter(|name| !name.contains(".gz")).collect();
    assert_eq!(left.len(), 3);
    assert!(left[0].contains("120000"), "{left:?}");
    scratch.sessions.compress_archives(BEFORE, |old| old).unwrap();
    assert!(scratch.names().iter().all(|name| name.contains(".gz")));
}

#[test]
fn what_cannot_be_compressed_stays() {
    let scratch = Scratch::new();
    let archive = "session-20260106-120000-incremental.jsonl";
    scratch.old(archive, "whole");
    fs::create_dir(scratch.at(&format!("{archive}.gz"))).unwrap();
    let said = scratch.sessions.compress_archives(BEFORE, |old| old);
    assert!(said.is_err_and(|why| why.contains(archive)));
    assert_eq!(scratch.names(), [archive.to_owned(), format!("{archive}.gz")]);
}

#[test]
fn links_are_not_followed() {
    let scratch = Scratch::new();
    let outside = scratch.folder.path().join("outside");
    fs::write(&outside, "outside").unwrap();
    File::options().write(true).open(&outside).unwrap().set_modified(OLD).unwrap();
    symlink(&outside, scratch.at("session-20260106-120000-incremental.jsonl")).unwrap();
    scratch.old("session-20260106-120001-incremental.jsonl", "ours");
    for end in [".gz", ".gz.tmp"] {
        symlink(&outside, scratch.at(&format!("session-20260106-120001-incremental.jsonl{end}"))).unwrap();
    }
    scratch.sessions.compress_archives(BEFORE, |old| old).unwrap();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "outside");
    assert_eq!(unpacked(&scratch.at("session-20260106-120001-incremental.jsonl.gz")), "ours");
    assert!(scratch.sessions.remove_snapshot("session-20260106-120000").is_err());
    assert_eq!(fs::read_to_string(&outside).unwrap(), "outside");
    let linked = Sessions { dir: scratch.sessions.root.join("linked"), root: scratch.sessions.root.clone() };
    symlink(&scratch.sessions.dir, &linked.dir).unwrap();
    scratch.old("session-20260106-120002-incremental.jsonl", "ours");
    linked.compress_archives(BEFORE, |old| old).unwrap();
    linked.remove_snapshot("session-20260106-120002").unwrap();
    assert!(scratch.at("session-20260106-120002-incremental.jsonl").exists());
}

#[test]
fn a_snapshot_goes_with_all_its_files_and_no_others() {
    let scratch = Scratch::new();
    let id = "session-20260106-120000";
    for end in [".json", ".yaml", ".md", "-incremental.jsonl", "-incremental.jsonl.gz", ".json.tmp"] {
        scratch.file(&format!("{id}{end}"), "x");
    }
    let kept = ["LATEST-SESSION.txt", "session-20260106-120000-2.json", "session-20260106-120000.txt"];
    for name in kept {
        scratch.file(name, id);
    }
    scratch.sessions.remove_snapshot(id).unwrap();
    assert_eq!(scratch.names(), kept);
    assert_eq!(fs::read_to_string(scratch.at(kept[0])).unwrap(), "session-20260106-120000-2\n");
    scratch.sessions.remove_snapshot(id).unwrap();
}

#[test]
fn the_pointer_goes_with_the_last_snapshot_and_stays_where_it_names_another() {
    let scratch = Scratch::new();
    let (one, two) = ("session-20260106-120000", "session-20260106-120001");
    scratch.file(&format!("{one}.json"), "{}");
    scratch.file(&format!("{two}.json"), "{}");
    scratch.file("LATEST-SESSION.txt", &format!("{two}\nmore\n"));
    scratch.sessions.remove_snapshot(one).unwrap();
    assert_eq!(fs::read_to_string(scratch.at("LATEST-SESSION.txt")).unwrap(), format!("{two}\nmore\n"));
    scratch.sessions.remove_snapshot(two).unwrap();
    assert_eq!(scratch.names(), Vec::<String>::new());
}

#[test]
fn no_other_name_is_removed() {
    let scratch = Scratch::new();
    for id in ["../session", "", "session-20260106-120000/..", "LATEST-SESSION"] {
        assert!(scratch.sessions.remove_snapshot(id).is_err(), "{id}");
    }
}
