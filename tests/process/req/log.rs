//! `req log`: which lines of the journal are shown, and how; and a day of all hooks, counted by hand.

use super::desk::{Desk, TEAM, json_of, yes};
use serde_json::{Value, json};
use shared::host::Timestamp;
use std::fs;
use std::time::{Duration, SystemTime};

/// A line of the journal, so many seconds old.
fn line(age_secs: u64, what: &str, more: &Value) -> String {
    let at = Timestamp::from(SystemTime::now() - Duration::from_secs(age_secs)).rfc3339();
    let mut line = json!({ "at": at, "hook": "stop-momentum", "event": "Stop", "what": what });
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("{line}\n")
}

fn desk_with(lines: &[String]) -> Desk {
    let desk = Desk::new(TEAM);
    fs::write(desk.state("journal.jsonl"), lines.concat()).unwrap();
    desk
}

#[test]
fn one_line_says_when_which_who_what_why() {
    let more = json!({
        "at": "2026-11-21T07:46:38.681Z", "hook": "requirements-check", "event": "PreToolUse", "tool": "Edit",
        "rule": "requirements.plan", "text": "requirements-check: Edit needs what is not met.\nsecond line",
    });
    let spent = json!({ "what": "judge", "model": "a-model", "took_ms": 1234, "cost_micro_usd": 5600, "event": "Stop" });
    let desk = desk_with(&[line(0, "deny", &more), line(0, "judge", &spent)]);
    // A time zone that needs no file of the machine's.
    let text = yes(desk.script(&["log"]).env("TZ", "XYZ-5:30"));
    let id = json_of(desk.script(&["log", "--json"]))["entries"][0]["id"].as_str().unwrap()[..8].to_owned();
    let mut lines = text.lines();
    let expected = format!(
        "2026-11-21 13:16:38  {id}  requirements-check  refused Edit  requirements.plan  Edit needs what is not met."
    );
    assert_eq!(lines.next(), Some(expected.as_str()));
    let judged = lines.next().unwrap();
    assert!(
        judged.ends_with("  stop-momentum       asked a model  a-model, took 1.2 s, 0.0056 USD"),
        "{judged}"
    );
}

#[test]
fn what_the_hooks_and_the_user_do_is_recorded_with_its_project() {
    let desk = Desk::new(TEAM);
    let here = desk.sandbox.project().canonicalize().unwrap().display().to_string();
    desk.starts(&desk.session);
    desk.user("config set rate-awareness.repeat 9 --local");
    desk.user("config set rate-awareness.repeat 9 --global");
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

#[test]
fn it_can_be_typed_as_a_prompt() {
    let desk = desk_with(&[line(5, "block", &json!({ "text": "held it" }))]);
    let answer = desk.ask(&desk.session.user_prompt_submit("req log --blocks")).unwrap();
    assert!(answer["reason"].as_str().unwrap().contains("held it"), "{answer}");
}
