//! The models that a name stands for.

use shared::config::Bounded;

use crate::tests::defaults;

#[test]
fn the_longest_name_that_a_model_begins_with_counts() {
    let mut settings = defaults();
    for (name, window) in [("claude-opus", 2_000), ("claude-opus-5", 3_000)] {
        settings.context_windows_tokens.insert(name.to_owned(), Bounded::new(window).unwrap());
    }
    for (model, expected) in [
        ("claude-opus-5-5", Some(1_000_000)),
        ("claude-opus-5-5-20260901", Some(1_000_000)),
        ("claude-opus-4-8[1m]", Some(2_000)),
        ("", None),
        ("my-claude-opus-5-5", None),
    ] {
        assert_eq!(settings.window_of(model), expected, "{model}");
    }
}
