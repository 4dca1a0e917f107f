//! Faults of readable settings, and the models that a name stands for.

use shared::config::Bounded;

use super::{Levels, Settings};
use crate::tests::defaults;

fn faults(settings: &Settings) -> Vec<(String, String)> {
    settings.faults().into_iter().map(|fault| (fault.path.join("."), fault.what)).collect()
}

fn levels(numbers: [u32; 4]) -> Levels {
    let [caution, warning, auto_pause, critical] = numbers.map(|number| Bounded::new(number).unwrap());
    Levels { caution, warning, auto_pause, critical }
}

#[test]
fn levels_out_of_order_are_told_with_what_follows() {
    let table: [([u32; 4], &str); 6] = [
        ([1, 2, 3, 4], ""),
        ([70, 85, 90, 90], "critical is not above auto_pause"),
        ([85, 70, 90, 95], "warning is not above caution"),
        ([70, 95, 90, 95], "auto_pause is not above warning"),
        ([99, 85, 90, 95], "warning is not above caution"),
        (
            [95, 90, 85, 70],
            "warning is not above caution, auto_pause is not above warning, critical is not above auto_pause",
        ),
    ];
    for (numbers, wrong) in table {
        let mut settings = defaults();
        settings.levels = levels(numbers);
        let follows = "; each is told at its own percentage, in the order of the numbers, and the record begins at auto_pause";
        let expected =
            if wrong.is_empty() { vec![] } else { vec![("levels".into(), format!("{wrong}{follows}"))] };
        assert_eq!(faults(&settings), expected, "{numbers:?}");
    }
}

#[test]
fn a_name_that_no_model_has_is_told() {
    let with = |name: &str| {
        let mut settings = defaults();
        settings.context_windows_tokens.insert(name.to_owned(), Bounded::new(400_000).unwrap());
        faults(&settings).into_iter().map(|(path, _)| path).collect::<Vec<_>>()
    };
    for name in ["", "claude-opus-", "claude-*", "Opus 4.8", "claude-opus\n", "claude-ü"] {
        assert_eq!(with(name), [format!("context_windows_tokens.{name}")], "{name:?}");
    }
    for name in [
        "claude",
        "claude-opus-4-8[1m]",
        "us.anthropic.claude-opus-4-8-v1:0",
        "claude-opus-4@20250514",
        "gpt_5",
    ] {
        assert!(with(name).is_empty(), "{name}");
    }
}

#[test]
fn the_longest_name_that_a_model_begins_with_counts() {
    let mut settings = defaults();
    for (name, window) in
        [("", 1_000), ("claude-opus", 2_000), ("claude-opus-5", 3_000), ("claude-opus-5-", 4_000)]
    {
        settings.context_windows_tokens.insert(name.to_owned(), Bounded::new(window).unwrap());
    }
    let table = [
        ("claude-opus-5-5", Some(1_000_000)),
        ("claude-opus-5-5-20260901", Some(1_000_000)),
        ("claude-opus-5-5@20260901", Some(1_000_000)),
        ("claude-opus-5-50", Some(3_000)),
        ("claude-opus-5", Some(3_000)),
        ("claude-opus-4-8[1m]", Some(2_000)),
        ("claude-opusculum", None),
        ("claude", None),
        ("", None),
        ("my-claude-opus-5-5", None),
    ];
    for (model, expected) in table {
        assert_eq!(settings.window_of(model), expected, "{model}");
    }
}
