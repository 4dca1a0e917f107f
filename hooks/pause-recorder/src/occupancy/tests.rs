//! The window by whoever knows it, and what share of it is used.

use super::{MILLION_WINDOW, USUAL_WINDOW, full_name, is_of, window};

#[test]
fn first_source_that_knows_the_window_decides() {
    for (told, set, model, by_model, tokens, expected) in [
        (Some(1), Some(2), "claude-x[1m]", Some(4), 0, 1),
        (Some(0), Some(2), "claude-x[1m]", Some(4), 0, 2),
        (None, None, "claude-x[1m]", Some(4), 0, MILLION_WINDOW),
        (None, None, "claude-x", Some(4), 0, 4),
        (None, None, "", None, 200_000, USUAL_WINDOW),
        // It is never smaller than what was seen in it.
        (None, None, "claude-x", None, 200_001, MILLION_WINDOW),
        (Some(100_000), None, "claude-x", None, 150_000, MILLION_WINDOW),
        (None, Some(2_000_000), "claude-x", None, 1_500_000, 2_000_000),
    ] {
        assert_eq!(window(told, set, model, by_model, tokens), expected, "{told:?} {set:?} {model} {tokens}");
    }
}

#[test]
fn model_has_the_name_it_was_chosen_by() {
    let table: [(&str, &[&str], &str); 6] = [
        ("claude-opus-4-8", &["claude-opus-4-8[1m]"], "claude-opus-4-8[1m]"),
        ("claude-sonnet-4-5-20250929", &["sonnet[1m]"], "claude-sonnet-4-5-20250929[1m]"),
        // It was changed: the latest name counts, and one of another model's does not.
        ("claude-opus-4-8", &["claude-opus-4-8", "claude-opus-4-8[1m]"], "claude-opus-4-8"),
        ("claude-haiku-4-5", &["claude-opus-4-8[1m]", "opus[1m]"], "claude-haiku-4-5"),
        ("claude-opus-4-8", &["claude-haiku-4-5", "claude-opus-4-8[1m]"], "claude-opus-4-8[1m]"),
        ("", &["", "claude-opus-4-8[1m]"], "claude-opus-4-8[1m]"),
    ];
    for (reply, chosen, expected) in table {
        assert_eq!(full_name(reply, chosen), expected, "{reply} {chosen:?}");
    }
    assert!(!is_of("", "claude-opus-4-8") && !is_of("[1m]", "claude-opus-4-8"));
}
