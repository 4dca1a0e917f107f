//! Transcripts, and the events that are read out of them.

use std::collections::BTreeSet;
use std::io::Cursor;

use serde_json::{Value, json};

use super::{Opened, Session, Summary, calls_never_asked_about, read_line};
use crate::catalog::EventEntry;

const EVENTS: [&str; 8] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "Stop",
    "SessionEnd",
];

fn entry(event: &str, matcher: Option<&str>) -> EventEntry {
    EventEntry {
        event: event.to_owned(),
        matcher: matcher.map(ToOwned::to_owned),
        timeout_secs: 10,
        status_message: None,
    }
}

fn all() -> Vec<EventEntry> {
    EVENTS.iter().map(|event| entry(event, None)).collect()
}

/// A line of the session at so many seconds.
fn line(kind: &str, at: u32, fields: &Value) -> Value {
    let mut line = json!({
        "type": kind, "timestamp": format!("2026-11-21T05:00:{at:02}.000Z"), "sessionId": "s", "cwd": "/p",
    });
    line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    line
}

fn prompt(at: u32, id: &str, text: &str) -> Value {
    line("user", at, &json!({ "promptId": id, "permissionMode": "default", "message": { "content": text } }))
}

fn says(at: u32, message: &str, text: &str) -> Value {
    line(
        "assistant",
        at,
        &json!({ "message": { "id": message, "content": [{ "type": "text", "text": text }] } }),
    )
}

fn calls(at: u32, id: &str, tool: &str) -> Value {
    let call = json!({ "type": "tool_use", "id": id, "name": tool, "input": { "command": "ls" } });
    line("assistant", at, &json!({ "message": { "id": "m", "content": [call] } }))
}

fn result(at: u32, id: &str, is_error: bool, text: &str) -> Value {
    let result = json!({ "type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": text });
    line(
        "user",
        at,
        &json!({ "promptId": "p", "message": { "content": [result] }, "toolUseResult": { "stdout": text } }),
    )
}

fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

/// The inputs, each with the second it was at and how much of the transcript was there.
fn inputs(transcript: &str, registered: &[EventEntry]) -> (Vec<(u32, u64, Value)>, Summary) {
    let never = calls_never_asked_about(Cursor::new(transcript)).unwrap();
    let mut session = Session::new(Cursor::new(transcript), "/t.jsonl", registered, never);
    let mut found = Vec::new();
    while let Some(past) = session.next_event().unwrap() {
        let second = past.at[17..19].parse().unwrap();
        let input = serde_json::from_str(past.input.get()).unwrap();
        found.push((second, past.transcript_bytes.unwrap(), input));
    }
    (found, session.summary().clone())
}

/// Each event as its second, its name and what is most its own.
fn events(lines: &[Value]) -> Vec<String> {
    let (inputs, _) = inputs(&text(lines), &all());
    let own = |input: &Value| {
        let own = ["source", "prompt", "tool_use_id", "last_assistant_message", "trigger", "reason"];
        own.iter().filter_map(|key| input[key].as_str()).collect::<Vec<_>>().join(" ")
    };
    let held = |input: &Value| if input["stop_hook_active"] == true { " again" } else { "" };
    let told = |(at, _, input): (u32, u64, Value)| {
        format!("{at} {} {}{}", input["hook_event_name"].as_str().unwrap(), own(&input), held(&input))
    };
    inputs.into_iter().map(told).collect()
}

#[track_caller]
fn check(lines: &[Value], expected: &[&str]) {
    let between = events(lines);
    assert!(between.first().is_some_and(|first| first.ends_with("SessionStart startup")), "{between:?}");
    assert!(between.last().is_some_and(|last| last.ends_with("SessionEnd other")), "{between:?}");
    assert_eq!(between[1..between.len() - 1], *expected);
}

#[test]
fn a_turn_is_a_prompt_its_calls_and_a_stop_with_the_last_words() {
    check(
        &[
            prompt(1, "p", "do it"),
            says(2, "m", "Now."),
            calls(2, "a", "Bash"),
            result(4, "a", false, "out"),
            says(5, "n", "Done."),
            says(5, "n", "All of it."),
            prompt(30, "q", "thanks"),
            says(31, "o", "Bye."),
        ],
        &[
            "1 UserPromptSubmit do it",
            "2 PreToolUse a",
            "4 PostToolUse a",
            "5 Stop Done.\nAll of it.",
            "30 UserPromptSubmit thanks",
            "31 Stop Bye.",
        ],
    );
}

