//! Scripted models: what each says, how often and which one is asked, what is counted, written down and told.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{AskError, Exchange, Failure, Reply, Wire, ask_through};
use crate::model::Tokens;
use crate::tests::{NOON, Scene};
use crate::{Asked, NotAsked, Outcome, Part, Question, ledger, price};
use shared::host::Timestamp;

/// The verdict of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdict {
    passes: bool,
}

/// What a model does, and how long it takes, in milliseconds.
type Turn = (u64, Result<Value, AskError>);

fn passes() -> Value {
    json!({ "passes": true })
}

fn question(fallback: Option<&str>) -> Question<'_> {
    Question {
        purpose: "review",
        model: "claude-haiku-4",
        fallback,
        instructions: "Look.".to_owned(),
        parts: vec![Part { name: "change", text: "+ secret words".to_owned(), max_chars: 100 }],
        verdicts: json!({ "type": "object" }),
    }
}

/// The models that are asked, and what came of it.
fn play(scene: &Scene, fallback: Option<&str>, script: &[Turn]) -> (Vec<String>, Asked<Verdict>) {
    let began = Instant::now();
    let passed = Cell::new(Duration::ZERO);
    let asked = RefCell::new(Vec::new());
    let take = |time: Duration| passed.set(passed.get() + time);
    let send = |exchange: &Exchange<'_>| {
        assert!(exchange.material.contains("+ secret words") && exchange.instructions == "Look.");
        let turn = script.get(asked.borrow().len());
        asked.borrow_mut().push(exchange.model.to_owned());
        let (takes, said) = turn.cloned().unwrap_or((0, Err(AskError::NotStarted)));
        take(Duration::from_millis(takes));
        if began + passed.get() > exchange.deadline {
            return Err(AskError::Late.into());
        }
        said.map(|verdict| Reply { verdict, tokens: Tokens { input: 100, output: 10 }, micro_usd: None })
            .map_err(Failure::from)
    };
    let wire = Wire { send: &send, now: &|| began + passed.get(), pause: &take };
    let outcome = scene.with(|caller| ask_through(&wire, &question(fallback), caller));
    (asked.take(), outcome)
}

fn check(fallback: Option<&str>, script: &[Turn], models: &[&str], outcome: &Outcome<Verdict>) {
    let scene = Scene::new();
    let (asked, came) = play(&scene, fallback, script);
    assert_eq!(
        (asked, &came.outcome),
        (models.iter().map(ToString::to_string).collect(), outcome),
        "{script:?}"
    );
    let tally = ledger::tally(&scene.store, Timestamp::from_secs(NOON)).unwrap();
    assert_eq!(usize::try_from(tally.calls).unwrap(), models.len());
    let judged: Vec<Value> = scene.journal().into_iter().filter(|line| line["what"] == "judge").collect();
    let named: Vec<&str> = judged.iter().map(|line| line["model"].as_str().unwrap()).collect();
    assert_eq!(named, models, "a line for each call");
    let cost: u64 = judged.iter().map(|line| line["cost_micro_usd"].as_u64().unwrap()).sum();
    assert_eq!(cost, tally.micro_usd, "the journal and the ledger agree");
    assert_eq!(came.notice.is_some(), matches!(outcome, Outcome::Failed(_)), "{:?}", came.notice);
}

const FIRST: &str = "claude-haiku-4";
const OTHER: &str = "claude-sonnet-5-5";

#[test]
fn a_verdict_is_a_verdict() {
    check(None, &[(900, Ok(passes()))], &[FIRST], &Outcome::Answered(Verdict { passes: true }));
}

#[test]
fn one_that_is_limited_or_overloaded_gives_way_to_the_other_or_is_asked_again() {
    let answered = Outcome::Answered(Verdict { passes: true });
    for error in [AskError::Limited, AskError::Overloaded] {
        let then_passes = |millis| [(millis, Err(error)), (100, Ok(passes()))];
        check(Some(OTHER), &then_passes(100), &[FIRST, OTHER], &answered);
        check(None, &then_passes(100), &[FIRST, FIRST], &answered);
        check(Some(FIRST), &then_passes(100), &[FIRST, FIRST], &answered);
        // Of 25 seconds a third is left after the pause, or is not.
        check(None, &then_passes(16_266), &[FIRST, FIRST], &answered);
        check(None, &then_passes(16_268), &[FIRST], &Outcome::Failed(error));
        check(Some(OTHER), &then_passes(23_000), &[FIRST, OTHER], &answered);
        check(Some(OTHER), &then_passes(23_001), &[FIRST], &Outcome::Failed(error));
        let twice = [(0, Err(error)), (0, Err(AskError::Overloaded)), (0, Ok(passes()))];
        check(Some(OTHER), &twice, &[FIRST, OTHER], &Outcome::Failed(AskError::Overloaded));
    }
}

