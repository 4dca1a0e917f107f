//! The samples of configuration files, judged twice: by the committed schema, as an editor would, and by the real hook.
//! Both must agree: what the schema refuses, a hook reports, and what it accepts is silent, but for what no schema can see:
//! `unworkable` holds that.

use std::fs;
use std::path::{Path, PathBuf};

use crate::driver::{Driver, notice, tree};
use serde_json::{Value, json};
use shared::config::fits;
use tests::sandbox::Level;

fn config() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("config")
}

fn samples(folder: &str) -> Vec<(String, String)> {
    let files = tree(&config().join("samples").join(folder)).into_iter();
    files.map(|(path, text)| (path.file_stem().unwrap().to_str().unwrap().to_owned(), text)).collect()
}

pub(crate) fn fits_the_schema(text: &str) -> bool {
    let schema = fs::read_to_string(config().join("requirements.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let value: Value = serde_yaml::from_str(text).unwrap();
    fits(&schema, &value)
}

/// What the hooks tell the user of this file, line by line: each of its own section, and one of what is nobody's.
fn told(level: Level, text: &str) -> Vec<String> {
    let hooks = ["stop-momentum", "delegation-guard", "rate-awareness", "requirements-check"];
    let notices = hooks.map(|hook| {
        let driver = Driver::unconfigured(hook);
        driver.sandbox.requirements(level, text);
        let event = match hook {
            "stop-momentum" => driver.session.stop("Done."),
            "requirements-check" => driver.session.session_start("startup"),
            _ => driver.session.pre_tool_use("Bash", json!({ "command": "ls" })),
        };
        notice(driver.ask(&event).as_ref())
    });
    notices.iter().flat_map(|notice| notice.lines()).map(ToOwned::to_owned).collect()
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
        let told: Vec<_> =
            told(level, &text).into_iter().filter(|line| !line.contains("message_file")).collect();
        assert_eq!(told, [""; 0], "{name}");
    }
}

#[test]
fn wrong_file_is_reported_with_its_line_by_schema_or_hook() {
    let defaults = fs::read_to_string(config().join("defaults.yaml")).unwrap();
    assert!(fits_the_schema(&defaults), "is the schema stale? run `cargo xtask schema`");
    for (folder, at_least, fits) in [("invalid", 13, false), ("unworkable", 7, true)] {
        let samples = samples(folder);
        assert!(samples.len() >= at_least);
        for (name, text) in &samples {
            assert_eq!(fits_the_schema(text), fits, "{name}");
            let told = told(Level::User, text);
            assert!(told.iter().any(|line| line.contains("requirements.yaml:")), "{name}: {told:?}");
        }
    }
}

/// The page of requirements-check shows them.
#[test]
fn every_key_of_a_requirement_has_an_example_that_fits_the_schema() {
    let schema = fs::read_to_string(config().join("requirements.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let keys = &schema["properties"]["requirements"]["additionalProperties"]["properties"];
    for (key, described) in keys.as_object().unwrap() {
        let file = json!({ "requirements": { "name": { key: described["examples"][0] } } });
        assert!(fits(&schema, &file), "{file}");
    }
}
