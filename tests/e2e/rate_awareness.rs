//! rate-awareness under the real client: who is told of a burst, and that the calls go on.

use crate::registered::{journal, newest_result, ran, sandbox, touch};
use serde_json::{Value, json};
use std::fs;
use tests::binaries;
use tests::client::{CLIENT_VERSION, Client};
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::sandbox::{Level, Sandbox};
use tests::settings::{Hook, Settings};

/// Two calls, and no token comes back.
const SMALL: &str = "rate-awareness: {global_default: {capacity: 2, refill_per_sec: 0}}\n";

fn calls(count: usize) -> Script {
    (1..=count).fold(Script::new(), |script, call| script.reply(touch(&format!("call-{call}")))).reply("end")
}

/// The real hook, what it prints kept in a file as well: headless, the client shows a notice to nobody.
fn with_a_copy(requirements: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let copy = sandbox.temporary_dir().join("answers.jsonl");
    let line =
        format!("'{}' | tee -a '{}'", binaries::for_client("rate-awareness").display(), copy.display());
    let settings = Settings::new().hook("PreToolUse", &Hook::shell(&line));
    sandbox.settings(Level::User, &settings.json());
    sandbox.requirements(Level::User, requirements);
    sandbox
}

fn answers(sandbox: &Sandbox) -> Vec<Value> {
    let text = fs::read_to_string(sandbox.temporary_dir().join("answers.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_burst_past_the_bucket_is_told_on_the_wire_and_changes_nothing_for_a_script() {
    let sandbox = with_a_copy(SMALL);
    let api = MessagesApi::start(calls(5));

    let run = Client::new(&sandbox, &api).ask("do it");

    assert_eq!(run.text(), "end");
    assert_eq!(ran(&sandbox).len(), 5, "the calls go on");
    let answers = answers(&sandbox);
    // Refused calls 1 and 2 of the spell, which are the third and the fourth; the fifth is the third refused one.
    assert_eq!(answers.len(), 2, "{answers:?}");
    for answer in &answers {
        assert_eq!(answer.as_object().unwrap().keys().collect::<Vec<_>>(), ["systemMessage"], "{answer}");
    }
    let text = answers[0]["systemMessage"].as_str().unwrap();
    assert!(text.starts_with("rate-awareness") && text.contains("3 calls in the last minute"), "{text}");
    assert!(!api.main_requests().last().unwrap().shows("rate-awareness"), "the model is not told");
}

#[test]
fn in_the_terminal_the_user_reads_it_and_the_model_does_not() {
    let sandbox = sandbox(&["rate-awareness"], SMALL);
    let api = MessagesApi::start(calls(3));

    let mut terminal = Client::new(&sandbox, &api).terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    terminal.enter("do it");
    terminal.wait_for("3 calls in the last minute");
    terminal.wait_for("end");
    assert!(terminal.quit().success());

    assert_eq!(ran(&sandbox).len(), 3);
    assert!(!api.main_requests().last().unwrap().shows("rate-awareness"));
}

#[test]
fn told_to_the_model_it_reaches_the_model() {
    let sandbox = sandbox(
        &["rate-awareness"],
        "rate-awareness: {headless: true, audience: model, global_default: {capacity: 1, refill_per_sec: 0}}\n",
    );
    let api = MessagesApi::start(calls(2));

    assert_eq!(Client::new(&sandbox, &api).ask("do it").text(), "end");

    let requests = api.main_requests();
    assert!(!requests[1].shows("rate-awareness") && requests[2].shows("2 calls in the last minute"));
    assert_eq!(ran(&sandbox).len(), 2);
}

#[test]
fn where_it_refuses_the_call_does_not_run_and_the_model_reads_why() {
    let sandbox = sandbox(
        &["rate-awareness"],
        "rate-awareness: {mode: deny, global_default: {capacity: 1, refill_per_sec: 0}}\n",
    );
    let api = MessagesApi::start(calls(2));

    assert_eq!(Client::new(&sandbox, &api).ask("do it").text(), "end");

    let refused = newest_result(&api.main_requests()[2]);
    assert!(refused.is_error && refused.text.contains("rate-awareness"), "{refused:?}");
    assert_eq!(ran(&sandbox), ["call-1"]);
}

#[test]
fn a_skill_brings_its_own_bucket_and_each_subagent_has_one() {
    let sandbox = sandbox(
        &["rate-awareness"],
        "rate-awareness: {global_default: {capacity: 2, refill_per_sec: 0}, per_skill: {demo: {capacity: 5}}}\n",
    );
    sandbox.write(
        ".claude/skills/demo/SKILL.md",
        "---\nname: demo\ndescription: a demonstration\n---\nDo the demonstration.\n",
    );
    let work = |name: &str| [touch(&format!("{name}-1")), touch(&format!("{name}-2")), Reply::text("done")];
    let two = Reply::agent("left", "the left task").and_agent("right", "the right task");
    let script = Script::new()
        .reply(two)
        .reply(Reply::tool("Skill", json!({ "skill": "demo" })))
        .reply(touch("skill-1"))
        .reply(touch("skill-2"))
        .reply(touch("skill-3"))
        .reply("end")
        .route("left", work("left"))
        .route("right", work("right"));
    let api = MessagesApi::start(script);

    let run = Client::new(&sandbox, &api).allow(&["Agent", "Bash", "Skill"]).ask("do it");

    assert_eq!(run.text(), "end");
    assert_eq!(ran(&sandbox).len(), 7);
    // Main: both Agent calls and the Skill call pay from the bucket before it, which holds two.
    let told: Vec<String> = journal(&sandbox).lines().map(str::to_owned).collect();
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].contains("rate-awareness"), "{told:#?}");
}
