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
    assert_eq!(answer["strategy"], "emergency");
    assert_eq!(answer["constrained_window"], "seven_day");
    assert_eq!(
        answer["reason"],
        "weekly limit: 90 % used at 12:00, 47.5 % safe by now; at this pace it would end at Thu 03:00, 3 d 21 h before it resets (Mon 00:00)"
    );
    assert_eq!(week["status"], "over");
    assert_eq!(
        answer["windows"]["five_hour"],
        json!({
            "status": "unknown", "used_percent": null, "elapsed_percent": null, "allowance_percent": null,
            "safe_percent": null, "over_percent": null, "delay_secs": 0.0, "forecast": null
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
        (json!({ "timezone": "UTC", "safety_buffer_pct": 100 }), "safe_percent", json!(50.0)),
        (json!({ "timezone": "UTC", "threshold_pct": 1 }), "status", json!("ok")),
        (json!({ "seven_day": { "enabled": false } }), "status", json!("off")),
        (json!({ "timezone": "UTC", "workdays": ["sat"] }), "elapsed_percent", json!(0.0)),
        (json!({ "timezone": "UTC", "work_hours": ["12:00-13:00"] }), "elapsed_percent", json!(40.0)),
        (json!({ "timezone": "UTC", "holidays": ["2026-11-23"] }), "elapsed_percent", json!(37.5)),
    ] {
        assert_eq!(week(settings.clone())[key], expected, "{settings}");
    }
    let below_the_shortest = answer(&wednesday(&json!(90), &json!({ "max_delay_secs": 2 })));
    assert_eq!(below_the_shortest["delay_secs"], 2.0);
}

#[test]
fn bad_line_gives_an_error_and_the_next_one_an_answer() {
    let good = wednesday(&json!(20), &Value::Null).to_string();
    for (bad, why) in [
        ("nonsense", "a line is {"),
        ("{}", r#"now is missing; a line is {"now": SECONDS, "session": "NAME", "snapshots": [{"at": "#),
        (r#"{"now": "noon"}"#, "invalid type: string"),
        (r#"{"now": 1, "snapshots": [{}]}"#, "missing field `at`"),
        (
            r#"{"now": 1, "snapshots": [{"at": 1, "five_hour": {"used_percent": -5, "resets_at": 9}}]}"#,
            "used_percent has to be 0 or more, not -5",
        ),
        (
            r#"{"now": 1, "settings": {"quiet_hours": 22}}"#,
            "settings: quiet_hours: expected hours such as 09:00-17:30 or a list",
        ),
        (r#"{"now": 1, "settings": {"no_such_key": 1}}"#, "no_such_key"),
        (
            r#"{"now": 1, "settings": {"max_delay_secs": 351}}"#,
            "settings: max_delay_secs: expected a number from 0 to 350",
        ),
        (r#"{"learn": {"calls": 5}}"#, "invalid type"),
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
fn missing_fields_are_unknown() {
    for asked in [
        json!({ "now": NOON }),
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

/// A user with a call every half minute from nine to five in the two weeks before, and on this Wednesday until noon.
fn two_weeks() -> (Vec<Value>, Vec<Value>) {
    let (mut calls, mut snapshots) = (Vec::new(), Vec::new());
    for day in (-14..=0_i64).filter(|day| !matches!((day + 2).rem_euclid(7), 5 | 6)) {
        let morning = NOON - 3 * 3600 + day * 86_400;
        for step in 0..if day == 0 { 360 } else { 960_i64 } {
            let at = morning + step * 30;
            let (used, resets_at) =
                if step < 600 { (step, morning + 5 * 3600) } else { (step - 600, morning + 10 * 3600) };
            calls.push(json!({ "at": at, "session": "s", "slept_secs": 0 }));
            let reading = json!({ "used_percent": used * 22 / 100, "resets_at": resets_at });
            snapshots.push(json!({ "at": at, "five_hour": reading }));
        }
    }
    (calls, snapshots)
}

#[test]
fn learn_line_teaches_the_lines_that_follow() {
    let (calls, snapshots) = two_weeks();
    let learn =
        json!({ "learn": { "calls": calls, "snapshots": snapshots }, "settings": { "timezone": "UTC" } });
    let recent = json!({
        "now": NOON, "session": "s", "snapshots": snapshots.last().into_iter().collect::<Vec<_>>(),
        "calls": calls[calls.len() - 20..], "settings": { "timezone": "UTC" },
    });
    let text = format!("{learn}\n{recent}\n{recent}\n{learn}\n");
    let reported = answers(text.as_bytes());
    assert_eq!(reported[0], json!({ "learned": { "days": 15, "calls": 9960 } }));
    let forecast = &reported[1]["windows"]["five_hour"]["forecast"];
    let number = |key: &str| forecast[key].as_f64().unwrap();
    assert!((number("calls_expected") - 240.0).abs() < 20.0, "{forecast}");
    assert!((number("calls_that_fit") - 95.0).abs() < 15.0, "{forecast}");
    assert_eq!(reported[1], reported[2], "known calls are passed over");
    assert_eq!(reported[3], reported[0]);
    let alone = answer(&recent);
    assert_ne!(alone["windows"]["five_hour"]["forecast"], *forecast, "a line alone knows less");
}

#[test]
fn older_calls_of_a_second_learn_line_count() {
    let (calls, snapshots) = two_weeks();
    let learn =
        |calls: &[Value], snapshots: &[Value]| json!({ "learn": { "calls": calls, "snapshots": snapshots } });
    let half = calls.len() / 2;
    let lines = [
        learn(&calls[half..], &snapshots[half..]),
        learn(&calls[..half], &snapshots[..half]),
        learn(&calls, &snapshots),
    ];
    let ask = json!({ "now": NOON, "session": "s", "snapshots": [snapshots.last()], "calls": [] });
    let text =
        |lines: &[Value]| lines.iter().chain([&ask]).map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let halves = answers(text(&lines).as_bytes());
    let whole = answers(text(&lines[2..]).as_bytes());
    assert_eq!(halves[1], whole[0]);
    assert_eq!(halves[2], whole[0], "known calls are passed over");
    assert_eq!(halves[3], whole[1]);
}

#[test]
fn times_that_are_no_seconds_are_reported_and_change_nothing() {
    let (calls, snapshots) = two_weeks();
    let learn = json!({ "learn": { "calls": calls, "snapshots": snapshots } });
    let ask = json!({ "now": NOON, "session": "s", "snapshots": [snapshots.last()], "calls": [] });
    let plain = answers(format!("{learn}\n{ask}\n").as_bytes());
    for at in [-1.0, 1.795e12, 1e300] {
        let call = json!({ "at": at, "session": "s" });
        let snapshot = json!({ "at": at, "five_hour": { "used_percent": 1, "resets_at": at + 100.0 } });
        for bad in [
            json!({ "learn": { "calls": [calls[0], call] } }),
            json!({ "learn": { "snapshots": [snapshot] } }),
            json!({ "now": NOON, "session": "s", "calls": [call] }),
        ] {
            let reported = answers(format!("{learn}\n{bad}\n{ask}\n").as_bytes());
            assert!(reported[1]["error"].as_str().unwrap().contains("is no time in seconds"), "{bad}");
            assert_eq!((&reported[0], &reported[2]), (&plain[0], &plain[1]), "{bad}");
        }
    }
}

#[test]
fn line_that_names_the_call_before_goes_on_from_there() {
    let (calls, snapshots) = two_weeks();
    let last = |count: usize| calls[calls.len() - count..].to_vec();
    let ask = |now: i64, calls: Vec<Value>| {
        let snapshots: Vec<&Value> = snapshots.last().into_iter().collect();
        json!({ "now": now, "session": "s", "calls": calls, "snapshots": snapshots, "settings": { "timezone": "UTC" } }).to_string()
    };
    let next = json!({ "at": NOON, "session": "s", "slept_secs": 0 });
    let reported = answers([ask(NOON, last(300)), ask(NOON + 30, vec![next.clone()])].join("\n").as_bytes());
    let all = answers(ask(NOON + 30, last(300).into_iter().chain([next.clone()]).collect()).as_bytes());
    assert_eq!(reported[1], all[0]);
    let stranger = answers([ask(NOON, last(300)), ask(NOON + 30, last(1))].join("\n").as_bytes());
    assert_eq!(stranger[1], answers(ask(NOON + 30, last(1)).as_bytes())[0], "any other line stands alone");
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
}