#[test]
fn what_a_call_came_to_decides_which_event_follows_it() {
    for (is_error, answer, expected) in [
        (false, "out", &["2 PreToolUse a", "3 PostToolUse a"][..]),
        (true, "Exit code 3\nout", &["2 PreToolUse a", "3 PostToolUseFailure a"]),
        (true, "PreToolUse:Bash hook error: no", &["2 PreToolUse a"]),
        (true, "The user doesn't want to proceed with this tool use.", &["2 PreToolUse a"]),
        (true, "<tool_use_error>File has not been read yet.</tool_use_error>", &[]),
    ] {
        let lines = [prompt(1, "p", "x"), calls(2, "a", "Bash"), result(3, "a", is_error, answer)];
        check(&lines, &[&["1 UserPromptSubmit x"], expected].concat());
    }
}

#[test]
fn a_stop_that_was_held_is_one_and_the_next_of_its_turn_is_again() {
    let feedback = line(
        "user",
        3,
        &json!({ "promptId": "p", "isMeta": true, "message": { "content": "Stop hook feedback:\nno" } }),
    );
    check(
        &[
            prompt(1, "p", "x"),
            says(2, "m", "Done."),
            feedback,
            says(4, "n", "Really."),
            prompt(5, "q", "y"),
            says(6, "o", "z"),
        ],
        &["1 UserPromptSubmit x", "2 Stop Done.", "4 Stop Really. again", "5 UserPromptSubmit y", "6 Stop z"],
    );
}

#[test]
fn a_turn_that_was_cut_short_has_no_stop() {
    let cut = prompt(3, "p", "[Request interrupted by user]");
    let failed = line(
        "assistant",
        3,
        &json!({ "isApiErrorMessage": true, "message": { "content": [{ "type": "text", "text": "API Error" }] } }),
    );
    for end in [cut, failed] {
        let lines = [prompt(1, "p", "x"), says(2, "m", "Well"), end];
        check(&lines, &["1 UserPromptSubmit x"]);
    }
}

#[test]
fn what_nobody_typed_is_no_typed_prompt() {
    let meta = line("user", 1, &json!({ "isMeta": true, "message": { "content": "a skill" } }));
    let summary = line("user", 1, &json!({ "isCompactSummary": true, "message": { "content": "so far" } }));
    let shell = prompt(1, "p", "<bash-input>ls</bash-input>");
    check(&[shell, meta, summary], &[]);
    for built_in in ["/compact", "/model"] {
        let text = format!("<command-name>{built_in}</command-name>\n<command-message>x</command-message>");
        check(&[prompt(1, "p", &text)], &[]);
    }
    let slash = "<command-message>loop</command-message>\n<command-name>/loop</command-name>\n<command-args>5m x</command-args>";
    check(&[prompt(1, "p", slash)], &["1 UserPromptSubmit /loop 5m x"]);
}

#[test]
fn a_prompt_that_the_client_sent_by_itself_says_so() {
    for (marks, source) in [
        (json!({ "origin": { "kind": "human" }, "promptSource": "typed", "turnOrigin": "human" }), None),
        (json!({ "promptSource": "sdk", "turnOrigin": "sdk" }), None),
        (
            json!({ "isMeta": true, "promptSource": "system", "turnOrigin": "scheduled", "wakeupSource": "schedule_wakeup" }),
            Some("schedule_wakeup"),
        ),
        (json!({ "turnOrigin": "scheduled", "wakeupSource": "loop_wakeup" }), Some("loop_wakeup")),
        (
            json!({ "origin": { "kind": "task-notification" }, "promptSource": "system", "turnOrigin": "task_notification" }),
            Some("system"),
        ),
        (json!({ "origin": { "kind": "task-notification" } }), Some("system")),
    ] {
        let mut sent = line("user", 1, &marks);
        sent["message"] = json!({ "content": "req pause" });
        let told: Vec<&str> = ["1 UserPromptSubmit"].into_iter().chain(source).chain(["req pause"]).collect();
        check(&[sent], &[told.join(" ").as_str()]);
    }
    let skill = json!({ "isMeta": true, "turnOrigin": "scheduled", "message": { "content": "a skill" } });
    check(&[line("user", 1, &skill)], &[]);
    for (origin, told) in [
        (json!({ "kind": "human" }), "1 UserPromptSubmit and that"),
        (json!({ "kind": "schedule" }), "1 UserPromptSubmit system and that"),
    ] {
        let queued = json!({ "type": "queued_command", "prompt": "and that", "origin": origin });
        check(&[line("attachment", 1, &json!({ "attachment": queued }))], &[told]);
    }
}

