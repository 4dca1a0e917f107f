//! Every file of config/prompts that is this hook's is used, and every placeholder filled; what is put in is left alone.

use std::collections::BTreeMap;

use shared::hook::Hook;
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::messages::Texts;

use super::{ALL, STAGE2, STATUS, TDD, fill, filled};
use crate::IntentValidator;
use crate::plan::tests::defaults;

pub(crate) fn host() -> Host {
    let started = Timestamp::from_secs(1_000_000);
    Host { started, clock: Clock::System, environment: Environment::default() }
}

/// No text of ours has a brace but those of its placeholders.
#[track_caller]
pub(crate) fn assert_filled(text: &str) {
    assert!(!text.contains(['{', '}']), "{text}");
}

#[test]
fn what_is_put_in_is_not_looked_through_again() {
    for (text, expected) in [
        ("{a} and {b}", "{b} {} { and B"),
        ("{c} {a", "{c} {a"),
        ("{{a}}", "{{b} {} {}"),
        ("fn f() { {b} }", "fn f() { B }"),
        ("", ""),
    ] {
        assert_eq!(fill(text, &[("a", "{b} {} {"), ("b", "B")]), expected, "{text}");
    }
}

#[test]
fn each_of_the_folders_files_is_one_of_ours_or_the_stop_gates() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/prompts");
    let mut names = Vec::new();
    for sub in ["pre_tool_use", "common", "user_commands"] {
        for entry in std::fs::read_dir(folder.join(sub)).unwrap() {
            let file = entry.unwrap().path();
            names.push(file.file_stem().unwrap().to_string_lossy().into_owned());
        }
    }
    names.sort();
    let mut ours: Vec<&str> = ALL.map(|text| text.name).to_vec();
    ours.sort_unstable();
    assert_eq!(names, ours);
}

#[test]
fn a_text_of_the_users_own_comes_first_and_one_that_cannot_be_used_is_told() {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("own.md"), "core is {core_paths}\n").unwrap();
    std::fs::write(scratch.path().join("blank.md"), "\n").unwrap();
    let places = Places { config_dir: Some(scratch.path().to_path_buf()), ..Places::default() };
    let own: BTreeMap<_, _> = [
        ("tdd_declaration_prompt".to_owned(), "own.md".into()),
        ("stage2_code_review".to_owned(), "blank.md".into()),
        ("status_message".to_owned(), "missing.md".into()),
    ]
    .into();
    let host = host();
    let mut texts = Texts::new(&own, &host, &places);
    assert_eq!(filled(&mut texts, TDD, &[("core_paths", "src/")]), "core is src/");
    assert!(filled(&mut texts, STAGE2, &[]).starts_with("You review one change"));
    assert!(filled(&mut texts, STATUS, &[]).starts_with("stage 1"));
    let unusable: Vec<_> = texts.unusable.iter().map(|text| text.name).collect();
    assert_eq!(unusable, ["stage2_code_review", "status_message"]);
}

#[test]
fn a_name_that_replaces_no_text_is_a_fault() {
    let mut settings = defaults();
    settings.message_files.insert("stage2_code_review".to_owned(), "a.md".into());
    settings.message_files.insert("stage_2".to_owned(), "b.md".into());
    let faults = IntentValidator::faults(&settings);
    let paths: Vec<_> = faults.iter().map(|fault| fault.path.join(".")).collect();
    assert_eq!(paths, ["message_files.stage_2"]);
    assert!(faults[0].what.contains("stage2_code_review"), "{}", faults[0].what);
}
