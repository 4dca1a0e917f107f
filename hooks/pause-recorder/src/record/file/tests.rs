//! Records: begun, written on, read whatever they hold, ended, archived, discarded.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use shared::host::Timestamp;

use super::super::action::{Draft, Kind};
use super::super::folder::Sessions;
use super::{Appended, Record, Recorded, Started};

const SESSION: &str = "bf41c52e-72c4-4f61-aed6-2ac9c7e341c4";

fn project() -> (tempfile::TempDir, Sessions) {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().to_path_buf();
    (scratch, Sessions { dir: root.join(".claude/sessions"), root })
}

/// 2026-01-06 12:00:00 UTC, and so many seconds later.
fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(1_767_700_800 + secs)
}

fn start(sessions: &Sessions, session: &str, secs: i64) -> Started {
    let data = Map::from_iter([("initial_state".to_owned(), json!({ "claude_session_id": session }))]);
    Record::start(sessions, session, at(secs), data, 0.9).unwrap()
}

fn said(text: &str) -> Draft {
    let data = Map::from_iter([("message".to_owned(), Value::from(text))]);
    Draft { kind: Kind::UserMessage, at: at(60), data, share: 0.91 }
}

fn last() -> Draft {
    Draft { kind: Kind::PauseFinalized, ..said("") }
}

