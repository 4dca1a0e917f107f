//! The built-in manual, as the binary prints it: every line it shows can be typed, every example it gives is fine.

use super::desk::{Desk, json_of, no, yes};
use crate::samples::fits_the_schema;
use serde_json::Value;
use shared::catalog::Catalog;
use std::path::Path;
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};
use tests::terminal::Terminal;

/// Every topic and its page.
fn pages(desk: &Desk) -> Vec<(String, String)> {
    let all = json_of(desk.script(&["docs", "--json"]));
    let names = all["topics"].as_array().expect("topics").iter().map(|topic| topic["name"].as_str().unwrap());
    names.map(|name| (name.to_owned(), yes(desk.script(&["docs", name])))).collect()
}

/// What stands in fences of that language, each without the indentation of its fence.
fn fenced(page: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.trim_start() == format!("```{language}") {
            let indentation = line.len() - line.trim_start().len();
            let block = lines.by_ref().take_while(|line| line.trim_start() != "```");
            blocks.push(
                block.map(|line| line.get(indentation..).unwrap_or_default().to_owned() + "\n").collect(),
            );
        }
    }
    blocks
}

/// The level an example is for: its first line says so where it is not a project's.
fn level(example: &str) -> Level {
    match example.lines().next() {
        Some(first) if first.starts_with("# ~/.claude/requirements.yaml") => Level::User,
        Some(first) if first.starts_with("# Every setting and its default") => Level::User,
        Some(first) if first.contains("requirements.local.yaml") => Level::Local,
        _ => Level::Project,
    }
}

#[test]
fn every_line_of_the_manual_that_begins_with_req_can_be_typed() {
    let desk = Desk::empty();
    let mut count = 0;
    for (topic, page) in pages(&desk) {
        for line in fenced(&page, "sh").iter().flat_map(|block| block.lines()) {
            assert!(line.starts_with("req "), "{topic}: {line}");
            let script = format!("{}/{line}", binaries::folder().display());
            // In Claude's shell nothing that loosens is done, and what is asked on a terminal is not.
            let outcome = Invocation::new("/bin/sh", &desk.sandbox)
                .args(["-c", &script])
                .env("CLAUDECODE", "1")
                .env("CLAUDE_CODE_SESSION_ID", &*desk.session.id)
                .run();
            let said = outcome.stderr_text();
            assert!(matches!(outcome.status.code(), Some(0 | 1)), "{topic}: {line}: {outcome}");
            assert!(!said.contains("Usage:"), "{topic}: {line}: {said}");
            count += 1;
        }
    }
    assert!(count >= 30, "only {count} lines were found");
}

#[test]
fn every_example_of_a_file_is_one_that_no_hook_has_anything_to_say_of() {
    let desk = Desk::empty();
    let catalog = Catalog::built_in().unwrap();
    let mut count = 0;
    for (topic, page) in pages(&desk) {
        for example in fenced(&page, "yaml") {
            assert!(fits_the_schema(&example), "{topic}:\n{example}");
            let sandbox = Sandbox::new();
            sandbox.requirements(level(&example), &example);
            for hook in &catalog.hooks {
                let status = Invocation::new(binaries::path(&hook.name), &sandbox).args(["status", "--json"]);
                let problems = json_of(status)["problems"].clone();
                assert_eq!(problems, Value::Array(Vec::new()), "{topic}:\n{example}");
            }
            let status = Invocation::new(binaries::path("req"), &sandbox).args(["status", "--json"]);
            assert_eq!(json_of(status)["notes"], Value::Array(Vec::new()), "{topic}:\n{example}");
            count += 1;
        }
    }
    assert!(count >= 8, "only {count} examples were found");
}

#[test]
fn a_page_names_no_topic_and_no_file_of_the_manual_that_is_not_there() {
    let (pages, mut count) = (pages(&Desk::empty()), 0);
    for (topic, page) in &pages {
        // A line may break between the words.
        let words: Vec<&str> = page.split_whitespace().collect();
        for at in words.windows(3).filter(|at| at[0].ends_with("`req") && at[1] == "docs") {
            let named = at[2].split('`').next().unwrap();
            let is_there = named.contains("TOPIC") || pages.iter().any(|(name, _)| name == named);
            assert!(is_there, "{topic} names `req docs {named}`");
            count += 1;
        }
    }
    assert!(count >= 10, "only {count} were found");
}

#[test]
fn a_page_is_the_file_of_the_source_tree() {
    let desk = Desk::empty();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for hook in Catalog::built_in().unwrap().hooks {
        let readme = std::fs::read_to_string(root.join(format!("hooks/{}/README.md", hook.name))).unwrap();
        assert_eq!(yes(desk.script(&["docs", &hook.name])), readme.trim_end());
    }
}

#[test]
fn an_unknown_topic_is_a_no_with_the_nearest_one_and_a_known_word_names_its_pages() {
    let desk = Desk::empty();
    assert_eq!(
        no(desk.script(&["docs", "evidnce"])),
        "req: the manual has no page evidnce; did you mean evidence?"
    );
    assert!(no(desk.script(&["docs", "evidnce", "--json"])).contains("did you mean evidence"));
    let found = yes(desk.script(&["docs", "single_use"]));
    assert!(found.contains("No page is called single_use") && found.contains("\n  marks "), "{found}");
    desk.script(&["docs", "one", "two"]).run().assert_exit(64);
}

#[test]
fn typed_as_a_prompt_it_is_answered_without_claude() {
    let desk = Desk::empty();
    let reply = |prompt: &str| {
        let answer = desk.ask(&desk.session.user_prompt_submit(prompt)).expect("an answer");
        answer.to_string()
    };
    assert!(reply("req docs trust").contains("A guard rail, not a wall"));
    assert!(reply("req docs").contains("from nothing") || reply("req docs").contains("From nothing"));
    assert!(reply("req docs evidnce").contains("did you mean evidence"));
}

#[test]
fn on_a_terminal_prose_is_broken_between_words_and_in_a_pipe_never() {
    let desk = Desk::empty();
    let screen = |pipe: &str| {
        let req = binaries::path("req").display().to_string();
        let script = format!(
            "stty cols 60; '{req}' docs journal{pipe}; '{req}' help log{pipe}; echo all is shown; sleep 60"
        );
        let args = ["-c".to_owned(), script];
        let terminal =
            Terminal::start(Path::new("/bin/sh"), &args, &desk.sandbox.env(), &desk.sandbox.project());
        terminal.wait_for("\nall is shown");
        terminal.screen()
    };
    let is_too_long = |line: &&str| {
        let is_to_be_copied = ["req ", "Example"].iter().any(|start| line.trim_start().starts_with(start));
        line.chars().count() > 60 && !is_to_be_copied
    };
    let fitted = screen("");
    assert_eq!(fitted.lines().find(is_too_long), None, "{fitted}");
    let piped = screen(" | cat");
    assert!(piped.lines().any(|line| is_too_long(&line)), "{piped}");
}
