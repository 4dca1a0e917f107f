//! Reading an input, and what the reader tolerates.

use super::{Event, Mode, ParseError, parse};

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
        assert!(matches!(parse(text.as_bytes()), Err(ParseError::NotAnObject(_))), "{text:?}");
    }
    for text in ["{}", r#"{"hook_event_name":""}"#, r#"{"hook_event_name":7}"#] {
        assert!(matches!(parse(text.as_bytes()), Err(ParseError::NoEvent)), "{text:?}");
    }
}