fn add(path: &Path, bytes: &[u8]) {
    fs::File::options().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

/// What was said, in order.
fn texts(recorded: &Recorded) -> Vec<&str> {
    let said = recorded.actions.iter().filter(|action| action.kind == Kind::UserMessage);
    said.map(|action| action.data["message"].as_str().unwrap()).collect()
}

fn kinds(record: &Record) -> Vec<Kind> {
    record.read().unwrap().actions.iter().map(|action| action.kind).collect()
}

#[test]
fn a_record_begins_with_who_is_recorded_and_goes_on_in_order() {
    let (_scratch, sessions) = project();
    let Started { id, record } = start(&sessions, SESSION, 0);
    assert_eq!(id, "session-20260106-120000");
    assert_eq!(record.append(&[said("one"), said("two\nlines")]).unwrap(), Appended::Written);
    assert_eq!(record.append(&[]).unwrap(), Appended::Written);
    assert_eq!(record.append(&[said("three")]).unwrap(), Appended::Written);
    let recorded = record.read().unwrap();
    assert_eq!((recorded.id.as_str(), recorded.session.as_str()), (id.as_str(), SESSION));
    assert_eq!(recorded.actions[0].kind, Kind::PauseStarted);
    assert_eq!(texts(&recorded), ["one", "two\nlines", "three"]);
    assert_eq!(recorded.skipped_lines, 0);
    assert_eq!(fs::read_to_string(&record.path).unwrap().lines().count(), 4);
    let names: BTreeSet<_> =
        fs::read_dir(&sessions.dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!names.contains(std::ffi::OsStr::new("ACTIVE-PAUSE.lock")), "{names:?}");
}

#[test]
fn a_session_that_has_a_record_goes_on_with_it() {
    let (_scratch, sessions) = project();
    let first = start(&sessions, SESSION, 0);
    let again = start(&sessions, SESSION, 30);
    assert_eq!((again.id, &again.record.path), (first.id, &first.record.path));
    assert_eq!(kinds(&again.record), [Kind::PauseStarted]);
}

#[test]
fn a_record_in_which_nothing_can_be_read_gets_a_first_line() {
    for (held, skipped) in [("", 0), ("\n", 0), ("torn", 1), ("\u{0}\nno json\n", 2)] {
        let (_scratch, sessions) = project();
        let first = start(&sessions, SESSION, 0);
        fs::write(&first.record.path, held).unwrap();
        let again = start(&sessions, SESSION, 30);
        assert_eq!(again.id, "session-20260106-120030", "{held:?}");
        let recorded = again.record.read().unwrap();
        assert_eq!((recorded.id, recorded.session.as_str()), (again.id, SESSION), "{held:?}");
        assert_eq!((recorded.actions.len(), recorded.skipped_lines), (1, skipped), "{held:?}");
    }
}

#[test]
fn what_is_appended_where_nothing_can_be_read_gets_a_free_id() {
    let (_scratch, sessions) = project();
    let other = start(&sessions, "another", 60);
    let record = start(&sessions, SESSION, 0).record;
    fs::write(&record.path, "no json\n").unwrap();
    record.append(&[said("one")]).unwrap();
    record.append(&[said("two")]).unwrap();
    let recorded = record.read().unwrap();
    assert_eq!(recorded.id, format!("{}-2", other.id));
    assert_eq!(texts(&recorded), ["one", "two"]);
    assert_eq!(recorded.session, "");
}

#[test]
fn the_id_comes_from_the_first_line_that_can_be_read() {
    let (_scratch, sessions) = project();
    let Started { id, record } = start(&sessions, SESSION, 0);
    record.append(&[said("one")]).unwrap();
    let held = fs::read_to_string(&record.path).unwrap().replacen("pause_started", "no kind", 1);
    fs::write(&record.path, held).unwrap();
    record.append(&[said("two")]).unwrap();
    let recorded = record.read().unwrap();
    assert_eq!((recorded.id, recorded.session.as_str(), recorded.skipped_lines), (id, "", 1));
}

#[test]
fn an_id_that_anything_here_has_is_not_given_again() {
    for end in [".json", ".yaml", ".md", "-incremental.jsonl", "-incremental.jsonl.gz"] {
        let (_scratch, sessions) = project();
        sessions.open().unwrap();
        fs::write(sessions.dir.join(format!("session-20260106-120000{end}")), "").unwrap();
        let ids = ["a", "b", "c"].map(|session| start(&sessions, session, 0).id);
        assert_eq!(ids, ["-2", "-3", "-4"].map(|number| format!("session-20260106-120000{number}")), "{end}");
    }
}

#[test]
fn sessions_that_begin_in_the_same_second_have_records_of_their_own() {
    let (_scratch, sessions) = project();
    let started: Vec<Started> = std::thread::scope(|scope| {
        let begin = |number| {
            let sessions = &sessions;
            scope.spawn(move || start(sessions, &format!("bf41c52e-{number}"), 0))
        };
        let all: Vec<_> = (0..8).map(begin).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let ids: BTreeSet<&str> = started.iter().map(|started| started.id.as_str()).collect();
    let paths: BTreeSet<&Path> = started.iter().map(|started| started.record.path.as_path()).collect();
    assert_eq!((ids.len(), paths.len()), (8, 8));
    for (number, started) in started.iter().enumerate() {
        let recorded = started.record.read().unwrap();
        assert_eq!(recorded.session, format!("bf41c52e-{number}"));
        assert_eq!(recorded.id, started.id);
    }
}

#[test]
fn one_session_begun_many_times_at_once_has_one_record() {
    let (_scratch, sessions) = project();
    let ids: BTreeSet<String> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8)
            .map(|secs| {
                let sessions = &sessions;
                scope.spawn(move || start(sessions, SESSION, secs).id)
            })
            .collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(ids.len(), 1);
    assert_eq!(kinds(&sessions.active(SESSION).unwrap()), [Kind::PauseStarted]);
}

#[test]
fn many_that_append_at_once_lose_and_merge_nothing() {
    let (_scratch, sessions) = project();
    let record = start(&sessions, SESSION, 0).record;
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let record = &record;
            scope.spawn(move || {
                for number in 0..20 {
                    record.append(&[said(&format!("{writer}-{number}"))]).unwrap();
                }
            });
        }
    });
    let recorded = record.read().unwrap();
    let all: BTreeSet<&str> = texts(&recorded).into_iter().collect();
    assert_eq!((all.len(), recorded.skipped_lines), (160, 0));
}

