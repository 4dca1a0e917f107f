//! Answers of the usage API as they come, and what is taken from them.

use std::collections::BTreeMap;
use std::time::Duration;

use shared::courier::Answer;
use shared::host::Timestamp;

use super::{read, retry_after, windows};
use crate::poll::trouble::{Kind, Trouble};

/// 2026-05-04 10:00 UTC.
const NOW: Timestamp = Timestamp::from_secs(1_777_888_800);

/// 2026-05-04 14:00 UTC.
const RESET: i64 = 1_777_903_200;

fn told(body: &str) -> Option<Vec<(String, f64, i64)>> {
    let windows = windows(body, NOW)?;
    assert!(windows.values().all(|window| window.observed_at == 1_777_888_800));
    Some(windows.into_iter().map(|(name, window)| (name, window.used_percent, window.resets_at)).collect())
}

#[test]
fn a_whole_answer() {
    let body = r#"{
        "five_hour": {"utilization": 6.0, "resets_at": "2026-05-04T13:59:59.943648+00:00"},
        "seven_day": {"utilization": 35, "resets_at": "2026-05-04T14:00:00Z"},
        "seven_day_oauth_apps": null,
        "seven_day_opus": {"utilization": 0.0, "resets_at": null},
        "seven_day_sonnet": {"utilization": null, "resets_at": null},
        "iguana_necktie": null,
        "extra_usage": {"is_enabled": false, "monthly_limit": null, "used_credits": null, "utilization": null},
        "version": 7
    }"#;
    let expected = vec![("five_hour".to_owned(), 6.0, RESET), ("seven_day".to_owned(), 35.0, RESET)];
    assert_eq!(told(body), Some(expected));
}

#[test]
fn a_window_that_can_be_used_needs_both_parts() {
    for (value, expected) in [
        (r#"{"utilization":41.5,"resets_at":"2026-05-04T14:00:00Z"}"#, Some((41.5, RESET))),
        (r#"{"utilization":41.5,"resets_at":"2026-05-04T16:00:00+02:00"}"#, Some((41.5, RESET))),
        (r#"{"utilization":41.5,"resets_at":"2026-05-04T02:30:00.4-11:30"}"#, Some((41.5, RESET))),
        (r#"{"utilization":104,"resets_at":"2026-05-04T14:00:00Z","more":1}"#, Some((104.0, RESET))),
        (r#"{"utilization":0,"resets_at":"2026-05-04T14:00:00Z"}"#, Some((0.0, RESET))),
        (r#"{"utilization":-1,"resets_at":"2026-05-04T14:00:00Z"}"#, None),
        (r#"{"utilization":"41","resets_at":"2026-05-04T14:00:00Z"}"#, None),
        (r#"{"utilization":null,"resets_at":"2026-05-04T14:00:00Z"}"#, None),
        (r#"{"utilization":41,"resets_at":null}"#, None),
        (r#"{"utilization":41,"resets_at":"tomorrow"}"#, None),
        (r#"{"utilization":41,"resets_at":1777903200}"#, None),
        ("null", None),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|(used, at)| ("w".to_owned(), used, at)).collect();
        assert_eq!(told(&format!(r#"{{"w":{value}}}"#)), Some(expected), "{value}");
    }
}

#[test]
fn what_tells_of_no_window_is_no_answer() {
    for body in [
        "",
        "{",
        "[]",
        "7",
        "null",
        "<html></html>",
        "{}",
        r#"{"error":{"type":"x"}}"#,
        r#"{"a":{"utilization":4}}"#,
    ] {
        assert_eq!(told(body), None, "{body}");
    }
}

#[test]
fn names_are_plain_words() {
    let window = r#"{"utilization":1,"resets_at":"2026-05-04T14:00:00Z"}"#;
    for name in ["Five", "five hour", "\\u001b[31m", "a_name_that_is_longer_than_any_of_the_clients_"] {
        assert_eq!(told(&format!(r#"{{"{name}":{window}}}"#)), Some(Vec::new()), "{name}");
    }
}

#[test]
fn what_a_status_means() {
    let body = r#"{"five_hour":null}"#;
    let answer = |status, body: &str, truncated| {
        let headers = BTreeMap::from([("retry-after".to_owned(), "7".to_owned())]);
        read(&Answer { status, headers, body: body.to_owned(), truncated }, NOW)
    };
    assert_eq!(answer(200, body, false), Ok(BTreeMap::new()));
    for (status, truncated, kind) in [
        (200, true, Kind::Garbage),
        (204, false, Kind::Strange),
        (302, false, Kind::Strange),
        (400, false, Kind::Strange),
        (401, false, Kind::Refused),
        (403, false, Kind::Refused),
        (404, false, Kind::Strange),
        (429, false, Kind::TooMany),
        (500, false, Kind::Server),
        (529, false, Kind::Server),
        (599, false, Kind::Server),
    ] {
        let expected = Err(Trouble { kind, retry_after: Some(Duration::from_secs(7)) });
        assert_eq!(answer(status, body, truncated), expected, "{status}");
    }
    assert_eq!(answer(200, "busy", false).map_err(|trouble| trouble.kind), Err(Kind::Garbage));
}

#[test]
fn retry_after_in_both_forms() {
    for (text, expected) in [
        ("3405", Some(3405)),
        (" 0 ", Some(0)),
        ("18446744073709551615", Some(u64::MAX)),
        ("0003405", Some(3405)),
        ("Mon, 04 May 2026 10:05:00 GMT", Some(300)),
        ("Mon, 04 May 2026 09:00:00 GMT", Some(0)),
        ("-5", None),
        ("+5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
    ] {
        assert_eq!(retry_after(text, NOW), expected.map(Duration::from_secs), "{text}");
    }
}

#[test]
fn what_is_too_large_to_be_read_is_the_longest_time() {
    for (text, is_longest) in [
        ("18446744073709551616", true),
        ("99999999999999999999999999999999999999999999", true),
        ("-18446744073709551616", false),
    ] {
        assert_eq!(retry_after(text, NOW), is_longest.then_some(Duration::MAX), "{text}");
    }
}
