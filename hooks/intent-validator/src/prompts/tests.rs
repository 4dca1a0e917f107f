//! Every file of config/prompts that is this hook's is used, and every placeholder filled; what is put in is left alone.

use shared::host::{Clock, Environment, Host, Timestamp};

use super::{ALL, fill};

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
    let mut ours: Vec<&str> = ALL.iter().map(|text| text.name).collect();
    ours.sort_unstable();
    assert_eq!(names, ours);
}
