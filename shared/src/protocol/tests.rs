//! Reading an input and what the reader tolerates; every verdict on every event, against the documented shape of an answer.

use super::{
    Answer, Event, Mode, Stop, Subagent, ToolCall, ToolFailure, ToolResult, Verdict, parse, to_wire,
};

#[track_caller]
fn event(text: &str) -> Event {
    parse(text.as_bytes()).unwrap().event
}

#[test]
fn a_stop_is_read_with_everything_a_gate_needs() {
    let text = r#"{"session_id":"s","transcript_path":"/t.jsonl","cwd":"/p","prompt_id":"p","permission_mode":"acceptEdits",
        "hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"end",
        "background_tasks":[{"id":"b"}],"session_crons":[{"prompt":"req approve x"},{}],"something_new":{"a":1}}"#;
    let input = parse(text.as_bytes()).unwrap();
    assert_eq!(input.call.session_id.as_deref(), Some("s"));
    assert_eq!(input.call.permission_mode, Some(Mode::AcceptEdits));
    let Event::Stop(stop) = input.event else { panic!("a stop") };
    assert!(stop.stop_hook_active);
    assert_eq!(
        (stop.background_tasks, stop.session_crons),
        (1, vec!["req approve x".to_owned(), String::new()])
    );
    assert_eq!(stop.last_assistant_message.as_deref(), Some("end"));
}

/// Each recorded input of Claude Code: the event, and the tool it is about.
#[test]
fn recorded_inputs_are_read_as_their_events() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/payloads");
    let mut known = std::collections::BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(fields) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
        let Some(name) = fields["hook_event_name"].as_str() else { continue };
        let event = event(&text);
        assert_eq!(event.name(), name, "{path:?}");
        if !matches!(event, Event::Other(_)) {
            known.insert(name.to_owned());
            let tool = event.tool_call().map(|call| call.tool_name.as_str());
            assert_eq!(tool, fields["tool_name"].as_str(), "{path:?}");
        }
        if let Event::SubagentStop(end) = event {
            assert_eq!(end.last_assistant_message.as_deref(), fields["last_assistant_message"].as_str());
        }
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let expected = "PostToolUse PostToolUseFailure PreCompact PreToolUse SessionEnd SessionStart Stop StopFailure \
        SubagentStart SubagentStop UserPromptSubmit";
    assert_eq!(known, expected.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn a_field_of_another_type_counts_as_missing() {
    let input = parse(
        br#"{"session_id":7,"prompt_id":null,"cwd":["x"],"permission_mode":"new-mode","hook_event_name":"Stop",
            "stop_hook_active":"false","last_assistant_message":{"a":1},"background_tasks":3}"#,
    )
    .unwrap();
    assert_eq!(input.call, super::Call::default());
    assert!(
        matches!(&input.event, Event::Stop(stop) if *stop == super::Stop::default()),
        "{:?}",
        input.event
    );
}

#[test]
fn the_last_of_repeated_keys_counts() {
    let input = parse(br#"{"session_id":"a","session_id":"b","hook_event_name":"Stop"}"#).unwrap();
    assert_eq!(input.call.session_id.as_deref(), Some("b"));
}

#[test]
fn half_a_surrogate_pair_and_a_byte_order_mark_do_no_harm() {
    let text = "\u{feff}{\"hook_event_name\":\"Stop\",\"last_assistant_message\":\"a\\ud800b\"}";
    let Event::Stop(stop) = event(text) else { panic!("a stop") };
    let message = stop.last_assistant_message.unwrap();
    assert!(message.starts_with('a') && message.ends_with('b'), "{message:?}");
}

#[test]
fn what_is_no_object_or_names_no_event_is_refused() {
    for text in ["", "[]", "null", "7", "\"Stop\"", "{", "{\"a\":}", "text {}"] {
        assert_eq!(parse(text.as_bytes()).err(), Some("the hook input is not a JSON object"), "{text:?}");
    }
    for text in ["{}", r#"{"hook_event_name":""}"#, r#"{"hook_event_name":7}"#] {
        assert_eq!(parse(text.as_bytes()).err(), Some("the hook input names no event"), "{text:?}");
    }
}

/// The documented shape of a hook's output, event by event.
const DOCUMENTED: &str = include_str!("documented.schema.json");

fn events() -> [Event; 12] {
    [
        Event::SessionStart { source: "startup".into(), model: None },
        Event::SessionEnd { reason: "other".into() },
        Event::UserPromptSubmit { prompt: "p".into(), source: None },
        Event::PreToolUse(ToolCall::default()),
        Event::PostToolUse(ToolResult::default()),
        Event::PostToolUseFailure(ToolFailure::default()),
        Event::Stop(Stop::default()),
        Event::StopFailure { error: "rate_limit".into() },
        Event::SubagentStart(Subagent::default()),
        Event::SubagentStop(Subagent::default()),
        Event::PreCompact { trigger: "auto".into() },
        Event::Other("MessageDisplay".into()),
    ]
}

#[test]
fn each_verdict_has_the_documented_shape_on_the_events_that_carry_it_and_is_silence_elsewhere() {
    let documented: serde_json::Value = serde_json::from_str(DOCUMENTED).unwrap();
    let specific =
        |fields: &str| format!(r#"{{"hookSpecificOutput":{{{fields},"hookEventName":"PreToolUse"}}}}"#);
    let block = r#"{"decision":"block","reason":"no"}"#.to_owned();
    let (no, rule) = (|| "no".to_owned(), || "x".into());
    let (tool, stop, prompt) = ("PreToolUse", "Stop", "UserPromptSubmit");
    let ask = specific(r#""permissionDecision":"ask","permissionDecisionReason":"no""#);
    for (verdict, event, expected, others) in [
        (Verdict::Pass, stop, None, &[][..]),
        (Verdict::Block { reason: no(), rule: rule() }, stop, Some(block.clone()), &["SubagentStop", prompt]),
        (Verdict::Reply { text: no() }, prompt, Some(block), &[]),
        (Verdict::Deny { reason: no(), rule: rule() }, tool, Some(ask.replace("\"ask\"", "\"deny\"")), &[]),
        (Verdict::Ask { reason: no(), rule: rule() }, tool, Some(ask), &[]),
        (
            Verdict::Advise { text: no() },
            tool,
            Some(specific(r#""additionalContext":"no""#)),
            &["SessionStart", prompt, "PostToolUse", "PostToolUseFailure", "SubagentStart"],
        ),
    ] {
        let notice = Some("to the user".to_owned());
        let (answer, noticed) =
            (Answer { verdict: verdict.clone(), notice: None }, Answer { verdict, notice });
        for other in events() {
            let wire = to_wire(&other, &answer);
            for wire in [&wire, &to_wire(&other, &noticed)].into_iter().flatten() {
                assert!(config::fits(&documented, &serde_json::from_str(wire).unwrap()), "{wire}");
            }
            if other.name() == event {
                assert_eq!(wire, expected, "{answer:?}");
            } else {
                assert_eq!(wire.is_some(), others.contains(&other.name()), "{answer:?} on {}", other.name());
            }
        }
    }
}