#[test]
fn lines_that_are_none_of_ours_are_counted_and_skipped() {
    let ours = r#"{"type":"user_message","timestamp":"2026-01-06T12:01:00Z","session_id":"session-20260106-120000","data":{"message":"two"},"context_percentage":0.9"#;
    let long = format!("{ours},\"more\":\"{}\"}}\n", "x".repeat(2 * 1024 * 1024));
    let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    for (line, skipped, read) in [
        (format!("{ours}}}\n").into_bytes(), 0, true),
        (format!("{ours}}}").into_bytes(), 0, true),
        (format!("{ours}}}\r\n").into_bytes(), 0, true),
        (format!("{ours},\"extra\":[1,null]}}\n").into_bytes(), 0, true),
        (b"\n\n  \n\r\n".to_vec(), 0, false),
        (format!("{ours}\n").into_bytes(), 1, false),
        (format!("{ours}}} {ours}}}\n").into_bytes(), 1, false),
        (b"no json\n[]\n3\n\"x\"\n{}\n".to_vec(), 5, false),
        (b"\xff\xfe\n".to_vec(), 1, false),
        ([ours.replace("two", "").as_bytes(), b",\"data\":{\"\xff\":1}}\n"].concat(), 1, false),
        (format!("{ours}}}\n").replace("-120000", "-120001").into_bytes(), 1, false),
        (format!("{ours}}}\n").replace("user_message", "other").into_bytes(), 1, false),
        (format!("{ours}}}\n").replace("2026-01-06T", "yesterday").into_bytes(), 1, false),
        (format!("{ours}}}\n").replace("0.9", "\"0.9\"").into_bytes(), 1, false),
        (format!("{ours}}}\n").replace("0.9", "1e999").into_bytes(), 1, false),
        (format!("{ours}}}\n").replace("\"two\"", "\"\\ud800\"").into_bytes(), 1, false),
        (format!("{ours}}}\n").replace(r#","data":{"message":"two"}"#, "").into_bytes(), 1, false),
        (long.into_bytes(), 1, false),
        (format!("{ours},\"more\":{deep}}}\n").into_bytes(), 0, true),
        (format!("{ours}}}\n").replace("\"two\"", &deep).into_bytes(), 1, false),
    ] {
        let (_scratch, sessions) = project();
        let record = start(&sessions, SESSION, 0).record;
        record.append(&[said("one")]).unwrap();
        add(&record.path, &line);
        record.append(&[said("three")]).unwrap();
        let recorded = record.read().unwrap();
        let shown = String::from_utf8_lossy(&line[..line.len().min(200)]);
        assert_eq!(
            texts(&recorded),
            if read { vec!["one", "two", "three"] } else { vec!["one", "three"] },
            "{shown}"
        );
        assert_eq!(recorded.skipped_lines, skipped, "{shown}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_added_to_a_record_no_line_of_ours_is_lost(soups in prop::collection::vec(
        prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'{'), Just(b'"'), any::<u8>()], 0..40),
        1..6,
    )) {
        let (_scratch, sessions) = project();
        let Started { id, record } = start(&sessions, SESSION, 0);
        let mut expected = Vec::new();
        for (number, soup) in soups.iter().enumerate() {
            add(&record.path, soup);
            let recorded = record.read().unwrap();
            prop_assert_eq!(texts(&recorded), expected.clone());
            record.append(&[said(&number.to_string())]).unwrap();
            expected.push(number.to_string());
            let recorded = record.read().unwrap();
            prop_assert_eq!(texts(&recorded), expected.clone());
        }
        prop_assert_eq!(record.read().unwrap().id, id);
        prop_assert!(record.discard().unwrap());
    }

    #[test]
    fn wherever_a_line_is_torn_the_next_one_is_whole(cut in 1_usize..100) {
        let (_scratch, sessions) = project();
        let record = start(&sessions, SESSION, 0).record;
        record.append(&[said("one")]).unwrap();
        let length = fs::metadata(&record.path).unwrap().len();
        record.append(&[said("torn")]).unwrap();
        let torn = fs::metadata(&record.path).unwrap().len() - length;
        let kept = length + (torn * cut as u64 / 100).max(1);
        fs::File::options().write(true).open(&record.path).unwrap().set_len(kept).unwrap();
        record.append(&[said("two")]).unwrap();
        let recorded = record.read().unwrap();
        prop_assert_eq!(texts(&recorded), ["one", "two"]);
        prop_assert_eq!(recorded.skipped_lines, 1);
    }
}

#[test]
fn a_record_that_is_gone_is_not_made_again() {
    let (_scratch, sessions) = project();
    let record = start(&sessions, SESSION, 0).record;
    assert!(record.discard().unwrap());
    assert_eq!(record.append(&[said("one")]).unwrap(), Appended::Gone);
    assert!(record.end(&last()).is_err() && record.read().is_err());
    assert_eq!(fs::read_dir(&sessions.dir).unwrap().count(), 1, "the .gitignore alone");
    fs::remove_dir_all(&sessions.dir).unwrap();
    assert_eq!(record.append(&[said("one")]).unwrap(), Appended::Gone);
    assert!(!record.discard().unwrap());
    assert!(!sessions.dir.exists());
}

