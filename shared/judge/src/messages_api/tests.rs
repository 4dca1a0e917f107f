//! What is sent, to whom, and when it is not. The courier is a script.

use serde_json::{Value, json};
use std::time::{Duration, Instant};

use super::{Access, body, one_word, url};
use crate::model::Exchange;

const KEY: &str = "sk-ant-very-secret";

fn access() -> Access {
    Access { key: KEY.to_owned(), url: url(None), proxy: Some("http://127.0.0.1:3128".to_owned()) }
}

fn exchange(verdicts: &Value, time: Duration) -> Exchange<'_> {
    Exchange {
        model: "claude-haiku-5-5",
        instructions: "Judge \"it\".",
        material: "{\"diff\": \"…\"}",
        verdicts,
        deadline: Instant::now() + time,
    }
}

fn verdicts() -> Value {
    json!({ "type": "object", "properties": { "verdict": { "enum": ["YES", "NO"] } }, "additionalProperties": false })
}

#[test]
fn where_the_api_is() {
    for (base, expected) in [
        (None, "https://api.anthropic.com/v1/messages"),
        (Some(""), "https://api.anthropic.com/v1/messages"),
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
        ("", None),
        ("  ", None),
        ("a b", None),
        ("a\r\nhost: b", None),
        ("schlüssel", None),
    ] {
        assert_eq!(one_word(key).as_deref(), expected, "{key:?}");
    }
}

/// With a script in the courier's place.
#[cfg(unix)]
mod carried {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::super::carry;
    use super::*;
    use crate::model::{AskError, Reply, Tokens};

    /// A child writes the script: held open for writing by this process, another test's fork could keep it from being started.
    fn program(folder: &Path, lines: &str) -> PathBuf {
        let file = folder.join("courier");
        let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 700 \"$0\"";
        let written = Command::new("sh").args(["-c", write]).arg(&file).arg(lines).status().unwrap();
        assert!(written.success(), "{written}");
        file
    }

    #[test]
    fn the_courier_is_given_the_key_in_a_header_and_less_time_than_is_left() {
        let scratch = tempfile::tempdir().unwrap();
        let message = json!({
            "content": [{ "type": "text", "text": "{\"verdict\":\"YES\"}" }], "stop_reason": "end_turn",
            "usage": { "input_tokens": 7, "output_tokens": 3 },
        });
        let answer = json!({ "status": 200, "headers": {}, "body": message.to_string(), "truncated": false });
        fs::write(scratch.path().join("answer"), answer.to_string()).unwrap();
        let courier = program(scratch.path(), "cat > given; cat answer");
        let verdicts = verdicts();
        let exchange = exchange(&verdicts, Duration::from_secs(30));
        let expected = Reply {
            verdict: json!({ "verdict": "YES" }),
            tokens: Tokens { input: 7, output: 3 },
            micro_usd: None,
        };
        assert_eq!(carry(&exchange, &access(), &courier), Ok(expected));
        let given = fs::read_to_string(scratch.path().join("given")).unwrap();
        assert_eq!(given.matches(KEY).count(), 1, "{given}");
        let mut given: Value = serde_json::from_str(&given).unwrap();
        let timeout = given["timeout_ms"].take().as_u64().unwrap();
        assert!((1..=29_900).contains(&timeout), "{timeout}");
        let expected = json!({
            "method": "POST",
            "url": "https://api.anthropic.com/v1/messages",
            "headers": {
                "anthropic-version": "2023-06-01",
                "content-type": "application/json",
                "user-agent": concat!("barbless/", env!("CARGO_PKG_VERSION")),
                "x-api-key": KEY,
            },
            "body": body(&exchange).to_string(),
            "proxy": "http://127.0.0.1:3128",
            "timeout_ms": null,
            "max_bytes": 262_144,
        });
        assert_eq!(given, expected);
    }

    #[test]
    fn where_no_time_is_left_nobody_is_asked() {
        let scratch = tempfile::tempdir().unwrap();
        let courier = program(scratch.path(), "cat > given");
        let verdicts = verdicts();
        for time in [Duration::ZERO, Duration::from_millis(199)] {
            let late = carry(&exchange(&verdicts, time), &access(), &courier);
            assert_eq!(late, Err(AskError::Late), "{time:?}");
        }
        assert!(!scratch.path().join("given").exists());
    }

    #[test]
    fn a_courier_that_hangs_is_ended_at_the_deadline() {
        let scratch = tempfile::tempdir().unwrap();
        let courier = program(scratch.path(), "exec sleep 3600");
        let verdicts = verdicts();
        let began = Instant::now();
        let late = carry(&exchange(&verdicts, Duration::from_millis(300)), &access(), &courier);
        assert_eq!(late, Err(AskError::Late));
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_courier_that_is_missing_or_broken_is_told() {
        let scratch = tempfile::tempdir().unwrap();
        let verdicts = verdicts();
        let exchange = exchange(&verdicts, Duration::from_secs(30));
        let missing = scratch.path().join("none");
        assert_eq!(carry(&exchange, &access(), &missing), Err(AskError::NotStarted));
        let broken = program(scratch.path(), "echo nonsense");
        assert_eq!(carry(&exchange, &access(), &broken), Err(AskError::Unreachable));
    }
}
