//! Asking a model, whole: the questions of both hooks, through the real courier, against a server on loopback that plays the
//! Messages API. Which hook asks what is tested with the hooks.

mod ceilings;
mod marks;
mod projects;
mod trouble;

use serde_json::json;

use crate::driver::documented;
use crate::judge_api;
use crate::judged::{HOOKS, Judged, KEY, PATIENT, approves, assert_goes_on};

#[test]
fn a_question_is_one_request_with_the_key_in_one_header() {
    for hook in HOOKS {
        let judged = Judged::new(hook, "", PATIENT, [approves()]);
        assert_goes_on(judged.ask(&judged.question(1)).as_ref());
        let [request] = &judged.api.requests()[..] else { panic!("{}", judged.journal()) };
        assert_eq!(request.line, "POST /v1/messages HTTP/1.1");
        let agent = concat!("barbless/", env!("CARGO_PKG_VERSION"));
        for (name, expected) in [
            ("x-api-key", KEY),
            ("anthropic-version", "2023-06-01"),
            ("content-type", "application/json"),
            ("user-agent", agent),
        ] {
            assert_eq!(request.headers.get(name).map(String::as_str), Some(expected), "{name}");
        }
        let is_once = request.text.matches(KEY).count() == 1;
        assert!(is_once && !request.headers.contains_key("authorization"), "{request:?}");
        let mut body = request.body.clone();
        assert!(body["system"].take().is_string() && body["messages"][0]["content"].take().is_string());
        assert!(
            body["model"].take().is_string() && body["output_config"]["format"]["schema"].take().is_object()
        );
        let expected = json!({
            "model": null,
            "max_tokens": 4000,
            "system": null,
            "messages": [{ "role": "user", "content": null }],
            "output_config": { "format": { "type": "json_schema", "schema": null } },
        });
        assert_eq!(body, expected, "{hook}");
    }
}

#[test]
fn a_proxy_of_the_users_carries_the_question_and_does_not_see_the_key() {
    for hook in HOOKS {
        let judged = Judged::new(hook, "", PATIENT, [judge_api::empty()]);
        // A name that no resolver is asked for: the proxy is to connect to it.
        let program = judged.hook().env("ANTHROPIC_BASE_URL", "https://api.example.invalid/");
        let program = program.env("HTTPS_PROXY", judged.api.url());
        assert_goes_on(documented(&program.stdin(judged.question(1).to_bytes()).run()).as_ref());
        assert!(!judged.api.requests().is_empty(), "{}", judged.journal());
        for asked in judged.api.requests() {
            assert_eq!(asked.line, "CONNECT api.example.invalid:443 HTTP/1.1");
            assert!(!asked.text.contains(KEY), "{asked:?}");
        }
    }
}