#[test]
fn what_cannot_be_reached_or_understood_is_asked_once_more() {
    let answered = Outcome::Answered(Verdict { passes: true });
    let unlike = || Ok(json!({ "passes": "perhaps" }));
    for said in [Err(AskError::Unreachable), Err(AskError::InvalidResponse), unlike()] {
        check(Some(OTHER), &[(0, said.clone()), (0, Ok(passes()))], &[FIRST, FIRST], &answered);
        let late = [(23_001, said.clone()), (0, Ok(passes()))];
        let error = said.clone().err().unwrap_or(AskError::InvalidResponse);
        check(Some(OTHER), &late, &[FIRST], &Outcome::Failed(error));
        let twice = [(0, said.clone()), (0, unlike()), (0, Ok(passes()))];
        check(None, &twice, &[FIRST, FIRST], &Outcome::Failed(AskError::InvalidResponse));
    }
}

#[test]
fn where_asking_again_cannot_help_nobody_does() {
    for error in
        [AskError::Late, AskError::Unauthorized, AskError::Refused, AskError::NoKey, AskError::NotStarted]
    {
        check(Some(OTHER), &[(0, Err(error)), (0, Ok(passes()))], &[FIRST], &Outcome::Failed(error));
    }
    check(Some(OTHER), &[(60_000, Ok(passes()))], &[FIRST], &Outcome::Failed(AskError::Late));
}

#[test]
fn what_was_answered_costs_its_tokens_and_what_may_have_been_answered_its_most() {
    for (said, cost) in [
        (Ok(passes()), Some(150)),
        (Err(AskError::Late), None),
        (Err(AskError::Refused), Some(0)),
        (Err(AskError::Unauthorized), Some(0)),
    ] {
        let scene = Scene::new();
        play(&scene, None, &[(0, said.clone())]);
        let spent = ledger::tally(&scene.store, Timestamp::from_secs(NOON)).unwrap().micro_usd;
        let least = price::at_most(&scene.settings, FIRST, 0);
        assert!(cost.map_or(spent > least, |cost| spent == cost), "{said:?}: {spent}");
    }
}

#[test]
fn what_fails_after_it_has_spent_counts_what_it_says() {
    let tokens = Some(Tokens { input: 100, output: 10 });
    for (error, tokens, micro_usd, cost) in [
        (AskError::Refused, tokens, Some(700), Some(700)),
        (AskError::Unauthorized, None, Some(700), Some(700)),
        (AskError::Refused, tokens, None, Some(150)),
        (AskError::Refused, tokens, Some(0), Some(150)),
        (AskError::Late, tokens, Some(700), Some(700)),
        (AskError::Refused, Some(Tokens::default()), Some(0), Some(0)),
        (AskError::Late, Some(Tokens::default()), Some(0), None),
    ] {
        let scene = Scene::new();
        let send = |_: &Exchange<'_>| Err(Failure { error, tokens, micro_usd });
        let wire = Wire { send: &send, now: &Instant::now, pause: &|_| () };
        let came: Asked<Verdict> = scene.with(|caller| ask_through(&wire, &question(None), caller));
        assert_eq!(came.outcome, Outcome::Failed(error));
        let spent = ledger::tally(&scene.store, Timestamp::from_secs(NOON)).unwrap().micro_usd;
        let least = price::at_most(&scene.settings, FIRST, 0);
        assert!(cost.map_or(spent > least, |cost| spent == cost), "{error:?} {micro_usd:?}: {spent}");
    }
}

