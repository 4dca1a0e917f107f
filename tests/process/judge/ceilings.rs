//! Calls an hour and money a day hold over all sessions together, however many ask at once, and whoever is killed when.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::process::Running;
use tests::stand_in::{Answer, StandIn};

use crate::endpoint::Manner;
use crate::judge_api;
use crate::judged::{HOOKS, Judged, PATIENT, approval, approves, assert_goes_on, global, told};

/// Sessions that ask at once.
const SESSIONS: usize = 20;

const CALLS_SPENT: &str = "questions an hour is reached";
const MONEY_SPENT: &str = "US dollars a day is reached";

/// Every session asks at once, about something new.
#[track_caller]
fn round(judged: &Judged, number: usize) -> Vec<Option<Value>> {
    let questions: Vec<_> = (0..SESSIONS)
        .map(|session| judged.question_of(&judged.another(session), number * SESSIONS + session))
        .collect();
    let answers = judged.ask_at_once(&questions);
    for answer in &answers {
        assert_goes_on(answer.as_ref());
    }
    answers
}

/// So often each session was told this, in all rounds together.
fn told_by_session(rounds: &[Vec<Option<Value>>], cause: &str) -> Vec<usize> {
    let of_session = |session: usize| {
        let answers: Vec<_> = rounds.iter().map(|answers| answers[session].clone()).collect();
        told(&answers, cause)
    };
    (0..SESSIONS).map(of_session).collect()
}

#[test]
fn never_more_calls_in_an_hour_than_set_and_each_session_is_told_once() {
    for hook in HOOKS {
        let judged = Judged::new(hook, "", &format!("max_calls_per_hour: 7, {PATIENT}"), [approves()]);
        let rounds: Vec<_> = (0..3).map(|number| round(&judged, number)).collect();
        assert_eq!(judged.api.requests().len(), 7, "{hook}: {}", judged.journal());
        assert_eq!(told_by_session(&rounds, CALLS_SPENT), [1; SESSIONS], "{hook}: {}", judged.journal());
        assert_eq!(judged.texts("judge").len(), 7, "{hook}: every call is in the journal, and no other");
    }
}

#[test]
fn where_no_call_is_set_none_is_made() {
    for hook in HOOKS {
        for ceiling in ["max_calls_per_hour: 0", "max_cost_usd_per_day: 0"] {
            let judged = Judged::new(hook, "", ceiling, [approves()]);
            assert_goes_on(judged.ask(&judged.question(1)).as_ref());
            assert!(judged.api.requests().is_empty(), "{hook} {ceiling}");
        }
    }
}

/// What a message costs that has used up what it was given.
const DEAR_MICRO_USD: u64 = 2_000 * 10 + 1_500 * 50;

/// A verdict for so many tokens.
fn dear() -> Manner {
    let message = json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": "dear",
        "content": [{ "type": "text", "text": approval().to_string() }],
        "stop_reason": "end_turn", "stop_sequence": null,
        "usage": { "input_tokens": 200, "cache_creation_input_tokens": 1_500, "cache_read_input_tokens": 300, "output_tokens": 1_500 },
    });
    Manner::answers(200, &["Content-Type: application/json"], &message.to_string())
}

/// The model that costs so much, for both hooks.
fn dear_model(hook: &str) -> &'static str {
    if hook == "tempo-stop" { "model: dear-1" } else { "stage2_model: dear-1" }
}

const DEAR_PRICES: &str = "prices: { dear: { input: 10, output: 50 }, claude: { input: 0, output: 0 } }";

#[test]
fn never_more_money_in_a_day_than_set_and_each_session_is_told_once() {
    for hook in HOOKS {
        let judge = format!("max_cost_usd_per_day: 1.00, {PATIENT}, {DEAR_PRICES}");
        let judged = Judged::new(hook, dear_model(hook), &judge, [dear()]);
        let mut rounds = Vec::new();
        // Until nobody is asked any more, and once more, so that everybody has been told.
        while rounds.len() < 10 {
            let before = judged.api.requests().len();
            rounds.push(round(&judged, rounds.len()));
            let asked = judged.api.requests().len();
            let spent = u64::try_from(asked).unwrap() * DEAR_MICRO_USD;
            assert!(spent <= 1_000_000, "{hook}: {asked} questions cost {spent} millionths");
            if asked == before {
                break;
            }
        }
        // What is left of a dollar is less than what one may cost at most.
        assert!(judged.api.requests().len() >= 7, "{hook}: {}", judged.api.requests().len());
        assert_eq!(told_by_session(&rounds, MONEY_SPENT), [1; SESSIONS], "{hook}: {}", judged.journal());
    }
}

