//! The files of a snapshot on a real disk: what they say of each other, what is refused, and what a second try leaves.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shared::config::read_typed;
use tempfile::TempDir;

use super::super::Snapshot;
use super::super::world::{ID, map, material, noon};
use super::{Ending, Finish, Finished, digest, finish};
use crate::record::{Draft, Kind, Record, Sessions};

/// A project with a record in it.
struct Project {
    root: TempDir,
    sessions: Sessions,
    record: Record,
}

impl Project {
    /// With so many tool calls.
    fn new(calls: usize) -> Self {
        let root = tempfile::tempdir().unwrap();
        let sessions =
            Sessions { dir: root.path().join(".claude/sessions"), root: root.path().to_path_buf() };
        let data = map(&json!({ "initial_state": { "tokens_total": 200_000 } }));
        let record = Record::start(&sessions, "the-session", noon(0), data, 0.9).unwrap().record;
        let call = |at| Draft {
            kind: Kind::ToolCall,
            at: noon(at),
            data: map(&json!({ "tool": "Edit", "path": "/p/a", "result_summary": "x".repeat(200) })),
            share: 0.93,
        };
        let calls: Vec<Draft> = (1..=i64::try_from(calls).unwrap()).map(call).collect();
        record.append(&calls).unwrap();
        Self { root, sessions, record }
    }

    fn finish(&self, ending: Ending, seconds: i64) -> Finish {
        Finish {
            record: self.record.clone(),
            sessions: self.sessions.clone(),
            ending,
            material: material(),
            at: noon(seconds),
            left_out: 0,
        }
    }

    #[track_caller]
    fn finished(&self, ending: Ending, seconds: i64) -> Finished {
        finish(&self.finish(ending, seconds), |_| Ok(())).unwrap().unwrap()
    }

    /// As if the process had been killed before the record was moved away.
    #[track_caller]
    fn killed(&self, seconds: i64) {
        let stopped = finish(&self.finish(Ending::Full, seconds), |_| Err("killed".to_owned()));
        assert_eq!(stopped.unwrap_err(), "killed");
    }

    #[track_caller]
    fn refused(&self, ending: Ending) -> String {
        finish(&self.finish(ending, 300), |_| Ok(())).unwrap_err()
    }

    fn dir(&self, name: &str) -> PathBuf {
        self.sessions.dir.join(name)
    }

    /// Every file of the folder with its bytes.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(&self.sessions.dir).unwrap().map(Result::unwrap);
        let entries = entries.filter(|entry| entry.file_type().unwrap().is_file());
        entries
            .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
            .collect()
    }

    /// Without those that come and go.
    fn names(&self) -> Vec<String> {
        self.files()
            .into_keys()
            .filter(|name| name != ".gitignore" && !name.contains(".jsonl.lock"))
            .collect()
    }
}

fn named(ends: &[&str]) -> Vec<String> {
    ends.iter().map(|end| format!("{ID}{end}")).collect()
}

fn value_of(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_full_end_leaves_one_content_in_three_forms_and_the_archive() {
    let project = Project::new(3);
    let finished = project.finished(Ending::Full, 300);
    let mut expected = vec!["LATEST-SESSION.txt".to_owned()];
    expected.extend(named(&["-incremental.jsonl", ".json", ".md", ".yaml"]));
    assert_eq!(project.names(), expected);
    let json = value_of(&finished.path);
    let yaml: Value = read_typed(&fs::read_to_string(project.dir(&format!("{ID}.yaml"))).unwrap()).unwrap();
    assert_eq!(yaml, json);
    let snapshot: Snapshot = serde_json::from_value(json).unwrap();
    assert_eq!((snapshot.session_id.as_str(), snapshot.incremental_pause.action_count), (ID, 4));
    let page = fs::read_to_string(project.dir(&format!("{ID}.md"))).unwrap();
    assert_eq!(page, super::markdown(&snapshot));
}

#[test]
fn what_was_written_is_told_before_the_record_moves() {
    let project = Project::new(1);
    let mut told = None;
    let finished = finish(&project.finish(Ending::Full, 300), |finished| {
        assert!(project.record.path.exists() && finished.path.exists());
        told = Some(finished.clone());
        Ok(())
    });
    let finished = finished.unwrap().unwrap();
    assert_eq!(told.as_ref(), Some(&finished));
    assert_eq!(finished.digest, digest(&fs::read(&finished.path).unwrap()));
    assert_eq!((finished.digest.len(), finished.files.len()), (64, 5));
    assert!(finished.files.iter().all(|file| file.is_file()) && !project.record.path.exists());
}

#[test]
fn the_archive_ends_with_the_numbers() {
    let project = Project::new(2);
    project.finished(Ending::Full, 300);
    let archive = fs::read_to_string(project.dir(&format!("{ID}-incremental.jsonl"))).unwrap();
    let last: Value = serde_json::from_str(archive.lines().last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["timestamp"]), (&json!("pause_finalized"), &json!(noon(300).rfc3339())));
    assert_eq!((&last["data"]["total_actions"], &last["context_percentage"]), (&json!(3), &json!(0.93)));
}

