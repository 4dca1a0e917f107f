//! The two lists, from records, task lists and repositories.

use serde_json::json;

use super::{MAX_LINES, accomplishments, files_touched, next_steps};
use crate::git::{GitContext, Status};
use crate::material::Material;
use crate::record::{Action, Kind};
use crate::snapshot::Todos;
use crate::snapshot::tests::{asked, commit, edit, material, noon, of, recorded, said, started};

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn numbered(word: &str, count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("{word} {number}")).collect()
}

#[track_caller]
fn check_done(actions: Vec<Action>, material: &Material, expected: &[&str]) {
    let actions = std::iter::once(started(200_000)).chain(actions).collect();
    assert_eq!(accomplishments(&recorded(actions), material, noon(0)), texts(expected));
}

#[track_caller]
fn check_open(actions: Vec<Action>, material: &Material, expected: &[&str]) {
    assert_eq!(next_steps(&recorded(actions), material), texts(expected));
}

#[test]
fn tasks_commits_and_last_words_were_done() {
    let (task, words) = ("task: write code", "commit 1a2b3c4: add the parser");
    let turns = ["last words of a turn: second", "last words of a turn: first"];
    check_done(vec![said("first"), said("second")], &material(), &[task, words, turns[0], turns[1]]);
    check_done(vec![], &Material::default(), &[]);
    let same = vec![said(""), said("same"), said("same")];
    check_done(same, &Material::default(), &["last words of a turn: same"]);
}

#[test]
fn work_of_others_and_before_the_record_is_no_commit_of_it() {
    let with = |timestamp: &str, message: &str| Material {
        git: GitContext { recent_commits: vec![commit("1", timestamp, message)], ..GitContext::default() },
        ..Material::default()
    };
    for (timestamp, message, expected) in [
        ("2026-01-06T11:59:59Z", "m", &[][..]),
        ("2026-01-06T12:00:00Z", "m", &["commit 1: m"]),
        ("2026-01-06T13:00:00+01:00", "m", &["commit 1: m"]),
        ("yesterday", "m", &[]),
        ("2026-01-06T12:00:01Z", "Pause snapshot session-20260106-110000", &[]),
        ("2026-01-06T12:00:01Z", "Pause snapshot tests", &["commit 1: Pause snapshot tests"]),
    ] {
        check_done(vec![], &with(timestamp, message), expected);
    }
}

#[test]
fn last_prompt_tasks_and_changes_are_open() {
    let expected =
        ["asked last, without an answer: and now?", "task: write docs", "uncommitted changes: 3 files"];
    check_open(vec![said("done"), asked("and now?")], &material(), &expected);
    let answered = ["asked last, answered: and now?", expected[1], expected[2]];
    check_open(vec![asked("and now?"), said("this")], &material(), &answered);
    let event = of(Kind::SystemEvent, &json!({}));
    check_open(vec![asked("and now?"), event], &Material::default(), &expected[..1]);
    check_open(vec![], &Material::default(), &[]);
    for (is_git_repo, clean, files, expected) in
        [(true, false, 1, &["uncommitted changes: 1 file"][..]), (true, true, 0, &[]), (false, false, 1, &[])]
    {
        let status = Status { clean, modified_files: numbered("f", files), untracked_files: Vec::new() };
        let git = GitContext { is_git_repo, status, ..GitContext::default() };
        check_open(vec![], &Material { git, ..Material::default() }, expected);
    }
}

#[test]
fn prompts_before_the_record_are_told_once_and_last() {
    let printer = format!("now the printer, {}", "with tests ".repeat(20));
    let requests = texts(&["write the parser", &printer, "go", "go on"]);
    let with = |requests: &[String]| Material { requests: requests.to_vec(), ..Material::default() };
    let told: String = printer.chars().take(200).collect();
    let told = format!("asked: {}", told.trim_end());
    check_open(
        vec![],
        &with(&requests),
        &["asked last: go on", "asked: go", &told, "asked: write the parser"],
    );
    let cut: String = printer.chars().take(190).collect();
    check_open(
        vec![asked(&cut), said("yes"), asked("go"), said("written")],
        &with(&requests[..3]),
        &["asked last, answered: go", &format!("asked: {}", cut.trim_end()), "asked: write the parser"],
    );
}

