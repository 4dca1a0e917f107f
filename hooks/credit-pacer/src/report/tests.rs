//! What can be asked for, and where the page is written.

use super::{Asked, parse};

#[test]
fn what_is_asked_for() {
    let asked = |file, days, force| Asked { file, days, force };
    for (words, expected) in [
        (&["--html", "a.html"][..], asked("a.html", None, false)),
        (&["--days", "3", "--html=a.html"], asked("a.html", Some("3"), false)),
        (&["--force", "--html", "a.html"], asked("a.html", None, true)),
        // A file may be called like an option.
        (&["--html", "--force"], asked("--force", None, false)),
    ] {
        assert_eq!(parse(words), Ok(expected), "{words:?}");
    }
}

#[test]
fn wrong_usage_says_what_is_right() {
    for (words, expected) in [
        (&[][..], "it takes --html FILE, and perhaps --days N and --force"),
        (&["--html"], "--html needs a value"),
        (&["--html", ""], "--html needs a value"),
        (&["--html", "a", "--days"], "--days needs a value"),
        (&["a.html"], "a.html is unknown"),
        (&["--html", "a", "--force=yes"], "--force=yes is unknown"),
    ] {
        let why = parse(words).unwrap_err();
        assert!(why.starts_with(expected) && why.contains("--html FILE"), "{words:?}: {why}");
    }
}
