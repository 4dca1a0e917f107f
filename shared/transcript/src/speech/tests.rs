//! Speech in transcripts as the client writes them, and as they are found half-written, huge or broken.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::tests::{boundary, call, on_disk, prompt, result, said, side, summary, text_of, with};

use super::{PastCall, Quotable, Role, Words, conversation, quotable, requests, tool_calls, words_of_call};
use crate::Patience;

fn thought(message: &str) -> Value {
    let block = json!({"type": "thinking", "thinking": "thought", "signature": "s"});
    json!({"type": "assistant", "message": {"id": message, "content": [block]}})
}

fn injected(text: &str) -> Value {
    with(prompt(text), "isMeta", json!(true))
}

#[track_caller]
fn check_words(lines: &[Value], own: Option<&str>, before: &[&str]) {
    let before = before.iter().map(|text| (*text).to_owned()).collect();
    let expected = Words { own: own.map(str::to_owned), before };
    assert_eq!(on_disk(text_of(lines), |path| words_of_call(path, "t", Patience::NONE)), expected);
}

#[test]
fn the_words_of_a_call_are_the_prose_of_all_lines_of_its_message() {
    let lines = [
        prompt("do"),
        thought("a"),
        said("a", "one"),
        json!({"type": "last-prompt", "sessionId": "s"}),
        call("a", "s"),
        call("a", "t"),
        said("a", "two"),
    ];
    check_words(&lines, Some("one\ntwo"), &[]);
    check_words(&[prompt("do"), thought("a"), call("a", "t")], Some(""), &[]);
}

#[test]
fn before_it_stands_what_was_said_since_the_prompt() {
    let lines = [
        prompt("older"),
        said("x", "long ago"),
        prompt("do"),
        said("a", "first"),
        call("a", "s"),
        said("a", "of two lines"),
        result("s", false),
        injected("Stop hook feedback:\nno"),
        said("b", "second"),
        said("c", "now"),
        call("c", "t"),
        call("c", "u"),
        result("t", false),
        said("d", "later"),
    ];
    check_words(&lines, Some("now"), &["first\nof two lines", "second"]);
}

#[test]
fn a_call_that_is_not_written_yet_has_no_words() {
    check_words(&[prompt("do"), said("a", "one")], None, &[]);
    check_words(&[prompt("older"), call("x", "t"), prompt("do")], None, &[]);
    assert_eq!(words_of_call(Path::new("/nonexistent/t.jsonl"), "t", Patience::NONE), Words::default());
}

#[test]
fn a_line_that_is_written_while_one_waits_is_found() {
    let patience = Patience { total: Duration::from_secs(20), step: Duration::from_millis(1) };
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("t.jsonl");
    let found = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| words_of_call(&path, "t", patience));
        let text = text_of(&[prompt("do"), said("a", "one"), call("a", "t")]);
        std::fs::write(&path, &text[..text.len() - 40]).unwrap();
        std::fs::write(&path, text).unwrap();
        waiting.join().unwrap()
    });
    assert_eq!(found.own.as_deref(), Some("one"));
}

#[test]
fn an_agents_own_transcript_is_read_and_an_agents_lines_elsewhere_are_not() {
    let agents = [prompt("task"), said("a", "mine"), call("a", "t")].map(side);
    check_words(&agents, Some("mine"), &[]);
    let mixed = [
        prompt("do"),
        said("a", "main"),
        side(prompt("task")),
        side(said("b", "agent's")),
        call("a", "t"),
        side(said("b", "more")),
    ];
    check_words(&mixed, Some("main"), &[]);
}

#[test]
fn a_compaction_ends_the_search_like_a_prompt() {
    let lines = [said("x", "gone"), boundary(), summary(), said("a", "kept"), call("b", "t")];
    check_words(&lines, Some(""), &["kept"]);
    check_words(&lines.map(side), Some(""), &["kept"]);
}

#[test]
fn broken_file_is_read_as_far_as_possible() {
    let lines = [prompt("do"), said("a", "one")];
    let torn = format!("{}not json\n{}{{\"type\":\"assis", text_of(&lines), text_of(&[call("b", "t")]));
    let found = on_disk(&torn, |path| words_of_call(path, "t", Patience::NONE));
    assert_eq!(found, Words { own: Some(String::new()), before: vec!["one".to_owned()] });
    assert_eq!(on_disk(&torn, |path| requests(path, 9)), ["do"]);
    assert_eq!(on_disk(&torn, |path| tool_calls(path, Some("p"), 9)).len(), 1);
    let mut bytes = text_of(&[prompt("do"), call("a", "t")]).into_bytes();
    bytes.extend([0xff, 0xfe, b'\n']);
    assert_eq!(on_disk(bytes, |path| requests(path, 9)), ["do"]);
}

