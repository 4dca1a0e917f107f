//! Documents against what they name. `client-facts.md`: each case that it names exists, and each that exists is named (the
//! cases themselves need the real client). CONTRIBUTING.md: a common change touches at most three files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tests::listing;

const DOCUMENT: &str = include_str!("../client-facts.md");

#[test]
fn the_document_names_exactly_the_cases_there_are() {
    let named: BTreeSet<String> = DOCUMENT.lines().filter_map(case).map(str::to_owned).collect();
    let existing: BTreeSet<String> =
        listing::tests_in("e2e/facts").into_iter().map(|test| format!("facts::{test}")).collect();
    let missing: Vec<_> = named.difference(&existing).collect();
    let unnamed: Vec<_> = existing.difference(&named).collect();
    assert!(missing.is_empty(), "client-facts.md names cases that are not in e2e/facts: {missing:#?}");
    assert!(
        unnamed.is_empty(),
        "client-facts.md lacks `case: NAME` for these tests in e2e/facts: {unnamed:#?}"
    );
}

#[test]
fn every_section_of_the_document_has_a_case() {
    let sections: Vec<&str> = DOCUMENT.split("\n## ").skip(1).collect();
    assert!(sections.len() >= 13, "{} sections", sections.len());
    for section in sections {
        assert!(section.lines().any(|line| case(line).is_some()), "no case proves: {section}");
    }
}

fn case(line: &str) -> Option<&str> {
    line.strip_prefix("case: ")
}

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