#[test]
fn nothing_of_a_subagents_is_an_event_of_the_session() {
    let queued = json!({ "type": "queued_command", "prompt": "and that", "commandMode": "prompt" });
    for side in [
        line("assistant", 1, &json!({ "message": { "content": [{ "type": "text", "text": "x" }] } })),
        prompt(1, "p", "an agent's task"),
        line("attachment", 1, &json!({ "attachment": queued })),
        line("system", 1, &json!({ "subtype": "compact_boundary" })),
        line("system", 1, &json!({ "subtype": "other" })),
    ] {
        let mut side = side;
        side["isSidechain"] = json!(true);
        let lines = [prompt(1, "p", "x"), side, says(2, "m", "Done.")];
        check(&lines, &["1 UserPromptSubmit x", "2 Stop Done."]);
        assert_eq!(inputs(&text(&lines), &all()).1.of_subagents, 1, "{}", lines[1]);
    }
}

#[test]
fn what_was_typed_meanwhile_stands_later_and_the_time_never_goes_back() {
    let queued = json!({ "type": "queued_command", "prompt": "and that", "origin": { "kind": "human" } });
    let lines = [
        prompt(1, "p", "x"),
        calls(2, "a", "Bash"),
        result(6, "a", false, "out"),
        line("attachment", 3, &json!({ "attachment": queued })),
    ];
    check(
        &lines,
        &["1 UserPromptSubmit x", "2 PreToolUse a", "6 PostToolUse a", "6 UserPromptSubmit and that"],
    );
}

#[test]
fn a_prompt_typed_meanwhile_belongs_to_the_running_turn() {
    let queued =
        json!({ "attachment": { "type": "queued_command", "prompt": "and that", "commandMode": "prompt" } });
    let lines =
        [prompt(1, "p", "x"), calls(2, "a", "Bash"), line("attachment", 3, &queued), says(4, "m", "Done.")];
    let (inputs, _) = inputs(&text(&lines), &all());
    let (_, _, input) = inputs.iter().find(|(at, ..)| *at == 3).unwrap();
    assert_eq!((&input["prompt"], &input["prompt_id"]), (&json!("and that"), &json!("p")));
}

#[test]
fn a_compaction_begins_a_session_anew_and_comes_after_the_stop_of_a_turn_that_is_over() {
    let boundary =
        |trigger: &str| json!({ "subtype": "compact_boundary", "compactMetadata": { "trigger": trigger } });
    let summary = json!({ "isCompactSummary": true, "message": { "content": "so far" } });
    let reason = |at, reason: &str, text| {
        let mut line = says(at, "m", text);
        line["message"]["stop_reason"] = json!(reason);
        line
    };
    let typed =
        "<command-name>/compact</command-name>\n            <command-message>compact</command-message>";
    for (trigger, words, expected) in [
        ("manual", reason(2, "end_turn", "Done."), &["2 Stop Done.", "9 PreCompact manual"][..]),
        ("manual", says(2, "m", "Done."), &["2 Stop Done.", "9 PreCompact manual"]),
        ("auto", reason(2, "end_turn", "Done."), &["2 Stop Done.", "9 PreCompact auto"]),
        // In the middle of a turn.
        ("auto", reason(2, "max_tokens", "And"), &["9 PreCompact auto"]),
        ("auto", says(2, "m", "And"), &["9 PreCompact auto"]),
        ("auto", result(2, "none", false, "out"), &["9 PreCompact auto"]),
    ] {
        let lines = [
            prompt(1, "p", "x"),
            words,
            line("system", 9, &boundary(trigger)),
            line("user", 8, &summary),
            prompt(7, "q", typed),
            prompt(7, "q", "<local-command-stdout>Compacted</local-command-stdout>"),
            says(10, "n", "More."),
            prompt(11, "r", "y"),
        ];
        let after = ["9 SessionStart compact", "10 Stop More.", "11 UserPromptSubmit y"];
        check(&lines, &[&["1 UserPromptSubmit x"], expected, &after[..]].concat());
    }
}

