//! Reading an input and what the reader tolerates; every verdict on every event, against the documented shape of an answer.

use super::{Answer, Call, Event, Mode, Stop, Verdict, parse, to_wire};

/// The events that hooks of ours use.
const EVENTS: &str = "PostToolUse PostToolUseFailure PreCompact PreToolUse SessionEnd SessionStart Stop StopFailure \
    SubagentStart SubagentStop UserPromptSubmit";

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
    let expected = Stop {
        stop_hook_active: true,
        last_assistant_message: Some("end".to_owned()),
        background_tasks: 1,
        session_crons: vec!["req approve x".to_owned(), String::new()],
    };
    assert_eq!(stop, expected);
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
    assert_eq!(Vec::from_iter(known).join(" "), EVENTS);
}

#[test]
fn a_field_of_another_type_counts_as_missing() {
    let text = r#"{"session_id":7,"prompt_id":null,"cwd":["x"],"permission_mode":"new-mode","hook_event_name":"Stop",
        "stop_hook_active":"false","last_assistant_message":{"a":1},"background_tasks":3}"#;
    let input = parse(text.as_bytes()).unwrap();
    assert_eq!(input.call, Call::default());
    assert!(matches!(&input.event, Event::Stop(stop) if *stop == Stop::default()), "{:?}", input.event);
}

#[test]
fn a_repeated_key_half_a_surrogate_pair_and_a_byte_order_mark_do_no_harm() {
    let text = "\u{feff}{\"session_id\":\"a\",\"session_id\":\"b\",\"hook_event_name\":\"Stop\",\
        \"last_assistant_message\":\"a\\ud800b\"}";
    let input = parse(text.as_bytes()).unwrap();
    assert_eq!(input.call.session_id.as_deref(), Some("b"), "the last one counts");
    let Event::Stop(stop) = input.event else { panic!("a stop") };
    let message = stop.last_assistant_message.unwrap();
    assert!(message.starts_with('a') && message.ends_with('b'), "{message:?}");
}

#[test]
fn input_without_an_object_or_event_is_an_error() {
    for text in ["", "[]", "null", "7", "\"Stop\"", "{", "{\"a\":}", "text {}"] {
        assert_eq!(parse(text.as_bytes()).err(), Some("the hook input is not a JSON object"), "{text:?}");
    }
    for text in ["{}", r#"{"hook_event_name":""}"#, r#"{"hook_event_name":7}"#] {
        assert_eq!(parse(text.as_bytes()).err(), Some("the hook input names no event"), "{text:?}");
    }
}

/// The documented shape of a hook's output, event by event.
const DOCUMENTED: &str = include_str!("documented.schema.json");

#[test]
fn each_verdict_has_the_documented_shape_on_the_events_that_carry_it_and_is_silence_elsewhere() {
    let documented: serde_json::Value = serde_json::from_str(DOCUMENTED).unwrap();
    let specific =
        |fields: &str| Some(format!(r#"{{"hookSpecificOutput":{{{fields},"hookEventName":"PreToolUse"}}}}"#));
    let block = || Some(r#"{"decision":"block","reason":"no�"}"#.to_owned());
    let deny = r#""permissionDecision":"deny","permissionDecisionReason":"no�""#;
    let advice = specific(r#""additionalContext":"no�""#);
    let (no, rule) = (|| "no\u{1b}".to_owned(), || "x".into());
    let (tool, stop, prompt) = ("PreToolUse", "Stop", "UserPromptSubmit");
    let advised = ["SessionStart", prompt, "PostToolUse", "PostToolUseFailure", "SubagentStart"];
    for (verdict, on, expected, others) in [
        (Verdict::Pass, stop, None, &[][..]),
        (Verdict::Block { reason: no(), rule: rule() }, stop, block(), &["SubagentStop", prompt]),
        (Verdict::Reply { text: no() }, prompt, block(), &[]),
        (Verdict::Deny { reason: no(), rule: rule() }, tool, specific(deny), &[]),
        (Verdict::Ask { reason: no(), rule: rule() }, tool, specific(&deny.replace("deny", "ask")), &[]),
        (Verdict::Advise { text: no() }, tool, advice, &advised),
    ] {
        let answer = Answer { verdict, notice: None };
        let noticed = Answer { notice: Some("to\u{1b} the user".to_owned()), ..answer.clone() };
        for name in EVENTS.split_whitespace().chain(["MessageDisplay"]) {
            let event = event(&format!(r#"{{"hook_event_name":"{name}"}}"#));
            let wire = to_wire(&event, &answer);
            for wire in [&wire, &to_wire(&event, &noticed)].into_iter().flatten() {
                assert!(config::fits(&documented, &serde_json::from_str(wire).unwrap()), "{wire}");
                assert!(!wire.contains("u001b"), "a hidden character: {wire}");
            }
            if name == on {
                assert_eq!(wire, expected, "{answer:?}");
            } else {
                assert_eq!(wire.is_some(), others.contains(&name), "{answer:?} on {name}");
            }
        }
    }
}

#[test]
fn each_verdict_has_a_word_for_the_journal() {
    let (text, rule) = (|| "no".to_owned(), || "x".into());
    for (verdict, word) in [
        (Verdict::Pass, "pass"),
        (Verdict::Advise { text: text() }, "advise"),
        (Verdict::Reply { text: text() }, "reply"),
        (Verdict::Deny { reason: text(), rule: rule() }, "deny"),
        (Verdict::Ask { reason: text(), rule: rule() }, "ask"),
        (Verdict::Block { reason: text(), rule: rule() }, "block"),
    ] {
        assert_eq!(verdict.word(), word);
    }
}
