//! The words of a command: what is one, what is wrong usage, what is a prompt to Claude.

use std::time::Duration;

use crate::is_for_prompts;
use crate::verb::{Verb, parse_words, usage_error};
use requirements_check::words::is_hidden;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(ToOwned::to_owned).collect()
}

fn read(line: &str) -> Verb {
    parse_words(&words(line)).unwrap_or_else(|error| panic!("{line}: {error}"))
}

#[test]
fn no_word_at_all_asks_for_the_status() {
    assert!(matches!(read(""), Verb::Status(status) if !status.all && !status.json));
}

#[test]
fn a_branch_may_be_named_or_be_this_one() {
    for (line, names, expected) in [
        ("satisfy plan", &["plan"][..], None),
        ("satisfy plan --branch", &["plan"], Some(None)),
        ("satisfy plan adr --branch", &["plan", "adr"], Some(None)),
        ("satisfy --branch main plan", &["plan"], Some(Some("main".to_owned()))),
        ("satisfy plan --branch=main", &["plan"], Some(Some("main".to_owned()))),
        ("satisfy plan --branch --note x", &["plan"], Some(None)),
    ] {
        let Verb::Satisfy(satisfy) = read(line) else { panic!("{line}") };
        assert_eq!((satisfy.names, satisfy.reach.branch), (words(&names.join(" ")), expected), "{line}");
    }
}

#[test]
fn an_exception_has_its_time_and_its_reason() {
    let Verb::Approve(exception) = read("approve size --for 10m --note why") else { panic!() };
    assert_eq!((exception.name.as_str(), exception.note.as_deref()), ("size", Some("why")));
    assert_eq!(exception.span, Some(Duration::from_secs(600)));
    for (text, is_right) in
        [("7d", true), ("168h", true), ("604800", false), ("8d", false), ("604801s", false), ("0m", false)]
    {
        assert_eq!(parse_words(&words(&format!("approve size --for {text}"))).is_ok(), is_right, "{text}");
    }
}

#[test]
fn what_is_wrong_usage() {
    for line in [
        "satisfy",
        "satisfy --branch plan",
        "satisfy plan --session a --branch b",
        "approve a b",
        "waive size --for ever",
        "clear",
        "clear plan --all",
        "status --jsno",
        "prune --all",
        "satisy plan",
        "help",
        "check --tool Edit --bash ls",
        "check --bash ls --file src/a.rs",
    ] {
        assert!(parse_words(&words(line)).is_err(), "{line}");
    }
    let message = |line: &str| parse_words(&words(line)).unwrap_err().to_string();
    assert!(message("satisy plan").contains("'satisfy'"), "{}", message("satisy plan"));
    assert!(message("status --jsno").contains("'--json'"), "{}", message("status --jsno"));
}

#[test]
fn a_complaint_repeats_what_was_typed_in_part_and_does_nothing_to_the_screen() {
    let long = "x".repeat(70_000);
    let lines = "x\n".repeat(10_000);
    for odd in ["\u{1b}]0;x\u{7}", "a\u{202e}b", &long, &lines] {
        for words in
            [&[odd][..], &["status", odd], &["satisfy", "--", odd, "--session"], &["log", "--since", odd]]
        {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let Err(error) = parse_words(&words) else { continue };
            let told = usage_error(&error);
            assert!(told.starts_with("error: "), "{told}");
            assert!(told.len() < 4_000 && !told.chars().any(is_hidden), "{} bytes: {told}", told.len());
        }
    }
    let short = usage_error(&parse_words(&words("stauts")).unwrap_err());
    assert!(short.contains("'stauts'") && short.contains("'status'"), "{short}");
}

#[test]
fn a_check_of_nothing_names_both_ways_to_say_what_is_checked() {
    for line in ["check", "check --file src/a.rs"] {
        let error = parse_words(&words(line)).unwrap_err().to_string();
        assert!(error.contains("<--tool <TOOL>|--bash <LINE>>"), "{error}");
    }
}

#[test]
fn a_prompt_names_the_terminal_and_claudes_shell_only_where_the_verb_works() {
    for (line, works_in_claudes_shell) in [
        ("ci", true),
        ("init --yes", true),
        ("doctor", true),
        ("hooks status", true),
        ("init --force", false),
        ("doctor --fix", false),
        ("hooks uninstall", false),
    ] {
        let why = is_for_prompts(&read(line)).unwrap_err();
        assert!(why.contains("terminal"), "{line}: {why}");
        assert_eq!(why.contains("or here with !"), works_in_claudes_shell, "{line}: {why}");
    }
    for line in ["status", "satisfy plan", "pause", "docs"] {
        assert_eq!(is_for_prompts(&read(line)), Ok(()), "{line}");
    }
}
