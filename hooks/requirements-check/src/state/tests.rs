//! What a session remembers, at the edges of its times and bounds.

use super::{MAX_RUNS, Run, State};

const MARK: i64 = 1_795_299_999_000_000;

fn run(call: &str, name: &str) -> Run {
    Run { call: call.to_owned(), name: name.to_owned(), command: "c".to_owned(), files: "f".to_owned() }
}

#[test]
fn a_reservation_keeps_other_calls_away_and_never_its_own() {
    let mut state = State::default();
    state.reserve("pr", MARK, "one");
    for (call, expected) in [(Some("one"), false), (Some("two"), true), (None, true)] {
        assert_eq!(state.is_spent("pr", MARK, call), expected, "{call:?}");
    }
    assert!(!state.is_spent("other", MARK, Some("two")), "another requirement's mark is free");
    assert!(!state.is_spent("pr", MARK + 1, Some("two")), "a later mark is free");
    state.release_all();
    assert!(!state.is_spent("pr", MARK, Some("two")), "the user has the word again");
}

#[test]
fn a_failed_call_gives_back_what_it_took_and_nothing_else() {
    let mut state = State::default();
    state.reserve("pr", MARK, "one");
    state.reserve("release", MARK, "two");
    state.release("one");
    assert!(!state.is_spent("pr", MARK, Some("three")));
    assert!(state.is_spent("release", MARK, Some("three")));
    assert_eq!((state.spend("one"), state.spend("two")), (vec![], vec![("release".to_owned(), MARK)]));
}

#[test]
fn a_mark_that_was_used_is_used_for_everybody_and_the_next_mark_is_not() {
    let mut state = State::default();
    state.reserve("pr", MARK, "one");
    state.spend("one");
    for call in [None, Some("one"), Some("two")] {
        assert!(state.is_spent("pr", MARK, call), "{call:?}");
        assert!(!state.is_spent("pr", MARK + 1, call), "{call:?}");
    }
    assert!(state.spend("one").is_empty());
}

#[test]
fn a_call_that_ends_takes_its_own_runs_only() {
    let mut state = State::default();
    for (call, name) in [("one", "tests"), ("two", "tests"), ("one", "lint")] {
        state.begin(run(call, name));
    }
    assert_eq!(state.end("one"), [run("one", "tests"), run("one", "lint")]);
    assert_eq!(state.end("one"), []);
    assert_eq!(state.end("two"), [run("two", "tests")]);
}

#[test]
fn of_runs_that_never_end_the_oldest_are_forgotten() {
    let mut state = State::default();
    for number in 0..=MAX_RUNS {
        state.begin(run(&number.to_string(), "tests"));
    }
    assert_eq!(state.end("0"), []);
    assert_eq!(state.end("1"), [run("1", "tests")]);
    assert_eq!(state.end(&MAX_RUNS.to_string()).len(), 1);
}

#[test]
fn the_user_is_told_a_note_once() {
    let mut state = State::default();
    let notes = |notes: &[&str]| -> Vec<String> { notes.iter().map(|note| (*note).to_owned()).collect() };
    assert_eq!(state.untold(&notes(&[])), None);
    assert_eq!(state.untold(&notes(&["a", "b"])).as_deref(), Some("a\nb"));
    assert_eq!(state.untold(&notes(&["b", "c"])).as_deref(), Some("c"));
    assert_eq!(state.untold(&notes(&["a", "b", "c"])), None);
}

#[test]
fn it_is_read_as_it_was_written_and_an_older_one_is_completed() {
    let mut state = State::default();
    state.reserve("release", MARK, "one");
    state.spend("one");
    state.reserve("pr", MARK, "two");
    state.begin(run("one", "tests"));
    state.untold(&["a note".to_owned()]);
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state);
    let older: State = serde_json::from_str(r#"{"triggered":["plan"],"of_old":1}"#).unwrap();
    assert!(older.triggered.contains("plan") && older.edited.is_empty());
}
