//! The rules as tables: one session, one event after the other, one verdict each.

use std::time::Duration;

use shared::blocks::BlockCount;
use shared::config::{self, Bounded, SectionSpec, Sources};
use shared::hook::{Input, Memory, Outcome, Verdict};
use shared::host::Timestamp;
use shared::protocol::{Call, Event, Request, ToolCall, ToolResult};
use shared::switches::Position;

use super::decide;
use crate::messages::{ALL, Message, Wording};
use crate::observe::Facts;
use crate::settings::{FirstCall, Settings};
use crate::state::State;

const NOON: Timestamp = Timestamp::from_secs(1_000_000);

/// As compiled in, so that a new setting changes no test.
pub(crate) fn defaults() -> Settings {
    let spec = SectionSpec { name: "delegation-guard", ..SectionSpec::default() };
    config::load(spec, &Sources::default(), Position::Auto).unwrap().settings
}

fn built_in() -> Wording {
    Wording { texts: ALL.map(|text| text.built_in.trim().to_owned()), notice: None }
}

/// The answer to a call of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    Nothing,
    Denial,
    /// The number of the text; 0 is that of the first call.
    Advice(u32),
    Reminder,
}

use Said::{Advice, Denial, Nothing};

mod any_order;
mod reactions;
mod reminder;
mod subagents;

/// A session that goes from one event to the next.
struct Session {
    settings: Settings,
    state: State,
    own: Wording,
    now: Timestamp,
}

impl Session {
    fn new(change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = defaults();
        change(&mut settings);
        Self { settings, state: State::default(), own: built_in(), now: NOON }
    }

    fn at(streak: u32) -> Self {
        let mut session = Self::new(|_| ());
        session.state = State { streak, block_fired: true, ..State::default() };
        session
    }

    fn outcome(&self, facts: &Facts, event: Event) -> Outcome<State> {
        let call = Call { session_id: Some("s".into()), ..Call::default() };
        decide(&Input {
            request: &Request { call, event },
            facts,
            state: &self.state,
            state_is_usable: true,
            settings: &self.settings,
            blocks: BlockCount::default(),
            started: self.now,
            now: self.now,
            headless: false,
            switched_off: false,
            origin: &|_| None,
        })
    }

    /// Decides and remembers, as the run loop does.
    fn tell(&mut self, facts: &Facts, event: Event) -> Verdict {
        let outcome = self.outcome(facts, event);
        match outcome.memory {
            Memory::Save(state) => {
                assert_ne!(state, self.state, "what has not changed is not written");
                self.state = state;
            }
            Memory::Keep => assert_eq!(outcome.verdict, Verdict::Pass, "what is said is counted"),
            Memory::Note(_) => panic!("what is said depends on being counted"),
            Memory::Drop => self.state = State::default(),
        }
        outcome.verdict
    }

    fn call(&mut self, id: &str) -> Said {
        let facts = Facts::Call(self.own.clone());
        said(&self.tell(&facts, Event::PreToolUse(tool(id))))
    }

    fn ended(&mut self, id: &str) -> Said {
        let facts = Facts::Executed(self.own.clone());
        let event = Event::PostToolUse(ToolResult { call: tool(id), ..ToolResult::default() });
        said(&self.tell(&facts, event))
    }

    fn calls(&mut self, count: usize) -> Vec<Said> {
        (0..count).map(|_| self.call("toolu")).collect()
    }

    /// Calls that each end before the next begins: what was said before and after each.
    fn whole_calls(&mut self, count: usize) -> Vec<(Said, Said)> {
        (0..count)
            .map(|number| {
                let id = format!("toolu_{number}");
                (self.call(&id), self.ended(&id))
            })
            .collect()
    }

    fn quietly(&mut self, facts: &Facts) {
        let verdict = self.tell(facts, Event::Other("whatever".into()));
        assert_eq!(verdict, Verdict::Pass, "{facts:?}");
    }

    fn delegates(&mut self) {
        self.quietly(&Facts::Delegation);
    }

    fn later(&mut self, secs: u64) {
        self.now = self.now.plus(Duration::from_secs(secs));
    }
}

fn tool(id: &str) -> ToolCall {
    ToolCall { tool_name: "Bash".into(), tool_use_id: Some(id.into()), tool_input: None }
}

