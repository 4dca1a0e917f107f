//! Subagents of older clients, whose calls look like the main session's.

use std::time::Duration;

use shared::hook::Outcome;
use shared::protocol::Event;

use super::Said::{Advice, Nothing};
use super::{NOON, Session};
use crate::observe::Facts;

#[test]
fn calls_beside_indistinguishable_subagents_are_silent_and_count_nothing() {
    let mut session = Session::at(1);
    session.quietly(&Facts::SubagentStart);
    let before = session.state.clone();
    assert_eq!((session.call("a"), session.ended("a")), (Nothing, Nothing));
    assert_eq!(session.state, before);
    session.quietly(&Facts::SubagentStop);
    assert_eq!(session.call("b"), Advice(1));
}

#[test]
fn each_start_is_an_entry_of_its_own_and_each_stop_takes_the_oldest() {
    let mut session = Session::at(1);
    for _ in 0..3 {
        session.quietly(&Facts::SubagentStart);
        session.later(1);
    }
    for _ in 0..2 {
        session.quietly(&Facts::SubagentStop);
        assert_eq!(session.call("a"), Nothing);
    }
    assert_eq!(session.state.subagents, [NOON.plus(Duration::from_secs(2))]);
    session.quietly(&Facts::SubagentStop);
    assert_eq!(session.call("a"), Advice(1));
}

#[test]
fn subagent_without_an_end_counts_for_half_an_hour() {
    let after = |secs| {
        let mut session = Session::at(1);
        session.quietly(&Facts::SubagentStart);
        session.later(secs);
        session.call("a")
    };
    assert_eq!(after(0), Nothing);
    assert_eq!(after(1799), Nothing);
    assert_eq!(after(1800), Advice(1));
    assert_eq!(after(1_000_000), Advice(1));
}

#[test]
fn a_clock_that_was_set_back_does_not_silence_the_guard_for_longer() {
    let after_going_back = |secs| {
        let mut session = Session::at(1);
        session.now = NOON.plus(Duration::from_secs(secs));
        session.quietly(&Facts::SubagentStart);
        session.now = NOON;
        session.call("a")
    };
    assert_eq!(after_going_back(60), Nothing);
    assert_eq!(after_going_back(1800), Advice(1));
}

#[test]
fn a_client_that_names_its_subagents_needs_no_set_of_them() {
    let mut session = Session::at(1);
    let outcome = session.outcome(&Facts::NamedSubagentStart, Event::Other("SubagentStart".into()));
    assert_eq!(outcome, Outcome::pass(), "nothing is written");
    session.quietly(&Facts::SubagentStart);
    session.quietly(&Facts::NamedSubagentStart);
    assert_eq!(session.call("a"), Advice(1), "what an older client left is dropped");
}

#[test]
fn endless_starts_and_advice_leave_no_endless_state() {
    let mut session = Session::new(|_| ());
    for number in 0..1000 {
        session.delegates();
        session.call("refused");
        session.call("silent");
        assert_eq!(session.call(&number.to_string()), Advice(1));
    }
    assert_eq!(session.state.advised_calls.len(), 8);
    assert_eq!(session.state.advised_calls.back().map(String::as_str), Some("999"));
    for _ in 0..1000 {
        session.quietly(&Facts::SubagentStart);
    }
    assert_eq!(session.state.subagents.len(), 64);
}
