//! A record that was damaged: what can be read of it is read, the rest is counted, it can be written on, ended again and again,
//! and dropped.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Recorder, lines};
use crate::dice::Dice;

/// A line of another record.
const FOREIGN: &str = r#"{"type":"tool_call","timestamp":"2026-01-06T12:00:00Z","session_id":"session-20260106-120000","data":{},"context_percentage":0.9}"#;

/// What may have become of a file, how many of its lines cannot be read then, and how many of the three are left.
type Damage = (&'static str, fn(&str) -> Vec<u8>, u64, u64);

fn damages() -> Vec<Damage> {
    vec![
        ("a last line that was torn", |text| text.as_bytes()[..text.len() - 30].to_vec(), 1, 2),
        ("a last line without its end", |text| text.trim_end().as_bytes().to_vec(), 0, 3),
        ("empty lines", |text| text.replace('\n', "\n\n \n").into_bytes(), 0, 3),
        ("a line that is no text", |text| [text.as_bytes(), b"\xff\xfe\x00\n"].concat(), 1, 3),
        ("a lone surrogate", |text| format!("{text}\"\\ud800\"\n").into_bytes(), 1, 3),
        ("lines of others", |text| format!("{text}{FOREIGN}\n{{}}\n[1]\nfree text\n").into_bytes(), 4, 3),
        ("two lines that were merged", |text| text.replacen("}\n{", "}{", 1).into_bytes(), 1, 1),
        ("a first line that was damaged", |text| format!("}}{text}").into_bytes(), 1, 2),
        ("a first line that is gone", |text| text[text.find('\n').unwrap() + 1..].into(), 0, 2),
        ("a hole", |text| [text.as_bytes(), &[0; 100_000], b"\n"].concat(), 1, 3),
    ]
}

#[track_caller]
fn damaged(damage: fn(&str) -> Vec<u8>) -> (Recorder, PathBuf) {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, damage(&text)).unwrap();
    (recorder, record)
}

#[test]
fn what_can_be_read_is_read_and_the_rest_is_counted() {
    for (name, damage, skipped, left) in damages() {
        let (recorder, record) = damaged(damage);
        let before = fs::read(&record).unwrap();
        recorder.ask(&recorder.session.stop("Done."));
        let after = fs::read(&record).unwrap();
        assert!(after.starts_with(&before), "{name}: what was there stays");
        recorder.ask(&recorder.session.session_end("other"));
        let id = recorder.latest();
        let snapshot = recorder.snapshot(&id);
        assert_eq!(snapshot["skipped_lines"], skipped, "{name}: {snapshot:#}");
        let actions = &snapshot["incremental_pause"]["action_count"];
        assert_eq!(actions, left + 2, "{name}: the stop and the end are there, too");
        let archive = fs::read(recorder.file(&id, "-incremental.jsonl")).unwrap();
        assert!(archive.starts_with(&after), "{name}: nothing is thrown away");
        assert_eq!(recorder.actives().len(), 0, "{name}");
    }
}

#[test]
fn one_of_which_nothing_can_be_read_is_begun_anew_in_place() {
    for content in [&b""[..], b"\n\n", b"garbage", b"\xff\xff\xff\n", b"{\n"] {
        let (recorder, record) = damaged(|_| Vec::new());
        fs::write(&record, content).unwrap();
        recorder.ask(&recorder.session.stop("Done."));
        recorder.ask(&recorder.session.session_end("other"));
        let snapshot = recorder.snapshot(&recorder.latest());
        let name = String::from_utf8_lossy(content);
        assert_eq!(snapshot["incremental_pause"]["action_count"], 2, "{name:?}: {snapshot:#}");
        assert_eq!(recorder.actives().len(), 0, "{name:?}");
    }
}

#[test]
fn discard_works_whatever_it_holds() {
    let holes = vec![0; 3_000_000];
    let contents: [&[u8]; 6] = [b"", b"garbage", b"\xff\xfe\0", b"{}\n", FOREIGN.as_bytes(), &holes];
    for content in contents {
        let (recorder, record) = damaged(|_| Vec::new());
        fs::write(&record, content).unwrap();
        let told = recorder.typed(&recorder.session, "pause-recorder discard").expect("a command");
        assert!(told.contains("is discarded") && !record.exists(), "{told}");
        assert_eq!(recorder.kept(), [""; 0]);
        let told = recorder.typed(&recorder.session, "pause-recorder discard").expect("a command");
        assert!(told.contains("nothing is being recorded"), "{told}");
    }
}

