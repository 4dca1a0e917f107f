//! What stands in a record: every kind of thing that happens, in order, with what was in the context then.

use serde_json::{Value, json};
use tests::payloads::Payload;

use super::{Recorder, holds, kinds, lines};

/// What happens after the record has begun, what it is in the record, and the keys of its data.
fn course(recorder: &Recorder) -> Vec<(Payload, &'static str, &'static [&'static str])> {
    let session = &recorder.session;
    let edit = json!({ "file_path": "/x/a.rs", "old_string": "a", "new_string": "b" });
    vec![
        (session.user_prompt_submit("and now the printer"), "user_message", &["message", "length"]),
        (
            session.post_tool_use("Edit", edit, json!({ "filePath": "/x/a.rs" })),
            "tool_call",
            &["tool", "path", "args", "result_summary", "result_length", "duration_ms"],
        ),
        (
            session.post_tool_use_failure("Bash", json!({ "command": "false" }), "Exit code 1"),
            "system_event",
            &["event", "tool", "args", "error"],
        ),
        (session.subagent_start("a1"), "system_event", &["event", "agent_type", "agent_id"]),
        (
            session.bash_succeeded("ls", "ok").in_subagent("a1", "Explore"),
            "tool_call",
            &["tool", "args", "result_summary", "result_length", "duration_ms", "agent_id"],
        ),
        (
            session.subagent_stop("a1", "Found it."),
            "system_event",
            &["event", "agent_type", "agent_id", "summary"],
        ),
        (session.replay("StopFailure-529"), "system_event", &["event", "error"]),
        (session.stop("The printer is written."), "assistant_response", &["summary", "length"]),
        (session.pre_compact("manual"), "system_event", &["event", "trigger"]),
        (session.session_start("compact"), "system_event", &["event"]),
    ]
}

#[test]
fn it_holds_what_happens_in_order_with_rising_context() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    for (step, (payload, ..)) in (1..).zip(course(&recorder)) {
        holds(&recorder.session, 180_000 + step * 1_200);
        recorder.ask(&payload);
    }
    let lines = lines(&record);
    let expected: Vec<&str> = course(&recorder).iter().map(|(_, kind, _)| *kind).collect();
    let happened: Vec<Value> =
        lines[3..].iter().filter(|line| line["data"]["event"] != "level_reached").cloned().collect();
    assert_eq!(kinds(&lines[..3]), ["pause_started", "system_event", "tool_call"]);
    assert_eq!(kinds(&happened), expected);
    for (line, (payload, _, keys)) in happened.iter().zip(course(&recorder)) {
        let found: Vec<&str> = line["data"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(found, keys, "{payload:?}");
    }
    for line in &lines {
        let keys: Vec<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["type", "timestamp", "session_id", "data", "context_percentage"]);
        assert_eq!(line["session_id"], lines[0]["session_id"]);
    }
    assert_eq!(lines[0]["context_percentage"], 0.9);
}
