//! HOME as repository, the configuration folder as repository, and neither.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::super::take_plain;
use super::*;

/// Files of a home, with its configuration folder at `.claude`, possibly through a link.
const FILES: [&str; 8] = [
    ".claude.json",
    ".claude/CLAUDE.md",
    ".claude/hook-state/s.json",
    ".claude/hook-backups/settings.json",
    ".claude/projects/p/t.jsonl",
    ".claude/sessions/s.json",
    "project/.claude/sessions/s.json",
    "project/src/a.rs",
];

fn home() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    for file in FILES {
        fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
        fs::write(home.join(file), "").unwrap();
    }
    (folder, home)
}

/// The untracked files that count below `root`, as a folder without a repository shows them.
fn counted(root: &Path, home: &Path, config_dir: &Path) -> BTreeSet<String> {
    let state_dir = Some(config_dir.join("hook-state"));
    let places = Places {
        config_dir: Some(config_dir.to_owned()),
        state_dir: state_dir.clone(),
        default_state_dir: state_dir,
        ..Places::default()
    };
    let own = Own::of(root, &places, Some(home));
    take_plain(root, None, &own).unwrap().changed.into_keys().collect()
}

fn set<const N: usize>(files: [&str; N]) -> BTreeSet<String> {
    files.map(str::to_owned).into()
}

#[test]
fn in_a_home_the_configuration_folder_is_left_out() {
    let (_folder, home) = home();
    let found = counted(&home, &home, &home.join(".claude"));
    assert_eq!(found, set(["project/.claude/sessions/s.json", "project/src/a.rs"]));
}

#[test]
fn elsewhere_all_but_the_sessions_of_the_project_counts() {
    let (_folder, home) = home();
    let found = counted(&home.join("project"), &home, &home.join(".claude"));
    assert_eq!(found, set(["src/a.rs"]));
}

#[test]
fn a_configuration_folder_that_is_the_repository_is_not_left_out_as_a_whole() {
    let (_folder, home) = home();
    let found = counted(&home.join(".claude"), &home, &home.join(".claude"));
    assert_eq!(found, set(["CLAUDE.md", "projects/p/t.jsonl", "sessions/s.json"]));
}
