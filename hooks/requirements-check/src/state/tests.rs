//! What a session remembers, at the edges of its times and bounds.

mod registry;

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
fn a_call_that_ends_takes_its_own_runs_and_the_oldest_of_too_many_are_forgotten() {
    let mut state = State::default();
    for (call, name) in [("one", "tests"), ("two", "tests"), ("one", "lint")] {
        state.begin(run(call, name));
    }
    assert_eq!(state.end("one"), [run("one", "tests"), run("one", "lint")]);
    assert_eq!((state.end("one"), state.end("two")), (vec![], vec![run("two", "tests")]));
    for number in 0..=MAX_RUNS {
        state.begin(run(&number.to_string(), "tests"));
    }
    assert_eq!((state.end("0"), state.end("1").len()), (vec![], 1));
}

#[test]
fn note_reaches_the_user_once() {
    let mut state = State::default();
    let mut unreported =
        |notes: &[&str]| state.unreported(&notes.iter().map(|note| (*note).to_owned()).collect::<Vec<_>>());
    assert_eq!(unreported(&[]), None);
    assert_eq!(unreported(&["a", "b"]).as_deref(), Some("a\nb"));
    assert_eq!(unreported(&["b", "c"]).as_deref(), Some("c"));
    assert_eq!(unreported(&["a", "b", "c"]), None);
}