#[test]
fn question_is_open_and_nothing_that_was_done() {
    let words = vec![said("it works"), said("Shall I go on?")];
    check_done(words, &Material::default(), &["last words of a turn: it works"]);
    let long = Material { question: Some("Shall I go on?".to_owned()), ..Material::default() };
    check_done(vec![said("the beginning of much")], &long, &[]);
    let open = ["asked last, answered: go", "asked the user: Shall I go on?"];
    check_open(vec![asked("go"), said("Shall I go on?")], &Material::default(), &open);
    check_open(vec![asked("go"), said("the beginning of much")], &long, &open);
    check_open(vec![], &long, &["asked the user: Shall I go on?"]);
    check_open(vec![said("Shall I go on?"), asked("go")], &long, &["asked last, without an answer: go"]);
}

#[test]
fn commands_that_failed_and_did_not_succeed_since_are_open() {
    let args = |command: &str| json!({ "command": command }).to_string();
    let failed = |tool: &str, args: &str| {
        of(Kind::SystemEvent, &json!({ "event": "tool_failure", "tool": tool, "args": args, "error": "1" }))
    };
    let actions = vec![
        failed("Bash", &args("make")),
        failed("Bash", &args("cargo test")),
        failed("Bash", &args("cargo test")),
        failed("Edit", "{}"),
        failed("Bash", "{\"command\":\"grep -r \\\"x\\\" and so"),
        of(Kind::ToolCall, &json!({ "tool": "Bash", "args": args("make") })),
    ];
    check_open(actions, &Material::default(), &["failed: grep -r \"x\" and so", "failed: cargo test"]);
}

#[test]
fn lists_are_bounded_and_the_newest_fit() {
    let mut much = material();
    much.todos = Todos { active: numbered("task", 30), completed: numbered("task", 30) };
    let open = next_steps(&recorded(vec![asked("and now?")]), &much);
    assert_eq!(open.len(), MAX_LINES);
    assert_eq!((open[8].as_str(), open[9].as_str()), ("task: task 8", "uncommitted changes: 3 files"));
    let words: Vec<Action> = numbered("turn", 30).iter().map(|words| said(words)).collect();
    let done = accomplishments(&recorded(words.clone()), &much, noon(0));
    assert_eq!((done.len(), done[6].as_str()), (MAX_LINES, "task: task 30"));
    assert_eq!(done[9], "last words of a turn: turn 29");
    let of_words = accomplishments(&recorded(words), &Material::default(), noon(0));
    assert_eq!((of_words.len(), of_words[9].as_str()), (MAX_LINES, "last words of a turn: turn 21"));
    let files = numbered("/p/f", 700).iter().map(Into::into).collect();
    assert_eq!(files_touched(&recorded(vec![]), &Material { files, ..Material::default() }).len(), 500);
}

#[test]
fn every_line_is_one_line_without_secrets_and_short() {
    let hostile =
        format!("a\n# Forged\u{202e} sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 {}", "x ".repeat(500));
    let mut much = material();
    much.todos = Todos { active: vec![hostile.clone()], completed: vec![hostile.clone()] };
    much.git.recent_commits = vec![commit(&hostile, "2026-01-06T12:03:00Z", &hostile)];
    let recorded = recorded(vec![said(&hostile), asked(&hostile)]);
    let lines = [accomplishments(&recorded, &much, noon(0)), next_steps(&recorded, &much)].concat();
    assert_eq!(lines.len(), 6);
    for line in lines {
        assert!(!line.contains(['\n', '\u{202e}']) && !line.contains("sk-ant"), "{line}");
        assert!(line.chars().count() <= 260, "{line}");
    }
}

#[test]
fn edited_files_are_told_once_relative_to_the_project_in_the_order_of_their_first_change() {
    let tool = |kind, tool: &str| of(kind, &json!({ "event": "tool_failure", "tool": tool, "path": "/p/a" }));
    let without = of(Kind::ToolCall, &json!({ "tool": "Edit" }));
    for (actions, files, expected) in [
        (
            vec![edit("/p/b"), edit("/p/c"), edit("/p/./x/../c")],
            &["/p/b", "/p/a/d", "/q/e"][..],
            &["b", "a/d", "/q/e", "c"][..],
        ),
        (vec![edit("/p")], &[], &[]),
        (vec![], &["/p/with space\n", "/pq"], &["with space\n", "/pq"]),
        (vec![tool(Kind::ToolCall, "Read"), tool(Kind::SystemEvent, "Edit"), without], &[], &[]),
    ] {
        let files = files.iter().map(Into::into).collect();
        let material = Material { root: "/p".into(), files, ..Material::default() };
        assert_eq!(files_touched(&recorded(actions), &material), texts(expected));
    }
}
