//! `client-facts.md` against the cases that prove it: what the document names exists, and what exists is named. It reads
//! sources only; the cases themselves need the real client.

use std::collections::BTreeSet;
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
