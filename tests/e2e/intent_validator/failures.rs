//! A judge that gives no verdict holds nothing up: the change is made within the deadline, and the user hears of it once.

use super::{DECLARED, FILE, NEW, OLD, PROMPT, assert_changed, project_with, read, saying};
use crate::judging::{ask, hanging, questions};
use crate::requirements_check::{HOOKS, content};
use serde_json::json;
use std::fs;
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

#[test]
fn one_that_hangs_is_left_at_the_deadline() {
    check("hanging", 1, Case { judge: hanging(), requests: 2, why: "the model did not answer in time" });
}

#[test]
fn where_the_first_model_is_overloaded_the_other_ones_verdict_counts() {
    let sandbox = project_with("deadline_secs: 5", "");
    let finding = json!({ "rule": "missing", "line": 0, "why": "It is half of it.", "fix": "Do all of it." });
    let blocked = Reply::json(&json!({ "verdict": "BLOCKED", "findings": [finding] }));
    let overloaded = Reply::error(529, "overloaded_error", "scripted");
    let script = super::script(&sandbox, &[super::Says(DECLARED)]);

    let asked = ask(&sandbox, PROMPT, script.judge(overloaded).judge(blocked));

    assert_eq!(super::outcomes(&asked), ["refused"]);
    let models: Vec<_> = asked.judged().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(models, ["claude-sonnet-5-5", "claude-haiku-5-5"]);
    assert_eq!(asked.told(&sandbox, "intent-validator"), 0);
}

#[test]
fn without_the_courier_nobody_is_asked_and_the_change_is_made() {
    let sandbox = project_with("", "");
    fs::remove_file(sandbox.root().join(HOOKS).join("courier")).unwrap();
    let asked = ask(&sandbox, PROMPT, super::script(&sandbox, &[super::Says(DECLARED)]));
    assert_changed("without", &sandbox);
    assert!(asked.judged().is_empty());
    assert_eq!(asked.told(&sandbox, "the program that asks cannot be started"), 1);
}
