//! Faults of readable settings, and the models that a name stands for.

use shared::config::Bounded;

use super::Levels;
use crate::tests::defaults;

#[test]
fn levels_that_do_not_rise_are_a_fault() {
    for (numbers, is_fine) in [
        ([1, 2, 3, 4], true),
        ([70, 85, 90, 90], false),
        ([85, 70, 90, 95], false),
        ([70, 95, 90, 95], false),
        ([99, 85, 90, 95], false),
    ] {
        let mut settings = defaults();
        let [caution, warning, auto_pause, critical] = numbers.map(|number| Bounded::new(number).unwrap());
        settings.levels = Levels { caution, warning, auto_pause, critical };
        assert_eq!(settings.faults().is_empty(), is_fine, "{numbers:?}");
    }
}

#[test]
fn the_longest_name_that_a_model_begins_with_counts() {
    let mut settings = defaults();
    for (name, window) in [("", 1_000), ("claude-opus", 2_000), ("claude-opus-5", 3_000)] {
        settings.context_windows_tokens.insert(name.to_owned(), Bounded::new(window).unwrap());
    }
    for (model, expected) in [
        ("claude-opus-5-5", Some(1_000_000)),
        ("claude-opus-5-5-20260901", Some(1_000_000)),
        ("claude-opus-5-5@20260901", Some(1_000_000)),
        ("claude-opus-5-50", Some(3_000)),
        ("claude-opus-4-8[1m]", Some(2_000)),
        ("claude-opusculum", None),
        ("", None),
        ("my-claude-opus-5-5", None),
    ] {
        assert_eq!(settings.window_of(model), expected, "{model}");
    }
}
