//! Recorded results of Claude Code, and their parsing.

use serde_json::{Value, json};

use super::read;
use crate::question::{Reply, Tokens};
use crate::silence::Silence;

fn success() -> Value {
    json!({
        "type": "result", "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": 2,
        "result": "Please run /login", "structured_output": { "verdict": "APPROVED" },
        "total_cost_usd": 0.000_035,
        "usage": {
            "input_tokens": 10, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 3000, "output_tokens": 5,
        },
    })
}

fn with(fields: Value) -> Value {
    let mut result = success();
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    result.as_object_mut().unwrap().extend(fields);
    result
}

fn verdict(result: &Value) -> Result<Value, Silence> {
    read(format!("{result}\n").as_bytes()).verdict
}

#[test]
fn a_verdict_comes_with_its_cost() {
    let tokens = Some(Tokens { input: 3210, output: 5 });
    let expected = Reply { verdict: Ok(json!({ "verdict": "APPROVED" })), tokens, micro_usd: Some(35) };
    assert_eq!(read(success().to_string().as_bytes()), expected);
    let verbose = json!([{ "type": "system" }, { "type": "assistant" }, success()]);
    assert_eq!(read(verbose.to_string().as_bytes()), expected);
    let failed = with(json!({ "is_error": true, "api_error_status": 529 }));
    assert_eq!(read(failed.to_string().as_bytes()), Reply { verdict: Err(Silence::Overloaded), ..expected });
    for (usd, expected) in [(0.0, 0), (0.000_000_1, 1), (0.000_035_000_000_000_000_004, 35), (1.5, 1_500_000)]
    {
        let result = with(json!({ "total_cost_usd": usd, "usage": null }));
        let reply = read(result.to_string().as_bytes());
        assert_eq!((reply.micro_usd, reply.tokens), (Some(expected), None), "{usd}");
    }
}

#[test]
fn what_is_no_verdict_is_none() {
    for said in [&b"nonsense"[..], b"[]", b"{}", br#"{"type":"assistant"}"#, b"\xff\xfe"] {
        assert_eq!(read(said), Silence::InvalidResponse.into(), "{said:?}");
    }
    assert_eq!(read(b" \r\n"), Silence::NotStarted.into());
    for fields in [json!({ "structured_output": null }), json!({ "structured_output": "APPROVED" })] {
        assert_eq!(verdict(&with(fields)), Err(Silence::InvalidResponse));
    }
}

#[test]
fn an_error_is_known_by_its_fields() {
    for (fields, expected) in [
        (json!({ "api_error_status": 401 }), Silence::Unauthorized),
        (json!({ "api_error_status": 429 }), Silence::Limited),
        (json!({ "api_error": "connection_failed" }), Silence::Unreachable),
        (json!({ "api_error": "stored_login_refused" }), Silence::Unauthorized),
        (json!({ "api_error": "max_output_tokens", "result": "" }), Silence::InvalidResponse),
        (json!({ "api_error_type": "overloaded_error" }), Silence::Overloaded),
        (json!({ "api_error_type": "rate_limit_error" }), Silence::Limited),
        (json!({ "api_error": "model_requires_usage_credits", "api_error_status": 400 }), Silence::Limited),
        (json!({ "result": "Not logged in · Please run /login" }), Silence::Unauthorized),
        (json!({ "subtype": "error_max_turns", "result": null }), Silence::InvalidResponse),
    ] {
        let mut result = with(fields.clone());
        result["is_error"] = true.into();
        assert_eq!(verdict(&result), Err(expected), "{fields}");
    }
    assert!(verdict(&success()).is_ok(), "a model may be made to write the client's sentence");
}
