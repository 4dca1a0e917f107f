//! Four sets of messages with the verdict of a careful reader. The form decides some of them, and every one of those right.
//! `frozen.jsonl` is never edited.

use serde::Deserialize;
use shared::digest;

use super::{Quotable, judged_by, short};
use crate::source::is_test_file;

const FROZEN: &str = include_str!("../../../declarations/frozen.jsonl");
const LATER: &str = include_str!("../../../declarations/later.jsonl");
const BLIND: &str = include_str!("../../../declarations/blind.jsonl");
const FORM: &str = include_str!("../../../declarations/form.jsonl");
const CHECKSUM: &str = include_str!("../../../declarations/frozen.sha256");

#[derive(Deserialize)]
struct Case {
    id: String,
    file: String,
    said: Vec<String>,
    user: Vec<String>,
    verdict: String,
    #[serde(default)]
    note: String,
}

/// The verdict of the form; empty where there is none.
fn judged(case: &Case) -> &'static str {
    const CORE: [&str; 6] = ["src", "lib", "core", "source", "libraries", "kernel"];
    let folder = case.file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let wants_test = folder.split('/').any(|part| CORE.contains(&part)) && !is_test_file(&case.file);
    let said: Vec<&str> = case.said.iter().map(String::as_str).collect();
    let texts = case.user[case.user.len().saturating_sub(5)..].to_vec();
    let names = [case.file.clone(), format!("/home/user/projects/fetchkit/{}", case.file)];
    short(&judged_by(&said, &Quotable { texts, is_whole: true }, &names, wants_test))
}

fn cases(set: &str) -> impl Iterator<Item = Case> {
    set.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).unwrap())
}

#[test]
fn the_frozen_set_is_as_it_was_written() {
    assert!(CHECKSUM.starts_with(&digest::hex(FROZEN, 32)), "frozen.jsonl was edited");
}

#[test]
fn every_case_that_the_form_decides_is_right() {
    for (name, set, at_least) in [("frozen", FROZEN, 25), ("later", LATER, 12), ("blind", BLIND, 6)] {
        let mut decided = 0;
        for case in cases(set) {
            let found = judged(&case);
            decided += usize::from(!found.is_empty());
            assert!(found.is_empty() || found == case.verdict, "{}: {found}, not {}", case.id, case.verdict);
        }
        assert!(decided >= at_least, "{name}: {decided} decided");
    }
}

/// Written without a look at the reader: 60 forms as models decorate them, and 60 near misses.
#[test]
fn reads_every_plain_form_and_no_near_miss() {
    let wrong: Vec<String> = cases(FORM)
        .filter_map(|case| {
            let found = judged(&case);
            let is_right = found == case.verdict || found.is_empty() && case.id.starts_with("near");
            (!is_right).then(|| format!("{}: {found:?}, not {} ({})", case.id, case.verdict, case.note))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