#[test]
fn one_that_was_discarded_is_not_begun_again_by_the_next_call() {
    let recorder = Recorder::new("");
    recorder.recorded(&recorder.session);
    recorder.typed(&recorder.session, "pause-recorder discard").unwrap();
    recorder.climb(&recorder.session, 185_000);
    assert_eq!(recorder.kept(), [""; 0]);
    recorder.typed(&recorder.session, "pause-recorder start").unwrap();
    assert_eq!(recorder.actives().len(), 1);
}

/// The record as it was before it was archived, with some of its snapshot's files gone.
fn undo(recorder: &Recorder, record: &Path, id: &str, gone: &[&str]) {
    fs::copy(recorder.file(id, "-incremental.jsonl"), record).unwrap();
    for end in gone {
        fs::remove_file(recorder.file(id, end)).unwrap();
    }
}

#[test]
fn finalize_can_be_done_again_and_leaves_the_same() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    recorder.ask(&recorder.session.session_end("other"));
    let id = recorder.latest();
    let files = || {
        let ends = [".json", ".yaml", ".md", "-incremental.jsonl"];
        ends.map(|end| fs::read_to_string(recorder.file(&id, end)).unwrap())
    };
    let first = files();
    for gone in [&[][..], &[".json"], &[".yaml", ".md"], &["-incremental.jsonl"], &[".json", ".yaml", ".md"]]
    {
        undo(&recorder, &record, &id, gone);
        let outcome = recorder.run(&["finalize"]);
        outcome.assert_exit(0);
        assert!(outcome.stdout_text().trim_end().ends_with(&format!("{id}.json")), "{outcome}");
        assert_eq!(files(), first, "{gone:?}");
        assert!(!record.exists(), "{gone:?}");
        assert!(recorder.run(&["list"]).stdout_text().contains("unread"), "{gone:?}: it is still ours");
    }
    recorder.run(&["finalize"]).assert_exit(1);
}

#[test]
fn another_archive_in_its_place_is_never_overwritten() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let id = lines(&record)[0]["session_id"].as_str().unwrap().to_owned();
    let before = fs::read(&record).unwrap();
    fs::write(recorder.file(&id, "-incremental.jsonl"), "somebody's").unwrap();
    let outcome = recorder.run(&["finalize"]);
    outcome.assert_exit(1);
    assert!(outcome.stderr_text().contains("move it away"), "{outcome}");
    assert_eq!(fs::read(&record).unwrap(), before);
    assert_eq!(recorder.kept().len(), 2, "{:?}", recorder.kept());
}

const KILLS: usize = 60;

#[test]
fn killed_at_any_moment_it_can_be_finalized_again() {
    let recorder = Recorder::new("");
    let mut dice = Dice::seeded(3);
    let mut limit = Duration::from_millis(30);
    let mut killed = 0;
    for round in 0..KILLS {
        let session = recorder.another(&format!("{round:08}-x"));
        let record = recorder.recorded(&session);
        let id = lines(&record)[0]["session_id"].as_str().unwrap().to_owned();
        let mut hook = recorder.hook().stdin(session.session_end("other").to_bytes()).start();
        // The moment of the kill is what is tried: nothing is waited for.
        std::thread::sleep(dice.time_below(limit));
        hook.kill();
        let was_killed = !hook.wait().status.success();
        killed += usize::from(was_killed);
        // However fast the machine is just now, about half of the kills come before the end.
        limit = if was_killed { limit * 11 / 10 } else { limit * 10 / 11 }.max(Duration::from_millis(1));
        if record.exists() {
            let outcome = recorder.run_in(&session, &["finalize", &id]);
            outcome.assert_exit(0);
        }
        assert_complete(&recorder, &record, &id, round);
    }
    println!("{killed} of {KILLS} ends were killed");
    assert!(killed > KILLS / 5, "only {killed} of {KILLS} were killed before their end");
    let odd: Vec<String> = recorder.kept().into_iter().filter(|name| name.contains("tmp")).collect();
    assert!(odd.len() <= 4 * KILLS / 10, "{odd:?}");
}

/// Everything is there, once, and of one moment.
#[track_caller]
fn assert_complete(recorder: &Recorder, record: &Path, id: &str, round: usize) {
    assert!(!record.exists(), "{round}");
    let lines = lines(&recorder.file(id, "-incremental.jsonl"));
    let ends: Vec<_> = lines.iter().filter(|line| line["type"] == "pause_finalized").collect();
    assert_eq!(ends.len(), 1, "{round}: {lines:#?}");
    let json = recorder.snapshot(id);
    assert_eq!(json["paused_at"], ends[0]["timestamp"], "{round}");
    let yaml = fs::read_to_string(recorder.file(id, ".yaml")).unwrap();
    assert_eq!(serde_yaml::from_str::<serde_json::Value>(&yaml).unwrap(), json, "{round}");
    assert!(recorder.file(id, ".md").is_file(), "{round}");
}
