//! The section as it is compiled in, and the names of the original tool.

use shared::config::{LayerKind, Origin, known_keys, read_typed, schema_of};

use super::{DECIDING, Settings, by_project};
use pacing::Window;

/// The built-in defaults with lines over them.
fn with(lines: &str) -> Result<Settings, String> {
    Settings::over_defaults(&read_typed(lines)?)
}

#[test]
fn the_defaults_are_those_of_the_design() {
    let settings = with("{}").unwrap();
    let delays = [settings.threshold_points(), settings.shortest_delay(), settings.longest_delay()];
    assert_eq!(delays.map(f64::to_bits), [0.0, 5.0, 350.0].map(f64::to_bits));
    for (window, preload) in [(Window::FiveHour, 45.0), (Window::SevenDay, 10.0)] {
        assert!(settings.is_paced_by(window));
        assert!((settings.preload_percent(window) - preload).abs() < 1e-9);
    }
    assert_eq!(settings.usage_api.least_interval_secs(), 600);
    assert_eq!(settings.workdays.as_slice().len(), 5);
}

#[test]
fn the_original_tools_names_count_where_they_stand() {
    let read = |lines| with(lines).unwrap();
    let close = |number: f64, expected: f64| assert!((number - expected).abs() < 1e-9, "{number} {expected}");
    close(read("{threshold_percent: 2, threshold_pct: 3}").threshold_points(), 2.0);
    close(read("base_delay: 8").shortest_delay(), 8.0);
    close(read("max_delay: 120").longest_delay(), 120.0);
    close(read("preload_hours: 24").preload_percent(Window::SevenDay), 20.0);
    close(read("preload_hours: 0").preload_percent(Window::SevenDay), 0.0);
    close(read("preload_hours: 24").preload_percent(Window::FiveHour), 45.0);
    assert!(!read("weekly_limit_enabled: false").is_paced_by(Window::SevenDay));
    assert!(read("weekly_limit_enabled: false").is_paced_by(Window::FiveHour));
    assert!(!read("five_hour_limit_enabled: false").is_paced_by(Window::FiveHour));
    let api = read("usage_api: {poll_interval: 900}").usage_api;
    assert_eq!(api.least_interval_secs(), 900);
}

#[test]
fn what_a_project_decides_is_named_and_every_key_that_decides_is_asked() {
    let origin = |key: &str| {
        let layer = match key {
            "max_delay_secs" => LayerKind::Project,
            "seven_day.enabled" => LayerKind::Local,
            "quiet_hours" => LayerKind::Global,
            "five_hour.enabled" => LayerKind::Switch,
            "work_hours" => return None,
            _ => LayerKind::Defaults,
        };
        Some(Origin { layer, file: "a.yaml".to_owned(), line: Some(3) })
    };
    let found: Vec<_> = by_project(&origin).map(|(key, origin)| (key, origin.to_string())).collect();
    let place = "a.yaml:3".to_owned();
    assert_eq!(found, [("max_delay_secs", place.clone()), ("seven_day.enabled", place)]);
    let silent = ["enabled", "alerts", "retention_days", "statusline", "usage_api"];
    let asked = |key: &str| DECIDING.iter().any(|known| known.split('.').next() == Some(key));
    for key in known_keys(schema_of::<Settings>().as_value()) {
        assert!(silent.contains(&key) || asked(key), "{key}");
    }
}

#[test]
fn a_longest_delay_below_the_shortest_one_is_told() {
    for (lines, path, shortest) in [
        ("{}", "", ""),
        ("max_delay_secs: 2", "max_delay_secs", "base_delay_secs"),
        ("max_delay_secs: 0", "", ""),
        ("max_delay_secs: 5", "", ""),
        ("{max_delay_secs: 2, base_delay_secs: 1}", "", ""),
        ("{max_delay_secs: 120, base_delay_secs: 121}", "max_delay_secs", "base_delay_secs"),
        ("{max_delay: 2, max_delay_secs: 9}", "max_delay", "base_delay_secs"),
        ("{max_delay_secs: 9, base_delay: 10}", "max_delay_secs", "base_delay"),
    ] {
        let faults = with(lines).unwrap().faults();
        assert_eq!(faults.is_empty(), path.is_empty(), "{lines}");
        for fault in faults {
            assert_eq!(fault.path, [path], "{lines}");
            let what = format!("is below {shortest}, so nothing is ever delayed: lower {shortest} too");
            assert_eq!(fault.what, what, "{lines}");
        }
    }
}

#[test]
fn the_schema_knows_every_name() {
    let schema = schema_of::<Settings>().to_value();
    let known = known_keys(&schema);
    for key in [
        "threshold_percent",
        "base_delay",
        "max_delay",
        "preload_hours",
        "five_hour_limit_enabled",
        "weekly_limit_enabled",
    ] {
        assert!(known.contains(&key), "{key}");
    }
    assert!(known_keys(&schema["properties"]["usage_api"]).contains(&"poll_interval"));
}

#[test]
fn wrong_ones_are_refused() {
    for wrong in [
        "timezone: Europe/Berlim",
        "work_hours: ['9-5']",
        "workdays: [monday]",
        "holidays: 24.12.",
        "max_delay: 351",
        "preload_hours: 121",
        "no_such_key: 1",
    ] {
        assert!(with(wrong).is_err(), "{wrong}");
    }
}
