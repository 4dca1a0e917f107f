//! The address of the API, valid keys, and parsing of answers.

use serde_json::{Value, json};
use shared::courier::{Answer, CourierError, Kind};

use super::{Reply, Silence, one_word, url};

#[test]
fn where_the_api_is() {
    for (base, expected) in [
        (None, "https://api.anthropic.com/v1/messages"),
        (Some(" / "), "https://api.anthropic.com/v1/messages"),
        (Some("http://127.0.0.1:8080"), "http://127.0.0.1:8080/v1/messages"),
        (Some("https://gateway.example.com/anthropic/"), "https://gateway.example.com/anthropic/v1/messages"),
    ] {
        assert_eq!(url(base), expected, "{base:?}");
    }
}

#[test]
fn a_key_is_one_word() {
    for (key, expected) in [
        ("sk-ant-1", Some("sk-ant-1")),
        (" sk-ant-1\n", Some("sk-ant-1")),
        ("  ", None),
        ("a b", None),
        ("a\r\nhost: b", None),
        ("schlüssel", None),
    ] {
        assert_eq!(one_word(key).as_deref(), expected, "{key:?}");
    }
}

fn read(body: &Value) -> Result<Reply, Silence> {
    super::read(Ok(answer(200, &body.to_string())))
}

fn answer(status: u16, body: &str) -> Answer {
    Answer { status, headers: [].into(), body: body.to_owned(), truncated: false }
}

fn message(content: &Value, stop_reason: &str) -> Value {
    json!({
        "type": "message", "content": content, "stop_reason": stop_reason, "stop_sequence": null,
        "usage": { "input_tokens": 700, "output_tokens": 30, "service_tier": "standard" },
    })
}

fn texts(texts: &[&str]) -> Value {
    message(&texts.iter().map(|text| json!({ "type": "text", "text": text })).collect(), "end_turn")
}

#[track_caller]
fn check(body: &Value, is_verdict: bool) {
    let expected =
        if is_verdict { Ok(Ok(json!({ "verdict": "YES" }))) } else { Err(Silence::InvalidResponse) };
    assert_eq!(read(body).map(|reply| reply.verdict), expected, "{body}");
}

#[test]
fn the_verdict_is_all_the_text_of_a_model_that_has_finished() {
    check(&texts(&["{\"verdict\"", ":\"YES\"}\n"]), true);
    for given in [
        &[][..],
        &[r#"["YES"]"#],
        &[r#"{"verdict":"YES"} I am sure."#],
        &[r#"{"verdict":"NO"}"#, r#"{"verdict":"YES"}"#],
    ] {
        check(&texts(given), false);
    }
    let text = json!({ "type": "text", "text": r#"{"verdict":"YES"}"#, "citations": null });
    let thinking = json!({ "type": "thinking", "thinking": "{\"verdict\":\"NO\"}", "signature": "x" });
    check(&message(&json!([thinking, text, { "type": "of_tomorrow" }]), "end_turn"), true);
    check(&message(&json!([thinking]), "end_turn"), false);
    check(&message(&json!([text]), "stop_sequence"), true);
    for reason in ["max_tokens", "refusal", "of_tomorrow", ""] {
        check(&message(&json!([text]), reason), false);
    }
}

#[test]
fn tokens_of_the_cache_count_and_an_answer_without_tokens_is_invalid() {
    for (usage, expected) in [
        (json!({ "input_tokens": 700, "output_tokens": 30 }), Ok((700, 30))),
        (
            json!({ "input_tokens": 7, "output_tokens": 30, "cache_creation_input_tokens": 200, "cache_read_input_tokens": null }),
            Ok((207, 30)),
        ),
        (json!({ "input_tokens": 7 }), Err(Silence::InvalidResponse)),
        (json!(null), Err(Silence::InvalidResponse)),
    ] {
        let mut body = texts(&["{}"]);
        body["usage"] = usage.clone();
        let tokens =
            read(&body).map(|reply| reply.tokens.map(|tokens| (tokens.input, tokens.output)).unwrap());
        assert_eq!(tokens, expected, "{usage}");
    }
}

#[test]
fn whatever_else_comes_back_has_a_reason() {
    for body in ["", "null", "<html>504</html>", r#"{"type":"error"}"#] {
        assert_eq!(super::read(Ok(answer(200, body))), Err(Silence::InvalidResponse), "{body}");
    }
    let whole = texts(&[r#"{"verdict":"YES"}"#]).to_string();
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
            assert_eq!(super::read(Ok(answer(*status, &whole))), Err(expected), "{status}");
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
