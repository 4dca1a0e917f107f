//! Calls an hour and money a day hold over all sessions together, however many ask at once, and whoever is killed when.

use std::time::{Duration, Instant};

use serde_json::Value;
use tests::process::Running;

use crate::judge_api;
use crate::judged::{HOOKS, Judged, PATIENT, approves, assert_goes_on, told};

/// Sessions that ask at once.
const SESSIONS: usize = 20;

const CALLS_SPENT: &str = "questions an hour is reached";

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

#[test]
fn never_more_calls_in_an_hour_than_set_and_each_session_is_told_once() {
    for hook in HOOKS {
        let judged = Judged::new(hook, "", &format!("max_calls_per_hour: 7, {PATIENT}"), [approves()]);
        let rounds: Vec<_> = (0..3).map(|number| round(&judged, number)).collect();
        assert_eq!(judged.api.requests().len(), 7, "{hook}: {}", judged.journal());
        for session in 0..SESSIONS {
            let answers: Vec<_> = rounds.iter().map(|answers| answers[session].clone()).collect();
            assert_eq!(told(&answers, CALLS_SPENT), 1, "{hook}: {}", judged.journal());
        }
        assert_eq!(judged.texts("judge").len(), 7, "{hook}: every call is in the journal, and no other");
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