/// The text by its first words.
fn said(verdict: &Verdict) -> Said {
    let is = |text: &str, message: Message| {
        let built_in = ALL[message.index()].built_in.trim();
        let (start, _) = built_in.split_once('{').unwrap();
        let (_, end) = built_in.rsplit_once('}').unwrap();
        text.starts_with(start) && text.ends_with(end)
    };
    match verdict {
        Verdict::Pass => Nothing,
        Verdict::Deny { reason, rule } => {
            assert_eq!(rule, "first_call");
            assert!(is(reason, Message::FirstCallDenial), "{reason}");
            Denial
        }
        Verdict::Advise { text } if is(text, Message::Reminder) => Said::Reminder,
        Verdict::Advise { text } if is(text, Message::FirstCallAdvice) => Advice(0),
        Verdict::Advise { text } => {
            Advice((1..=5).find(|number| is(text, Message::Advice(*number))).unwrap())
        }
        other => panic!("never said: {other:?}"),
    }
}

/// The calls, counted from 1, that were not silent.
fn loud(said: &[Said]) -> Vec<(usize, Said)> {
    let numbered = said.iter().cloned().enumerate().map(|(index, said)| (index + 1, said));
    numbered.filter(|(_, said)| *said != Nothing).collect()
}

#[test]
fn the_first_call_is_denied_and_the_following_ones_are_counted_and_advised_on_at_doublings() {
    let mut session = Session::new(|_| ());
    let expected = [
        (1, Denial),
        (3, Advice(1)),
        (5, Advice(2)),
        (9, Advice(3)),
        (17, Advice(4)),
        (33, Advice(5)),
        (65, Advice(5)),
    ];
    assert_eq!(loud(&session.calls(100)), expected);
    assert_eq!(
        (session.state.streak, session.state.block_fired),
        (99, true),
        "the denied call is not counted"
    );
}

#[test]
fn a_delegation_sets_the_streak_back_and_arms_the_block_again() {
    for streak in [0, 1, 2, 7, 1000, u32::MAX] {
        let mut session = Session::at(streak);
        session.delegates();
        assert_eq!((session.state.streak, session.state.block_fired), (0, false), "{streak}");
        assert_eq!(session.calls(3), [Denial, Nothing, Advice(1)], "{streak}");
    }
}

#[test]
fn the_end_of_the_session_forgets_everything() {
    let session = Session::at(7);
    let outcome = session.outcome(&Facts::SessionEnd, Event::SessionEnd { reason: "other".into() });
    assert_eq!(outcome, Outcome::pass().remembering(Memory::Drop));
}

#[test]
fn settings_say_what_the_first_calls_are_answered_with() {
    // `first_call`, `min_streak_before_block` and `advise_from`; then the calls that are not silent.
    for (first_call, least, from, expected) in [
        (FirstCall::Deny, 3, 2, vec![(2, Advice(1)), (4, Denial), (5, Advice(2)), (9, Advice(3))]),
        (FirstCall::Deny, 0, 3, vec![(1, Denial), (4, Advice(1)), (7, Advice(2))]),
        (FirstCall::Advise, 0, 2, vec![(1, Advice(0)), (2, Advice(1)), (4, Advice(2)), (8, Advice(3))]),
        (FirstCall::Advise, 1, 2, vec![(2, Advice(0)), (4, Advice(2)), (8, Advice(3))]),
        (FirstCall::Off, 0, 2, vec![(2, Advice(1)), (4, Advice(2)), (8, Advice(3))]),
        (FirstCall::Off, 0, 1, vec![(1, Advice(1)), (2, Advice(2)), (4, Advice(3)), (8, Advice(4))]),
    ] {
        let mut session = Session::new(|settings| {
            settings.first_call = first_call;
            settings.min_streak_before_block = Bounded::new(least).unwrap();
            settings.advise_from = Bounded::new(from).unwrap();
        });
        assert_eq!(loud(&session.calls(9)), expected, "{first_call:?} {least} {from}");
    }
    let mut session = Session::at(u32::MAX - 1);
    assert_eq!(session.calls(3), [Nothing, Nothing, Nothing], "the count saturates");
}

#[test]
fn the_users_own_text_takes_its_numbers_and_a_notice_comes_through() {
    let mut session = Session::at(1);
    let notice = Some("message_files.advice_2 is empty".to_owned());
    session.own.notice.clone_from(&notice);
    session.own.texts[Message::Advice(1).index()] = "Mine at {streak}.".into();
    session.own.texts[Message::Reminder.index()] = "Mine after {executed}.".into();
    for (facts, event, expected) in [
        (Facts::Call(session.own.clone()), Event::PreToolUse(tool("a")), "Mine at 2."),
        (Facts::Executed(session.own.clone()), Event::PostToolUse(ToolResult::default()), "Mine after 5."),
    ] {
        let outcome = session.outcome(&facts, event);
        assert_eq!(outcome.verdict, Verdict::Advise { text: expected.to_owned() });
        assert_eq!(outcome.notice, notice);
        session.state = State { executed: 4, ..State::default() };
    }
}