#[test]
fn the_limit_holds_for_a_second_try_too() {
    let mut scene = Scene::new();
    scene.settings.max_calls_per_hour = serde_json::from_str("1").unwrap();
    let (asked, came) = play(&scene, Some(OTHER), &[(0, Err(AskError::Limited)), (0, Ok(passes()))]);
    assert_eq!((asked.len(), came.outcome), (1, Outcome::Failed(AskError::Limited)));
    let (asked, came) = play(&scene, Some(OTHER), &[(0, Ok(passes()))]);
    assert_eq!((asked.len(), came.outcome), (0, Outcome::NotAsked(NotAsked::CallsSpent)));
}

#[test]
fn where_nobody_is_asked_the_user_hears_why_once_a_session() {
    let mut scene = Scene::new();
    scene.settings.max_calls_per_hour = serde_json::from_str("0").unwrap();
    let notice = |scene: &Scene| play(scene, None, &[]).1.notice;
    let told = "intent-validator: no model was asked: the limit of 0 questions an hour is reached \
                (judge.max_calls_per_hour in ~/.claude/requirements.yaml); changes go on unreviewed";
    assert_eq!(notice(&scene).as_deref(), Some(told));
    assert_eq!(notice(&scene), None);
    scene.call.session_id = Some("t".to_owned());
    assert_eq!(notice(&scene).as_deref(), Some(told));
    scene.settings.on_judge_failure = serde_json::from_str("\"ask\"").unwrap();
    assert!(notice(&scene).unwrap().ends_with("; you are asked instead"));
    scene.event = "Stop";
    assert!(notice(&scene).unwrap().ends_with("; turns end unjudged"));
    let of_another_cause = play(&Scene::new(), None, &[(0, Err(AskError::Refused))]).1.notice.unwrap();
    assert!(
        of_another_cause.contains("claude-haiku-4 gave no verdict: the request is refused"),
        "{of_another_cause}"
    );
    scene.settings.backend = None;
    assert!(notice(&scene).unwrap().contains("judge.backend"));
}

#[test]
fn of_a_call_that_is_refused_anyway_only_the_journal_speaks() {
    let mut scene = Scene::new();
    scene.is_refused = true;
    let (asked, came) = play(&scene, None, &[(0, Ok(passes()))]);
    let expected = Asked { outcome: Outcome::NotAsked(NotAsked::RefusedElsewhere), notice: None };
    assert_eq!((asked.len(), came), (0, expected));
    let [line] = scene.journal().try_into().unwrap();
    assert_eq!(line["what"], "let-go");
    assert_eq!(line["text"], "review: no model was asked: another hook has blocked it already");
}

#[test]
fn without_state_or_session_nothing_is_told() {
    let mut scene = Scene::new();
    scene.has_state = false;
    let came = play(&scene, None, &[]).1;
    assert_eq!(came, Asked { outcome: Outcome::NotAsked(NotAsked::NoState), notice: None });
    let mut scene = Scene::new();
    scene.call.session_id = None;
    let came = play(&scene, None, &[(0, Err(AskError::Late))]).1;
    assert_eq!(came, Asked { outcome: Outcome::Failed(AskError::Late), notice: None });
}

#[test]
fn the_journal_has_our_words_and_what_it_took_and_nothing_else() {
    let mut scene = Scene::new();
    scene.call.prompt_id = Some("p".to_owned());
    scene.call.agent_id = Some("a".to_owned());
    play(&scene, None, &[(1234, Err(AskError::Overloaded)), (100, Ok(passes()))]);
    let [first, second] = scene.journal().try_into().unwrap();
    for (key, value) in [
        ("hook", json!("intent-validator")),
        ("event", json!("PreToolUse")),
        ("session", json!("s")),
        ("prompt", json!("p")),
        ("agent", json!("a")),
        ("what", json!("judge")),
        ("model", json!(FIRST)),
    ] {
        assert_eq!((&first[key], &second[key]), (&value, &value), "{key}");
    }
    assert_eq!(first["project"], shared::journal::project_name(&scene.project()));
    assert_eq!(
        (&first["text"], &second["text"]),
        (&json!("review: the model is overloaded"), &json!("review: answered"))
    );
    assert_eq!((&first["took_ms"], &second["took_ms"]), (&json!(1234), &json!(100)));
    assert_eq!((&second["input_tokens"], &second["output_tokens"]), (&json!(100), &json!(10)));
    assert_eq!((&first["cost_micro_usd"], &second["cost_micro_usd"]), (&json!(0), &json!(150)));
    assert!(!format!("{first}{second}").contains("secret words"));
}
