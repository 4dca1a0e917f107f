//! The login of Claude Code's own file, and answers of the usage API.

use std::collections::BTreeMap;
use std::time::Duration;

use shared::courier::Answer;
use shared::host::Timestamp;
use shared::usage::Window;

use super::{DENIED, Failure, NO_ANSWER, TOO_MANY, of_credentials, read};

#[test]
fn takes_a_login_unless_it_has_expired() {
    for (text, expected) in [
        (r#"{"claudeAiOauth":{"accessToken":"t-1","expiresAt":1000001}}"#, Some("Bearer t-1")),
        (r#"{"claudeAiOauth":{"accessToken":"t-1","expiresAt":null},"other":{}}"#, Some("Bearer t-1")),
        (r#"{"claudeAiOauth":{"accessToken":"t-1"}}"#, Some("Bearer t-1")),
        (r#"{"claudeAiOauth":{"accessToken":"t-1","expiresAt":1000000}}"#, None),
        (r#"{"claudeAiOauth":{"accessToken":""}}"#, None),
        (r#"{"claudeAiOauth":{"accessToken":"a\r\nHost: b"}}"#, None),
        (r#"{"claudeAiOauth":{"accessToken":7}}"#, None),
        (r#"{"claudeAiOauth":null}"#, None),
        ("{", None),
    ] {
        assert_eq!(of_credentials(text, Timestamp::from_secs(1000)).as_deref(), expected, "{text}");
    }
}

/// 2026-05-04 14:00 UTC.
const RESET: i64 = 1_777_903_200;

fn read_body(body: &str) -> Option<Vec<(String, f64, i64)>> {
    let windows = answered(200, body, false).ok()?;
    Some(windows.into_iter().map(|(name, window)| (name, window.used_percent, window.resets_at)).collect())
}

fn answered(status: u16, body: &str, truncated: bool) -> Result<BTreeMap<String, Window>, Failure> {
    let headers = BTreeMap::from([("retry-after".to_owned(), "7".to_owned())]);
    read(&Answer { status, headers, body: body.to_owned(), truncated })
}

#[test]
fn reads_a_whole_answer() {
    let body = r#"{
        "five_hour": {"utilization": 6.0, "resets_at": "2026-05-04T13:59:59.943648+00:00"},
        "seven_day": {"utilization": 35, "resets_at": "2026-05-04T14:00:00Z"},
        "seven_day_oauth_apps": null,
        "seven_day_opus": {"utilization": 0.0, "resets_at": null},
        "seven_day_sonnet": {"utilization": null, "resets_at": null},
        "extra_usage": {"is_enabled": false, "monthly_limit": null, "used_credits": null, "utilization": null},
        "version": 7
    }"#;
    let expected = vec![("five_hour".to_owned(), 6.0, RESET), ("seven_day".to_owned(), 35.0, RESET)];
    assert_eq!(read_body(body), Some(expected));
}

#[test]
fn a_window_needs_usage_and_reset_and_a_plain_name() {
    for (entry, expected) in [
        (r#""w":{"utilization":41.5,"resets_at":"2026-05-04T16:00:00+02:00"}"#, Some((41.5, RESET))),
        (r#""w":{"utilization":104,"resets_at":"2026-05-04T14:00:00Z","more":1}"#, Some((104.0, RESET))),
        (r#""w":{"utilization":-1,"resets_at":"2026-05-04T14:00:00Z"}"#, None),
        (r#""w":{"utilization":"41","resets_at":"2026-05-04T14:00:00Z"}"#, None),
        (r#""w":{"utilization":41,"resets_at":"tomorrow"}"#, None),
        (r#""w":null"#, None),
        (r#""five hour":{"utilization":1,"resets_at":"2026-05-04T14:00:00Z"}"#, None),
        (r#""\u001b[31m":{"utilization":1,"resets_at":"2026-05-04T14:00:00Z"}"#, None),
    ] {
        let expected = expected.map(|(used, at)| vec![("w".to_owned(), used, at)]);
        assert_eq!(read_body(&format!("{{{entry}}}")), expected, "{entry}");
    }
    for body in ["", "[]", "<html></html>", "{}", r#"{"error":{"type":"x"}}"#, r#"{"a":{"utilization":4}}"#] {
        assert_eq!(read_body(body), None, "{body}");
    }
}

#[test]
fn each_status_has_its_meaning() {
    let body = r#"{"five_hour":{"utilization":6,"resets_at":"2026-05-04T14:00:00Z"}}"#;
    assert!(answered(200, body, false).is_ok());
    for (status, body, truncated, why, secs) in [
        (200, body, true, NO_ANSWER, 7),
        (200, "busy", false, NO_ANSWER, 7),
        (401, body, false, DENIED, 3600),
        (429, body, false, TOO_MANY, 7),
        (500, body, false, NO_ANSWER, 7),
    ] {
        let expected = Err((why, Some(Duration::from_secs(secs))));
        assert_eq!(answered(status, body, truncated), expected, "{status}");
    }
}
