//! What can be asked for, and where the page is written.

use serde_json::json;
use serde_json::value::to_raw_value;
use shared::host::Places;
use shared::own_calls::is_own_call;
use shared::protocol::ToolCall;

use super::{Asked, line, parse};
use crate::command::VERBS;

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

#[test]
fn the_line_to_type_is_safe_to_type() {
    for (words, expected) in [
        (&["--html", "a.html", "--force"][..], "credit-pacer report --html a.html --force"),
        (&["--html=my page.html", "--force"], "credit-pacer report '--html=my page.html' --force"),
        (&["--html", "it's $(x).html"], r"credit-pacer report --html 'it'\''s $(x).html'"),
    ] {
        assert_eq!(line(words), expected);
    }
}

/// Gates and rails look at calls that write a file.
#[test]
fn a_verb_that_writes_a_file_is_a_call_like_any_other() {
    let is_own = |usage: &str| {
        let command = format!("credit-pacer {}", usage.replace(['[', ']', '|'], " "));
        let input = to_raw_value(&json!({ "command": command })).unwrap();
        let call = ToolCall { tool_name: "Bash".to_owned(), tool_input: Some(input), ..ToolCall::default() };
        is_own_call(&call, &Places::default())
    };
    for verb in VERBS {
        assert_eq!(is_own(verb.usage), !verb.usage.contains("FILE"), "{}", verb.usage);
    }
    assert!(VERBS.iter().any(|verb| verb.usage.contains("FILE")));
}
