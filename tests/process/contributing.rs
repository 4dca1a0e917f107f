//! CONTRIBUTING.md promises that three common changes touch at most three files each. The promise is kept here.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The headed lists of the section on common changes: what the change is, and the files it touches.
fn changes() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let section = text.split("## Three common changes").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut changes: Vec<(String, Vec<String>)> = Vec::new();
    for line in section.lines() {
        if let Some(name) = line.strip_prefix("**").and_then(|rest| rest.split("**").next()) {
            changes.push((name.to_owned(), Vec::new()));
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            let file = line.split('`').nth(1).unwrap();
            changes.last_mut().unwrap().1.push(file.to_owned());
        }
    }
    changes
}

#[test]
fn each_common_change_touches_at_most_three_files_that_exist() {
    let changes = changes();
    let names: Vec<_> = changes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Add a setting", "Add an event", "Change a text"]);
    for (name, files) in changes {
        assert!((1..=3).contains(&files.len()), "{name}: {files:?}");
        for file in files {
            assert!(root().join(&file).is_file(), "{name}: there is no {file}");
        }
    }
}
