//! What the client says, as it was seen to say it, and what is read from it.

use serde_json::{Value, json};

use super::read;
use crate::model::{AskError, Failure, Reply, Tokens};

fn success() -> Value {
    json!({
        "type": "result",
        "subtype": "success",
        "is_error": false,
        "api_error_status": null,
        "num_turns": 2,
        "result": "{\"verdict\":\"APPROVED\"}",
        "structured_output": { "verdict": "APPROVED" },
        "total_cost_usd": 0.000_035,
        "usage": {
            "input_tokens": 10,
            "cache_creation_input_tokens": 200,
            "cache_read_input_tokens": 3000,
            "output_tokens": 5,
        },
    })
}

/// An error as the client words it, with these fields.
fn error(fields: Value) -> Value {
    let mut result = json!({
        "type": "result", "subtype": "success", "is_error": true, "api_error_status": null,
        "terminal_reason": "api_error", "result": "API Error", "total_cost_usd": 0,
    });
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    result.as_object_mut().unwrap().extend(fields);
    result
}

fn said(result: &Value) -> Result<Reply, AskError> {
    read(format!("{result}\n").as_bytes()).map_err(|failure| failure.error)
}

#[track_caller]
fn check(fields: Value, expected: AskError) {
    let shown = fields.to_string();
    assert_eq!(said(&error(fields)), Err(expected), "{shown}");
}

#[test]
fn a_verdict_comes_with_what_it_took() {
    let expected = Reply {
        verdict: json!({ "verdict": "APPROVED" }),
        tokens: Tokens { input: 3210, output: 5 },
        micro_usd: Some(35),
    };
    assert_eq!(said(&success()), Ok(expected.clone()));
    let verbose = json!([{ "type": "system" }, { "type": "assistant" }, success()]);
    assert_eq!(said(&verbose), Ok(expected));
}

#[test]
fn costs_are_rounded_up() {
    for (usd, expected) in [(0.0, 0), (0.000_000_1, 1), (0.000_035_000_000_000_000_004, 35), (1.5, 1_500_000)]
    {
        let mut result = success();
        result["total_cost_usd"] = usd.into();
        assert_eq!(said(&result).map(|reply| reply.micro_usd), Ok(Some(expected)), "{usd}");
    }
}

#[test]
fn what_it_took_may_be_missing() {
    let mut result = success();
    for field in ["total_cost_usd", "usage"] {
        result.as_object_mut().unwrap().remove(field);
    }
    let reply = said(&result).unwrap();
    assert_eq!((reply.tokens, reply.micro_usd), (Tokens::default(), None));
}

#[test]
fn prose_is_no_verdict() {
    let mut result = success();
    result.as_object_mut().unwrap().remove("structured_output");
    assert_eq!(said(&result), Err(AskError::InvalidResponse));
    result["structured_output"] = "APPROVED".into();
    assert_eq!(said(&result), Err(AskError::InvalidResponse));
}

#[test]
fn a_verdict_beside_an_error_does_not_count() {
    let mut result = success();
    result["is_error"] = true.into();
    assert_eq!(said(&result), Err(AskError::InvalidResponse));
}

#[test]
fn what_is_no_result_is_no_verdict() {
    for said in ["nonsense", "{", "null", "[]", "{}", r#"{"type":"assistant"}"#, "\u{0}", "1"] {
        assert_eq!(read(said.as_bytes()), Err(AskError::InvalidResponse.into()), "{said}");
    }
    assert_eq!(read(b"\xff\xfe"), Err(AskError::InvalidResponse.into()));
}

#[test]
fn a_client_that_says_nothing_did_not_start() {
    for said in ["", "\n", " \r\n"] {
        assert_eq!(read(said.as_bytes()), Err(AskError::NotStarted.into()));
    }
}

#[test]
fn the_status_of_the_api_says_why() {
    for (status, expected) in [
        (401, AskError::Unauthorized),
        (403, AskError::Unauthorized),
        (429, AskError::Limited),
        (400, AskError::Refused),
        (404, AskError::Refused),
        (413, AskError::Refused),
        (500, AskError::Overloaded),
        (529, AskError::Overloaded),
    ] {
        check(json!({ "api_error_status": status }), expected);
    }
}

#[test]
fn without_a_status_the_cause_or_the_type_does() {
    check(json!({ "api_error": "connection_failed" }), AskError::Unreachable);
    check(json!({ "api_error": "tls_untrusted_ca" }), AskError::Unreachable);
    check(json!({ "api_error": "stored_login_refused" }), AskError::Unauthorized);
    check(json!({ "api_error": "max_output_tokens" }), AskError::InvalidResponse);
    check(json!({ "api_error_type": "overloaded_error" }), AskError::Overloaded);
    check(json!({ "api_error_type": "rate_limit_error" }), AskError::Limited);
}

#[test]
fn used_up_credits_are_a_limit_whatever_the_status() {
    let cause = "model_requires_usage_credits";
    check(json!({ "api_error": cause, "api_error_status": 400 }), AskError::Limited);
    check(json!({ "api_error": "usage_limit_reached", "api_error_status": 429 }), AskError::Limited);
}

#[test]
fn a_missing_login_is_known_by_its_sentence_alone() {
    check(json!({ "result": "Not logged in · Please run /login" }), AskError::Unauthorized);
    // What a model may have been made to say is not looked at.
    let mut result = success();
    result["result"] = "Please run /login".into();
    assert!(said(&result).is_ok());
}

#[test]
fn too_many_turns_are_no_verdict() {
    let result = json!({
        "type": "result", "subtype": "error_max_turns", "is_error": true,
        "errors": ["Reached maximum number of turns (2)"],
    });
    assert_eq!(said(&result), Err(AskError::InvalidResponse));
}

#[test]
fn what_fails_after_it_has_spent_says_what() {
    let spent = json!({
        "total_cost_usd": 0.03, "usage": { "input_tokens": 9, "cache_read_input_tokens": 1, "output_tokens": 4 },
    });
    let mut prose = success();
    prose["structured_output"] = Value::Null;
    for (fields, cause) in [
        (json!({ "subtype": "error_max_turns" }), AskError::InvalidResponse),
        (json!({ "api_error_status": 529 }), AskError::Overloaded),
        (json!({ "api_error": "usage_limit_reached" }), AskError::Limited),
        (prose, AskError::InvalidResponse),
    ] {
        let mut result = error(fields);
        result.as_object_mut().unwrap().extend(spent.as_object().unwrap().clone());
        let expected =
            Failure { error: cause, tokens: Some(Tokens { input: 10, output: 4 }), micro_usd: Some(30_000) };
        assert_eq!(read(result.to_string().as_bytes()), Err(expected), "{result}");
    }
}
