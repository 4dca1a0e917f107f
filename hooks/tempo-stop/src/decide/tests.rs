//! The rules as tables: one stop or prompt, one change, one outcome.

use std::time::Duration;

use shared::blocks::BlockCount;
use shared::cli::Reply;
use shared::config::{self, Bounded, SectionSpec, Sources};
use shared::hook::{AuditEvent, Input, Memory, Outcome, Reaction, ReactionKind, Verdict};
use shared::host::Timestamp;
use shared::protocol::{Call, Event, Request, Stop};
use shared::switches::{Position, Turn};
use transcript::TurnWork;

use super::decide;
use crate::TempoStop;
use crate::observe::{Facts, StopFacts};
use crate::question::{BLOCKED, Verdict as Judged};
use crate::settings::{Mode, Settings};
use crate::state::State;

const NOW: Timestamp = Timestamp::from_secs(10_000);

/// A stop after work that the model finds unfinished; the tests change what matters.
struct Case {
    call: Call,
    stop: Stop,
    facts: StopFacts,
    state: State,
    settings: Settings,
    blocks: BlockCount,
}

/// As compiled in, so that a new setting changes no test.
fn defaults() -> Settings {
    let spec = SectionSpec {
        name: "tempo-stop",
        root_keys: &["judge"],
        costs_money: true,
        ..SectionSpec::default()
    };
    config::load(spec, &Sources::default(), Position::Auto).unwrap().settings
}

fn case() -> Case {
    Case {
        call: Call { session_id: Some("s".into()), prompt_id: Some("p".into()), ..Call::default() },
        stop: Stop { last_assistant_message: Some("Step one is done.".into()), ..Stop::default() },
        facts: StopFacts {
            work: TurnWork::ToolCalls,
            judged: Ok(Judged::Blocked("Step two is missing.".into())),
            text: BLOCKED.built_in.trim().into(),
            ..StopFacts::default()
        },
        state: State::default(),
        settings: defaults(),
        blocks: BlockCount::default(),
    }
}

fn input<T>(event: Event, facts: &Facts, case: &Case, use_it: impl FnOnce(&Input<'_, TempoStop>) -> T) -> T {
    use_it(&Input {
        request: &Request { call: case.call.clone(), event },
        facts,
        state: &case.state,
        state_is_usable: true,
        settings: &case.settings,
        blocks: case.blocks,
        started: NOW,
        now: NOW.plus(Duration::from_secs(1)),
        headless: false,
        switched_off: false,
        origin: &|_| None,
    })
}

fn decided(change: impl FnOnce(&mut Case)) -> Outcome<State, Turn> {
    let mut case = case();
    change(&mut case);
    input(Event::Stop(case.stop.clone()), &Facts::Stop(case.facts.clone()), &case, decide)
}

#[track_caller]
fn holds(change: impl FnOnce(&mut Case)) -> String {
    blocked(change).0
}

/// The reason and the rule.
#[track_caller]
fn blocked(change: impl FnOnce(&mut Case)) -> (String, String) {
    let outcome = decided(change);
    let Verdict::Block { reason, rule } = outcome.verdict else {
        panic!("allowed: {:?}", outcome.audit_event)
    };
    (reason, rule.into_owned())
}

#[track_caller]
fn lets_go(change: impl FnOnce(&mut Case), why: &'static str) {
    let outcome = decided(change);
    assert_eq!((outcome.verdict, outcome.audit_event), (Verdict::Pass, Some(AuditEvent::Allowed(why))));
}

fn says(message: &'static str) -> impl FnOnce(&mut Case) {
    move |case| case.stop.last_assistant_message = Some(message.into())
}

#[test]
fn a_stop_that_the_model_finds_unfinished_is_blocked_with_its_feedback() {
    let reason = holds(|_| ());
    assert!(reason.starts_with("tempo-stop: Step two is missing.\n\nGo on with it now."), "{reason}");
    assert_eq!(decided(|_| ()).audit.next, ["Step two is missing."]);
    assert_eq!(blocked(|_| ()).1, "enabled");
    holds(|case| case.facts.work = TurnWork::Unknown);
    holds(|case| case.stop.last_assistant_message = None);
    assert_eq!(holds(|case| case.facts.text = "Look again.".into()), "Look again.\n\nStep two is missing.");
    let judged = |judged| move |case: &mut Case| case.facts.judged = judged;
    lets_go(judged(Ok(Judged::Approved)), "the model finds it done");
    lets_go(judged(Err("there is no verdict")), "there is no verdict");
    assert_eq!(
        decided(|case| case.facts.notice = Some("no credit".into())).notice.as_deref(),
        Some("no credit")
    );
}

#[test]
fn the_cases_that_are_never_blocked_come_first() {
    lets_go(says("Shall I go on?"), "the last message ends in a question");
    lets_go(|case| case.facts.work = TurnWork::NoToolCall, "the turn made no tool call");
    lets_go(|case| case.stop.background_tasks = 1, "background work or a wake-up is in flight");
    lets_go(|case| case.call.session_id = None, "no session id");
    lets_go(|case| case.blocks.together = 6, "blocked often enough for this prompt");
}

#[test]
fn off_holds_nothing_and_auto_only_while_the_user_is_away() {
    let auto = |secs: Option<u64>| {
        move |case: &mut Case| {
            case.settings.mode = Mode::Auto;
            let now = NOW.plus(Duration::from_secs(1));
            case.state.typed_at = secs.map(|secs| now.minus(Duration::from_secs(secs)));
        }
    };
    lets_go(|case| case.settings.mode = Mode::Off, "the mode is off");
    assert_eq!(blocked(auto(Some(600))).1, "mode");
    lets_go(auto(Some(599)), "the user is not away");
    lets_go(auto(None), "the user is not away");
}

#[test]
fn a_prompt_is_blocked_so_often_and_no_more() {
    let so_often = |own, most| {
        move |case: &mut Case| {
            case.blocks = BlockCount {
                own,
                together: own,
                own_last: Some(Timestamp::from_secs(9_000)),
                ..BlockCount::default()
            };
            case.settings.max_blocks = Bounded::new(most).unwrap();
            case.stop.stop_hook_active = true;
        }
    };
    holds(so_often(2, 3));
    lets_go(so_often(3, 3), "blocked often enough for this prompt");
    lets_go(so_often(6, 6), "blocked often enough for this prompt");
}

#[test]
fn error_of_the_client_is_allowed() {
    let error = "the last message is an error of the client";
    for message in [
        "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.",
        "You’ve hit your limit · resets 3pm",
        "Claude usage limit reached. Your limit will reset at 3pm.",
        " [Request interrupted by user]",
    ] {
        lets_go(says(message), error);
    }
    holds(says("The API Error is mended; step one is done."));
    let report = format!("API Error: {}", "the handler of it is rewritten. ".repeat(30));
    holds(|case| case.stop.last_assistant_message = Some(report));
}

#[test]
fn the_reaction_to_a_blocked_stop_is_reported() {
    let reactions = |own, judged: Result<Judged, &'static str>| -> Vec<Reaction> {
        let outcome = decided(|case| {
            case.blocks = BlockCount {
                own,
                together: own,
                own_last: Some(Timestamp::from_secs(9_000)),
                ..BlockCount::default()
            };
            case.facts.judged = judged;
        });
        outcome.audit.reactions
    };
    assert_eq!(reactions(1, Ok(Judged::Approved)), [ReactionKind::Followed.of("enabled")]);
    assert_eq!(reactions(0, Ok(Judged::Approved)), []);
    assert_eq!(reactions(3, Err("not asked")), [ReactionKind::Overridden.of("enabled")]);
    assert_eq!(reactions(1, Ok(Judged::Blocked("more".into()))), []);
    assert_eq!(reactions(1, Err("there is no verdict")), []);
}

