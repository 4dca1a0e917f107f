//! What a newer version wrote: this one neither overwrites it nor sets it aside nor removes it, goes on, and says so: each
//! file by its name, by whom it keeps from something, or, where nobody needs it (`COUNTED`), `req doctor` in a number; of two kinds only
//! the command that would change them says something, or nobody does (`BY_COMMAND`, `UNTOLD`). Kinds
//! of files stand in one group where the writer of one is reached whatever becomes of the others; a file of a kind that is
//! listed nowhere fails `assert_every_file_is_of_a_known_kind`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{Day, files_below};

/// What the sessions share, and what is kept by the way.
const BY_THE_WAY: [&str; 19] = [
    "/usage.json",
    "/pacing.json",
    "/usage-poll.json",
    "/usage.db",
    "/judge.json",
    "/switches.json",
    "/scheduled-prompts.json",
    "/proved.json",
    "/pause-recorder/models.json",
    "/pause-recorder/registry.json",
    "-blocks.json",
    "-told.json",
    "-files.json",
    "-size.json",
    "/sessions/5e55104e-0000-4000-8000-000000000001.json",
    "/.git/requirements/main.0d6e4079e36703eb.json",
    "/.git/requirements/permanent.708b931666caba44.json",
    "/no-git.e117e8e9be444adf.json",
    "1-git.json",
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

/// Kinds that nobody tells by name, and why: who cannot read one goes on as if there were none.
const COUNTED: [(&str, &str); 13] = [
    ("/usage.json", "old readings say nothing, so nothing waits"),
    ("/pacing.json", "what a call costs is learned anew"),
    ("/usage.db", "history and report, which need it, say so to who asks"),
    ("/usage-poll.json", "asked less often than could be"),
    ("/judge.json", "what was spent is told by who asks, each time anew"),
    ("/proved.json", "`req doctor` proves anew"),
    ("/pause-recorder/models.json", "what is known of models is learned anew"),
    ("-told.json", "a notice comes once more"),
    ("-files.json", "files are hashed again"),
    ("-size.json", "lines are counted again"),
    ("1-git.json", "`git` is asked again"),
    ("/sessions/5e55104e-0000-4000-8000-000000000001.json", "a session that others do not see for a while"),
    ("1-usage.json", "the context is read from the transcript"),
];

/// Kinds of which only the command that would change them says something, and what: that it has not written.
const BY_COMMAND: [(&str, &str); 1] = [(
    "/.git/requirements/permanent.708b931666caba44.json",
    "license (in this repository) (not written from this shell",
)];

/// Kinds that are left alone, and nobody says so.
const UNTOLD: [&str; 1] = ["/no-git.e117e8e9be444adf.json"];

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
fn after_a_day(kinds: &[&str]) -> Day {
    let day = Day::new();
    day.is_proved();
    day.works(1);
    day.is_due();
    for kind in kinds {
        assert!(!files_of(&day, kind).is_empty(), "no {kind}: {:#?}", files_below(&day.state()));
    }
    day
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
        .replacen(r#"{"version":"2","branch"#, r#"{"version":"3","more":["kept"],"branch"#, 1)
        .replacen(r#""schema_version": 1,"#, r#""schema_version": 2, "more": ["kept"],"#, 1);
    assert_ne!(newer, text, "{}", path.display());
    fs::write(path, newer).unwrap();
}

/// Raises the files of these kinds, and lets the day go on.
#[track_caller]
fn assert_left_alone(day: &Day, kinds: &[&str]) {
    let files: Vec<PathBuf> = kinds.iter().flat_map(|kind| files_of(day, kind)).collect();
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
    assert_told(day, kinds, &files);
}

/// Each of these files of a newer version is told, by name or in doctor's number.
#[track_caller]
fn assert_told(day: &Day, kinds: &[&str], files: &[PathBuf]) {
    let doctor = day.runs("req", "doctor").stdout_text();
    let journal = fs::read_to_string(day.state().join("journal.jsonl")).unwrap();
    let said: Vec<&str> = journal.lines().filter(|line| line.contains("newer version of Barbless")).collect();
    let listed = COUNTED.iter().chain(&BY_COMMAND).map(|(kind, _)| kind).chain(&UNTOLD);
    let silent: Vec<&str> = listed.copied().collect();
    for kind in kinds.iter().filter(|kind| !silent.contains(*kind)) {
        for path in files_of(day, kind) {
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(said.iter().any(|line| line.contains(name)), "{name}: {said:#?}");
        }
    }
    for (_, words) in BY_COMMAND.iter().filter(|(kind, _)| kinds.contains(kind)) {
        let heard = day.heard.borrow();
        assert!(heard.lines().any(|line| line.contains(words)), "{words}: {heard}");
    }
    let counted = doctor.lines().find_map(|line| line.split_once(": this and ")?.1.split(' ').next());
    let counted = counted.map_or(0, |more| more.parse::<usize>().unwrap() + 1);
    let with_an_envelope = |path: &&PathBuf| path.starts_with(day.state()) && has_an_envelope(path);
    let there = files.iter().filter(with_an_envelope).count();
    assert_eq!(counted, there, "{doctor}");
}

/// It begins with the version of a state file.
fn has_an_envelope(path: &Path) -> bool {
    let number = |bytes: Vec<u8>| bytes.strip_prefix(br#"{"version":"#).map(|rest| rest[0].is_ascii_digit());
    fs::read(path).ok().and_then(number).unwrap_or_default()
}

/// It says which version it is of. What a write leaves as `.tmp` is not read by anybody.
fn has_a_version(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(64)]).into_owned();
    let is_object = head.trim_start().starts_with('{') && head.contains("version\"");
    head.starts_with("SQLite format 3") || is_object
}

#[test]
fn memory_of_a_newer_version_is_left_alone() {
    let day = after_a_day(&[&BY_THE_WAY[..], &OF_HOOKS].concat());
    day.is_kept();
    assert_left_alone(&day, &BY_THE_WAY);
    day.is_put_back();
    assert_left_alone(&day, &OF_HOOKS);
}

#[test]
fn snapshot_of_a_newer_version_is_left_alone_and_files_of_this_one_are_written() {
    let kinds = [&BY_THE_WAY[..], &OF_HOOKS, &SNAPSHOT].concat();
    let day = after_a_day(&kinds);
    let files: Vec<PathBuf> = kinds.iter().flat_map(|kind| files_of(&day, kind)).collect();
    assert_every_file_is_of_a_known_kind(&day, &files);
    day.is_kept();
    assert_left_alone(&day, &SNAPSHOT);
    day.is_put_back();
    assert_written(&day, &files);
}

/// A file with a version that is of no kind here would go untested.
#[track_caller]
fn assert_every_file_is_of_a_known_kind(day: &Day, files: &[PathBuf]) {
    let folders = [day.state(), day.sandbox.root()];
    let there: Vec<PathBuf> = folders.iter().flat_map(|folder| files_below(folder)).collect();
    let is_ours = |path: &&PathBuf| {
        let path = path.to_string_lossy();
        path.contains("/.claude/") || path.contains("/.git/requirements/")
    };
    let is_spare = |path: &PathBuf| path.extension().is_some_and(|end| end == "tmp");
    let strange: Vec<&PathBuf> = there
        .iter()
        .filter(|path| is_ours(path) && !is_spare(path))
        .filter(|path| has_a_version(path) && !files.contains(path))
        .collect();
    assert!(strange.is_empty(), "a kind of its own, or none of ours: {strange:#?}");
}

/// The same days write every kind of file that is of this version; so a newer one is left alone by those who reach it.
#[track_caller]
fn assert_written(day: &Day, files: &[PathBuf]) {
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
