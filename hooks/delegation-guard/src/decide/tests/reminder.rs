//! The reminder: every fifth executed tool, and never beside or soon after an advice.

use shared::config::Bounded;
use shared::protocol::{Event, ToolCall, ToolResult};

use super::Said::{Advice, Denial, Nothing};
use super::{Said, Session, loud, said, tool};
use crate::messages::OwnTexts;
use crate::observe::Facts;
use crate::settings::FirstCall;

#[test]
fn every_fifth_executed_tool_is_followed_by_a_reminder() {
    let mut session = Session::new(|_| ());
    let said: Vec<Said> = (0..16).map(|number| session.ended(&number.to_string())).collect();
    assert_eq!(loud(&said), [(5, Said::Reminder), (10, Said::Reminder), (15, Said::Reminder)]);
}

#[test]
fn the_reminder_follows_its_own_number() {
    for (every, expected) in [(1, vec![1, 2, 3, 4, 5, 6, 7]), (3, vec![3, 6]), (7, vec![7]), (8, vec![])] {
        let mut session = Session::new(|settings| settings.reminder.every = Bounded::new(every).unwrap());
        let said: Vec<Said> = (0..7).map(|number| session.ended(&number.to_string())).collect();
        let reminded: Vec<usize> = loud(&said).into_iter().map(|(call, _)| call).collect();
        assert_eq!(reminded, expected, "every {every}");
    }
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
fn a_reminder_that_was_due_while_it_was_quiet_is_left_out_and_not_made_up_for() {
    let mut session = Session::new(|_| ());
    assert_eq!(session.call("refused"), Denial);
    let after: Vec<Said> = session.whole_calls(40).into_iter().map(|(_, after)| after).collect();
    let reminded: Vec<usize> = loud(&after).into_iter().map(|(call, _)| call).collect();
    assert_eq!(reminded, [15, 25, 30, 40], "5, 10, 20 and 35 follow an advice too closely");
}

#[test]
fn calls_that_run_at_once_are_told_apart_by_their_ids() {
    let mut session = Session::at(1);
    session.settings.reminder.every = Bounded::new(1).unwrap();
    assert_eq!((session.call("a"), session.call("b")), (Advice(1), Nothing));
    let others = ["b", "c", "d", "e", "f"].map(|id| session.ended(id));
    assert_eq!(others, [Nothing, Nothing, Nothing, Nothing, Nothing], "five after the advice");
    assert_eq!(session.ended("a"), Nothing, "the advised call itself, however late");
    assert_eq!(session.ended("g"), Said::Reminder);
}

#[test]
fn calls_without_an_id_are_counted_all_the_same() {
    let mut session = Session::at(1);
    let nameless = || ToolCall { tool_use_id: None, ..tool("") };
    let verdict = session.tell(&Facts::Call(OwnTexts::default()), Event::PreToolUse(nameless()));
    assert_eq!(said(&verdict), Advice(1));
    for expected in
        [Nothing, Nothing, Nothing, Nothing, Nothing, Nothing, Nothing, Nothing, Nothing, Said::Reminder]
    {
        let event = Event::PostToolUse(ToolResult { call: nameless(), ..ToolResult::default() });
        assert_eq!(said(&session.tell(&Facts::Executed(OwnTexts::default()), event)), expected);
    }
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

#[test]
fn a_denial_does_not_quiet_the_reminder() {
    let mut session = Session::new(|settings| settings.reminder.every = Bounded::new(1).unwrap());
    assert_eq!(session.call("refused"), Denial);
    assert_eq!(session.call("a"), Nothing);
    assert_eq!(session.ended("a"), Said::Reminder);
}

#[test]
fn a_count_of_executed_tools_at_its_end_reminds_of_nothing() {
    let mut session = Session::new(|_| ());
    session.state.executed = u32::MAX - 1;
    assert_eq!((session.ended("a"), session.ended("b")), (Nothing, Nothing));
}