#[test]
fn the_pointers_first_line_is_the_id_alone() {
    let project = Project::new(1);
    project.finished(Ending::Full, 300);
    let latest = fs::read_to_string(project.dir("LATEST-SESSION.txt")).unwrap();
    let mut lines = latest.lines();
    assert_eq!((lines.next(), lines.next()), (Some(ID), Some("")));
    assert_eq!(
        lines.next().unwrap(),
        format!(
            "Paused at 2026-01-06T12:05:00.000Z: .claude/sessions/{ID}.json, and the same as .yaml and .md beside it."
        )
    );
}

#[test]
fn a_minimal_end_leaves_the_archive_alone() {
    let project = Project::new(1);
    let finished = project.finished(Ending::Minimal, 300);
    assert_eq!(project.names(), named(&["-incremental.jsonl"]));
    assert_eq!((finished.digest.as_str(), finished.files), ("", vec![finished.path]));
}

#[test]
fn a_snapshot_on_the_way_leaves_the_record_as_it_is() {
    let project = Project::new(1);
    let before = fs::read(&project.record.path).unwrap();
    let finished = project.finished(Ending::GoesOn, 300);
    assert_eq!(fs::read(&project.record.path).unwrap(), before);
    assert!(finished.files.iter().all(|file| file.is_file()) && finished.files.len() == 4);
    project.finished(Ending::Full, 600);
    assert_eq!(value_of(&finished.path)["incremental_pause"]["duration_seconds"], 600);
}

#[test]
fn whoever_does_it_again_after_a_kill_writes_the_same_bytes() {
    let whole = Project::new(3);
    whole.finished(Ending::Full, 300);
    let files = [".json", ".yaml", ".md"].map(|end| format!("{ID}{end}"));
    let left = [&files[..], &["LATEST-SESSION.txt".to_owned()]].concat();
    for keep in 0..=left.len() {
        let project = Project::new(3);
        project.killed(300);
        for name in &left[keep..] {
            fs::remove_file(project.dir(name)).unwrap();
        }
        project.finished(Ending::Full, 9_000);
        assert_eq!(project.files(), whole.files(), "{keep} files were written");
    }
}

#[test]
fn a_kill_in_the_middle_of_archiving_is_mended() {
    let project = Project::new(1);
    project.killed(300);
    fs::hard_link(&project.record.path, project.dir(&format!("{ID}-incremental.jsonl"))).unwrap();
    project.finished(Ending::Full, 300);
    assert!(!project.record.path.exists());
}

#[test]
fn a_record_that_is_gone_was_ended_by_somebody_else() {
    let project = Project::new(1);
    project.finished(Ending::Full, 300);
    let files = project.files();
    for ending in [Ending::Full, Ending::Minimal, Ending::GoesOn] {
        assert_eq!(finish(&project.finish(ending, 600), |_| Ok(())), Ok(None));
    }
    assert_eq!(project.files(), files);
}

