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

fn numbered(number: u64) -> String {
    line(1000 - number, "advise", &json!({ "text": number.to_string() }))
}

#[test]
fn the_newest_thirty_are_shown_and_how_many_more_there_are() {
    let desk = desk_with(&(0..32).map(numbered).collect::<Vec<_>>());
    let text = yes(desk.script(&["log"]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (31, "2 earlier not shown; all of them: -n 32"));
    assert!(lines[1].ends_with("  advised on  2") && lines[30].ends_with("  advised on  31"), "{text}");
    assert_eq!(yes(desk.script(&["log", "-n", "32"])).lines().count(), 32);
    let expected = (30..32).map(|number| number.to_string()).collect::<Vec<_>>();
    assert_eq!(texts(&desk, &["-n", "2"]), expected);
    assert_eq!(json_of(desk.script(&["log", "-n", "2", "--json"]))["earlier"], 30);
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
fn what_is_asked_for_is_what_is_shown() {
    let of =
        |session: &str, hook: &str, text: &str| json!({ "session": session, "hook": hook, "text": text });
    let desk = desk_with(&[
        line(7200, "deny", &of(OTHER, "delegation-guard", "old denial")),
        line(60, "deny", &of(OTHER, "delegation-guard", "denial")),
        line(50, "block", &of("5e55104e-x", "stop-momentum", "block")),
        line(40, "let-go", &of("5e55104e-x", "stop-momentum", "let go")),
        line(30, "ask", &of(OTHER, "stop-momentum", "question")),
    ]);
    for (words, expected) in [
        (&["--hook", "delegation-guard"][..], &["old denial", "denial"][..]),
        (&["--hook", "rate-awareness"], &[]),
        (&["--since", "1h"], &["denial", "block", "let go", "question"]),
        (&["--since", "45s"], &["let go", "question"]),
        (&["--blocks"], &["old denial", "denial", "block", "question"]),
        (&["--session", &OTHER[..8]], &["old denial", "denial", "question"]),
        (&["--session", "5e55104e", "--blocks", "--since", "1h"], &["block"]),
    ] {
        assert_eq!(texts(&desk, words), expected, "{words:?}");
    }
    assert_eq!(yes(desk.script(&["log", "--hook", "rate-awareness"])), "nothing that fits is recorded");
}

#[test]
fn what_nobody_knows_is_told_with_what_may_be_meant() {
    let desk = desk_with(&[line(1, "block", &json!({ "session": OTHER }))]);
    assert_eq!(
        no(desk.script(&["log", "--hook", "stop-momentun"])),
        "req: there is no hook stop-momentun; did you mean stop-momentum?"
    );
    assert!(no(desk.script(&["log", "--hook", "zzz"])).contains("there are delegation-guard, stop-momentum"));
    assert!(no(desk.script(&["log", "--session", "ffffffff"])).contains("ffffffff"));
    for wrong in
        [&["--since", "yesterday"][..], &["-n", "many"], &["--stats", "--cost"], &["--blocks", "--stats"]]
    {
        desk.script(&[&["log"], wrong].concat()).run().assert_exit(64);
    }
}

#[test]
fn what_cannot_be_read_is_counted_and_hides_nothing() {
    let desk = desk_with(&[
        line(2, "block", &json!({})),
        "{\"at\":1}\nnot JSON\n".to_owned(),
        line(1, "advise", &json!({})),
    ]);
    let text = yes(desk.script(&["log"]));
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.ends_with("\n2 lines of the journal could not be read and are left out"), "{text}");
    assert_eq!(json_of(desk.script(&["log", "--json"]))["damaged"], 2);
    assert_eq!(json_of(desk.script(&["log", "--stats", "--json"]))["damaged"], 2);
    assert_eq!(json_of(desk.script(&["log", "--cost", "--json"]))["damaged"], 2);
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
fn what_models_cost_is_summed_per_hook_and_model() {
    let call = |hook: &str, model: Option<&str>, cost: u64| {
        let mut call = json!({
            "hook": hook, "input_tokens": 1000, "output_tokens": 50, "took_ms": 800, "cost_micro_usd": cost,
        });
        if let Some(model) = model {
            call["model"] = json!(model);
        }
        line(10, "judge", &call)
    };
    let desk = desk_with(&[
        call("tempo-stop", Some("small"), 700),
        call("intent-validator", Some("small"), 1300),
        call("intent-validator", Some("small"), 1300),
        call("intent-validator", None, 0),
        line(5, "sleep", &json!({ "slept_ms": 9000 })),
    ]);
    assert_eq!(
        yes(desk.script(&["log", "--cost"])),
        "intent-validator, a model it did not name: 1 call, 1000 tokens in, 50 out, 0.0000 USD, 0.8 s\n\
         intent-validator, small: 2 calls, 2000 tokens in, 100 out, 0.0026 USD, 1.6 s\n\
         tempo-stop, small: 1 call, 1000 tokens in, 50 out, 0.0007 USD, 0.8 s\n\
         in all: 4 calls, 4000 tokens in, 200 out, 0.0033 USD, 3.2 s"
    );
    let json = json_of(desk.script(&["log", "--cost", "--json"]));
    assert_eq!(
        json["total"],
        json!({
            "calls": 4, "input_tokens": 4000, "output_tokens": 200, "cost_micro_usd": 3300, "took_ms": 3200,
        })
    );
    assert_eq!(
        (&json["models"][1]["hook"], &json["models"][1]["calls"]),
        (&json!("intent-validator"), &json!(2))
    );
}

#[test]
fn it_can_be_typed_as_a_prompt() {
    let desk = desk_with(&[line(5, "block", &json!({ "text": "held it" }))]);
    let answer = desk.ask(&desk.session.user_prompt_submit("req log --blocks")).unwrap();
    assert!(answer["reason"].as_str().unwrap().contains("held it"), "{answer}");
}
