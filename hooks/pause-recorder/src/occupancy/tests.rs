//! The window by whoever knows it, and what share of it is used.

use super::{MILLION_WINDOW, Reading, Source, USUAL_WINDOW, WindowWords, full_name, is_of, window};

const NOBODY: WindowWords<'_> = WindowWords { told: None, set: None, model: "claude-x", by_model: None };

#[track_caller]
fn check(words: WindowWords<'_>, tokens: u64, expected: u64) {
    assert_eq!(window(&words, tokens), expected, "{words:?} {tokens}");
}

#[test]
fn the_first_who_knows_decides() {
    let all = WindowWords { told: Some(1), set: Some(2), model: "claude-x[1m]", by_model: Some(4) };
    check(all, 0, 1);
    check(WindowWords { told: None, ..all }, 0, 2);
    check(WindowWords { told: None, set: None, ..all }, 0, MILLION_WINDOW);
    check(WindowWords { told: None, set: None, model: "claude-x", ..all }, 0, 4);
    check(NOBODY, 0, USUAL_WINDOW);
    check(WindowWords { model: "", ..NOBODY }, 0, USUAL_WINDOW);
}

#[test]
fn it_is_never_smaller_than_what_was_seen_in_it() {
    check(NOBODY, 200_000, 200_000);
    check(NOBODY, 200_001, MILLION_WINDOW);
    check(NOBODY, 1_000_000, MILLION_WINDOW);
    check(NOBODY, 1_000_001, 1_000_001);
    check(WindowWords { told: Some(100_000), ..NOBODY }, 150_000, MILLION_WINDOW);
    check(WindowWords { set: Some(2_000_000), ..NOBODY }, 1_500_000, 2_000_000);
}

#[test]
fn it_is_a_guess_where_only_the_models_name_is_known() {
    assert!(NOBODY.is_guess());
    assert!(WindowWords { by_model: Some(4), told: Some(0), ..NOBODY }.is_guess());
    assert!(!WindowWords { told: Some(1), ..NOBODY }.is_guess());
    assert!(!WindowWords { set: Some(1), ..NOBODY }.is_guess());
    assert!(!WindowWords { model: "claude-x[1m]", ..NOBODY }.is_guess());
}

#[test]
fn a_model_has_the_name_it_was_chosen_by() {
    let table: [(&str, &[&str], &str); 10] = [
        ("claude-opus-4-8", &["claude-opus-4-8[1m]"], "claude-opus-4-8[1m]"),
        ("claude-sonnet-4-5-20250929", &["claude-sonnet-4-5[1m]"], "claude-sonnet-4-5-20250929[1m]"),
        ("claude-sonnet-4-5-20250929", &["sonnet[1m]"], "claude-sonnet-4-5-20250929[1m]"),
        ("claude-opus-4-8", &["claude-opus-4-8"], "claude-opus-4-8"),
        // It was changed: the latest name counts, and one of another model's does not.
        ("claude-opus-4-8", &["claude-opus-4-8", "claude-opus-4-8[1m]"], "claude-opus-4-8"),
        ("claude-haiku-4-5", &["claude-opus-4-8[1m]", "opus[1m]"], "claude-haiku-4-5"),
        ("claude-opus-4-8", &["claude-haiku-4-5", "claude-opus-4-8[1m]"], "claude-opus-4-8[1m]"),
        ("claude-opus-4-8", &["", ""], "claude-opus-4-8"),
        ("claude-opus-4-8[1m]", &["claude-opus-4-8[1m]"], "claude-opus-4-8[1m]"),
        ("", &["", "claude-opus-4-8[1m]"], "claude-opus-4-8[1m]"),
    ];
    for (reply, chosen, expected) in table {
        assert_eq!(full_name(reply, chosen), expected, "{reply} {chosen:?}");
    }
    assert!(!is_of("", "claude-opus-4-8"));
    assert!(!is_of("[1m]", "claude-opus-4-8"));
}

fn reading(tokens: u64, window: u64) -> Reading {
    Reading { tokens, window, model: String::new(), source: Source::Transcript, new_window: None }
}

#[test]
fn percent_of_the_window() {
    let table = [
        (0, 200_000, 0.0),
        (80_000, 200_000, 40.0),
        (140_000, 200_000, 70.0),
        (190_000, 200_000, 95.0),
        (200_000, 200_000, 100.0),
        (300_000, 200_000, 100.0),
        (967_000, 1_000_000, 96.7),
        (0, 0, 0.0),
        (5, 0, 100.0),
    ];
    for (tokens, size, expected) in table {
        let percent = reading(tokens, size).percent();
        assert!((percent - expected).abs() < 1e-9, "{tokens} {size} {percent}");
    }
}
