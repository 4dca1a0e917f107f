//! The samples of configuration files, judged twice: by the committed schema, as an editor would, and by the real hook.
//! Both must agree: what the schema refuses, the hook reports, and what it accepts is silent.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tests::binaries;
use tests::payloads::Session;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};

fn config() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("config")
}

fn samples(folder: &str) -> Vec<(String, String)> {
    let mut samples: Vec<_> = fs::read_dir(config().join("samples").join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap())
        })
        .collect();
    samples.sort();
    samples
}

fn fits_the_schema(text: &str) -> bool {
    let schema = fs::read_to_string(config().join("requirements.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let value: Value = serde_yaml::from_str(text).unwrap();
    jsonschema::validator_for(&schema).unwrap().is_valid(&value)
}

/// What the hook tells the user of this file.
fn told(level: Level, text: &str) -> Option<String> {
    let sandbox = Sandbox::new();
    sandbox.requirements(level, text);
    let payload = Session::new(&sandbox).stop("Done.").to_bytes();
    let outcome = Invocation::new(binaries::path("stop-momentum"), &sandbox).stdin(payload).run();
    outcome.answer()?.get("systemMessage")?.as_str().map(ToOwned::to_owned)
}

#[test]
fn the_defaults_fit_the_schema() {
    let defaults = fs::read_to_string(config().join("defaults.yaml")).unwrap();
    assert!(fits_the_schema(&defaults), "is the schema stale? run `cargo xtask schema`");
}

#[test]
fn a_teams_files_fit_the_schema_and_are_no_problem() {
    for (name, text) in samples("team") {
        let level = match name.as_str() {
            "global" => Level::User,
            "project" => Level::Project,
            _ => Level::Local,
        };
        assert!(fits_the_schema(&text), "{name}");
        // A text of the user's own that is not there is no fault of the file.
        assert_eq!(told(level, &text).filter(|told| !told.contains("message_file")), None, "{name}");
    }
}

#[test]
fn a_file_the_schema_refuses_is_told_with_its_line() {
    let samples = samples("invalid");
    assert!(samples.len() >= 7);
    for (name, text) in samples {
        assert!(!fits_the_schema(&text), "{name}");
        let told = told(Level::User, &text).unwrap_or_else(|| panic!("{name} is told"));
        assert!(told.contains("requirements.yaml:"), "{name}: {told}");
    }
}