#[test]
fn what_is_no_file_of_ours_is_never_written_through() {
    for name in [".json", ".yaml", ".md", "LATEST-SESSION.txt"] {
        let name = if name.starts_with('.') { format!("{ID}{name}") } else { name.to_owned() };
        let project = Project::new(1);
        let outside = project.root.path().join("outside");
        fs::write(&outside, "theirs").unwrap();
        symlink(&outside, project.dir(&name)).unwrap();
        let files = project.files();
        let why = project.refused(Ending::Full);
        assert!(why.contains(&name) && why.contains("move it away"), "{why}");
        assert_eq!((project.files(), fs::read_to_string(&outside).unwrap()), (files, "theirs".to_owned()));
        fs::remove_file(project.dir(&name)).unwrap();
        fs::create_dir(project.dir(&name)).unwrap();
        assert!(project.refused(Ending::GoesOn).contains(&name));
    }
}

#[test]
fn an_archive_of_another_record_stops_it_before_anything_is_written() {
    let project = Project::new(1);
    let archive = project.dir(&format!("{ID}-incremental.jsonl"));
    fs::write(&archive, "another\n").unwrap();
    let files = project.files();
    assert!(project.refused(Ending::Full).contains("-incremental.jsonl"));
    assert!(project.refused(Ending::Minimal).contains("-incremental.jsonl"));
    assert_eq!(project.files(), files);
    project.finished(Ending::GoesOn, 300);
}

#[test]
fn a_record_without_a_line_that_can_be_read_still_ends() {
    for text in [&b""[..], b"\n\n", b"{\"type\":", b"\xff\xfe\n{}\nnull\n"] {
        let project = Project::new(1);
        fs::write(&project.record.path, text).unwrap();
        assert!(project.refused(Ending::GoesOn).contains("no line"), "{text:?}");
        project.killed(300);
        let finished = project.finished(Ending::Full, 9_000);
        let json = value_of(&finished.path);
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
        assert_eq!(
            (&json["skipped_lines"], &json["session_id"]),
            (&json!(lines), &json!("session-20260106-120500"))
        );
        assert_eq!((json["paused_at"].as_str(), project.names().len()), (Some(&*noon(300).rfc3339()), 5));
    }
}

#[test]
fn what_cannot_be_told_stays_to_be_finalized() {
    let project = Project::new(1);
    project.killed(300);
    assert!(project.record.path.exists() && !project.dir(&format!("{ID}-incremental.jsonl")).exists());
    assert!(project.record.discard().unwrap());
}

/// `cargo test -p pause-recorder -- --ignored --nocapture finishing_a_thousand`
#[test]
#[ignore = "it measures, and says nothing else"]
fn finishing_a_thousand_actions_takes_so_long() {
    // On a busy machine the time on the processor says more.
    let on_processor = || {
        let told = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let nanos = told.split(' ').next().and_then(|nanos| nanos.parse().ok());
        Duration::from_nanos(nanos.unwrap_or_default())
    };
    let mut times: Vec<_> = (0..20)
        .map(|_| {
            let project = Project::new(1_000);
            let (began, before) = (Instant::now(), on_processor());
            project.finished(Ending::Full, 2_000);
            (began.elapsed(), on_processor().saturating_sub(before))
        })
        .collect();
    times.sort();
    println!("finish of 1,000 actions, median of 20 and slowest: {:?} {:?}", times[10], times[19]);
}

#[test]
fn a_snapshot_of_a_newer_version_is_not_written_over_and_the_record_stays() {
    let project = Project::new(2);
    project.finished(Ending::GoesOn, 100);
    let json = project.dir(&format!("{ID}.json"));
    let mut newer = value_of(&json);
    newer["schema_version"] = json!(2);
    fs::write(&json, newer.to_string()).unwrap();
    let before = project.files();
    for ending in [Ending::GoesOn, Ending::Full] {
        let said = project.refused(ending);
        assert!(said.contains("newer version of Barbless") && said.contains("The record stays"), "{said}");
        assert_eq!(project.files(), before);
    }
}

#[test]
fn the_pointer_names_the_record_where_it_lies() {
    let project = Project::new(1);
    let pointer = || fs::read_to_string(project.dir("LATEST-SESSION.txt")).unwrap();
    project.finished(Ending::GoesOn, 300);
    let active = project.sessions.told_of(&project.record.path);
    assert!(pointer().contains(&format!("\nEach action: {active}\n")), "{}", pointer());
    let id = project.finished(Ending::Full, 300).id;
    let archive = format!("\nEach action: .claude/sessions/{id}-incremental.jsonl\n");
    assert!(pointer().contains(&archive), "{}", pointer());
}
