//! The address of the API, valid keys, and parsing of answers.

use serde_json::{Value, json};
use shared::courier::{Answer, CourierError, Kind};

use super::{Reply, Silence, one_word, url};

#[test]
fn address_of_the_api() {
    for (base, expected) in [
        (None, "https://api.anthropic.com/v1/messages"),
        (Some(" / "), "https://api.anthropic.com/v1/messages"),
        (Some("https://gateway.example.com/anthropic/"), "https://gateway.example.com/anthropic/v1/messages"),
    ] {
        assert_eq!(url(base), expected, "{base:?}");
    }
}

#[test]
fn a_key_is_one_word() {
    assert_eq!(one_word(" sk-ant-1\n").as_deref(), Some("sk-ant-1"));
    for key in ["  ", "a b", "a\r\nhost: b", "schlüssel"] {
        assert_eq!(one_word(key), None, "{key:?}");
    }
}

const YES: &str = r#"{"verdict":"YES"}"#;
const NO: &str = r#"{"verdict":"NO"}"#;

fn answer(status: u16, body: &str) -> Answer {
    Answer { status, headers: [].into(), body: body.to_owned(), truncated: false }
}

fn read(status: u16, body: &str) -> Result<Reply, Silence> {
    super::read(Ok(answer(status, body)))
}

fn message(content: &Value, stop_reason: &str) -> Value {
    json!({
        "type": "message", "content": content, "stop_reason": stop_reason, "stop_sequence": null,
        "usage": { "input_tokens": 700, "output_tokens": 30, "service_tier": "standard" },
    })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text, "citations": null })
}

#[test]
fn the_verdict_is_all_the_text_of_a_model_that_has_finished() {
    let thinking = json!({ "type": "thinking", "thinking": NO, "signature": "x" });
    for (content, stop_reason, is_verdict) in [
        (json!([text("{\"verdict\""), text(":\"YES\"}\n")]), "end_turn", true),
        (json!([thinking, text(YES), { "type": "of_tomorrow" }]), "end_turn", true),
        (json!([text(YES)]), "stop_sequence", true),
        (json!([text(YES)]), "max_tokens", false),
        (json!([text(YES)]), "of_tomorrow", false),
        (json!([thinking]), "end_turn", false),
        (json!([text(r#"["YES"]"#)]), "end_turn", false),
        (json!([text(&format!("{YES} I am sure."))]), "end_turn", false),
        (json!([text(NO), text(YES)]), "end_turn", false),
    ] {
        let expected =
            if is_verdict { Ok(Ok(json!({ "verdict": "YES" }))) } else { Err(Silence::InvalidResponse) };
        let body = message(&content, stop_reason).to_string();
        assert_eq!(read(200, &body).map(|reply| reply.verdict), expected, "{body}");
    }
}

#[test]
fn tokens_of_the_cache_count_and_an_answer_without_tokens_is_invalid() {
    let cached = json!({ "cache_creation_input_tokens": 200, "cache_read_input_tokens": null, "input_tokens": 7, "output_tokens": 30 });
    for (usage, expected) in [
        (cached, Ok((207, 30))),
        (json!({ "input_tokens": 7 }), Err(Silence::InvalidResponse)),
        (json!(null), Err(Silence::InvalidResponse)),
    ] {
        let mut body = message(&json!([text("{}")]), "end_turn");
        body["usage"] = usage.clone();
        let tokens = read(200, &body.to_string()).map(|reply| reply.tokens.unwrap());
        assert_eq!(tokens.map(|tokens| (tokens.input, tokens.output)), expected, "{usage}");
    }
}

#[test]
fn every_other_answer_has_a_reason() {
    for body in ["", "null", "<html>504</html>", r#"{"type":"error"}"#] {
        assert_eq!(read(200, body), Err(Silence::InvalidResponse), "{body}");
    }
    let whole = message(&json!([text(YES)]), "end_turn").to_string();
    let cut = Answer { truncated: true, ..answer(200, &whole) };
    assert_eq!(super::read(Ok(cut)), Err(Silence::InvalidResponse));
    for (statuses, expected) in [
        (&[400, 404, 413][..], Silence::Refused),
        (&[401, 402, 403], Silence::Unauthorized),
        (&[429], Silence::Limited),
        (&[500, 529, 599], Silence::Overloaded),
        (&[201, 204, 301, 308, 408, 600], Silence::Unreachable),
    ] {
        for status in statuses {
            assert_eq!(read(*status, &whole), Err(expected), "{status}");
        }
    }
    for (error, expected) in [
        (CourierError::NotStarted, Silence::NotStarted),
        (CourierError::Speechless, Silence::Unreachable),
        (CourierError::Failed(Kind::Timeout), Silence::Late),
        (CourierError::Failed(Kind::TooLarge), Silence::Refused),
        (CourierError::Failed(Kind::Other), Silence::Unreachable),
    ] {
        assert_eq!(super::read(Err(error)), Err(expected), "{error:?}");
    }
}
