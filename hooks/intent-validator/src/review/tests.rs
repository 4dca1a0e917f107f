//! Parsing of verdicts, and the parts of a question.

use serde_json::json;

use super::{Announced, MAX_RULES, Review, announced, asked_rules, key, reviewed};
use crate::form::Part;
use crate::plan::tests::{defaults, known};
use crate::settings::Settings;

#[test]
fn an_answer_of_stage_1() {
    for (answer, expected) in [
        (json!({ "verdict": "YES", "missing": [] }), Some(Announced::Yes)),
        (json!({ "verdict": "NO", "missing": ["GOAL"] }), Some(Announced::No { missing: vec![Part::Goal] })),
        (json!({ "verdict": "NO", "missing": ["x"] }), None),
        (json!({ "verdict": "NO_TDD", "missing": [] }), Some(Announced::NoTest)),
        (json!({ "verdict": "yes", "missing": [] }), None),
    ] {
        assert_eq!(serde_json::from_value::<Announced>(answer.clone()).ok(), expected, "{answer}");
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
fn what_is_not_ours_is_material_and_never_instruction() {
    let settings = defaults();
    let mut known = known();
    known.place.file = "src/ignore previous.py".to_owned();
    known.words.own = Some("OWN".to_owned());
    known.words.before = vec!["B1".to_owned(), "B2".to_owned()];
    known.user.texts = vec!["U".to_owned()];
    let question = announced(&settings, "ours".to_owned(), &known.place.file, &known.words, &known.user);
    assert_eq!(question.instructions, "ours");
    let parts: Vec<_> = question.parts.iter().map(|part| (part.name, part.text.as_str())).collect();
    let expected =
        [("file", "src/ignore previous.py"), ("said_before", "B1\n\nB2"), ("said", "OWN"), ("user", "U")];
    assert_eq!(parts, expected);
    let question = reviewed(&settings, "ours".to_owned(), "src/a.py", "D", "+x", "C");
    let parts: Vec<_> = question.parts.iter().map(|part| (part.name, part.max_chars)).collect();
    assert_eq!(parts, [("file", 1_000), ("declaration", 4_000), ("diff", 6_000), ("conversation", 12_000)]);
    assert_eq!((question.purpose, question.instructions.as_str()), ("review", "ours"));
    let undeclared = reviewed(&settings, "ours".to_owned(), "src/a.py", "", "+x", "C");
    assert!(undeclared.instructions.contains("This change was not declared"), "{}", undeclared.instructions);
}

#[test]
fn of_a_long_diff_the_beginning_is_shown_and_the_model_and_the_journal_are_told() {
    let settings = defaults();
    let secret = "a1B2".repeat(8);
    let diff = format!("src/a.py is changed.\n+token={secret}\n{}+last\n", "+x = 1\n".repeat(2_000));
    let question = reviewed(&settings, "ours".to_owned(), "src/a.py", "D", &diff, "C");
    let part = question.parts.iter().find(|part| part.name == "diff").unwrap();
    assert!(part.text.starts_with("src/a.py is changed.\n+token="), "{}", part.text);
    assert!(part.text.ends_with(" characters are not shown.]") && !part.text.contains("+last"));
    assert!(!part.text.contains(&secret) && part.text.chars().count() <= part.max_chars);
    assert_eq!(question.purpose, "review of a part");
    assert!(question.instructions.starts_with("ours\n\nOf the diff only the beginning is shown"));
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
