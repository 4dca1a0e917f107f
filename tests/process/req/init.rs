//! `req init`: what is written where, what it requires from then on, and who may write it.

mod flags;
mod newcomers;
mod presets;
mod wizard;

use super::desk::Desk;
use std::fs;
use std::path::PathBuf;
use tests::sandbox::Level;

/// Where the project's schema lies.
fn schema_of_the_project(desk: &Desk) -> PathBuf {
    desk.sandbox.project().join(".claude/requirements.schema.json")
}

/// The text of a level's file.
#[track_caller]
fn text(desk: &Desk, level: Level) -> String {
    let file = desk.sandbox.requirements_path(level);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Nothing is there, at no level.
#[track_caller]
fn nothing_was_written(desk: &Desk) {
    for level in [Level::User, Level::Project, Level::Local] {
        let file = desk.sandbox.requirements_path(level);
        assert!(!file.exists(), "{}", file.display());
    }
    assert!(!desk.sandbox.project().join(".claude").exists());
    assert!(!desk.sandbox.project().join(".gitignore").exists());
}