#[test]
fn a_model_nobody_has_a_price_for_counts_as_the_dearest() {
    for hook in HOOKS {
        let model = dear_model(hook).replace("dear-1", "somebody/else");
        let judge = format!("max_cost_usd_per_day: 0.60, {PATIENT}");
        let judged = Judged::new(hook, &model, &judge, [dear()]);
        for number in 0..8 {
            assert_goes_on(judged.ask(&judged.question(number)).as_ref());
        }
        // 2,000 tokens at 15 and 1,500 at 75 dollars a million.
        let asked = judged.api.requests().len();
        assert!((1..=4).contains(&asked), "{hook}: {asked} times 0.1425 dollars\n{}", judged.journal());
    }
}

#[test]
fn a_second_try_counts_too() {
    for hook in HOOKS {
        let judge = format!("max_calls_per_hour: 1, {PATIENT}");
        let judged = Judged::new(hook, "", &judge, [judge_api::refuses(529, &[]), approves()]);
        assert_goes_on(judged.ask(&judged.question(1)).as_ref());
        assert_eq!(judged.api.requests().len(), 1, "{hook}");
    }
}

#[test]
fn what_is_killed_while_it_asks_stays_counted() {
    for hook in HOOKS {
        let judge = format!("max_calls_per_hour: 3, {PATIENT}");
        let judged = Judged::new(hook, "", &judge, [judge_api::hangs()]);
        let mut copies: Vec<Running> = (0..3)
            .map(|number| {
                let question = judged.question_of(&judged.another(number), number);
                judged.hook().stdin(question.to_bytes()).start()
            })
            .collect();
        let until = Instant::now() + Duration::from_secs(30);
        while judged.api.requests().len() < 3 {
            assert!(Instant::now() < until, "{hook}: {}", judged.journal());
            std::thread::yield_now();
        }
        copies.iter_mut().for_each(Running::kill);
        let answer = judged.ask(&judged.question(9));
        assert_eq!(told(&[answer], CALLS_SPENT), 1, "{hook}: {}", judged.journal());
        assert_eq!(judged.api.requests().len(), 3, "{hook}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_no_new_beginning() {
    for hook in HOOKS {
        let judged = Judged::new(hook, "", PATIENT, [approves()]);
        std::fs::write(judged.state("judge.json"), "{ half").unwrap();
        let answers = [judged.ask(&judged.question(1)), judged.ask(&judged.question(2))];
        assert_eq!(told(&answers, "cannot be counted"), 1, "{hook}: {answers:?}");
        assert!(judged.api.requests().is_empty(), "{hook}");
    }
}

#[cfg(unix)]
#[test]
fn the_users_own_claude_is_started_no_more_often_than_set() {
    for hook in HOOKS {
        let judged = Judged::new(hook, "", "", [approves()]);
        let stand_in = StandIn::new(&judged.sandbox, &[Answer::verdict(&approval(), 0.01)]);
        let program = stand_in.program();
        let judge = format!(
            "backend: claude_cli, claude_program: {}, max_calls_per_hour: 4, {PATIENT}",
            program.display()
        );
        judged.sandbox.requirements(tests::sandbox::Level::User, &global(hook, "", &judge));
        let rounds: Vec<_> = (0..2).map(|number| round(&judged, number)).collect();
        assert_eq!(stand_in.asked().len(), 4, "{hook}: {}", judged.journal());
        assert_eq!(told_by_session(&rounds, CALLS_SPENT), [1; SESSIONS], "{hook}");
        assert!(judged.api.requests().is_empty(), "{hook}");
    }
}
