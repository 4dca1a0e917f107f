//! The section as it is compiled in, and entries over it.

use shared::config::{LayerKind, Origin, known_keys, read_typed, schema_of};

use super::{DECIDING, Settings, by_project};

/// The built-in defaults with lines over them.
fn with(lines: &str) -> Result<Settings, String> {
    Settings::over_defaults(&read_typed(lines)?)
}

#[test]
fn names_the_keys_that_a_project_decides_of_all_that_decide() {
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
    let expected = "set for this project: max_delay_secs (a.yaml:3), seven_day.enabled (a.yaml:3)";
    assert_eq!(by_project(&origin).as_deref(), Some(expected));
    assert_eq!(by_project(&|_| None), None);
    let silent = ["enabled", "alerts", "retention_days", "statusline", "usage_api"];
    let asked = |key: &str| DECIDING.iter().any(|known| known.split('.').next() == Some(key));
    for key in known_keys(schema_of::<Settings>().as_value()) {
        assert!(silent.contains(&key) || asked(key), "{key}");
    }
}

#[test]
fn a_longest_delay_below_the_shortest_one_is_a_fault() {
    for (lines, is_fault) in [
        ("{}", false),
        ("max_delay_secs: 2", true),
        ("max_delay_secs: 0", false),
        ("max_delay_secs: 5", false),
        ("{max_delay_secs: 2, base_delay_secs: 1}", false),
        ("{max_delay_secs: 120, base_delay_secs: 121}", true),
    ] {
        assert_eq!(!with(lines).unwrap().faults().is_empty(), is_fault, "{lines}");
    }
}

#[test]
fn names_of_the_original_tool_lead_to_known_keys() {
    let schema = schema_of::<Settings>();
    let known = known_keys(schema.as_value());
    for (_, new) in <crate::CreditPacer as shared::hook::Hook>::RENAMED {
        let key = new.split('.').next().unwrap();
        assert!(known.contains(&key), "{new}");
    }
}
