//! A judge that gives no verdict holds nothing up: the change is made within the deadline, and the user hears of it once.

use super::{DECLARED, FILE, NEW, OLD, PROMPT, project_with, read, saying};
use crate::judging::{ask, questions};
use crate::requirements_check::content;
use serde_json::json;
use std::time::{Duration, Instant};
use tests::messages_api::{Reply, Script};
use tests::sandbox::Sandbox;

/// A client takes so long beside the deadlines, on a machine busy with something else.
const BESIDE: Duration = Duration::from_secs(15);

/// The edit and another one that takes it back, both declared.
fn two_edits(sandbox: &Sandbox) -> Script {
    let path = sandbox.project().join(FILE);
    let back = json!({ "file_path": path, "old_string": NEW, "new_string": OLD });
    let words = "FILE: src/app.py\nCHANGES: say hello again\nGOAL: as it was\nTEST: tests/test_app.py";
    Script::new()
        .reply(read(sandbox))
        .reply(saying(DECLARED).and_tool("Edit", super::edit(sandbox)))
        .reply(saying(words).and_tool("Edit", back))
        .reply("end")
}

struct Case {
    judge: Reply,
    /// Requests for both edits together.
    requests: usize,
    /// As the journal and the user are told.
    why: &'static str,
}

#[track_caller]
fn check(what: &str, deadline_secs: u32, case: Case) {
    let sandbox = project_with(&format!("deadline_secs: {deadline_secs}"), "");
    let began = Instant::now();
    let asked = ask(&sandbox, PROMPT, two_edits(&sandbox).judge(case.judge));
    let took = began.elapsed();

    assert_eq!(asked.run.text(), "end", "{what}");
    assert_eq!(super::outcomes(&asked), ["ran", "ran"], "{what}: {:#?}", asked.last().tool_results());
    assert_eq!(content(&sandbox, FILE), OLD, "{what}: changed and changed back");
    assert!(took < Duration::from_secs(2 * u64::from(deadline_secs)) + BESIDE, "{what}: {took:?}");
    assert_eq!(asked.judged().len(), case.requests, "{what}");
    let questions = questions(&sandbox);
    assert!(questions.iter().all(|text| *text == format!("review: {}", case.why)), "{what}: {questions:?}");
    assert_eq!(questions.len(), case.requests, "{what}");
    let told = format!("gave no verdict: {}; changes go on unreviewed", case.why);
    assert_eq!(asked.told(&sandbox, &told), 1, "{what}");
    assert_eq!(asked.told(&sandbox, "intent-validator"), 1, "{what}");
    assert!(!asked.last().shows("verdict"), "{what}: nothing for the model");
}

#[test]
fn whatever_is_wrong_with_it_the_change_is_made_and_the_user_hears_of_it_once() {
    let error = |status, kind| Reply::error(status, kind, "scripted");
    for (what, judge, requests, why) in [
        ("400", error(400, "invalid_request_error"), 2, "the request is refused; is the model's name right?"),
        ("401", error(401, "authentication_error"), 2, "the key or the login is refused"),
        // Each time the other model is asked as well.
        ("429", error(429, "rate_limit_error"), 4, "the model is limited for now"),
        ("529", error(529, "overloaded_error"), 4, "the model is overloaded"),
        ("nonsense", Reply::text("Looks good to me."), 4, "the model's answer is no verdict"),
        (
            "no verdict of ours",
            Reply::json(&json!({ "verdict": "MAYBE" })),
            4,
            "the model's answer is no verdict",
        ),
    ] {
        check(what, 5, Case { judge, requests, why });
    }
}
