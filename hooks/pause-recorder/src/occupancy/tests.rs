//! The window by whoever knows it, and what share of it is used.

use shared::config::Bounded;

use super::{MILLION_WINDOW, USUAL_WINDOW, full_name, is_of, window};
use crate::tests::defaults;

#[test]
fn first_source_that_knows_the_window_decides() {
    let mut settings = defaults();
    for (name, window) in [("by", 3_000), ("by-model", 4_000)] {
        settings.context_windows_tokens.insert(name.to_owned(), Bounded::new(window).unwrap());
    }
    for (told, set, model, tokens, expected) in [
        (Some(1_000), 2_000, "by-model[1m]", 0, 1_000),
        (Some(0), 2_000, "by-model[1m]", 0, 2_000),
        (None, 0, "by-model[1m]", 0, MILLION_WINDOW),
        (None, 0, "by-model-4", 0, 4_000),
        (None, 0, "by-another", 0, 3_000),
        (None, 0, "claude-opus-5-5-20260901", 0, MILLION_WINDOW),
        (None, 0, "", 200_000, USUAL_WINDOW),
        // It is never smaller than what was seen in it.
        (None, 0, "claude-x", 200_001, MILLION_WINDOW),
        (Some(100_000), 0, "claude-x", 150_000, MILLION_WINDOW),
        (None, 2_000_000, "claude-x", 1_500_000, 2_000_000),
    ] {
        settings.context_window_tokens = Bounded::new(set);
        assert_eq!(window(&settings, model, told, tokens), expected, "{told:?} {set} {model} {tokens}");
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
