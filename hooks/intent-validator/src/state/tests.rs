//! The remembered declarations and reviews, and their ages.

use std::time::Duration;

use serde_json::json;
use shared::host::Timestamp;

use super::{Announced, Cause, MAX_VERDICTS, Place, Recorded, Review, State, Verdict};
use crate::form::{Form, Lack, Part};

const TTL: Duration = Duration::from_secs(3600);

fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(1_000_000 + secs)
}

fn place(file: &str, agent: Option<&str>) -> Place {
    Place { file: file.to_owned(), agent: agent.map(ToOwned::to_owned) }
}

fn recorded(name: &str, agent: Option<&str>, changes: &str) -> Recorded {
    let form = Form::new([None, Some(changes.to_owned()), None, None]);
    Recorded { names: vec![name.to_owned()], agent: agent.map(ToOwned::to_owned), form, at: at(0) }
}

#[test]
fn a_declaration_holds_for_its_file_and_agent_and_time() {
    let mut state = State::default();
    state.declare(recorded("src/a.py", None, "old"));
    state.declare(recorded("src/a.py", None, "new"));
    state.declare(recorded("src/a.py", Some("b"), "of b"));
    for (name, agent, secs, expected) in [
        ("src/a.py", None, 3599, Some("new")),
        ("src/a.py", None, 3600, None),
        ("src/a.py", Some("b"), 1, Some("of b")),
        ("src/a.py", Some("c"), 1, None),
        ("src/b.py", None, 1, None),
    ] {
        let found = state.declared(&place(name, agent), at(secs), TTL);
        assert_eq!(found.map(|found| found.text(Part::Changes)), expected, "{name} {agent:?} {secs}");
    }
    state.forget_declared(&place("src/a.py", None));
    assert_eq!(state.declared(&place("src/a.py", None), at(1), TTL), None);
    assert!(state.declared(&place("src/a.py", Some("b")), at(1), TTL).is_some());
}

#[test]
fn blocks_count_by_file_agent_prompt_and_cause() {
    let mut state = State::default();
    let own = place("sub/src/a.py", None);
    state.block(&own, Some("p"), Cause::Declaration);
    state.block(&own, Some("q"), Cause::Declaration);
    state.block(&own, Some("p"), Cause::Checks);
    let agent = place("sub/src/a.py", Some("b"));
    let namesake = place("src/a.py", None);
    for (place, prompt, cause, expected) in [
        (&own, "r", Cause::Declaration, 2),
        (&own, "p", Cause::Checks, 1),
        (&own, "q", Cause::Checks, 0),
        (&agent, "p", Cause::Declaration, 0),
        (&namesake, "p", Cause::Declaration, 0),
    ] {
        assert_eq!(state.count(place, Some(prompt), cause), expected, "{place:?} {prompt} {cause:?}");
    }
}

#[test]
fn the_newest_verdicts_are_kept_and_read_again() {
    let mut state = State::default();
    let no = Verdict::OfStage1(Announced::No { missing: vec![Part::Changes, Part::Goal] });
    state.keep("no".into(), no.clone());
    let mut state: State = serde_json::from_value(serde_json::to_value(&state).unwrap()).unwrap();
    assert_eq!(state.verdict("no"), Some(&no));
    for number in 0..MAX_VERDICTS {
        state.keep(format!("{number}"), Verdict::OfStage2(vec![]));
    }
    assert_eq!(state.verdict("no"), None);
}

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
