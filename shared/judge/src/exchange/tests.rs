//! Scripted models: what each says, how often and which one is asked, what is counted, written down and told.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Conversation, Exchange, PAUSE, Reply, Silence};
use crate::question::Tokens;
use crate::tests::{NOON, Scene};
use crate::{Asked, NoVerdict, Part, Question, budget};
use shared::host::Timestamp;

/// The verdict of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdict {
    passes: bool,
}

/// A model's answer, and its time in milliseconds.
type Turn = (u64, Result<Value, Silence>);

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

/// The models called, and the outcome.
fn play(scene: &Scene, fallback: Option<&str>, script: &[Turn]) -> (Vec<String>, Asked<Verdict>) {
    let began = Instant::now();
    let passed = Cell::new(Duration::ZERO);
    let asked = RefCell::new(Vec::new());
    let take = |time: Duration| passed.set(passed.get() + time);
    let send = |exchange: &Exchange<'_>| {
        assert!(exchange.material.contains("+ secret words") && exchange.instructions == "Look.");
        let turn = script.get(asked.borrow().len());
        asked.borrow_mut().push(exchange.model.to_owned());
        let (takes, said) = turn.cloned().unwrap_or((0, Err(Silence::NotStarted)));
        take(Duration::from_millis(takes));
        if began + passed.get() > exchange.deadline {
            return Err(Silence::Late);
        }
        let tokens = Some(Tokens { input: 100, output: 10 });
        said.map(|verdict| Reply { verdict: Ok(verdict), tokens, micro_usd: None })
    };
    let outcome = ask(scene, fallback, &send, &|| began + passed.get(), &take);
    (asked.take(), outcome)
}

