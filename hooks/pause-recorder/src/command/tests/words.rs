//! The words of each verb.

use shared::cli::{Commands, Line, is_command};

use super::super::{Asked, DAYS};
use crate::PauseRecorder;

fn read(line: &str, is_prompt: bool) -> Option<Asked> {
    let words: Vec<&str> = line.split(' ').collect();
    PauseRecorder::asked(&Line { name: "pause-recorder", words: &words, is_prompt })
}

#[test]
fn verbs_take_an_id_a_flag_and_days() {
    let id = || Some("session-20260106-120000".to_owned());
    for (line, expected) in [
        ("status --json", Asked::Status { json: true }),
        ("list", Asked::List),
        ("finalize session-20260106-120000 --minimal", Asked::Finalize { id: id(), minimal: true }),
        ("start", Asked::Start),
        ("finalize", Asked::Finalize { id: None, minimal: false }),
        ("finalize --minimal session-20260106-120000", Asked::Finalize { id: id(), minimal: true }),
        ("prune", Asked::Prune { days: DAYS, dry_run: false }),
        ("prune --dry-run --older-than 7", Asked::Prune { days: 7, dry_run: true }),
        ("prune --older-than 7 --dry-run", Asked::Prune { days: 7, dry_run: true }),
    ] {
        assert_eq!((read(line, false), read(line, true)), (Some(expected.clone()), Some(expected)), "{line}");
    }
}

#[test]
fn other_words_are_wrong_usage() {
    for line in
        ["", "list --json", "show a b", "show --minimal", "start now", "prune --older-than soon", "prune 7"]
    {
        assert_eq!(read(line, false), None, "{line}");
    }
}

#[test]
fn prose_is_claudes() {
    for (prompt, is_ours) in [
        ("pause-recorder", false),
        (" pause-recorder  START\n", true),
        ("pause-recorder discard deadbeef", true),
        ("pause-recorder discard decade", false),
        ("pause-recorder resume work", false),
        ("pause-recorder start the server", false),
        ("pause-recorder start\nand go on", false),
    ] {
        assert_eq!(is_command::<PauseRecorder>(prompt), is_ours, "{prompt}");
    }
    assert!(read("resume work", false).is_some(), "in a shell it can only be meant for us");
}
