//! Texts of the user's own in place of the built-in ones.

use shared::hook::Verdict;
use shared::protocol::{Event, ToolResult};

use super::Said::{Advice, Denial, Nothing};
use super::{Session, tool};
use crate::messages::{Message, OwnTexts};
use crate::observe::Facts;
use crate::state::State;

#[test]
fn a_text_of_the_users_own_is_said_in_place_of_the_built_in_one_with_its_numbers() {
    let mut session = Session::at(1);
    session.own = OwnTexts(vec![
        (Message::Advice1, Ok("Mine at {streak}.\n".into())),
        (Message::Reminder, Ok("Mine after {executed}.".into())),
    ]);
    let text = |verdict| match verdict {
        Verdict::Advise { text } => text,
        other => panic!("no advice: {other:?}"),
    };
    let facts = Facts::Call(session.own.clone());
    assert_eq!(text(session.tell(&facts, Event::PreToolUse(tool("a")))), "Mine at 2.");
    session.state = State { executed: 4, ..State::default() };
    let facts = Facts::Executed(session.own.clone());
    let event = Event::PostToolUse(ToolResult { call: tool("b"), ..ToolResult::default() });
    assert_eq!(text(session.tell(&facts, event)), "Mine after 5.");
    assert_eq!(session.notices, [""; 0]);
}

#[test]
fn a_text_that_cannot_be_used_gives_the_built_in_one_and_is_told_once() {
    let mut session = Session::new(|_| ());
    session.own = OwnTexts(vec![
        (Message::FirstCallDenial, Err("~/mine.md".into())),
        (Message::Advice1, Err("~/other.md".into())),
    ]);
    for _ in 0..3 {
        assert_eq!(session.calls(4), [Denial, Nothing, Advice(1), Nothing]);
        session.delegates();
    }
    let told = |key: &str, file: &str| {
        format!(
            "delegation-guard: message_files.{key} {file} cannot be read or is empty; the built-in text was used"
        )
    };
    assert_eq!(session.notices, [told("first_call_denial", "~/mine.md"), told("advice_1", "~/other.md")]);
}
