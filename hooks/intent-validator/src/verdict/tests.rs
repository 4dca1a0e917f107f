//! Parsing of verdicts, and the rules they are given by.

use serde_json::json;

use super::{Announced, MAX_RULES, Review, asked_rules, key};
use crate::form::{Lack, Part};
use crate::plan::tests::defaults;
use crate::settings::Settings;

#[test]
fn an_answer_of_stage_1() {
    for (answer, expected) in [
        (json!({ "verdict": "YES", "missing": [] }), Some(None)),
        (json!({ "verdict": "NO", "missing": ["GOAL"] }), Some(Some(Lack::Parts(vec![Part::Goal])))),
        (json!({ "verdict": "NO" }), Some(Some(Lack::Form))),
        (json!({ "verdict": "NO", "missing": ["x"] }), None),
        (json!({ "verdict": "NO_TDD", "missing": [] }), Some(Some(Lack::Test))),
        (json!({ "verdict": "yes", "missing": [] }), None),
    ] {
        let found = serde_json::from_value(answer.clone()).ok().map(|announced: Announced| announced.lack());
        assert_eq!(found, expected, "{answer}");
    }
}

#[test]
fn an_answer_of_stage_2_that_blocks_says_why() {
    let finding = json!({ "rule": "scope-creep", "line": -3, "why": "w", "fix": "f" });
    let silent = json!({ "rule": "scope-creep", "line": 3, "why": " ", "fix": "" });
    for (answer, expected) in [
        (json!({ "verdict": "APPROVED", "findings": [] }), Some(0)),
        (json!({ "verdict": "APPROVED", "findings": [finding] }), Some(0)),
        (json!({ "verdict": "BLOCKED", "findings": [finding, silent] }), Some(1)),
        (json!({ "verdict": "BLOCKED", "findings": [silent] }), None),
        (json!({ "verdict": "BLOCKED" }), None),
    ] {
        let review = serde_json::from_value::<Review>(answer.clone()).ok();
        assert_eq!(review.map(|review| review.0.len()), expected, "{answer}");
    }
}

#[test]
fn a_rule_is_one_short_line_and_an_empty_text_removes_one() {
    let mut settings = defaults();
    let lines = |settings: &Settings| asked_rules(settings, "a.sql").lines().count();
    let all = lines(&settings);
    settings.rules.insert("magic-numbers".to_owned(), " ".to_owned());
    settings.rules.insert("ours".to_owned(), format!("a\nb{}", "ü".repeat(1_000)));
    assert_eq!(lines(&settings), all);
    let text = asked_rules(&settings, "a.sql");
    assert!(text.contains("\n- ours: a bü") && !text.contains("magic-numbers"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 320), "{text}");
    settings.rules.extend((0..99).map(|number| (format!("z{number}"), "more".to_owned())));
    assert!(lines(&settings) <= MAX_RULES);
}

#[test]
fn the_key_of_a_review_changes_with_whatever_its_verdict_could_hang_on() {
    let settings = defaults();
    let mut other_rules = defaults();
    other_rules.rules.insert("ours".to_owned(), "x".to_owned());
    let keys = [
        key(&settings, "a.sql", "d", "diff"),
        key(&settings, "a.sql", "e", "diff"),
        key(&settings, "a.sql", "d", "other"),
        key(&settings, "a.sql", "dd", "iff"),
        key(&other_rules, "a.sql", "d", "diff"),
    ];
    let different: std::collections::BTreeSet<_> = keys.iter().collect();
    assert_eq!(different.len(), keys.len());
}
