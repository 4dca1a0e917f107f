//! The login of Claude Code's own file, answers of the usage API, and when it may be asked next.

use std::collections::BTreeMap;
use std::time::Duration;

use shared::courier::Answer;
use shared::host::Timestamp;
use shared::state::Store;
use shared::usage::Window;

use super::{DENIED, Failure, NO_ANSWER, Slot, TOO_MANY, of_credentials, read};

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

const INTERVAL: Duration = Duration::from_secs(600);

const fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(secs)
}

/// The server was asked, and wants to be left alone for so long.
const fn failed(wait: u64) -> Result<(), Failure> {
    Err(("busy", Some(Duration::from_secs(wait))))
}

#[test]
fn each_failure_has_its_wait() {
    let not_asked = Err(("no login", None));
    // The result, the failures before it, the interval; then the wait and the failures in a row.
    for (result, failures, interval, wait, then) in [
        (failed(0), 0, 300, 300, 1),
        (failed(0), 2, 600, 2400, 3),
        (failed(0), 3, 300, 2400, 4),
        (failed(0), u32::MAX, 300, 3600, u32::MAX),
        // Never sooner than without a failure.
        (failed(0), 0, 600, 600, 1),
        (failed(0), 0, 7200, 7200, 1),
        (failed(3405), 0, 600, 3405, 1),
        (failed(u64::MAX), 0, 600, 86_400, 1),
        (not_asked, 2, 600, 600, 2),
    ] {
        let slot = Slot { next_at: 1600, asked_at: 1000, failures, trouble: None };
        let trouble = result.err().map(|(why, _)| why.to_owned());
        let expected = Slot { next_at: 1010 + wait, failures: then, trouble, ..slot };
        assert_eq!(slot.after(result, at(1010), Duration::from_secs(interval)), expected, "{result:?}");
    }
    let slot = Slot { next_at: 1600, asked_at: 1000, failures: 7, trouble: Some("busy".to_owned()) };
    assert_eq!(slot.after(Ok(()), at(1010), INTERVAL), Slot { failures: 0, trouble: None, ..slot });
}

#[test]
fn one_of_many_takes_it_and_a_new_process_keeps_to_what_was_settled() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(scratch.path()).unwrap();
    let takers = |now| {
        std::thread::scope(|scope| {
            let all: Vec<_> =
                (0..16).map(|_| scope.spawn(|| Slot::take(&store, at(now), INTERVAL))).collect();
            all.into_iter().map(|one| one.join().unwrap()).filter(|has_it| *has_it).count()
        })
    };
    assert_eq!((takers(1000), takers(1599)), (1, 0));
    assert!(Slot::peek(&store).is_due(at(999)), "the clock went back");
    let settle = |result, secs| Slot::settle(&store, result, at(secs), INTERVAL);
    settle(failed(2000), 1001);
    settle(failed(2000), 1001);
    assert_eq!((takers(3000), takers(3001)), (0, 1));
    assert_eq!(Slot::peek(&store).failures, 2);
    settle(Ok(()), 3002);
    assert_eq!(Slot::peek(&store), Slot { next_at: 3601, asked_at: 3001, failures: 0, trouble: None });
}

#[test]
fn a_slot_that_cannot_be_kept_is_not_taken() {
    let scratch = tempfile::tempdir().unwrap();
    assert!(!Slot::take(&Store::at(&scratch.path().join("missing")), at(1000), INTERVAL));
    let newer = r#"{"version":99,"session":"","state":{}}"#;
    std::fs::write(scratch.path().join("usage-poll.json"), newer).unwrap();
    assert!(!Slot::take(&Store::at(scratch.path()), at(1000), INTERVAL), "a newer version's");
}
