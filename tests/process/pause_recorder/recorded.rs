//! What stands in a record: every kind of thing that happens, in order, with what was in the context then.

use serde_json::{Value, json};
use tests::payloads::Payload;

use super::{Recorder, holds, kinds, lines};
use crate::driver::notice;

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
    let levels = lines.iter().filter(|line| line["data"]["event"] == "level_reached").count();
    assert_eq!(levels, 2, "auto_pause and critical: {lines:#?}");
    let happened: Vec<Value> =
        lines[3..].iter().filter(|line| line["data"]["event"] != "level_reached").cloned().collect();
    assert_eq!(kinds(&lines[..3]), ["pause_started", "system_event", "tool_call"]);
    assert_eq!(kinds(&happened), expected);
    for (line, (payload, _, keys)) in happened.iter().zip(course(&recorder)) {
        let found: Vec<&str> = line["data"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(found, keys, "{payload:?}");
    }
    assert_whole(&lines);
}

/// The keys of the format, one id, time and context that rise; but for a compaction, after which nothing is known.
#[track_caller]
fn assert_whole(lines: &[Value]) {
    for line in lines {
        let keys: Vec<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["type", "timestamp", "session_id", "data", "context_percentage"]);
        assert_eq!(line["session_id"], lines[0]["session_id"]);
    }
    for pair in lines.windows(2) {
        assert!(pair[0]["timestamp"].as_str() <= pair[1]["timestamp"].as_str(), "{pair:?}");
        let share = |line: &Value| line["context_percentage"].as_f64().unwrap();
        assert!(share(&pair[0]) <= share(&pair[1]) || pair[1]["data"]["event"] == "compacted", "{pair:#?}");
    }
    assert_eq!(lines[0]["context_percentage"], 0.9);
}

#[test]
fn its_first_line_says_how_it_began() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let first = lines(&record).remove(0);
    assert_eq!(
        first["data"],
        json!({
            "context_percentage": 0.9,
            "initial_state": {
                "claude_session_id": recorder.session.id,
                "model": "claude-sonnet-4-6",
                "tokens_used": 180_000,
                "tokens_total": 200_000,
            },
            "reason": "auto_pause",
        })
    );
    let id = first["session_id"].as_str().unwrap();
    let shape: String = id.chars().map(|char| if char.is_ascii_digit() { '0' } else { char }).collect();
    assert_eq!(shape, "session-00000000-000000");
}

#[test]
fn a_session_that_is_compacted_before_leaves_a_record_and_a_snapshot() {
    let recorder = Recorder::new("");
    holds(&recorder.session, 160_000);
    recorder.call(&recorder.session);
    assert!(recorder.actives().is_empty());
    recorder.ask(&recorder.session.pre_compact("auto"));
    let record = recorder.actives().remove(0);
    assert_eq!(lines(&record)[0]["data"]["reason"], "compaction");
    let snapshot = recorder.snapshot(&recorder.latest());
    assert_eq!(snapshot["context_usage"]["tokens_used"], 160_000);
    recorder.ask(&recorder.session.session_start("compact"));
    recorder.climb(&recorder.session, 30_000);
    recorder.ask(&recorder.session.session_end("other"));
    let archive = recorder.file(&recorder.latest(), "-incremental.jsonl");
    let lines = lines(&archive);
    assert_eq!(
        kinds(&lines),
        ["pause_started", "system_event", "system_event", "tool_call", "system_event", "pause_finalized"]
    );
}

#[test]
fn texts_are_short_and_their_lengths_whole() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let long = "wörd ".repeat(100_000);
    recorder.ask(&recorder.session.bash_succeeded(&long, &long));
    recorder.ask(&recorder.session.user_prompt_submit(&long));
    recorder.ask(&recorder.session.stop(&long));
    let lines = lines(&record);
    let length = |text: &Value| text.as_str().unwrap().chars().count();
    let [call, prompt, reply] = &lines[3..] else { panic!("{lines:#?}") };
    assert_eq!([length(&call["data"]["args"]), length(&call["data"]["result_summary"])], [500, 200]);
    assert!(call["data"]["result_length"].as_u64() > Some(500_000), "{call}");
    assert_eq!((length(&prompt["data"]["message"]), &prompt["data"]["length"]), (200, &json!(500_000)));
    assert_eq!((length(&reply["data"]["summary"]), &reply["data"]["length"]), (200, &json!(500_000)));
}

#[test]
fn commands_of_ours_are_nobodys_words() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    for prompt in ["pause-recorder status", "req status", "pace-maker status", "stop-momentum off"] {
        recorder.ask(&recorder.session.user_prompt_submit(prompt));
    }
    let sentence = "req status prints the wrong branch, please fix the parser and add a test";
    for prompt in ["stop the momentum", sentence] {
        recorder.ask(&recorder.session.user_prompt_submit(prompt));
    }
    let lines = lines(&record);
    let prompts: Vec<&Value> =
        lines.iter().map(|line| &line["data"]["message"]).filter(|text| text.is_string()).collect();
    assert_eq!(prompts, ["stop the momentum", sentence]);
}

#[test]
fn a_full_record_is_not_written_on_and_the_rest_is_counted() {
    let recorder = Recorder::new("max_record_mib: 1");
    let record = recorder.recorded(&recorder.session);
    let file = std::fs::OpenOptions::new().append(true).open(&record).unwrap();
    file.set_len(1024 * 1024).unwrap();
    drop(file);
    let before = std::fs::read(&record).unwrap();
    for _ in 0..3 {
        assert_eq!(notice(recorder.call(&recorder.session).as_ref()), "");
    }
    assert!(std::fs::read(&record).unwrap() == before);
    recorder.ask(&recorder.session.session_end("other"));
    let snapshot = recorder.snapshot(&recorder.latest());
    // Three lines, three calls and the session's end.
    assert_eq!(snapshot["incremental_pause"]["action_count"], 7, "{snapshot:#}");
}
