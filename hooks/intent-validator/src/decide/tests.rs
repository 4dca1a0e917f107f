//! One event, one state, one outcome.

use shared::blocks::BlockCount;
use shared::hook::{AuditEvent, Input, Memory, Outcome, ReactionKind, Verdict};
use shared::protocol::{Call, Event, Request, ToolCall};
use shared::switches::Turn;

use super::decide;
use crate::checks::Finding;
use crate::form::{Form, Lack};
use crate::observe::{ChangeFacts, DeclaredFacts, Facts};
use crate::plan::tests::{NOON, defaults, finding, known, lacks, said, unclear};
use crate::plan::{Answers, Local};
use crate::review::{Reply, Review};
use crate::settings::{Settings, Stage2};
use crate::state::{Recorded, State};

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

fn changing(local: Local) -> ChangeFacts {
    let mut known = known();
    known.local = local;
    ChangeFacts { known, ..ChangeFacts::default() }
}

fn reviewed(findings: Vec<Finding>) -> ChangeFacts {
    let answers = Answers { stage2: Some(said(Review(findings))), ..Answers::default() };
    ChangeFacts { answers, ..changing(crate::plan::tests::declared()) }
}

/// The same call again and again: which rule refused it, and how it was let go.
fn run(facts: &ChangeFacts, settings: &Settings, times: usize) -> Vec<String> {
    let facts = Facts::Change(Box::new(facts.clone()));
    let mut state = State::default();
    let mut told = Vec::new();
    for _ in 0..times {
        let outcome = outcome(&facts, &state, settings);
        if let Memory::Save(next) | Memory::Note(next) = outcome.memory {
            state = next;
        }
        told.push(match (outcome.verdict, outcome.audit_event) {
            (Verdict::Deny { rule, .. }, _) => format!("deny {rule}"),
            (_, Some(AuditEvent::Allowed(why))) => format!("let go {why}"),
            (verdict, _) => verdict.word().to_owned(),
        });
    }
    told
}

#[test]
fn each_reason_is_refused_as_often_as_it_may_and_then_let_go() {
    let settings = defaults();
    let alone = Settings { stage2: Stage2::Off, ..defaults() };
    for (local, rule, why) in [
        (Local::default(), "deny stage1", "let go blocked often enough for its declaration"),
        (unclear(), "deny stage1", "let go blocked often enough for its declaration"),
        (lacks(Lack::Parts(vec![])), "deny stage1", "let go blocked often enough for its declaration"),
        (lacks(Lack::Test), "deny tdd", "let go blocked often enough for its test"),
    ] {
        assert_eq!(run(&changing(local), &alone, 4), [rule, rule, why, why]);
    }
    let review = run(&reviewed(vec![finding()]), &settings, 3);
    assert_eq!(review[1..], ["deny stage2", "let go blocked often enough for its review"]);
    assert_eq!(run(&reviewed(vec![]), &settings, 2), ["pass", "pass"]);
}

#[test]
fn a_refusal_that_cannot_be_counted_is_not_spoken_and_a_pass_needs_no_memory() {
    let settings = defaults();
    let told = |facts: ChangeFacts| outcome(&Facts::Change(Box::new(facts)), &State::default(), &settings);
    assert!(matches!(told(changing(Local::default())).memory, Memory::Save(_)));
    assert!(matches!(told(reviewed(vec![])).memory, Memory::Note(_)), "the approval is kept if it can be");
    let mut unasked = changing(crate::plan::tests::declared());
    unasked.known.is_private = true;
    assert_eq!(told(unasked).memory, Memory::Keep);
}

#[test]
fn a_review_that_finds_fault_ends_the_recorded_declaration() {
    let settings = defaults();
    let mut state = State::default();
    let recorded = Recorded { names: vec!["src/a.py".into()], at: NOON, ..Recorded::default() };
    state.declare(recorded);
    let facts = Facts::Change(Box::new(reviewed(vec![finding()])));
    let Memory::Save(after) = outcome(&facts, &state, &settings).memory else { panic!("it is remembered") };
    let ttl = std::time::Duration::from_secs(60);
    assert!(state.declared("src/a.py", None, NOON, ttl).is_some());
    assert_eq!(after.declared("src/a.py", None, NOON, ttl), None);
}