fn ask(
    scene: &Scene,
    fallback: Option<&str>,
    send: &dyn Fn(&Exchange<'_>) -> Result<Reply, Silence>,
    now: &dyn Fn() -> Instant,
    pause: &dyn Fn(Duration),
) -> Asked<Verdict> {
    let question = &question(fallback);
    scene.with(|caller| Conversation { question, caller, send, now, pause }.asked())
}

fn failed(why: Silence) -> Result<Verdict, NoVerdict> {
    Err(why.into())
}

fn check(fallback: Option<&str>, script: &[Turn], models: &[&str], verdict: &Result<Verdict, NoVerdict>) {
    let scene = Scene::new();
    let (asked, came) = play(&scene, fallback, script);
    assert_eq!(
        (&asked[..], &came.verdict),
        (&models.iter().map(ToString::to_string).collect::<Vec<_>>()[..], verdict),
        "{script:?}"
    );
    let tally = budget::tally(&scene.store, Timestamp::from_secs(NOON)).unwrap();
    assert_eq!(usize::try_from(tally.calls).unwrap(), models.len());
    let judged: Vec<Value> = scene.journal().into_iter().filter(|line| line["what"] == "judge").collect();
    let named: Vec<&str> = judged.iter().map(|line| line["model"].as_str().unwrap()).collect();
    assert_eq!(named, models, "a line for each call");
    let cost: u64 = judged.iter().map(|line| line["cost_micro_usd"].as_u64().unwrap()).sum();
    assert_eq!(cost, tally.micro_usd, "the journal and the ledger agree");
    assert_eq!(came.notice.is_some(), verdict.is_err(), "{:?}", came.notice);
}

const FIRST: &str = "claude-haiku-4";
const OTHER: &str = "claude-sonnet-5-5";

#[test]
fn asks_once_more_where_that_may_help_and_time_is_left() {
    let answered = Ok(Verdict { passes: true });
    check(None, &[(900, Ok(passes()))], &[FIRST], &answered);
    let unlike = || Ok(json!({ "passes": "perhaps" }));
    let pause = u64::try_from(PAUSE.as_millis()).unwrap();
    for (said, other) in [
        (Err(Silence::Limited), OTHER),
        (Err(Silence::Overloaded), OTHER),
        (Err(Silence::Unreachable), FIRST),
        (Err(Silence::InvalidResponse), FIRST),
        (unlike(), FIRST),
    ] {
        let error = said.clone().err().unwrap_or(Silence::InvalidResponse);
        let then_passes = |millis| [(millis, said.clone()), (100, Ok(passes()))];
        check(Some(OTHER), &then_passes(100), &[FIRST, other], &answered);
        check(None, &then_passes(100), &[FIRST, FIRST], &answered);
        // Of 25 seconds two are left, or not.
        check(None, &then_passes(23_000 - pause), &[FIRST, FIRST], &answered);
        check(None, &then_passes(23_001 - pause), &[FIRST], &failed(error));
        let twice = [(0, said.clone()), (0, unlike()), (0, Ok(passes()))];
        check(Some(OTHER), &twice, &[FIRST, other], &failed(Silence::InvalidResponse));
    }
    for error in [Silence::Late, Silence::Unauthorized, Silence::Refused] {
        check(Some(OTHER), &[(0, Err(error)), (0, Ok(passes()))], &[FIRST], &failed(error));
    }
    check(Some(OTHER), &[(60_000, Ok(passes()))], &[FIRST], &failed(Silence::Late));
}

#[test]
fn counts_what_the_backend_reports_and_else_the_most() {
    let tokens = Some(Tokens { input: 100, output: 10 });
    for (verdict, tokens, micro_usd, cost) in [
        (Ok(passes()), tokens, None, Some(150)),
        (Ok(passes()), None, None, None),
        (Err(Silence::Late), None, None, None),
        (Err(Silence::Refused), None, None, Some(0)),
        (Err(Silence::Refused), tokens, Some(0), Some(150)),
        (Err(Silence::Late), tokens, Some(700), Some(700)),
        (Err(Silence::Late), Some(Tokens::default()), Some(0), None),
    ] {
        let scene = Scene::new();
        let send = |_: &Exchange<'_>| Ok(Reply { verdict: verdict.clone(), tokens, micro_usd });
        ask(&scene, None, &send, &Instant::now, &|_| ());
        let spent = budget::tally(&scene.store, Timestamp::from_secs(NOON)).unwrap().micro_usd;
        let least = budget::at_most(&scene.settings, FIRST, 0);
        assert!(cost.map_or(spent > least, |cost| spent == cost), "{verdict:?} {micro_usd:?}: {spent}");
    }
}

#[test]
fn where_nobody_is_asked_the_user_hears_why_once_a_session() {
    let mut scene = Scene::new();
    let (_, came) = play(&scene, None, &[(0, Err(Silence::NoKey))]);
    assert_eq!(came.verdict, failed(Silence::NoKey));
    assert!(came.notice.unwrap().contains("no model was asked: there is no ANTHROPIC_API_KEY"));
    assert_eq!(budget::tally(&scene.store, Timestamp::from_secs(NOON)).unwrap().calls, 0);
    scene.settings.max_calls_per_hour = serde_json::from_str("0").unwrap();
    let notice = |scene: &Scene| play(scene, None, &[]).1.notice;
    let told = "intent-validator: no model was asked: the limit of questions an hour is reached \
                (judge.max_calls_per_hour in ~/.claude/requirements.yaml); changes go on unreviewed";
    assert_eq!(notice(&scene).as_deref(), Some(told));
    assert_eq!(notice(&scene), None);
    scene.call.session_id = Some("t".to_owned());
    assert_eq!(notice(&scene).as_deref(), Some(told));
    scene.settings.on_judge_failure = serde_json::from_str("\"ask\"").unwrap();
    assert!(notice(&scene).unwrap().ends_with("; you are asked instead"));
    scene.event = "Stop";
    assert!(notice(&scene).unwrap().ends_with("; turns end unjudged"));
    scene.is_refused = true;
    let (asked, came) = play(&scene, None, &[(0, Ok(passes()))]);
    assert_eq!((asked.len(), came), (0, Asked { verdict: Err(NoVerdict::BlockedElsewhere), notice: None }));
    assert_eq!(scene.journal().pop().unwrap()["what"], "let-go");
}

#[test]
fn the_journal_has_our_words_and_what_it_took_and_nothing_else() {
    let mut scene = Scene::new();
    scene.call.prompt_id = Some("p".to_owned());
    play(&scene, None, &[(1234, Err(Silence::Overloaded)), (100, Ok(passes()))]);
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