#[test]
fn an_ended_record_ends_once_and_again_only_where_it_went_on() {
    let (_scratch, sessions) = project();
    let record = start(&sessions, SESSION, 0).record;
    for _ in 0..2 {
        record.locked(|| record.end(&last())).unwrap().unwrap();
    }
    assert_eq!(kinds(&record), [Kind::PauseStarted, Kind::PauseFinalized]);
    add(&record.path, b"torn");
    record.locked(|| record.end(&last())).unwrap().unwrap();
    assert_eq!(kinds(&record).len(), 2);
    record.append(&[said("one")]).unwrap();
    record.locked(|| record.end(&last())).unwrap().unwrap();
    assert_eq!(
        kinds(&record),
        [Kind::PauseStarted, Kind::PauseFinalized, Kind::UserMessage, Kind::PauseFinalized]
    );
}

#[test]
fn a_record_in_which_nothing_can_be_read_can_be_ended() {
    for held in ["", "torn", "\u{0}\n"] {
        let (_scratch, sessions) = project();
        let record = start(&sessions, SESSION, 0).record;
        fs::write(&record.path, held).unwrap();
        record.locked(|| record.end(&last())).unwrap().unwrap();
        let recorded = record.read().unwrap();
        assert_eq!(recorded.id, "session-20260106-120100", "{held:?}");
        assert_eq!(recorded.actions.len(), 1, "{held:?}");
    }
}

#[test]
fn an_archive_is_never_overwritten_and_a_killed_move_is_finished() {
    type Prepare = fn(&Path, &Path);
    let as_long = |from: &Path, to: &Path| {
        let mut bytes = fs::read(from).unwrap();
        bytes.reverse();
        fs::write(to, bytes).unwrap();
    };
    let cases: [(&str, Prepare, bool); 6] = [
        ("nothing", |_, _| {}, true),
        ("a link of a killed run", |from, to| fs::hard_link(from, to).unwrap(), true),
        ("a copy", |from, to| fs::write(to, fs::read(from).unwrap()).unwrap(), true),
        ("an empty file", |_, to| fs::write(to, "").unwrap(), true),
        ("another archive", |_, to| fs::write(to, "{}\n").unwrap(), false),
        ("another that is as long", as_long, false),
    ];
    for (what, prepare, moves) in cases {
        let (_scratch, sessions) = project();
        let Started { id, record } = start(&sessions, SESSION, 0);
        let to = sessions.files(&id).archive;
        let held = fs::read(&record.path).unwrap();
        prepare(&record.path, &to);
        let before = fs::read(&to).ok();
        let moved = record.locked(|| record.archive(&to)).unwrap();
        assert_eq!(moved.is_ok(), moves, "{what}");
        assert_eq!(record.path.exists(), !moves, "{what}");
        assert_eq!(fs::read(&to).unwrap(), if moves { held } else { before.unwrap() }, "{what}");
        assert_eq!(sessions.active(SESSION).is_some(), !moves, "{what}");
        if let Err(told) = moved {
            assert!(told.to_string().ends_with("another archive is there; move it away"), "{told}");
        }
    }
}

#[test]
fn where_files_cannot_be_linked_the_archive_is_renamed_into_a_name_that_was_free() {
    let (_scratch, sessions) = project();
    let Started { id, record } = start(&sessions, SESSION, 0);
    let to = sessions.files(&id).archive;
    fs::write(&to, "{}\n").unwrap();
    assert!(record.archive_without_links(&to).is_err());
    assert_eq!((record.path.exists(), fs::read_to_string(&to).unwrap().as_str()), (true, "{}\n"));
    fs::remove_file(&to).unwrap();
    record.archive_without_links(&to).unwrap();
    assert_eq!((record.path.exists(), to.exists()), (false, true));
    assert!(record.archive(&to).unwrap_err().to_string().contains("is not there any more"));
}

#[test]
fn whatever_a_record_holds_it_can_be_discarded() {
    for held in [b"".as_slice(), b"\xff", b"{", b"no json\n"] {
        let (_scratch, sessions) = project();
        let record = start(&sessions, SESSION, 0).record;
        fs::write(&record.path, held).unwrap();
        assert!(record.discard().unwrap());
        assert!(sessions.active(SESSION).is_none());
        assert!(!record.discard().unwrap());
    }
}

