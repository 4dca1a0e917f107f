//! What a session remembers, at the edges of its times and bounds.

use super::{MAX_RUNS, Run, State};

const AT: i64 = 1_795_299_999_000_000;

fn run(call: &str, name: &str) -> Run {
    Run { call: call.to_owned(), name: name.to_owned(), command: "c".to_owned(), files: "f".to_owned() }
}

#[test]
fn a_satisfaction_is_free_held_or_used_up() {
    let mut state = State::default();
    state.reserve("pr", AT, "one");
    state.reserve("release", AT, "two");
    let free = |state: &State, name, at, call| !state.is_spent(name, at, call);
    assert!(free(&state, "pr", AT, Some("one")) && !free(&state, "pr", AT, Some("two")), "held");
    assert!(!free(&state, "pr", AT, None) && free(&state, "pr", AT + 1, Some("two")), "a later one is free");
    state.release("one");
    assert!(free(&state, "pr", AT, Some("two")) && !free(&state, "release", AT, Some("one")));
    assert_eq!((state.spend("one"), state.spend("two")), (vec![], vec![("release".to_owned(), AT)]));
    assert!(!free(&state, "release", AT, Some("two")) && free(&state, "release", AT + 1, Some("two")));
    state.reserve("pr", AT, "one");
    state.release_all();
    assert!(free(&state, "pr", AT, Some("two")), "the user has typed a prompt");
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
    state.reserve("release", AT, "one");
    state.spend("one");
    state.reserve("pr", AT, "two");
    state.begin(run("one", "tests"));
    state.untold(&["a note".to_owned()]);
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state);
    let older: State = serde_json::from_str(r#"{"triggered":["plan"],"of_old":1}"#).unwrap();
    assert!(older.triggered.contains("plan") && older.edited.is_empty());
}
