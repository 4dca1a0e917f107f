//! `req log`: the journal of a real day, its times, and the same as a typed prompt.

use super::desk::{Desk, TEAM, json_of, yes};
use serde_json::json;
use std::fs;

#[test]
fn one_line_says_when_which_who_what_why() {
    let desk = Desk::new(TEAM);
    let line = json!({
        "at": "2026-11-21T07:46:38.681Z", "hook": "requirements-check", "event": "PreToolUse", "tool": "Edit", "what": "deny",
        "rule": "requirements.plan", "text": "requirements-check: Edit needs a plan.\nsecond line",
        "model": "a-model", "took_ms": 1234, "cost_micro_usd": 5600,
    });
    fs::write(desk.state("journal.jsonl"), format!("{line}\n")).unwrap();
    // A time zone that needs no file of the machine's.
    let text = yes(desk.script(&["log"]).env("TZ", "XYZ-5:30"));
    let id = json_of(desk.script(&["log", "--json"]))["entries"][0]["id"].as_str().unwrap()[..8].to_owned();
    let expected = format!(
        "2026-11-21 13:16:38  {id}  requirements-check  denied Edit  requirements.plan  Edit needs a plan.  a-model, took 1.2 s, \
         0.0056 USD"
    );
    assert_eq!(text, expected);
    let answer = desk.ask(&desk.session.user_prompt_submit("req log --blocks")).unwrap();
    assert!(answer["reason"].as_str().unwrap().contains("Edit needs a plan"), "{answer}");
}

#[test]
fn actions_of_hooks_and_user_are_recorded_with_their_project() {
    let desk = Desk::new(TEAM);
    let here = desk.sandbox.project().canonicalize().unwrap().display().to_string();
    desk.starts(&desk.session);
    for words in ["config set rate-awareness.repeat 9 --local", "config set rate-awareness.repeat 9 --global"]
    {
        desk.user(words);
    }
    desk.user("pause 10m");
    desk.user("resume");
    let json = json_of(desk.script(&["log", "--json"]));
    let entries = json["entries"].as_array().unwrap().iter();
    let projects: Vec<_> = entries
        .map(|entry| (entry["what"].as_str().unwrap(), entry["project"].as_str().unwrap_or("-")))
        .collect();
    let expected =
        [("tell", here.as_str()), ("config", &here), ("config", "-"), ("pause", "-"), ("resume", "-")];
    assert_eq!(projects, expected);
}
