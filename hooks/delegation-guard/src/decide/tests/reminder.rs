//! The reminder: every fifth executed tool, and never beside or soon after an advice.

use shared::config::Bounded;

use super::Said::{Advice, Nothing};
use super::{Said, Session, loud};
use crate::settings::FirstCall;

#[test]
fn every_fifth_executed_tool_is_followed_by_a_reminder() {
    let mut session = Session::new(|_| ());
    let said: Vec<Said> = (0..16).map(|number| session.ended(&number.to_string())).collect();
    assert_eq!(loud(&said), [(5, Said::Reminder), (10, Said::Reminder), (15, Said::Reminder)]);
}

#[test]
fn no_reminder_comes_with_an_advice_nor_for_the_five_executed_calls_after_it() {
    let mut session = Session::new(|settings| {
        settings.first_call = FirstCall::Off;
        settings.reminder.every = Bounded::new(1).unwrap();
    });
    let reminded: Vec<usize> = session
        .whole_calls(40)
        .into_iter()
        .enumerate()
        .filter(|(_, (_, after))| *after == Said::Reminder)
        .map(|(index, _)| index + 1)
        .collect();
    // Advice stands at 2, 4, 8, 16 and 32: with the five calls after each, 2 to 13, 16 to 21 and 32 to 37 are quiet.
    let expected: Vec<usize> = [1, 14, 15].into_iter().chain(22..=31).chain(38..=40).collect();
    assert_eq!(reminded, expected);
}

#[test]
fn parallel_calls_are_distinguished_by_their_ids() {
    let mut session = Session::at(1);
    session.settings.reminder.every = Bounded::new(1).unwrap();
    assert_eq!((session.call("a"), session.call("b")), (Advice(1), Nothing));
    let others = ["b", "c", "d", "e", "f"].map(|id| session.ended(id));
    assert_eq!(others, [Nothing, Nothing, Nothing, Nothing, Nothing], "five after the advice");
    assert_eq!(session.ended("a"), Nothing, "the advised call itself, however late");
    assert_eq!(session.ended("g"), Said::Reminder);
}

#[test]
fn a_delegation_restarts_the_reminder_and_keeps_what_was_just_advised_quiet() {
    let mut session = Session::new(|_| ());
    for number in 0..4 {
        session.ended(&number.to_string());
    }
    session.delegates();
    assert_eq!(session.state.executed, 0);
    let said: Vec<Said> = (0..5).map(|number| session.ended(&number.to_string())).collect();
    assert_eq!(loud(&said), [(5, Said::Reminder)]);

    let mut session = Session::at(1);
    session.settings.reminder.every = Bounded::new(1).unwrap();
    assert_eq!(session.call("a"), Advice(1));
    session.delegates();
    assert_eq!(session.ended("a"), Nothing, "no text is given twice for one call");
}
