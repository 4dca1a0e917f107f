//! What is remembered, and for how long.

use std::time::Duration;

use shared::host::Timestamp;

use super::{Cause, MAX_VERDICTS, Place, Recorded, State};
use crate::checks::Finding;
use crate::form::{Form, Part};
use crate::review::Announced;

const TTL: Duration = Duration::from_secs(3600);

fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(1_000_000 + secs)
}

fn recorded(name: &str, agent: Option<&str>, changes: &str) -> Recorded {
    let form = Form { changes: changes.to_owned(), ..Form::default() };
    Recorded { names: vec![name.to_owned()], agent: agent.map(ToOwned::to_owned), form, at: at(0) }
}

fn finding() -> Finding {
    Finding { rule: "r".into(), line: 1, why: "w".into(), fix: "f".into() }
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
        let found = state.declared(name, agent, at(secs), TTL);
        assert_eq!(found.map(|found| found.changes.as_str()), expected, "{name} {agent:?} {secs}");
    }
    state.forget_declared(&Place { in_project: "src/a.py".into(), ..Place::default() });
    assert_eq!(state.declared("src/a.py", None, at(1), TTL), None);
    assert!(state.declared("src/a.py", Some("b"), at(1), TTL).is_some());
}

#[test]
fn blocks_count_by_file_agent_prompt_and_cause() {
    let mut state = State::default();
    let place = Place { file: "src/a.py".into(), in_project: "sub/src/a.py".into(), agent: None };
    state.block(&place, Some("p"), Cause::Test);
    state.block(&place, Some("q"), Cause::Declaration);
    state.block(&place, Some("p"), Cause::Checks);
    for cause in [Cause::Test, Cause::Declaration] {
        assert_eq!(state.count(&place, Some("r"), cause), 2, "stage 1 counts through all prompts");
    }
    assert_eq!(state.count(&place, Some("p"), Cause::Checks), 1);
    assert_eq!(state.count(&place, Some("q"), Cause::Checks), 0);
    assert_eq!(state.count(&place, Some("p"), Cause::Review), 0);
    let other = Place { agent: Some("b".into()), ..place.clone() };
    assert_eq!(state.count(&other, Some("p"), Cause::Test), 0);
    let namesake = Place { in_project: "src/a.py".into(), ..place };
    assert_eq!(state.count(&namesake, Some("p"), Cause::Test), 0, "of another repository");
}

#[test]
fn an_approval_holds_for_the_session_and_a_fault_for_ten_minutes() {
    let mut state = State::default();
    state.reviewed("good", &[], at(0));
    state.reviewed("bad", &[finding()], at(0));
    assert_eq!(state.review("good", at(100_000)), Some(&[][..]));
    assert_eq!(state.review("bad", at(599)), Some(&[finding()][..]));
    assert_eq!(state.review("bad", at(600)), None);
    for number in 0..MAX_VERDICTS {
        state.reviewed(&format!("{number}"), &[], at(1));
    }
    assert_eq!(state.review("good", at(1)), None, "the newest fifty are kept");
}

#[test]
fn a_word_on_a_declaration_is_read_again_as_it_was() {
    let mut state = State::default();
    let words =
        [Announced::Yes, Announced::NoTest, Announced::No { missing: vec![Part::Changes, Part::Goal] }];
    for word in words.clone() {
        state.answered(&format!("{word:?}"), word, at(0));
    }
    let state: State = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
    for word in words {
        assert_eq!(state.announced(&format!("{word:?}"), at(1)), Some(&word));
    }
}

#[test]
fn after_two_calls_that_were_not_heard_nobody_waits() {
    let mut state = State::default();
    state.not_heard();
    assert!(state.is_heard());
    state.not_heard();
    assert!(!state.is_heard());
}