#[test]
fn what_has_become_of_a_refusal_is_told_once() {
    let settings = defaults();
    let mut state = State::default();
    state.block(&known().place, Some("p"), crate::state::Cause::Test);
    let facts = Facts::Change(Box::new(reviewed(vec![])));
    let first = outcome(&facts, &state, &settings);
    assert_eq!(first.audit.reactions, [ReactionKind::Followed.of("tdd")]);
    let Memory::Note(state) = first.memory else { panic!("it is remembered") };
    assert_eq!(outcome(&facts, &state, &settings).audit.reactions, []);
}

#[test]
fn the_user_is_told_once_of_what_was_let_go() {
    let settings = Settings { stage2: Stage2::Off, ..defaults() };
    let mut state = State::default();
    for _ in 0..2 {
        state.block(&known().place, Some("p"), crate::state::Cause::Test);
    }
    let facts = Facts::Change(Box::new(changing(lacks(Lack::Test))));
    let first = outcome(&facts, &state, &settings);
    assert!(first.notice.unwrap().contains("allowed after max_blocks (2)"));
    assert_eq!(first.audit.reactions, [ReactionKind::Overridden.of("tdd")]);
    let Memory::Note(state) = first.memory else { panic!("it is remembered") };
    assert_eq!(outcome(&facts, &state, &settings).notice, None);
}

#[test]
fn a_declared_change_sets_the_count_back() {
    let alone = Settings { stage2: Stage2::Off, ..defaults() };
    let mut state = State::default();
    state.block(&known().place, Some("p"), crate::state::Cause::Declaration);
    let facts = Facts::Change(Box::new(changing(crate::plan::tests::declared())));
    let Memory::Note(state) = outcome(&facts, &state, &alone).memory else { panic!("it is remembered") };
    assert_eq!(state, State::default());
}

#[test]
fn the_users_notices_come_through_and_a_failing_judge_asks_them_only_where_they_want_it() {
    let mut facts = reviewed(vec![]);
    let failed = Reply { verdict: Err(Some("it was late".into())), notice: Some("told".into()) };
    facts.answers.stage2 = Some(failed);
    facts.notice = Some("own text".into());
    let facts = Facts::Change(Box::new(facts));
    let allowed = outcome(&facts, &State::default(), &defaults());
    assert_eq!(allowed.verdict, Verdict::Pass);
    assert_eq!(allowed.notice.as_deref(), Some("told\nown text"));
    let state = State::default();
    let mut settings = defaults();
    settings.judge.on_judge_failure = judge::OnFailure::Ask;
    let Verdict::Ask { reason, rule } = outcome(&facts, &state, &settings).verdict else { panic!("it asks") };
    assert_eq!(rule, "judge.on_judge_failure");
    assert_eq!(reason, "intent-validator: no model looked at this change of src/a.py: it was late");
}

#[test]
fn a_call_whose_words_were_not_to_be_had_is_remembered() {
    let mut facts = changing(Local::default());
    facts.known.was_unheard = true;
    let facts = Facts::Change(Box::new(facts));
    let mut state = State::default();
    for _ in 0..2 {
        assert!(state.is_heard());
        let (Memory::Save(next) | Memory::Note(next)) = outcome(&facts, &state, &defaults()).memory else {
            panic!("it is remembered")
        };
        state = next;
    }
    assert!(!state.is_heard());
}

#[test]
fn everything_else() {
    let settings = defaults();
    let decided = |facts: &Facts| outcome(facts, &State::default(), &settings);
    assert_eq!(decided(&Facts::SessionEnd).memory, Memory::Drop);
    let start = Facts::Start { text: "how".into(), notice: None };
    assert_eq!(decided(&start).verdict, Verdict::Advise { text: "how".into() });
    let recorded = Recorded {
        names: vec!["a.py".into()],
        form: Form { changes: "c".into(), ..Form::default() },
        at: NOON,
        ..Recorded::default()
    };
    let declared = Facts::Declared(DeclaredFacts { recorded: vec![recorded], unheard: None });
    let outcome = decided(&declared);
    assert_eq!(outcome.verdict, Verdict::Pass);
    assert!(matches!(outcome.memory, Memory::Note(state) if state != State::default()));
    let unheard = Facts::Declared(DeclaredFacts { recorded: vec![], unheard: Some("why".into()) });
    assert_eq!(decided(&unheard).verdict, Verdict::Advise { text: "why".into() });
}
