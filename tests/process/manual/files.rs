//! The files the manual shows: what of them is ours fits the schema, and no hook has anything to say of it.

use serde_json::Value;
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};

use super::{Page, pages};
use crate::samples::fits_the_schema;

/// The level an example is for: its first line says so where it is not a project's.
pub(super) fn level(example: &str) -> Level {
    match example.lines().next() {
        Some(first) if first.starts_with("# ~/.claude/requirements.yaml") => Level::User,
        Some(first) if first.contains("requirements.local.yaml") => Level::Local,
        _ => Level::Project,
    }
}

#[test]
fn every_file_of_ours_that_is_shown_is_one_that_no_hook_has_anything_to_say_of() {
    let mut count = 0;
    for block in pages().iter().flat_map(Page::blocks).filter(|block| block.language == "yaml") {
        let (place, example) = (&block.place, &block.text);
        assert!(fits_the_schema(example), "{place}:\n{example}");
        let sandbox = Sandbox::new();
        sandbox.requirements(level(example), example);
        for (words, key) in [("config", "problems"), ("status", "notes")] {
            let outcome = Invocation::new(binaries::path("req"), &sandbox).args([words, "--json"]).run();
            let report: Value = serde_json::from_slice(&outcome.stdout).unwrap();
            assert_eq!(report[key], Value::Array(Vec::new()), "{place}:\n{example}");
        }
        count += 1;
    }
    assert!(count >= 15, "only {count} examples were found");
}

#[test]
fn every_file_of_others_that_is_shown_can_be_read() {
    for block in pages().iter().flat_map(Page::blocks) {
        let read = match block.language.as_str() {
            "yml" => serde_yaml::from_str::<Value>(&block.text).map_err(|error| error.to_string()),
            "json" => serde_json::from_str(&block.text).map_err(|error| error.to_string()),
            _ => continue,
        };
        assert!(read.is_ok_and(|value| value.is_object()), "{}", block.place);
    }
}