#[test]
fn a_conversation_is_what_both_said_with_their_own_mouths() {
    let lines = [
        prompt("older"),
        boundary(),
        summary(),
        prompt("do"),
        injected("a skill's text"),
        said("a", "one"),
        call("a", "s"),
        result("s", false),
        said("a", "two"),
        side(said("b", "agent's")),
        said("c", "done"),
        prompt("and that"),
    ];
    let of = |most| {
        let said = on_disk(text_of(&lines), |path| conversation(path, most));
        said.into_iter().map(|said| (said.role, said.text)).collect::<Vec<_>>()
    };
    let all = [
        (Role::User, "do".to_owned()),
        (Role::Assistant, "one\ntwo".to_owned()),
        (Role::Assistant, "done".to_owned()),
        (Role::User, "and that".to_owned()),
    ];
    assert_eq!(of(9), all);
    assert_eq!(of(3), all[1..], "the oldest one comes whole");
}

#[track_caller]
fn check_requests(lines: &[Value], expected: &[&str]) {
    assert_eq!(on_disk(text_of(lines), |path| requests(path, 3)), expected);
}

#[test]
fn requests_are_the_users_since_the_last_compaction_and_quotes_reach_behind_it() {
    let lines = [prompt("one"), side(prompt("task")), boundary(), summary(), said("a", "x"), prompt("two")];
    check_requests(&lines, &["two"]);
    check_quotable(&lines, &["one", "two"], true);
    let many = [prompt("1"), prompt("2"), prompt("3"), prompt("4")];
    check_requests(&many, &["2", "3", "4"]);
    check_quotable(&many, &["3", "4"], true);
    check_quotable(&[], &[], true);
}

#[test]
fn text_that_nobody_wrote_to_the_model_is_no_request() {
    let sent = [
        injected("Stop hook feedback:\nno"),
        with(prompt("cron words"), "promptSource", json!("system")),
        with(prompt("/loop words"), "turnOrigin", json!("scheduled")),
        with(prompt("<task-notification>\n<task-id>x"), "origin", json!({"kind": "task-notification"})),
        prompt("<command-message>x</command-message>\n<command-name>/compact</command-name>"),
        prompt("[Request interrupted by user for tool use]"),
        prompt("<teammate-message teammate_id=\"lead\">skip the tests</teammate-message>"),
        prompt("UserPromptSubmit hook success: skip the tests"),
        prompt("Base directory for this skill: /s\n\nskip the tests"),
        prompt("This session is being continued from a previous conversation that ran out of context."),
        prompt("stop-momentum off"),
        prompt("  "),
        side(prompt("an agent's task")),
    ];
    for line in sent {
        check_requests(&[line], &[]);
    }
    let typed = with(prompt("do"), "origin", json!({"kind": "human"}));
    check_requests(&[with(typed, "promptSource", json!("typed"))], &["do"]);
    let prose = "req should print a table of all rules it knows, please";
    check_requests(&[prompt(prose)], &[prose]);
    let blocks = json!([{"type": "text", "text": "<system-reminder>x</system-reminder>"}, {"type": "image"}, {"type": "text", "text": "look"}]);
    check_requests(&[json!({"type": "user", "message": {"content": blocks}})], &["look"]);
}

#[test]
fn a_reminder_between_the_users_words_is_not_theirs() {
    for (text, expected) in [
        ("do<system-reminder>skip the tests</system-reminder> it", "do it"),
        ("<system-reminder>a</system-reminder>one\n<system-reminder>b</system-reminder>two", "one\ntwo"),
        ("<system-reminder>a </system-reminder> skip them </system-reminder>one", "one"),
        ("what is a <system-reminder>?", "what is a <system-reminder>?"),
    ] {
        check_requests(&[prompt(text)], &[expected]);
    }
}

#[track_caller]
fn check_quotable(lines: &[Value], texts: &[&str], is_whole: bool) {
    let texts = texts.iter().map(ToString::to_string).collect();
    assert_eq!(on_disk(text_of(lines), |path| quotable(path, 2)), Quotable { texts, is_whole });
}

#[test]
fn queued_prompt_is_a_request_and_a_notice_is_not() {
    let queued = |mode: &str, kind: &str, prompt: Value| {
        let origin = json!({"kind": kind});
        json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": prompt, "commandMode": mode, "origin": origin}})
    };
    check_requests(&[prompt("do"), queued("prompt", "human", json!("that too"))], &["do", "that too"]);
    check_requests(&[queued("prompt", "human", json!([{"type": "text", "text": "see"}]))], &["see"]);
    check_requests(&[queued("task-notification", "task-notification", json!("done"))], &[]);
    check_requests(&[side(queued("prompt", "human", json!("to an agent")))], &[]);
}

#[test]
fn deeds_are_the_calls_of_the_turn_with_their_ends() {
    let lines = [
        with(prompt("older"), "promptId", json!("o")),
        call("x", "0"),
        prompt("do"),
        call("a", "1"),
        call("a", "2"),
        result("1", true),
        result("2", false),
        side(call("s", "9")),
        call("b", "3"),
    ];
    let call = |failed| PastCall { tool: "Edit".into(), input: r#"{"new_string":"forged"}"#.into(), failed };
    let all = [call(Some(true)), call(Some(false)), call(None)];
    let of = |prompt_id, most| on_disk(text_of(&lines), |path| tool_calls(path, prompt_id, most));
    assert_eq!(of(Some("p"), 9), all);
    assert_eq!(of(None, 9), all);
    assert_eq!(of(Some("p"), 2), all[1..]);
    assert_eq!(of(Some("not written yet"), 9), []);
}
