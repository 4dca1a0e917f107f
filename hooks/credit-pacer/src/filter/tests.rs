//! Lines in, lines out: the documented keys, and an error for each line that cannot be read.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::run;

fn answers(lines: &[u8]) -> Vec<Value> {
    let mut output = Vec::new();
    run(lines, &mut output);
    let output = String::from_utf8(output).unwrap();
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn answer(asked: &Value) -> Value {
    answers(asked.to_string().as_bytes()).remove(0)
}

/// Wednesday 25 November 2026, 12:00 in UTC, and the end of that week.
const NOON: i64 = 1_795_608_000;
const WEEK_END: i64 = 1_795_996_800;

fn wednesday(used: &Value, settings: &Value) -> Value {
    json!({
        "now": NOON, "session": "s", "settings": settings,
        "snapshots": [{ "at": NOON - 60, "five_hour": null, "seven_day": { "used_percent": used, "resets_at": WEEK_END } }],
        "calls": [{ "at": NOON - 30, "session": "s", "slept_secs": 0 }],
    })
}

#[test]
fn a_line_is_answered_with_every_number() {
    let answer = answer(&wednesday(&json!(90), &json!({ "timezone": "UTC" })));
    let week = &answer["windows"]["seven_day"];
    for (key, expected) in [
        ("used_percent", 90.0),
        ("elapsed_percent", 50.0),
        ("allowance_percent", 50.0),
        ("safe_percent", 47.5),
        ("over_percent", 42.5),
        ("delay_secs", answer["delay_secs"].as_f64().unwrap()),
    ] {
        assert!((week[key].as_f64().unwrap() - expected).abs() < 1e-6, "{key} {week}");
    }
    assert!(answer["delay_secs"].as_f64().unwrap() >= 5.0);
    assert_eq!(answer["strategy"], "aggressive");
    assert_eq!(answer["constrained_window"], "seven_day");
    assert_eq!(answer["reason"], "week 90 % used, 48 % planned by now; resets Mon 00:00");
    assert_eq!(week["status"], "over");
    assert_eq!(
        answer["windows"]["five_hour"],
        json!({
            "status": "unknown", "used_percent": null, "elapsed_percent": null, "allowance_percent": null,
            "safe_percent": null, "over_percent": null, "delay_secs": 0.0
        })
    );
    let keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 5, "{keys:?}");
}

#[test]
fn settings_lie_over_the_defaults_map_by_map() {
    let week = |settings| answer(&wednesday(&json!(48.0), &settings))["windows"]["seven_day"].clone();
    for (settings, key, expected) in [
        (json!({ "timezone": "UTC" }), "allowance_percent", json!(50.0)),
        (json!({ "timezone": "UTC", "seven_day": { "preload_pct": 60 } }), "allowance_percent", json!(60.0)),
        (json!({ "timezone": "UTC", "preload_hours": 84 }), "allowance_percent", json!(70.0)),
        (json!({ "timezone": "UTC", "safety_buffer_pct": 100 }), "safe_percent", json!(50.0)),
        (json!({ "timezone": "UTC", "stale_after_secs": 60 }), "status", json!("over")),
        (json!({ "timezone": "UTC", "threshold_pct": 1 }), "status", json!("ok")),
        (json!({ "seven_day": { "enabled": false } }), "status", json!("off")),
        (json!({ "weekly_limit_enabled": false }), "status", json!("off")),
        (json!({ "enabled": false }), "status", json!("off")),
        (json!({ "timezone": "UTC", "workdays": ["sat"] }), "elapsed_percent", json!(0.0)),
        (json!({ "timezone": "UTC", "work_hours": ["12:00-13:00"] }), "elapsed_percent", json!(40.0)),
        (json!({ "timezone": "UTC", "holidays": ["2026-11-23"] }), "elapsed_percent", json!(37.5)),
    ] {
        assert_eq!(week(settings.clone())[key], expected, "{settings}");
    }
}

