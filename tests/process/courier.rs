//! `courier`, the only program here that opens connections, against a server on loopback: one request in, one answer or one
//! failure out, and never a word of what it was given.

use crate::endpoint::{Endpoint, Manner};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::time::Duration;
use tests::binaries;
use tests::process::{Invocation, Outcome};
use tests::sandbox::Sandbox;

const SECRET: &str = "sk-very-secret";

fn courier(sandbox: &Sandbox) -> Invocation {
    Invocation::new(binaries::path("courier"), sandbox)
}

fn request(url: &str) -> Value {
    let authorization = format!("Bearer {SECRET}");
    let headers = json!({ "Authorization": authorization, "X-Test": "1" });
    json!({
        "method": "GET", "url": url, "headers": headers, "body": null, "proxy": null,
        "timeout_ms": 10_000, "max_bytes": 1000,
    })
}

#[track_caller]
fn carried(request: &Value) -> Value {
    let sandbox = Sandbox::new();
    said(&courier(&sandbox).stdin(request.to_string()).run())
}

#[track_caller]
fn said(outcome: &Outcome) -> Value {
    outcome.assert_exit(0);
    assert!(!outcome.stdout_text().contains(SECRET) && outcome.stderr.is_empty(), "{outcome}");
    serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome}"))
}

#[track_caller]
fn failed(request: &Value) -> String {
    let said = carried(request);
    let keys: Vec<_> = said.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["error"], "{said}");
    said["error"].as_str().unwrap().to_owned()
}

#[test]
fn a_request_is_sent_as_it_is_and_answered_whatever_the_status() {
    let endpoint = Endpoint::start(Manner::answers(200, &["X-One: a", "X-TWO: b"], "the body"));
    let mut posting = request(&endpoint.url("/usage?a=b"));
    (posting["method"], posting["body"]) = ("POST".into(), "{\"text\": \"schön\"}".into());
    let answer = carried(&posting);
    assert_eq!((&answer["status"], &answer["body"]), (&json!(200), &json!("the body")));
    assert_eq!((&answer["headers"]["x-one"], &answer["headers"]["x-two"]), (&json!("a"), &json!("b")));
    assert_eq!(answer["truncated"], false);
    let asked = endpoint.requests().remove(0).to_lowercase();
    assert!(asked.starts_with("post /usage?a=b http/1.1\r\n"), "{asked}");
    assert!(asked.ends_with("\r\n\r\n{\"text\": \"schön\"}"), "{asked}");
    assert!(
        asked.contains(&format!("authorization: bearer {SECRET}\r\n")) && asked.contains("x-test: 1\r\n")
    );
    for status in [204, 404, 529] {
        endpoint.behave([Manner::answers(status, &["Retry-After: 7"], "")]);
        let answer = carried(&request(&endpoint.url("/")));
        assert_eq!((&answer["status"], &answer["headers"]["retry-after"]), (&json!(status), &json!("7")));
    }
}

#[test]
fn a_redirect_is_an_answer_and_is_not_followed() {
    let elsewhere = Endpoint::start(Manner::answers(200, &[], "elsewhere"));
    for status in [301, 307] {
        let location = format!("Location: {}", elsewhere.url("/"));
        let endpoint = Endpoint::start(Manner::answers(status, &[&location], ""));
        assert_eq!(carried(&request(&endpoint.url("/")))["status"], status);
    }
    assert_eq!(elsewhere.requests(), Vec::<String>::new());
}

#[test]
fn so_much_of_a_body_is_read_as_is_wanted() {
    for (length, is_truncated) in [(10_000_000, true), (1000, false)] {
        let endpoint = Endpoint::start(Manner::answers(200, &[], &"x".repeat(length)));
        let answer = carried(&request(&endpoint.url("/")));
        assert_eq!(
            (answer["body"].as_str().unwrap().len(), &answer["truncated"]),
            (1000, &json!(is_truncated))
        );
    }
}

#[test]
fn each_failure_has_a_kind() {
    let body_that_stops = b"HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\nhalf".to_vec();
    let long_headers = format!("HTTP/1.1 200 X\r\nX-Long: {}\r\n\r\n", "x".repeat(200_000)).into_bytes();
    for (manner, expected) in [
        (Manner::Sends(b"SSH-2.0-OpenSSH_9.9\r\n\r\n".to_vec()), "other"),
        (Manner::Sends(Vec::new()), "unreachable"),
        (Manner::Sends(body_that_stops), "unreachable"),
        (Manner::Sends(long_headers), "too_large"),
    ] {
        let endpoint = Endpoint::start(manner);
        assert_eq!(failed(&request(&endpoint.url("/"))), expected);
    }
    let endpoint = Endpoint::start(Manner::Sends(b"no TLS at all".to_vec()));
    assert_eq!(failed(&request(&endpoint.url("/").replace("http:", "https:"))), "unreachable");
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(failed(&request(&format!("http://{nobody}/"))), "unreachable");
}

#[test]
fn the_deadline_is_for_the_whole_exchange() {
    let half = b"HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\nhalf".to_vec();
    for manner in [Manner::HangsAfter(Vec::new()), Manner::HangsAfter(half)] {
        let endpoint = Endpoint::start(manner);
        let mut request = request(&endpoint.url("/"));
        request["timeout_ms"] = 300.into();
        let sandbox = Sandbox::new();
        let outcome = courier(&sandbox).stdin(request.to_string()).run();
        assert_eq!(said(&outcome)["error"], "timeout");
        assert!(outcome.wall < Duration::from_secs(10), "{outcome}");
    }
}

#[test]
fn only_https_leaves_the_machine_and_nothing_is_repeated_of_a_bad_request() {
    assert_eq!(failed(&request(&format!("http://127.0.0.1@{SECRET}.example.com/"))), "bad_request");
    let sandbox = Sandbox::new();
    for input in ["", "nonsense", "{\"method\":"] {
        assert_eq!(said(&courier(&sandbox).stdin(input).run())["error"], "bad_request", "{input}");
    }
}

#[test]
fn a_proxy_is_taken_from_the_request_and_not_from_the_environment() {
    let endpoint = Endpoint::start(Manner::answers(200, &[], "direct"));
    let proxy = Endpoint::start(Manner::answers(502, &[], ""));
    let sandbox = Sandbox::new();
    let mut asking = courier(&sandbox).stdin(request(&endpoint.url("/")).to_string());
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        asking = asking.env(name, proxy.url(""));
    }
    assert_eq!(said(&asking.run())["body"], "direct");
    assert_eq!(proxy.requests(), Vec::<String>::new());
}

#[test]
fn version_and_wrong_usage() {
    let sandbox = Sandbox::new();
    let version = courier(&sandbox).args(["version"]).run();
    assert_eq!(version.stdout_text(), format!("courier {}\n", env!("CARGO_PKG_VERSION")));
    courier(&sandbox).args(["frobnicate"]).run().assert_exit(64);
}