#[test]
fn a_record_is_discarded_also_while_its_lock_is_held_or_cannot_be() {
    let (_scratch, sessions) = project();
    let record = start(&sessions, SESSION, 0).record;
    record.locked(|| assert!(record.discard().unwrap())).unwrap();
    let record = start(&sessions, SESSION, 0).record;
    let lock = format!("{}.lock", record.path.display());
    let _ = fs::remove_file(&lock);
    fs::create_dir(&lock).unwrap();
    let told = record.append(&[said("one")]).unwrap_err().to_string();
    assert!(
        told.starts_with("pause-recorder: ") && told.contains(".jsonl.lock cannot be opened: "),
        "{told}"
    );
    assert!(record.discard().unwrap());
}

#[cfg(unix)]
mod special_files {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Puts something else in place of the record.
    fn replaced(record: &Record, elsewhere: &Path, kind: &str) {
        fs::remove_file(&record.path).unwrap();
        match kind {
            "link" => symlink(elsewhere, &record.path).unwrap(),
            "pipe" => assert!(Command::new("mkfifo").arg(&record.path).status().unwrap().success()),
            _ => fs::create_dir(&record.path).unwrap(),
        }
    }

    #[test]
    fn nothing_is_written_into_or_read_from_what_is_no_file() {
        for kind in ["link", "pipe", "folder"] {
            let (scratch, sessions) = project();
            let record = start(&sessions, SESSION, 0).record;
            let elsewhere = scratch.path().join("elsewhere");
            fs::copy(&record.path, &elsewhere).unwrap();
            let held = fs::read(&elsewhere).unwrap();
            replaced(&record, &elsewhere, kind);
            assert!(sessions.active(SESSION).is_none(), "{kind}");
            let told = record.append(&[said("one")]).unwrap_err().to_string();
            assert!(told.contains("ACTIVE-PAUSE-bf41c52e.jsonl cannot be opened: "), "{kind}: {told}");
            assert!(record.read().is_err() && record.end(&last()).is_err(), "{kind}");
            assert!(record.archive(&scratch.path().join("archive")).is_err(), "{kind}");
            let beside = start(&sessions, SESSION, 1).record;
            assert_ne!(beside.path, record.path, "{kind}");
            assert_eq!(sessions.active(SESSION), Some(beside), "{kind}");
            assert_eq!(record.discard().is_ok(), kind != "folder", "{kind}");
            assert_eq!(fs::read(&elsewhere).unwrap(), held, "{kind}");
        }
    }

    /// Set for a process of its own whose files may not grow: the project's folder.
    const FULL: &str = "BARBLESS_TEST_FULL_DISK";

    #[test]
    fn on_a_full_disk_what_was_recorded_before_stays_and_no_record_begins() {
        if let Ok(root) = std::env::var(FULL) {
            return on_a_full_disk(Path::new(&root));
        }
        let (scratch, sessions) = project();
        let record = start(&sessions, SESSION, 0).record;
        record.append(&[said("one")]).unwrap();
        let held = fs::read(&record.path).unwrap();
        let this = "record::file::tests::special_files::on_a_full_disk_what_was_recorded_before_stays_and_no_record_begins";
        let full = Command::new("sh")
            .args(["-c", r#"trap "" XFSZ; ulimit -f 1; exec "$0" --exact "$1""#])
            .arg(std::env::current_exe().unwrap())
            .arg(this)
            .env(FULL, scratch.path())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&full.stdout);
        assert!(full.status.success() && told.contains("1 passed"), "{told}");
        assert_eq!(fs::read(&record.path).unwrap(), held);
        assert_eq!(sessions.actives().len(), 1);
        record.append(&[said("two")]).unwrap();
        let recorded = record.read().unwrap();
        assert_eq!((texts(&recorded), recorded.skipped_lines), (vec!["one", "two"], 0));
    }

    /// A file has room for 512 or 1024 bytes, as the shell counts.
    fn on_a_full_disk(root: &Path) {
        let sessions = Sessions { dir: root.join(".claude/sessions"), root: root.to_path_buf() };
        let record = sessions.active(SESSION).unwrap();
        let long = said(&"x".repeat(2_000));
        let told = record.append(&[said("short"), long.clone()]).unwrap_err().to_string();
        assert!(told.ends_with("; what was recorded before stays"), "{told}");
        assert!(Record::start(&sessions, "another", at(0), long.data, 0.9).is_err());
    }
}
