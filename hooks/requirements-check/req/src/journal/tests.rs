//! `req log` and `req why` as tables: the journal, what is asked, what is answered.

use std::fs;

use serde_json::{Value, json};
use shared::host::Timestamp;

use crate::tests::{CLAUDE, Fixture, NOW};

const OWN: &str = "5e55104e-0000-4000-8000-000000000001";
const OTHER: &str = "0c4e7a11-0000-4000-8000-000000000002";

fn fixture(lines: &[String]) -> Fixture {
    let fixture = Fixture::new(&[(".claude/hook-state/journal.jsonl", "")]);
    let project = fixture.path("project").display().to_string();
    let text = lines.concat().replace("{here}", &project);
    fs::write(fixture.path(".claude/hook-state/journal.jsonl"), text).unwrap();
    fixture
}

impl Fixture {
    #[track_caller]
    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.yes(line)).unwrap()
    }

    fn texts_of(&self, words: &str) -> Vec<String> {
        let report = self.json(&format!("log --json {words}"));
        let entries = report["entries"].as_array().unwrap().iter();
        entries.map(|entry| entry["text"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// A line of the journal, so many seconds old.
fn line(age_secs: i64, what: &str, more: &Value) -> String {
    let at = Timestamp::from_micros(NOW.micros() - age_secs * 1_000_000).rfc3339();
    let mut line = json!({ "at": at, "hook": "stop-momentum", "event": "Stop", "what": what });
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("{line}\n")
}

fn denial(more: &Value) -> String {
    let mut all = json!({
        "hook": "requirements-check", "event": "PreToolUse", "tool": "Edit", "session": OWN, "project": "{here}",
        "rule": "requirements.plan", "also": ["requirements.size", "requirements.review"], "also_where": [".claude/requirements.yaml:9 (project)"], "layer": "project",
        "where": ".claude/requirements.yaml:3", "text": "Edit needs what is missing:\n- a plan", "next": ["one", "two"],
    });
    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line(60, "deny", &all)
}

#[test]
fn log_shows_the_lines_that_are_asked_for() {
    let of = |hook: &str, text: &str| json!({ "hook": hook, "text": text });
    let mut elsewhere = of("stop-momentum", "elsewhere");
    elsewhere["project"] = "/elsewhere".into();
    let fixture = fixture(&[
        line(7200, "deny", &of("delegation-guard", "old denial")),
        line(60, "deny", &of("delegation-guard", "denial")),
        line(50, "block", &of("stop-momentum", "block")),
        line(45, "reply", &of("requirements-check", "reply")),
        line(40, "let-go", &of("stop-momentum", "let go")),
        line(30, "ask", &elsewhere),
    ]);
    for (words, expected) in [
        ("", &["old denial", "denial", "block", "let go"][..]),
        ("--all --since 1h", &["denial", "block", "reply", "let go", "elsewhere"]),
        ("--hook delegation-guard", &["old denial", "denial"]),
        ("--since 55s", &["block", "let go"]),
        ("--blocks", &["old denial", "denial", "block"]),
    ] {
        assert_eq!(fixture.texts_of(words), expected, "{words}");
    }
    let nothing = "nothing is recorded here; --all shows every project";
    assert_eq!(fixture.yes("log --hook rate-awareness"), nothing);
    let text = fixture.yes("log -n 2");
    assert_eq!(text.lines().next(), Some("2 earlier not shown; to see them, add: -n 4"));
    assert_eq!(text.lines().count(), 3, "{text}");
    assert_eq!(fixture.json("log -n 1 --json")["earlier"], 3);
    let said = fixture.ask("log --hook stop-momentun", CLAUDE, None).unwrap_err();
    assert_eq!(said, "there is no hook stop-momentun; did you mean stop-momentum?");
}

#[test]
fn line_that_cannot_be_read_is_counted_and_hides_nothing() {
    let torn = "{\"at\":1}\nnot JSON\n".to_owned();
    let fixture = fixture(&[line(2, "block", &json!({})), torn, line(1, "advise", &json!({}))]);
    let text = fixture.yes("log");
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.ends_with("\nleft out because they cannot be read: 2 lines"), "{text}");
    assert_eq!(fixture.json("log --json")["damaged"], 2);
}

#[test]
fn stats_count_per_hook_and_cost_per_model() {
    let call = |model: &str, cost: u64| {
        line(9, "judge", &json!({ "hook": "tempo-stop", "model": model, "cost_micro_usd": cost }))
    };
    let fixture = fixture(&[
        call("a", 100),
        call("a", 200),
        call("b", 0),
        line(8, "block", &json!({})),
        line(8, "advise", &json!({})),
        line(7, "followed", &json!({})),
        line(7, "overridden", &json!({})),
        line(6, "sleep", &json!({ "hook": "credit-pacer", "slept_ms": 12_300 })),
        line(6, "config", &json!({ "hook": "requirements-check" })),
    ]);
    let cost = "tempo-stop, a: models asked 2, spent 0.0003 USD\n\
                tempo-stop, b: models asked 1\n\
                in all: models asked 3, spent 0.0003 USD";
    assert_eq!(fixture.yes("log --cost"), cost);
    let stats = "credit-pacer: slept 12.3 s\n\
                 requirements-check: nothing to count\n\
                 stop-momentum: spoke 2, followed 1, overridden 1\n\
                 tempo-stop: models asked 3, spent 0.0003 USD\n\
                 in all: spoke 2, followed 1, overridden 1, slept 12.3 s, models asked 3, spent 0.0003 USD";
    assert_eq!(fixture.yes("log --stats"), stats);
    assert_eq!(fixture.json("log --cost --json")["groups"][1]["model"], "b");
}

#[test]
fn every_rule_behind_a_denial_is_named_with_its_place_and_its_steps() {
    let fixture = fixture(&[denial(&json!({}))]);
    let text = fixture.yes("why");
    for part in [
        "requirements-check denied Edit, 60 s ago (",
        ", in session 5e55104e. Its id is ",
        "\nRule: requirements.plan\nSet: .claude/requirements.yaml:3 (project)\nRule: requirements.size\nSet: .claude/requirements.yaml:9 (project)\nRule: requirements.review\n",
        "\nNext:\n  one\n  two\nSince then: nothing was seen that settles it",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn why_shows_the_outcome_of_a_denial() {
    let by = |what: &str, rule: &str, session: &str| {
        line(9, what, &json!({ "hook": "requirements-check", "rule": rule, "session": session }))
    };
    for (later, how, words) in [
        (by("followed", "requirements.size", OWN), "followed", "it was followed ("),
        (by("overridden", "requirements.plan", OWN), "overridden", "it was not followed, or excepted ("),
        (by("waive", "requirements.plan", OWN), "waive", "the user waived it ("),
        (by("pause", "", OTHER), "pause", "the user paused every hook ("),
        (by("followed", "requirements.plan", OTHER), "open", "nothing was seen that settles it"),
        (by("followed", "requirements.other", OWN), "open", "nothing was seen that settles it"),
    ] {
        let fixture = fixture(&[denial(&json!({})), later]);
        assert_eq!(fixture.json("why --json")["outcome"]["how"], how);
        let text = fixture.yes("why");
        assert!(text.lines().last().unwrap().starts_with(&format!("Since then: {words}")), "{how}: {text}");
        let is_settled = matches!(how, "followed" | "overridden");
        assert_eq!(text.contains("\nIt asked for:\n"), is_settled, "{how}: {text}");
    }
}

#[test]
fn why_takes_the_last_denial_of_the_session_else_of_the_project_or_the_one_with_the_id() {
    let of = |text: &str, session: &str, project: &str| {
        denial(&json!({ "text": text, "session": session, "project": project }))
    };
    let lines = [of("own", OWN, "{here}"), of("here", OTHER, "{here}"), of("there", OTHER, "/there")];
    let fixture = fixture(&lines);
    let ids = fixture.json("log --all --json")["entries"].clone();
    let id = ids[2]["id"].as_str().unwrap()[..6].to_ascii_uppercase();
    for (words, session, expected) in
        [("why", Some(OWN), "own"), ("why --last", None, "here"), (&format!("why {id}"), None, "there")]
    {
        let text = fixture.ask(words, CLAUDE, session).unwrap();
        assert!(text.contains(&format!("\nIt said:\n  {expected}\n")), "{words}: {text}");
    }
    for (words, session, expected) in [
        ("why", Some("ffffffff-1"), "nothing was denied or blocked in session ffffffff yet"),
        ("why 12345678", None, "the journal has no line 12345678"),
        ("why 123", None, "an id is what req log shows"),
        ("why 12345g", None, "an id is what req log shows"),
    ] {
        let why = fixture.ask(words, CLAUDE, session).unwrap_err();
        assert!(why.starts_with(expected), "{words}: {why}");
    }
    let elsewhere = self::fixture(&lines[2..]).ask("why", CLAUDE, None).unwrap_err();
    assert!(elsewhere.starts_with("nothing was denied or blocked in this project yet"), "{elsewhere}");
}
