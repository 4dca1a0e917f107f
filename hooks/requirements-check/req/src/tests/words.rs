//! The words of a command: what is one, what is wrong usage, what is a prompt to Claude.

use crate::needs_shell;
use crate::verb::{Verb, parse_words};

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(ToOwned::to_owned).collect()
}

fn read(line: &str) -> Verb {
    parse_words(&words(line)).unwrap_or_else(|error| panic!("{line}: {error}"))
}

#[test]
fn options_are_read() {
    assert!(matches!(read(""), Verb::Status(status) if !status.all && !status.output.json));
    for (line, names, expected) in [
        ("satisfy plan", "plan", None),
        ("satisfy plan adr --branch", "plan adr", Some(None)),
        ("satisfy --branch main plan", "plan", Some(Some("main".to_owned()))),
        ("satisfy plan --branch --note x", "plan", Some(None)),
    ] {
        let Verb::Satisfy(satisfy) = read(line) else { panic!("{line}") };
        assert_eq!((satisfy.names, satisfy.reach.branch), (words(names), expected), "{line}");
    }
    for (text, is_right) in [("7d", true), ("168h", true), ("604801s", false), ("8d", false), ("0m", false)] {
        assert_eq!(parse_words(&words(&format!("approve size --for {text}"))).is_ok(), is_right, "{text}");
    }
}

#[test]
fn wrong_usage_names_what_was_probably_meant() {
    for (line, expected) in [
        ("satisfy --branch plan", "<NAME>"),
        ("satisfy plan --session a --branch b", "cannot be used with"),
        ("waive size --for ever", "a number with s, m, h or d"),
        ("clear plan --all", "cannot be used with"),
        ("check", "<--tool <TOOL>|--bash <LINE>>"),
        ("check --bash ls --file src/a.rs", "cannot be used with"),
    ] {
        let message = parse_words(&words(line)).unwrap_err().to_string();
        assert!(message.contains(expected), "{line}: {message}");
    }
    let empty = ["ci", "--branch", ""].map(str::to_owned);
    assert!(parse_words(&empty).is_err(), "a protected branch must not pass because a variable is empty");
}

#[test]
fn verbs_that_ask_or_run_programs_need_a_shell() {
    let needs = |line: &&str| needs_shell(&read(line));
    assert!(["ci", "init --yes", "doctor --fix", "hooks status", "completions bash"].iter().all(needs));
    assert!(!["status", "satisfy plan", "pause", "docs"].iter().any(needs));
}