fn prompted(case: &Case, prompt: &str, answered: Option<Reply>, is_typed: bool) -> Outcome<State, Turn> {
    let event = Event::UserPromptSubmit { prompt: prompt.into(), source: None };
    input(event, &Facts::Prompt { answered, is_typed }, case, decide)
}

#[test]
fn a_prompt_that_a_person_typed_shows_that_they_are_there() {
    let case = case();
    let now = NOW.plus(Duration::from_secs(1));
    let there = State { typed_at: Some(now), ..State::default() };
    assert_eq!(prompted(&case, "do it", None, true), Outcome::pass().remembering(Memory::Note(there)));
    assert_eq!(prompted(&case, "do it", None, false), Outcome::pass());
}

#[test]
fn a_prompt_that_was_scheduled_at_the_last_stop_does_not() {
    let crons = vec!["look at the build".to_owned()];
    let stop = decided(|case| case.stop.session_crons = crons.clone());
    let Memory::Note(state) = stop.memory else { panic!("{:?}", stop.memory) };
    let case = Case { state, ..case() };
    assert_eq!(prompted(&case, "look at the build\n", None, true), Outcome::pass());
    assert!(matches!(prompted(&case, "look at the tests", None, true).memory, Memory::Note(_)));
    let again = decided(|changed| {
        changed.state = case.state.clone();
        changed.stop.session_crons = crons;
    });
    assert_eq!(again.memory, Memory::Keep, "nothing new");
    let gone = decided(|changed| changed.state = case.state.clone());
    assert_eq!(gone.memory, Memory::Note(State::default()));
}

#[test]
fn a_session_begins_with_the_announcement_and_ends_without_a_trace() {
    let case = case();
    let begins = |announcement: Option<&str>| {
        let event = Event::SessionStart { source: "startup".into(), model: None };
        let announcement = announcement.map(str::to_owned);
        input(event, &Facts::SessionStart { announcement, notice: None }, &case, decide)
    };
    assert_eq!(begins(Some("hello")).verdict, Verdict::Advise { text: "hello".into() });
    assert_eq!(begins(None), Outcome::pass());
    let ends = input(Event::SessionEnd { reason: "other".into() }, &Facts::SessionEnd, &case, decide);
    assert_eq!(ends, Outcome::pass().remembering(Memory::Drop));
}
