//! The lists, from records, task lists and repositories.

use serde_json::json;

use crate::git::GitContext;
use crate::record::{Action, Kind};
use crate::snapshot::{Material, Todos, accomplishments, files_touched, next_steps};

use super::{asked, commit, edit, material, noon, of, recorded, said, started};

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
    check_done(vec![said(""), said("x")], &Material::default(), &["last words of a turn: x"]);
}

#[test]
fn work_of_others_and_before_the_record_is_no_commit_of_it() {
    for (timestamp, message, expected) in
        [("2026-01-06T11:59:59Z", "m", &[][..]), ("2026-01-06T12:00:00Z", "m", &["commit 1: m"])]
    {
        let git =
            GitContext { recent_commits: vec![commit("1", timestamp, message)], ..GitContext::default() };
        check_done(vec![], &Material { git, ..Material::default() }, expected);
    }
}

#[test]
fn last_prompt_and_tasks_are_open() {
    let task = "task: write docs";
    let open = ["asked last, without an answer: and now?", task];
    check_open(vec![said("done"), asked("and now?")], &material(), &open);
    check_open(vec![asked("and now?"), of(Kind::SystemEvent, json!({}))], &Material::default(), &open[..1]);
    let answered = ["asked last, answered: and now?", task];
    check_open(vec![asked("and now?"), said("this")], &material(), &answered);
}

#[test]
fn prompts_before_the_record_are_told_once_and_last() {
    let printer = format!("now the printer, {}", "with tests ".repeat(20));
    let requests = texts(&["write the parser", &printer, "go", "go on"]);
    let with = |requests: &[String]| Material { requests: requests.to_vec(), ..Material::default() };
    let cut = |chars: usize| printer.chars().take(chars).collect::<String>();
    let told = |chars: usize| format!("asked: {}", cut(chars).trim_end());
    let open = ["asked last: go on", "asked: go", &told(200), "asked: write the parser"];
    check_open(vec![], &with(&requests), &open);
    let open = ["asked last, answered: go", &told(190), "asked: write the parser"];
    check_open(
        vec![asked(&cut(190)), said("yes"), asked("go"), said("written")],
        &with(&requests[..3]),
        &open,
    );
}

#[test]
fn lists_are_bounded_and_the_newest_fit() {
    let mut much = material();
    much.todos = Todos { active: numbered("task", 30), completed: numbered("task", 30) };
    let words: Vec<Action> = numbered("turn", 30).iter().map(|words| said(words)).collect();
    let done = accomplishments(&recorded(words), &much, noon(0));
    assert_eq!((done.len(), done[4].as_str()), (9, "task: task 30"));
    assert_eq!(done[8], "last words of a turn: turn 28");
    assert_eq!(
        next_steps(&recorded(numbered("p", 9).iter().map(|text| asked(text)).collect()), &much).len(),
        10
    );
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
    assert_eq!(lines.len(), 5);
    for line in lines {
        assert!(!line.contains(['\n', '\u{202e}']) && !line.contains("sk-ant"), "{line}");
        assert!(line.chars().count() <= 260, "{line}");
    }
}

#[test]
fn edited_files_are_told_once_relative_to_the_project_in_the_order_of_their_first_change() {
    let tool = |kind, tool: &str| of(kind, json!({ "event": "tool_failure", "tool": tool, "path": "/p/a" }));
    let without = of(Kind::ToolCall, json!({ "tool": "Edit" }));
    let actions = vec![
        edit("/p/b"),
        edit("/p/c"),
        edit("/p/./x/../c"),
        edit("/p"),
        tool(Kind::ToolCall, "Read"),
        tool(Kind::SystemEvent, "Edit"),
        without,
    ];
    let files = ["/p/b", "/p/a/d", "/q/e"].map(Into::into).to_vec();
    let material = Material { root: "/p".into(), files, ..Material::default() };
    assert_eq!(files_touched(&recorded(actions), &material), texts(&["b", "a/d", "/q/e", "c"]));
}