#[test]
fn a_bad_line_is_told_and_the_next_one_answered() {
    let good = wednesday(&json!(20), &Value::Null).to_string();
    for (bad, why) in [
        ("nonsense", "not JSON: "),
        ("", "not JSON: EOF"),
        ("[1]", r#"a line has to be an object, not a list; a line is {"now": SECONDS, "#),
        ("{}", r#"now is missing; a line is {"now": SECONDS, "session": "NAME", "snapshots": [{"at": "#),
        (r#"{"now": null}"#, "now is missing; "),
        (r#"{"now": "noon"}"#, "now has to be a number, not a text"),
        (r#"{"now": 1e999}"#, "out of range"),
        (r#"{"now": 1, "session": 1}"#, "session has to be a text, not a number"),
        (r#"{"now": 1, "snapshots": {}}"#, "snapshots has to be a list, not an object"),
        (r#"{"now": 1, "snapshots": [{"at": 1}, 5]}"#, "snapshots[1] has to be an object, not a number"),
        (r#"{"now": 1, "snapshots": [{}]}"#, "snapshots[0].at is missing; a line is {"),
        (
            r#"{"now": 1, "snapshots": [{"at": 1, "five_hour": 5}]}"#,
            "snapshots[0].five_hour has to be an object, not a number",
        ),
        (
            r#"{"now": 1, "snapshots": [{"at": 1, "seven_day": {"resets_at": true}}]}"#,
            "snapshots[0].seven_day.resets_at has to be a number, not true or false",
        ),
        (
            r#"{"now": 1, "snapshots": [{"at": 1, "five_hour": {"used_percent": -5, "resets_at": 9}}]}"#,
            "snapshots[0].five_hour.used_percent has to be 0 or more, not -5",
        ),
        (
            r#"{"now": 1, "settings": {"quiet_hours": 22}}"#,
            r#"settings: quiet_hours: invalid type: integer `22`, expected a time range as in "22:00-06:00", or a list of them"#,
        ),
        (r#"{"now": 1, "settings": []}"#, "settings has to be an object, not a list"),
        (r#"{"now": 1, "settings": {"no_such_key": 1}}"#, "no_such_key"),
        (
            r#"{"now": 1, "settings": {"seven_day": {"no_such_key": 1}}}"#,
            "settings: seven_day: unknown field",
        ),
        (r#"{"now": 1, "settings": {"timezone": "Europe/Berlim"}}"#, "settings: timezone: not a time zone"),
        (r#"{"now": 1, "settings": {"work_hours": ["9-5"]}}"#, "settings: work_hours: "),
        (r#"{"now": 1, "settings": {"max_delay_secs": 351}}"#, "settings: max_delay_secs: out of bounds"),
        (r#"{"now": 1, "settings": {"enabled": "no"}}"#, "settings: enabled: "),
        (r#"{"now": 1, "calls": [{"session": "s"}]}"#, "calls[0].at is missing"),
    ] {
        let answers = answers(format!("{bad}\n{good}\n").as_bytes());
        assert_eq!(answers.len(), 2, "{bad}");
        assert!(answers[0]["error"].as_str().unwrap().contains(why), "{bad}: {}", answers[0]);
        assert!(!answers[0].to_string().contains("Asked"), "{bad}: {}", answers[0]);
        assert_eq!(answers[1]["strategy"], "none", "{bad}");
    }
    assert!(answers(b"\xff\xfe{}\n")[0]["error"].is_string());
    assert!(answers(b"").is_empty());
}

#[test]
fn keys_that_are_not_known_change_nothing() {
    let plain = wednesday(&json!(90), &json!({ "timezone": "UTC" }));
    let mut more = plain.clone();
    for place in ["", "/snapshots/0", "/snapshots/0/seven_day", "/calls/0"] {
        let fields = more.pointer_mut(place).unwrap().as_object_mut().unwrap();
        fields.insert("no_such_key".to_owned(), json!({ "of": ["others"] }));
    }
    assert_eq!(answer(&more), answer(&plain));
    assert!(answer(&more)["delay_secs"].is_number());
}

#[test]
fn what_is_left_out_is_not_known() {
    for asked in [
        json!({ "now": NOON }),
        json!({ "now": NOON, "session": "s", "snapshots": [], "calls": [], "settings": {} }),
        json!({ "now": NOON, "snapshots": null, "calls": null, "settings": null }),
        json!({ "now": NOON, "snapshots": [{ "at": NOON }] }),
        json!({ "now": NOON, "snapshots": [{ "at": NOON, "seven_day": { "used_percent": 50 } }] }),
        json!({ "now": NOON, "snapshots": [{ "at": NOON, "seven_day": { "used_percent": null, "resets_at": WEEK_END } }] }),
    ] {
        let answer = answer(&asked);
        assert_eq!(answer["windows"]["seven_day"]["status"], "unknown", "{asked}");
        assert_eq!(
            (&answer["delay_secs"], &answer["constrained_window"]),
            (&json!(0.0), &Value::Null),
            "{asked}"
        );
    }
    let past = json!({ "now": NOON, "snapshots": [{ "at": NOON, "seven_day": { "used_percent": 50, "resets_at": NOON } }] });
    let week = &answer(&past)["windows"]["seven_day"];
    assert_eq!((&week["status"], &week["elapsed_percent"]), (&json!("stale"), &Value::Null));
}

#[test]
fn order_does_not_matter_and_sessions_are_told_apart_by_name() {
    let snapshot = |at: i64, used: f64| json!({ "at": at, "five_hour": { "used_percent": used, "resets_at": NOON + 9000 } });
    let call = |at: i64, session| json!({ "at": at, "session": session, "slept_secs": 0 });
    let snapshots: Vec<Value> = (0..40)
        .map(|index| {
            snapshot(NOON - 1200 + index * 30, 50.0 + 0.3 * f64::from(i32::try_from(index).unwrap()))
        })
        .collect();
    let calls = |other| {
        (0..40)
            .map(|index| call(NOON - 1200 + index * 30, if index % 2 == 0 { "s" } else { other }))
            .collect::<Vec<Value>>()
    };
    let ask = |snapshots: &[Value], calls: &[Value]| {
        answer(&json!({ "now": NOON, "session": "s", "snapshots": snapshots, "calls": calls }))["delay_secs"]
            .as_f64()
            .unwrap()
    };
    let (one, two) = (ask(&snapshots, &calls("s")), ask(&snapshots, &calls("t")));
    assert!(one > 5.0 && two > one, "{one} {two}");
    let backwards = |list: &[Value]| list.iter().rev().cloned().collect::<Vec<Value>>();
    assert!((ask(&backwards(&snapshots), &backwards(&calls("s"))) - one).abs() < 1e-9);
}

proptest! {
    #[test]
    fn any_numbers_are_answered_with_numbers(
        now in any::<f64>(), at in any::<f64>(), used in any::<f64>(), resets_at in any::<f64>(), slept in any::<f64>(),
        is_near in any::<bool>(),
    ) {
        let now = if is_near { 1.8e9 } else { now };
        let reading = json!({ "used_percent": used, "resets_at": resets_at });
        let asked = json!({
            "now": now, "session": "s",
            "snapshots": [{ "at": if is_near { now } else { at }, "five_hour": reading, "seven_day": reading }],
            "calls": [{ "at": at, "session": "s", "slept_secs": slept }],
        });
        let answer = answer(&asked);
        prop_assert!(answer["error"].is_string() != answer["delay_secs"].is_number(), "{}", answer);
        if let Some(delay) = answer["delay_secs"].as_f64() {
            prop_assert!((0.0..=350.0).contains(&delay), "{}", answer);
        }
    }

    #[test]
    fn any_line_has_its_answer(lines in proptest::collection::vec("[^\n]{0,40}", 0..6)) {
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        prop_assert_eq!(answers(text.as_bytes()).len(), lines.len());
    }
}
