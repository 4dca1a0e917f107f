//! `req config`, `req enable`, `req disable`: what is in force and where it is set, and changing one key of a file.

mod change;
mod refusals;
mod show;
mod turn;

use super::desk::Desk;
use serde_json::Value;
use std::fs;
use tests::sandbox::Level;

/// A file's text; `None` where there is none.
fn text(desk: &Desk, level: Level) -> Option<String> {
    fs::read_to_string(desk.sandbox.requirements_path(level)).ok()
}

/// What the user is told of a line that is carried out.
#[track_caller]
fn done(desk: &Desk, words: &str) -> String {
    let typed = desk.user(words);
    assert_eq!(typed.status, 0, "{words}: {}", typed.screen);
    typed.screen.trim_end().to_owned()
}

/// What the user is told of a line that is refused. Nothing in home and project may have changed.
#[track_caller]
fn refused(desk: &Desk, words: &str) -> String {
    let before = files(desk);
    let typed = desk.user(words);
    assert_eq!(typed.status, 1, "{words}: {}", typed.screen);
    assert_eq!(files(desk), before, "{words}");
    typed.screen.trim_end().to_owned()
}

/// Everything a refused change must leave alone.
fn files(desk: &Desk) -> Vec<(std::path::PathBuf, String)> {
    let mut files = Vec::new();
    for folder in [desk.sandbox.project(), desk.sandbox.home()] {
        let all = crate::driver::tree(&folder).into_iter();
        files.extend(all.filter(|(path, _)| !path.to_string_lossy().contains("hook-state")));
    }
    files
}

/// The value of a key, as a script asks for it.
#[track_caller]
fn value(desk: &Desk, key: &str) -> String {
    super::desk::yes(desk.script(&["config", key]))
}

/// A key of the report for programs.
#[track_caller]
fn entry(report: &Value, key: &str) -> Value {
    let all = report["entries"].as_array().unwrap();
    all.iter().find(|entry| entry["key"] == key).unwrap_or_else(|| panic!("{key} in {report}")).clone()
}
