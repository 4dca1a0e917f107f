//! A record in numbers, as the seed's example has them.

use serde_json::{Value, json};
use shared::host::Timestamp;

use super::super::world::{ID, line, map, material, noon, recorded, seeds, started};
use super::{build, finalized_data, summary};
use crate::material::Material;
use crate::record::{Action, Kind, Recorded};

fn numbers(recorded: &Recorded, left_out: u64, at: Timestamp) -> Value {
    serde_json::to_value(build(recorded, &Material::default(), left_out, at)).unwrap()
}

#[test]
fn the_seeds_example_comes_out_as_in_the_seed() {
    let value = numbers(&seeds(), 0, noon(300));
    assert_eq!(value["session_id"], ID);
    assert_eq!(value["paused_at"], "2026-01-06T12:05:00.000Z");
    assert_eq!(value["duration_hours"], 0.08);
    let usage = json!({ "tokens_used": 186_000, "tokens_total": 200_000, "percentage": 93.0 });
    assert_eq!(value["context_usage"], usage);
    let pause = &value["incremental_pause"];
    assert_eq!((&pause["enabled"], &pause["action_count"]), (&json!(true), &json!(15)));
    assert_eq!((&pause["duration_seconds"], &pause["tool_calls"]), (&json!(300), &json!(8)));
    assert_eq!(pause["context_range"], json!([0.9, 0.93]));
    assert_eq!(pause["actions_summary"].as_array().unwrap().len(), 10);
    assert_eq!(
        pause["actions_summary"][9],
        json!({ "type": "assistant_response", "timestamp": "2026-01-06T12:00:25.000Z" })
    );
}

#[track_caller]
fn check_duration(from: &str, to: Timestamp, seconds: u64, hours: f64) {
    let mut first = started(200_000);
    from.clone_into(&mut first.timestamp);
    let value = numbers(&recorded(vec![first]), 0, to);
    assert_eq!(value["incremental_pause"]["duration_seconds"], seconds);
    assert_eq!(value["duration_hours"], hours);
}

#[test]
fn a_duration_is_never_negative_and_the_same_everywhere() {
    let start = "2026-01-06T12:00:00.000Z";
    check_duration(start, noon(0), 0, 0.0);
    check_duration(start, noon(17), 17, 0.0);
    check_duration(start, noon(18), 18, 0.01);
    check_duration(start, noon(3_600), 3_600, 1.0);
    check_duration(start, noon(-60), 0, 0.0);
    check_duration("2026-01-06T13:00:00+01:00", noon(300), 300, 0.08);
    check_duration("at noon", noon(300), 0, 0.0);
}

#[track_caller]
fn check_usage(share: f64, total: u64, used: u64, percentage: f64) {
    let mut first = started(total);
    first.context_percentage = share;
    let usage = &numbers(&recorded(vec![first]), 0, noon(0))["context_usage"];
    assert_eq!(*usage, json!({ "tokens_used": used, "tokens_total": total, "percentage": percentage }));
}

#[test]
fn tokens_and_percentage_are_rounded() {
    check_usage(0.93, 200_000, 186_000, 93.0);
    check_usage(0.69, 1_000_000, 690_000, 69.0);
    check_usage(0.123_456, 200_000, 24_691, 12.35);
    check_usage(1.0, 200_000, 200_000, 100.0);
    check_usage(0.93, 0, 0, 93.0);
}

#[test]
fn the_window_is_the_one_that_was_told_last() {
    let level = |total: Value| {
        line(Kind::SystemEvent, 9, 0.95, &json!({ "event": "level_reached", "tokens_total": total }))
    };
    let total = |actions: Vec<Action>| {
        numbers(&recorded(actions), 0, noon(10))["context_usage"]["tokens_total"].clone()
    };
    assert_eq!(total(vec![started(200_000), level(json!(1_000_000))]), 1_000_000);
    assert_eq!(total(vec![started(200_000), level(json!("many"))]), 200_000);
    assert_eq!(total(vec![started(200_000), level(json!(0))]), 200_000);
    assert_eq!(total(vec![line(Kind::PauseStarted, 0, 0.9, &json!({}))]), 0);
}

fn ended(recorded: &Recorded, left_out: u64, seconds: i64) -> Recorded {
    let data = finalized_data(recorded, left_out, noon(seconds));
    let mut ended = recorded.clone();
    ended.actions.push(line(Kind::PauseFinalized, seconds, 0.93, &Value::Object(data)));
    ended
}

#[test]
fn the_line_that_ends_a_record_says_what_was_in_it() {
    assert_eq!(
        finalized_data(&seeds(), 4, noon(300)),
        map(&json!({
            "total_actions": 19,
            "final_percentage": 0.93,
            "pause_started_at": "2026-01-06T12:00:00.000Z",
            "duration_seconds": 300
        }))
    );
}

#[test]
fn a_record_that_has_ended_says_the_same_whenever_it_is_asked() {
    let ended = ended(&seeds(), 4, 300);
    let first = build(&seeds(), &material(), 4, noon(300));
    assert_eq!(build(&ended, &material(), 4, noon(300)), first);
    assert_eq!(build(&ended, &material(), 0, noon(9_000)), first);
    assert_eq!(finalized_data(&ended, 0, noon(9_000)), finalized_data(&seeds(), 4, noon(300)));
}

#[test]
fn a_record_of_nothing_is_a_snapshot_too() {
    let nothing = Recorded { skipped_lines: 7, ..Recorded::default() };
    let value = numbers(&nothing, 0, noon(5));
    assert_eq!(value["skipped_lines"], 7);
    assert_eq!(value["paused_at"], noon(5).rfc3339());
    assert_eq!(value["incremental_pause"]["action_count"], 0);
    assert_eq!(summary(&nothing, 0, noon(5)), None);
}

#[test]
fn the_summary_has_the_seeds_keys() {
    let summary = serde_json::to_value(summary(&seeds(), 2, noon(300)).unwrap()).unwrap();
    let expected = json!({
        "session_id": ID,
        "action_count": 17,
        "duration_seconds": 300,
        "context_range": [0.9, 0.93],
        "pause_started_at": "2026-01-06T12:00:00.000Z",
        "last_action_type": "assistant_response",
        "last_updated": "2026-01-06T12:00:25.000Z"
    });
    assert_eq!(summary, expected);
}
