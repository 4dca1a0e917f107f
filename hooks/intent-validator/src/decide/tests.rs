//! One event, one state, one outcome.

use judge::{Asked, NoVerdict};
use shared::blocks::BlockCount;
use shared::hook::{AuditEvent, Input, Memory, Outcome, ReactionKind, Verdict};
use shared::protocol::{Call, Event, Request, ToolCall};
use shared::switches::Turn;

use super::{Known, decide};
use crate::checks::Finding;
use crate::form::{Judgement, Lack, SILENT};
use crate::observe::Facts;
use crate::plan::tests::{NOON, declared, defaults, finding, known, lacks, said};
use crate::settings::{Settings, Stage2};
use crate::state::{Cause, Recorded, Review, State};

fn outcome(facts: &Facts, state: &State, settings: &Settings) -> Outcome<State, Turn> {
    let call = Call { session_id: Some("s".into()), prompt_id: Some("p".into()), ..Call::default() };
    decide(&Input {
        request: &Request { call, event: Event::PreToolUse(ToolCall::default()) },
        facts,
        state,
        state_is_usable: true,
        settings,
        blocks: BlockCount::default(),
        started: NOON,
        now: NOON,
        headless: false,
        switched_off: false,
        origin: &|_| None,
    })
}

fn changing(local: Judgement) -> Facts {
    Facts::Change(Box::new(Known { local, ..known() }))
}

fn reviewed(findings: Vec<Finding>) -> Facts {
    Facts::Change(Box::new(Known { stage2: Some(said(Review(findings))), ..known() }))
}

fn alone() -> Settings {
    Settings { stage2: Stage2::Off, ..defaults() }
}

/// The same call again and again: the outcomes in words, and the last notice.
fn run(facts: &Facts, settings: &Settings, times: usize) -> Vec<String> {
    let mut state = State::default();
    let mut told = Vec::new();
    for _ in 0..times {
        let outcome = outcome(facts, &state, settings);
        if let Memory::Save(next) | Memory::Note(next) = outcome.memory {
            state = next;
        }
        let mark = if outcome.notice.is_some() { " (notice)" } else { "" };
        told.push(match (outcome.verdict, outcome.audit_event) {
            (Verdict::Deny { rule, .. }, _) => format!("deny {rule}{mark}"),
            (_, Some(AuditEvent::Allowed(why))) => format!("allow {why}{mark}"),
            (verdict, _) => verdict.word().to_owned(),
        });
    }
    told
}

#[test]
fn each_cause_is_blocked_as_often_as_set_then_allowed_with_one_notice() {
    for local in [SILENT, lacks(Lack::Test)] {
        let (deny, why_allowed) =
            ("deny stage1".to_owned(), "allow without a declaration that is whole".to_owned());
        let expected = [deny.clone(), deny, format!("{why_allowed} (notice)"), why_allowed];
        assert_eq!(run(&changing(local), &alone(), 4), expected);
    }
    let review = run(&reviewed(vec![finding()]), &defaults(), 3);
    assert_eq!(review[1..], ["deny stage2", "allow without another review (notice)"]);
}

#[test]
fn a_review_that_finds_fault_ends_the_recorded_declaration() {
    let mut state = State::default();
    state.declare(Recorded { names: vec!["src/a.py".into()], at: NOON, ..Recorded::default() });
    let Memory::Save(after) = outcome(&reviewed(vec![finding()]), &state, &defaults()).memory else {
        panic!("it is remembered")
    };
    let ttl = std::time::Duration::from_secs(60);
    assert!(state.declared(&known().place, NOON, ttl).is_some());
    assert_eq!(after.declared(&known().place, NOON, ttl), None);
}

#[test]
fn the_outcome_of_blocks_is_reported_once_and_a_declared_change_sets_the_count_back() {
    let mut state = State::default();
    for _ in 0..2 {
        state.block(&known().place, Some("p"), Cause::Declaration);
    }
    for (local, reaction) in [
        (declared(), ReactionKind::Followed.of("stage1")),
        (lacks(Lack::Test), ReactionKind::Overridden.of("stage1")),
    ] {
        let is_declared = local == declared();
        let facts = changing(local);
        let first = outcome(&facts, &state, &alone());
        assert_eq!(first.audit.reactions, [reaction]);
        let Memory::Note(after) = first.memory else { panic!("it is remembered") };
        assert_eq!(after == State::default(), is_declared);
        assert_eq!(outcome(&facts, &after, &alone()).audit.reactions, []);
    }
}

#[test]
fn all_notices_come_through_and_a_failing_judge_asks_the_user_only_where_set() {
    let failed = Asked { verdict: Err(NoVerdict::Failed("it was late".into())), notice: Some("told".into()) };
    let known = Known { stage2: Some(failed), notice: Some("own text".into()), ..known() };
    let facts = Facts::Change(Box::new(known));
    let allowed = outcome(&facts, &State::default(), &defaults());
    assert_eq!((allowed.verdict, allowed.notice.as_deref()), (Verdict::Pass, Some("told\nown text")));
    let mut settings = defaults();
    settings.judge.on_judge_failure = judge::OnFailure::Ask;
    let reason = "intent-validator: no model looked at this change of src/a.py: it was late".to_owned();
    let expected = Verdict::Ask { reason, rule: "judge.on_judge_failure".into() };
    assert_eq!(outcome(&facts, &State::default(), &settings).verdict, expected);
}

#[test]
fn after_two_calls_without_their_message_the_hook_waits_for_none() {
    let facts = Facts::Change(Box::new(Known { was_unheard: true, ..known() }));
    let mut state = State::default();
    for _ in 0..2 {
        assert!(state.is_heard());
        let Memory::Note(next) = outcome(&facts, &state, &alone()).memory else { panic!("it is remembered") };
        state = next;
    }
    assert!(!state.is_heard());
}
