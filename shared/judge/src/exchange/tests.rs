//! Scripted models: what each says, how often and which one is asked, what is counted, written down and told.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Conversation, Exchange, PAUSE, Reply, Silence};
use crate::budget::{self, Tally};
use crate::question::Tokens;
use crate::tests::{Scene, settings};
use crate::{Asked, NoVerdict, Part, Question};

const FIRST: &str = "claude-haiku-4";
const OTHER: &str = "claude-sonnet-5-5";

/// A model's time in milliseconds, and its answer.
type Turn = (u64, Result<Reply, Silence>);

const TOKENS: Option<Tokens> = Some(Tokens { input: 100, output: 10 });

fn says(verdict: impl Into<Value>) -> Reply {
    Reply { verdict: Ok(verdict.into()), tokens: TOKENS, micro_usd: None }
}

/// The models called, and the outcome.
fn play(scene: &Scene, fallback: Option<&str>, script: &[Turn]) -> (Vec<String>, Asked<bool>) {
    let question = &Question {
        purpose: "review",
        model: FIRST,
        fallback,
        instructions: "Look.".to_owned(),
        parts: vec![Part { name: "change", text: "+ secret words".to_owned(), max_chars: 100 }],
        verdicts: json!({ "type": "object" }),
    };
    let began = Instant::now();
    let passed = Cell::new(Duration::ZERO);
    let asked = RefCell::new(Vec::new());
    let pause = &|time| passed.set(passed.get() + time);
    let send = &|exchange: &Exchange<'_>| {
        assert!(exchange.material.contains("+ secret words") && exchange.instructions == "Look.");
        assert_eq!(exchange.deadline, began + Duration::from_secs(25));
        let (takes, said) = script[asked.borrow().len()].clone();
        asked.borrow_mut().push(exchange.model.to_owned());
        pause(Duration::from_millis(takes));
        said
    };
    let now = &|| began + passed.get();
    let outcome = scene.with(|caller| Conversation { question, caller, send, now, pause }.asked());
    (asked.take(), outcome)
}

fn tally(scene: &Scene) -> Tally {
    budget::tally(&scene.store, scene.host.now()).unwrap()
}

/// Each call is counted once and has a line of its own. `why`: there is no verdict.
fn check(fallback: Option<&str>, script: &[Turn], models: &[&str], why: Option<Silence>) {
    let scene = Scene::new();
    let (asked, came) = play(&scene, fallback, script);
    assert_eq!(asked, models, "{script:?}");
    let verdict = why.map_or(Ok(true), |why| Err(why.into()));
    assert_eq!(came.verdict, verdict, "{script:?}");
    assert_eq!(came.notice.is_some(), why.is_some(), "{:?}", came.notice);
    let judged: Vec<Value> = scene.journal().into_iter().filter(|line| line["what"] == "judge").collect();
    let named: Vec<&str> = judged.iter().map(|line| line["model"].as_str().unwrap()).collect();
    assert_eq!(named, models);
    let micro_usd = judged.iter().map(|line| line["cost_micro_usd"].as_u64().unwrap()).sum();
    assert_eq!(tally(&scene), Tally { calls: u32::try_from(models.len()).unwrap(), micro_usd });
}

#[test]
fn asks_once_more_where_that_may_help_and_time_is_left() {
    check(None, &[(900, Ok(says(true)))], &[FIRST], None);
    let unlike = || Ok(says("perhaps"));
    let pause = u64::try_from(PAUSE.as_millis()).unwrap();
    for (said, other) in [
        (Err(Silence::Limited), OTHER),
        (Err(Silence::Overloaded), OTHER),
        (Err(Silence::Unreachable), FIRST),
        (Err(Silence::InvalidResponse), FIRST),
        (unlike(), FIRST),
    ] {
        let error = said.clone().err().unwrap_or(Silence::InvalidResponse);
        let then_passes = |millis| [(millis, said.clone()), (100, Ok(says(true)))];
        check(Some(OTHER), &then_passes(100), &[FIRST, other], None);
        // Two of 25 seconds are left, or not.
        check(None, &then_passes(23_000 - pause), &[FIRST, FIRST], None);
        check(None, &then_passes(23_001 - pause), &[FIRST], Some(error));
        let twice = [(0, said.clone()), (0, unlike())];
        check(Some(OTHER), &twice, &[FIRST, other], Some(Silence::InvalidResponse));
    }
    for error in [Silence::Late, Silence::Unauthorized, Silence::Refused] {
        check(Some(OTHER), &[(0, Err(error))], &[FIRST], Some(error));
    }
}

