//! `req log`: which lines of the journal are shown, and how; and a day of all hooks, counted by hand.

use super::desk::{Desk, OTHER, TEAM, json_of, no, yes};
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

/// The texts of what is listed.
fn texts(desk: &Desk, words: &[&str]) -> Vec<String> {
    let all = [&["log", "--json"], words].concat();
    let json = json_of(desk.script(&all));
    assert_eq!(json["version"], 1);
    let entries = json["entries"].as_array().unwrap().iter();
    entries.map(|entry| entry["text"].as_str().unwrap_or_default().to_owned()).collect()
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
fn without_a_journal_nothing_is_recorded() {
    let desk = Desk::new(TEAM);
    for words in [&["log"][..], &["log", "--stats"]] {
        assert_eq!(yes(desk.script(words)), "nothing is recorded yet");
    }
    let none = "no hook has asked a model in this project, so nothing was spent";
    assert_eq!(yes(desk.script(&["log", "--cost"])), none);
    let none = "no hook has asked a model, so nothing was spent";
    assert_eq!(yes(desk.script(&["log", "--cost", "--all"])), none);
}

#[test]
fn what_other_projects_have_recorded_is_shown_where_it_is_asked_for() {
    let desk = Desk::new(TEAM);
    let here = desk.sandbox.project().canonicalize().unwrap().display().to_string();
    let of = |project: &str, text: &str| json!({ "project": project, "text": text, "session": OTHER });
    let lines = [
        line(5, "deny", &of("/elsewhere/plain", "theirs")),
        line(4, "deny", &of(&here, "ours")),
        line(3, "judge", &json!({ "project": "/elsewhere/plain", "cost_micro_usd": 5 })),
        line(2, "pause", &json!({ "text": "everybody's" })),
    ];
    fs::write(desk.state("journal.jsonl"), lines.concat()).unwrap();
    assert_eq!(texts(&desk, &[]), ["ours", "everybody's"]);
    assert_eq!(texts(&desk, &["--all"]), ["theirs", "ours", "", "everybody's"]);
    assert_eq!(texts(&desk, &["--session", &OTHER[..8]]), ["theirs", "ours"]);
    let text = yes(desk.script(&["log", "--all"]));
    let theirs = text.lines().next().unwrap();
    assert!(theirs.contains("  plain    stop-momentum  refused  theirs"), "{text}");
    for (words, denied) in [(&["--stats"][..], 1), (&["--stats", "--all"], 2)] {
        let stats = json_of(desk.script(&[&["log", "--json"], words].concat()));
        assert_eq!(stats["total"]["denied"], denied, "{words:?}");
        assert_eq!(stats["project"], if denied == 1 { json!(here) } else { Value::Null });
    }
    assert_eq!(json_of(desk.script(&["log", "--cost", "--json"]))["total"]["calls"], 0);
    let elsewhere = desk.script(&["log", "--blocks"]).cwd(desk.sandbox.home());
    assert_eq!(yes(elsewhere), "nothing that fits is recorded of this project; 2 lines are of others: --all");
    let why = yes(desk.script(&["why"]));
    assert!(why.contains("\n  ours") && !why.contains("another project"), "{why}");
    let no_why = no(desk.script(&["why"]).cwd(desk.sandbox.home()));
    assert!(no_why.contains("in this project yet; the last of any: req why --all"), "{no_why}");
    let any = yes(desk.script(&["why", "--all"]).cwd(desk.sandbox.home()));
    assert!(any.contains("  ours") && any.contains("in session 0c4e7a11 of another project ("), "{any}");
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
fn what_holds_at_a_start_is_told_and_not_counted_as_advice() {
    let desk = Desk::new(TEAM);
    desk.starts(&desk.session);
    let text = yes(desk.script(&["log"]));
    let told = "requirements-check  told Claude  required in this project (now on main): adr_reviewed (not satisfied, ";
    assert!(text.contains(told), "{text}");
    let stats = yes(desk.script(&["log", "--stats"]));
    assert!(stats.contains("requirements-check: told at a start 1\nin all: spoke 0 times: "), "{stats}");
}

#[test]
fn it_can_be_typed_as_a_prompt() {
    let desk = desk_with(&[line(5, "block", &json!({ "text": "held it" }))]);
    let answer = desk.ask(&desk.session.user_prompt_submit("req log --blocks")).unwrap();
    assert!(answer["reason"].as_str().unwrap().contains("held it"), "{answer}");
}
