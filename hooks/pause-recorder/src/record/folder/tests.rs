//! The folder of a project's sessions: made, refused, searched.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, json};
use shared::host::Timestamp;

use super::super::file::Record;
use super::{Sessions, is_record_id};

fn project() -> (tempfile::TempDir, Sessions) {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().join("project");
    fs::create_dir(&root).unwrap();
    (scratch, Sessions { dir: root.join(".claude/sessions"), root })
}

fn begin(sessions: &Sessions, session: &str) -> Record {
    let data = Map::from_iter([("initial_state".to_owned(), json!({ "claude_session_id": session }))]);
    Record::start(sessions, session, Timestamp::from_secs(1_767_700_800), data, 0.9).unwrap().record
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[track_caller]
fn refused(sessions: &Sessions, expected: &str) {
    let told = sessions.open().unwrap_err().to_string();
    assert!(told.starts_with("pause-recorder: ") && told.contains(expected), "{told}");
    assert!(!sessions.is_usable());
    assert!(sessions.active("a").is_none() && sessions.actives().is_empty());
    assert!(sessions.snapshot_ids().is_empty());
}

#[test]
fn the_folder_is_made_once_for_the_user_alone_and_git_is_told_to_ignore_it() {
    let (_scratch, sessions) = project();
    assert!(!sessions.is_usable());
    sessions.open().unwrap();
    assert!(sessions.is_usable());
    let ignored = sessions.dir.join(".gitignore");
    assert_eq!(fs::read_to_string(&ignored).unwrap(), "*\n");
    fs::write(&ignored, "!*.md\n").unwrap();
    sessions.open().unwrap();
    assert_eq!(fs::read_to_string(&ignored).unwrap(), "!*.md\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&sessions.dir).unwrap().permissions().mode() & 0o777, 0o700);
    }
}

#[test]
fn a_gitignore_of_the_projects_stays_whatever_it_says() {
    for text in ["", "!*\n"] {
        let (_scratch, sessions) = project();
        fs::create_dir_all(&sessions.dir).unwrap();
        fs::write(sessions.dir.join(".gitignore"), text).unwrap();
        sessions.open().unwrap();
        assert!(sessions.is_usable());
        assert_eq!(fs::read_to_string(sessions.dir.join(".gitignore")).unwrap(), text);
    }
}

#[test]
fn a_gitignore_that_is_a_folder_is_refused() {
    let (_scratch, sessions) = project();
    fs::create_dir_all(sessions.dir.join(".gitignore")).unwrap();
    refused(&sessions, ".claude/sessions/.gitignore is no regular file, and git reads it as one: remove it");
}

#[test]
fn huge_files_of_others_cost_next_to_nothing() {
    let (_scratch, sessions) = project();
    sessions.open().unwrap();
    for number in 0..30 {
        let file = fs::File::create(sessions.dir.join(format!("ACTIVE-PAUSE-{number:08}.jsonl"))).unwrap();
        file.set_len(2 * 1024 * 1024 * 1024).unwrap();
    }
    let before = std::time::Instant::now();
    begin(&sessions, "a");
    // This session's short name is taken by one of them.
    assert!(sessions.active("00000000-1").is_some());
    begin(&sessions, "00000000-1");
    // To read them would take minutes.
    assert!(before.elapsed() < std::time::Duration::from_secs(5), "{:?}", before.elapsed());
}

#[test]
fn in_the_state_folder_all_that_is_missing_is_made() {
    let (scratch, project) = project();
    let sessions = Sessions { dir: scratch.path().join("state/pause-recorder/sessions"), root: project.root };
    sessions.open().unwrap();
    assert!(sessions.is_usable());
}

#[test]
fn what_is_no_folder_is_refused() {
    let (_scratch, sessions) = project();
    let claude = sessions.root.join(".claude");
    fs::write(&claude, "").unwrap();
    refused(&sessions, "project/.claude is no folder");
    fs::remove_file(&claude).unwrap();
    fs::create_dir(&claude).unwrap();
    fs::write(&sessions.dir, "").unwrap();
    refused(&sessions, ".claude/sessions is no folder");
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let root = PathBuf::from("/nowhere/at/all");
    refused(&Sessions { dir: root.join(".claude/sessions"), root }, ".claude cannot be made: ");
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_gitignore_that_is_a_link_or_a_pipe_is_refused() {
        let (scratch, sessions) = project();
        sessions.open().unwrap();
        let ignored = sessions.dir.join(".gitignore");
        fs::rename(&ignored, scratch.path().join("elsewhere")).unwrap();
        symlink(scratch.path().join("elsewhere"), &ignored).unwrap();
        refused(&sessions, ".gitignore is no regular file");
        fs::remove_file(&ignored).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&ignored).status();
        assert!(made.unwrap().success());
        refused(&sessions, ".gitignore is no regular file");
    }

    #[test]
    fn a_linked_folder_is_refused_wherever_it_leads() {
        for target in ["elsewhere", "project/inside", "missing"] {
            let (scratch, sessions) = project();
            fs::create_dir(scratch.path().join("elsewhere")).unwrap();
            fs::create_dir(sessions.root.join("inside")).unwrap();
            fs::create_dir(sessions.root.join(".claude")).unwrap();
            symlink(scratch.path().join(target), &sessions.dir).unwrap();
            refused(&sessions, ".claude/sessions is a link");
            assert_eq!(fs::read_dir(scratch.path().join("elsewhere")).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_linked_configuration_folder_is_followed_inside_the_project_only() {
        for (target, expected) in [
            ("project/inside", None),
            ("elsewhere", Some("leads out of the project")),
            ("missing", Some("is no folder")),
            ("project/file", Some("is no folder")),
        ] {
            let (scratch, sessions) = project();
            fs::create_dir(scratch.path().join("elsewhere")).unwrap();
            fs::create_dir(sessions.root.join("inside")).unwrap();
            fs::write(sessions.root.join("file"), "").unwrap();
            symlink(scratch.path().join(target), sessions.root.join(".claude")).unwrap();
            if let Some(expected) = expected {
                refused(&sessions, expected);
            } else {
                begin(&sessions, "a");
                assert!(sessions.is_usable() && sessions.active("a").is_some());
            }
            assert_eq!(fs::read_dir(scratch.path().join("elsewhere")).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_record_in_a_folder_that_was_linked_later_is_not_seen() {
        let (scratch, sessions) = project();
        begin(&sessions, "a");
        let moved = scratch.path().join("moved");
        fs::rename(&sessions.dir, &moved).unwrap();
        symlink(&moved, &sessions.dir).unwrap();
        refused(&sessions, "is a link");
    }

    #[test]
    fn only_regular_files_count() {
        let (scratch, sessions) = project();
        begin(&sessions, "a");
        let elsewhere = scratch.path().join("elsewhere");
        fs::write(&elsewhere, "{}\n").unwrap();
        symlink(&elsewhere, sessions.dir.join("ACTIVE-PAUSE-b.jsonl")).unwrap();
        symlink(&elsewhere, sessions.files("session-20260106-120000").json).unwrap();
        fs::create_dir(sessions.dir.join("ACTIVE-PAUSE-c.jsonl")).unwrap();
        fs::create_dir(sessions.files("session-20260106-120001").json).unwrap();
        assert!(sessions.active("b").is_none() && sessions.active("c").is_none());
        assert_eq!(sessions.actives().len(), 1);
        assert!(sessions.snapshot_ids().is_empty());
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_told() {
        use std::os::unix::fs::PermissionsExt;
        let (_scratch, sessions) = project();
        fs::set_permissions(&sessions.root, fs::Permissions::from_mode(0o500)).unwrap();
        if fs::write(sessions.root.join("probe"), "").is_ok() {
            return; // Nothing is forbidden to this user.
        }
        refused(&sessions, ".claude cannot be made: ");
    }
}

#[test]
fn a_record_is_found_by_its_session_and_nobody_elses() {
    let (_scratch, sessions) = project();
    let one = begin(&sessions, "bf41c52e-72c4-4f61-aed6-2ac9c7e341c4");
    assert_eq!(name(&one.path), "ACTIVE-PAUSE-bf41c52e.jsonl");
    assert_eq!(sessions.active("bf41c52e-72c4-4f61-aed6-2ac9c7e341c4"), Some(one));
    for other in ["bf41c52e-72c4-4f61-aed6-000000000000", "bf41c52e", "bf41c52", "", "../bf41c52e"] {
        assert_eq!(sessions.active(other), None, "{other}");
    }
}

#[test]
fn sessions_whose_ids_begin_alike_have_records_of_their_own_also_after_one_has_ended() {
    let (_scratch, sessions) = project();
    let ids = ["bf41c52e-72c4", "bf41c52e-0000", "bf41c52e"];
    let records = ids.map(|id| begin(&sessions, id));
    assert_eq!(name(&records[1].path), "ACTIVE-PAUSE-bf41c52e-0000.jsonl");
    for (id, record) in ids.iter().zip(&records) {
        assert_eq!(sessions.active(id).as_ref(), Some(record), "{id}");
    }
    assert!(records[0].discard().unwrap());
    assert_eq!(sessions.active(ids[0]), None);
    for (id, record) in ids.iter().zip(&records).skip(1) {
        assert_eq!(sessions.active(id).as_ref(), Some(record), "{id}");
        assert_eq!(begin(&sessions, id).path, record.path, "{id}");
    }
}

#[test]
fn where_the_first_line_cannot_be_read_the_name_decides() {
    for first in ["", "\n", "torn", "{\"type\":\"pause_started\"}\n", "\u{0}\n"] {
        let (_scratch, sessions) = project();
        let record = begin(&sessions, "bf41c52e-72c4");
        fs::write(&record.path, first).unwrap();
        let found = sessions.active("bf41c52e-72c4").map(|record| record.path);
        assert_eq!(found, Some(record.path), "{first:?}");
    }
}

#[test]
fn a_session_with_any_id_has_a_record_inside_the_folder() {
    let long = "x".repeat(300);
    let (_scratch, sessions) = project();
    for id in ["../../escape", "a/b", "", ".", "nul\0", "a b", &long] {
        let record = begin(&sessions, id);
        assert_eq!(record.path.parent(), Some(sessions.dir.as_path()), "{id:?}");
        assert_eq!(sessions.active(id), Some(record), "{id:?}");
    }
    assert_eq!(sessions.actives().len(), 7);
}

#[test]
fn all_active_records_are_listed_and_nothing_else() {
    let (_scratch, sessions) = project();
    sessions.open().unwrap();
    let long = format!("ACTIVE-PAUSE-{}.jsonl", "x".repeat(101));
    for name in [
        "ACTIVE-PAUSE-a.jsonl",
        "ACTIVE-PAUSE-h.0123.jsonl",
        "ACTIVE-PAUSE-.jsonl",
        "ACTIVE-PAUSE-a b.jsonl",
        "ACTIVE-PAUSE-a.jsonl.lock",
        "ACTIVE-PAUSE-a.json",
        "ACTIVE-PAUSE.jsonl",
        "session-20260106-120000-incremental.jsonl",
        &long,
    ] {
        fs::write(sessions.dir.join(name), "").unwrap();
    }
    let found: Vec<String> = sessions.actives().iter().map(|record| name(&record.path)).collect();
    assert_eq!(found, ["ACTIVE-PAUSE-a.jsonl", "ACTIVE-PAUSE-h.0123.jsonl"]);
}

#[test]
fn snapshots_are_listed_the_newest_first() {
    let (_scratch, sessions) = project();
    sessions.open().unwrap();
    let ids = [
        "session-20260107-000000",
        "session-20260106-120000-10",
        "session-20260106-120000-2",
        "session-20260106-120000",
        "session-20251231-235959-3",
    ];
    for id in [ids[3], ids[1], ids[4], ids[0], ids[2]] {
        fs::write(sessions.files(id).json, "{}").unwrap();
        fs::write(sessions.files(id).archive, "").unwrap();
    }
    for other in ["session-20260106.json", "notes.json", "session-20260106-120000.yaml"] {
        fs::write(sessions.dir.join(other), "").unwrap();
    }
    assert_eq!(sessions.snapshot_ids(), ids);
}

#[test]
fn an_id_is_a_second_and_a_number() {
    for (id, expected) in [
        ("session-20260106-120000", true),
        ("session-20260106-120000-2", true),
        ("session-20260106-120000-123456789", true),
        ("session-20260106-120000-1234567890", false),
        ("session-20260106-120000-", false),
        ("session-20260106-120000-2-3", false),
        ("session-20260106-120000-x", false),
        ("session-20260106-12000", false),
        ("session-2026010-120000", false),
        ("session-20260106-120000.json", false),
        ("session-20260106-120000/../x", false),
        ("session-٢٠٢٦٠١٠٦-120000", false),
        ("Session-20260106-120000", false),
        ("session-20260106-120000\n", false),
        ("", false),
    ] {
        assert_eq!(is_record_id(id), expected, "{id:?}");
    }
}