#[test]
fn counts_what_the_backend_reports_and_else_the_most() {
    for (verdict, tokens, micro_usd, cost) in [
        (says(true).verdict, TOKENS, None, Some(150)),
        (says(true).verdict, None, None, None),
        (Err(Silence::Late), None, None, None),
        (Err(Silence::Refused), None, None, Some(0)),
        (Err(Silence::Refused), TOKENS, Some(0), Some(150)),
        (Err(Silence::Late), TOKENS, Some(700), Some(700)),
        (Err(Silence::Late), Some(Tokens::default()), Some(0), None),
    ] {
        let scene = Scene::new();
        let reply = Reply { verdict, tokens, micro_usd };
        play(&scene, None, &[(0, Ok(reply.clone()))]);
        let spent = tally(&scene).micro_usd;
        let least = budget::at_most(&scene.settings, FIRST, 0);
        assert!(cost.map_or(spent > least, |cost| spent == cost), "{reply:?}: {spent}");
    }
}

#[test]
fn judge_that_is_not_asked_gives_its_reason_once_a_session() {
    let mut scene = Scene::new();
    let (_, came) = play(&scene, None, &[(0, Err(Silence::NoKey))]);
    assert_eq!(came.verdict, Err(Silence::NoKey.into()));
    assert!(came.notice.unwrap().contains("no model was asked: there is no ANTHROPIC_API_KEY"));
    assert_eq!(tally(&scene).calls, 0);
    scene.settings = settings(&json!({ "max_calls_per_hour": 0 }));
    let notice = |scene: &Scene| play(scene, None, &[]).1.notice;
    let told = "intent-validator: no model was asked: the limit of questions an hour is reached \
                (judge.max_calls_per_hour in ~/.claude/requirements.yaml); changes go on unreviewed";
    assert_eq!(notice(&scene).as_deref(), Some(told));
    assert_eq!(notice(&scene), None);
    scene.call.session_id = Some("t".to_owned());
    assert_eq!(notice(&scene).as_deref(), Some(told));
    scene.settings = settings(&json!({ "max_calls_per_hour": 0, "on_judge_failure": "ask" }));
    assert!(notice(&scene).unwrap().ends_with("; you are asked instead"));
    scene.event = "Stop";
    assert!(notice(&scene).unwrap().ends_with("; turns end unjudged"));
    scene.is_refused = true;
    let (_, came) = play(&scene, None, &[]);
    assert_eq!(came, Asked { verdict: Err(NoVerdict::BlockedElsewhere), notice: None });
    assert_eq!(scene.journal().pop().unwrap()["what"], "let-go");
}

#[test]
fn the_journal_has_our_words_and_what_it_took_and_nothing_else() {
    let mut scene = Scene::new();
    scene.call.prompt_id = Some("p".to_owned());
    play(&scene, None, &[(1234, Err(Silence::Overloaded)), (100, Ok(says(true)))]);
    let [first, second] = scene.journal().try_into().unwrap();
    for (line, text, took, cost) in [
        (&first, "review: the model is overloaded, or its server fails", 1234, 0),
        (&second, "review: answered", 100, 150),
    ] {
        let who = ["hook", "event", "session", "prompt", "what", "model", "text"].map(|key| &line[key]);
        assert_eq!(who, ["intent-validator", "PreToolUse", "s", "p", "judge", FIRST, text]);
        assert_eq!((&line["took_ms"], &line["cost_micro_usd"]), (&json!(took), &json!(cost)));
    }
    assert_eq!((&second["input_tokens"], &second["output_tokens"]), (&json!(100), &json!(10)));
    assert!(!format!("{first}{second}").contains("secret words"));
}
