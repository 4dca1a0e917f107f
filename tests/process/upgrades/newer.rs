//! What a newer version wrote: this one neither overwrites it nor sets it aside nor removes it, goes on, and says so. Kinds
//! of files stand in one group where the writer of one is reached whatever becomes of the others.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{Day, files_below};

/// What the sessions share, and what is kept by the way.
const BY_THE_WAY: [&str; 16] = [
    "/usage.json",
    "/pacing.json",
    "/usage-poll.json",
    "/usage.db",
    "/judge.json",
    "/switches.json",
    "/scheduled-prompts.json",
    "/proved.json",
    "/pause-recorder/models.json",
    "/pause-recorder/shelf.json",
    "-blocks.json",
    "-told.json",
    "-files.json",
    "-size.json",
    "/sessions/5e55104e-0000-4000-8000-000000000001.json",
    "/.git/requirements/main.json",
];

/// What each hook remembers to decide by, and what the status line tells of a session.
const OF_HOOKS: [&str; 9] = [
    "1-buckets.json",
    "1-delegation.json",
    "1-requirements.json",
    "1-tempo.json",
    "1-intent.json",
    "1-pause.json",
    "1-usage.json",
    "/credit-pacer.json",
    "/hook-state/stop-ack-5e55104e-0000-4000-8000-000000000001",
];

/// What stands beside a record that goes on.
const SNAPSHOT: [&str; 1] = ["/.claude/sessions/session-.json"];

/// The files of a kind: the path ends so, but for a snapshot's time.
fn files_of(day: &Day, kind: &str) -> Vec<PathBuf> {
    let project = day.sandbox.project();
    let folders = [day.state(), project.join(".git/requirements"), project.join(".claude/sessions")];
    let (start, end) = kind.split_once("session-.").unwrap_or(("", kind));
    let is_it = |path: &&PathBuf| {
        let path = path.to_string_lossy();
        path.ends_with(end) && path.contains(start)
    };
    let found: Vec<PathBuf> =
        folders.iter().filter(|folder| folder.is_dir()).flat_map(|folder| files_below(folder)).collect();
    found.iter().filter(is_it).cloned().collect()
}

/// A day with each of these kinds of files.
#[track_caller]
fn after_a_day(kinds: &[&str]) -> (Day, Vec<PathBuf>) {
    let day = Day::new();
    day.is_proved();
    day.works(1);
    day.is_due();
    let files_of = |kind: &&str| {
        let files = files_of(&day, kind);
        assert!(!files.is_empty(), "no {kind}: {:#?}", files_below(&day.state()));
        files
    };
    let files = kinds.iter().flat_map(files_of).collect();
    (day, files)
}

/// Makes it the file of a newer version, which keeps something more.
#[track_caller]
fn raise(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    if bytes.starts_with(b"SQLite format 3\0") {
        // The version stands there in the file, as four bytes.
        bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
        return fs::write(path, bytes).unwrap();
    }
    let text = String::from_utf8(bytes).unwrap();
    let newer = text
        .replacen(r#"{"version":1,"#, r#"{"version":2,"more":["kept"],"#, 1)
        .replacen(r#"{"version":"1.0","#, r#"{"version":"2.0","more":["kept"],"#, 1)
        .replacen(r#""schema_version": 1,"#, r#""schema_version": 2, "more": ["kept"],"#, 1);
    assert_ne!(newer, text, "{}", path.display());
    fs::write(path, newer).unwrap();
}

#[track_caller]
fn assert_left_alone(kinds: &[&str]) {
    let (day, files) = after_a_day(kinds);
    for path in &files {
        raise(path);
    }
    let before: BTreeMap<&PathBuf, Vec<u8>> =
        files.iter().map(|path| (path, fs::read(path).unwrap())).collect();
    let assert_unchanged = |when: &str| {
        for (path, bytes) in &before {
            let now = fs::read(path).unwrap_or_else(|error| panic!("{when}: {}: {error}", path.display()));
            let text = String::from_utf8_lossy(&now);
            assert!(now == *bytes, "{when} {} is not as it was: {text}", path.display());
            let aside = PathBuf::from(format!("{}.corrupt", path.display()));
            assert!(!aside.exists(), "{when}: {}", aside.display());
        }
    };
    day.works(2);
    assert_unchanged("after another day");
    day.a_month_goes_by();
    assert_unchanged("after a month");
    let doctor = day.runs("req", "doctor").stdout_text();
    let journal = fs::read_to_string(day.state().join("journal.jsonl")).unwrap();
    let said = journal.lines().filter(|line| line.contains("newer version"));
    let said: String = said.chain(doctor.lines().filter(|line| line.contains("newer version"))).collect();
    assert!(said.contains("newer version of Barbless"), "{doctor}\n{journal}");
    for path in files.iter().filter(|path| !path.starts_with(day.state()) || path.ends_with("usage.db")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(said.contains(name), "{name}: {said}");
    }
}

#[test]
fn what_is_kept_by_the_way_is_left_alone() {
    assert_left_alone(&BY_THE_WAY);
}

#[test]
fn what_hooks_remember_is_left_alone() {
    assert_left_alone(&OF_HOOKS);
}

#[test]
fn a_snapshot_is_left_alone() {
    assert_left_alone(&SNAPSHOT);
}

#[test]
fn the_same_days_write_every_kind_of_file_that_is_of_this_version() {
    let kinds = [&BY_THE_WAY[..], &OF_HOOKS, &SNAPSHOT].concat();
    let (day, files) = after_a_day(&kinds);
    let look =
        |path: &PathBuf| (fs::read(path).ok(), path.metadata().and_then(|there| there.modified()).ok());
    let before: BTreeMap<&PathBuf, (Option<Vec<u8>>, Option<SystemTime>)> =
        files.iter().map(|path| (path, look(path))).collect();
    day.works(2);
    let unwritten: Vec<_> =
        before.iter().filter(|(path, before)| look(path) == **before).map(|(path, _)| path).collect();
    assert!(unwritten.is_empty(), "{unwritten:#?}");
    day.a_month_goes_by();
    let of_sessions =
        |path: &&PathBuf| path.starts_with(day.state()) && path.to_string_lossy().contains("5e55104e");
    let stays: Vec<_> = files.iter().filter(of_sessions).filter(|path| path.exists()).collect();
    assert!(stays.is_empty(), "they go with their session: {stays:#?}");
}
