//! The section as it is compiled in, and entries over it.

use shared::config::{known_keys, read_typed, schema_of};

use super::Settings;

/// The built-in defaults with lines over them.
fn with(lines: &str) -> Result<Settings, String> {
    Settings::over_defaults(&read_typed(lines)?)
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