#[test]
fn an_input_is_what_the_client_tells_and_the_transcript_is_as_long_as_it_was() {
    let lines =
        [prompt(1, "p", "x"), calls(2, "a", "Bash"), result(3, "a", false, "out"), says(4, "m", "Done.")];
    let ends: Vec<u64> = (0..=lines.len()).map(|count| text(&lines[..count]).len() as u64).collect();
    let (inputs, _) = inputs(&text(&lines), &all());
    let shown: Vec<u64> = inputs.iter().map(|(_, shown, _)| *shown).collect();
    assert_eq!(shown, [0, 0, ends[2], ends[3], ends[4], ends[4]]);
    let expected = json!({
        "hook_event_name": "PostToolUse", "session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/p", "prompt_id": "p",
        "permission_mode": "default", "tool_name": "Bash", "tool_use_id": "a", "tool_input": { "command": "ls" },
        "tool_response": { "stdout": "out" },
    });
    assert_eq!(inputs[3].2, expected);
}

#[test]
fn a_hook_is_told_only_of_what_it_is_registered_for() {
    let lines = [prompt(1, "p", "x"), calls(2, "a", "Bash"), calls(2, "b", "Edit"), says(4, "m", "Done.")];
    let (inputs, summary) = inputs(&text(&lines), &[entry("PreToolUse", Some("Write|Edit"))]);
    let ids: Vec<&Value> = inputs.iter().map(|(_, _, input)| &input["tool_use_id"]).collect();
    assert_eq!(ids, [&json!("b")]);
    assert_eq!((summary.prompts, summary.calls, summary.stops), (1, 2, 1));
}

#[test]
fn torn_and_strange_lines_are_passed_over() {
    let good = text(&[prompt(1, "p", "x")]);
    let strange = line("user", 2, &json!({ "message": 7, "cwd": ["x"] }));
    let transcript = format!("{{\"type\":\"us\n\n{good}not json\n{strange}\n[]\n{{\"type\":\"user\",\"mess");
    let (inputs, summary) = inputs(&transcript, &all());
    assert_eq!((inputs.len(), summary.unread), (3, 4));
    for nothing in ["", "\n\n", "{}\n"] {
        assert!(inputs_of(nothing).is_empty(), "{nothing}");
    }
}

fn inputs_of(transcript: &str) -> Vec<(u32, u64, Value)> {
    inputs(transcript, &all()).0
}

#[test]
fn what_a_session_was_is_found_in_its_first_lines() {
    let bare = json!({ "type": "queue-operation", "sessionId": "s" });
    let opened = Opened::read(Cursor::new(text(&[bare, prompt(1, "p", "x")]))).unwrap();
    let main = Opened { session: Some("s".to_owned()), cwd: Some("/p".to_owned()), is_of_subagent: false };
    assert_eq!(opened, main);
    assert_eq!(Opened::read(Cursor::new("no transcript\n")).unwrap(), Opened::default());
}

#[test]
fn of_a_line_that_is_too_long_only_the_beginning_is_kept() {
    let mut from = Cursor::new(format!("{}\nnext\n", "x".repeat(100)));
    let mut line = Vec::new();
    assert_eq!(read_line(&mut from, &mut line, 10).unwrap(), Some(101));
    assert_eq!(line, b"xxxxxxxxxx");
    assert_eq!(read_line(&mut from, &mut line, 10).unwrap(), Some(5));
    assert_eq!((line.as_slice(), read_line(&mut from, &mut Vec::new(), 10).unwrap()), (&b"next"[..], None));
}

#[test]
fn no_call_is_never_asked_about_for_what_a_tool_printed() {
    let printed = [result(1, "a", false, "<tool_use_error>"), result(2, "b", true, "see <tool_use_error>")];
    assert_eq!(calls_never_asked_about(Cursor::new(text(&printed))).unwrap(), BTreeSet::new());
}
