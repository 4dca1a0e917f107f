//! What was done and what is open, from records, task lists and repositories.

use super::super::Todos;
use super::super::world::{asked, commit, edit, line, material, noon, recorded, said, started};
use super::{MAX_LINES, accomplishments, files_touched, next_steps};
use crate::git::{GitContext, Status};
use crate::material::Material;
use crate::record::{Action, Kind};

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
    check_done(
        vec![said("first"), said("second")],
        &material(),
        &[
            "task: write code",
            "commit 1a2b3c4: add the parser",
            "last words of a turn: second",
            "last words of a turn: first",
        ],
    );
    check_done(vec![], &Material::default(), &[]);
    check_done(
        vec![said(""), said("same"), said("same")],
        &Material::default(),
        &["last words of a turn: same"],
    );
}

#[test]
fn only_commits_since_the_record_began_count_to_the_second() {
    let of = |timestamp: &str| Material {
        git: GitContext { recent_commits: vec![commit("1", timestamp, "m")], ..GitContext::default() },
        ..Material::default()
    };
    check_done(vec![], &of("2026-01-06T11:59:59Z"), &[]);
    check_done(vec![], &of("2026-01-06T12:00:00Z"), &["commit 1: m"]);
    check_done(vec![], &of("2026-01-06T13:00:00+01:00"), &["commit 1: m"]);
    check_done(vec![], &of("yesterday"), &[]);
}

#[test]
fn the_last_prompt_tasks_and_changes_are_open() {
    let expected =
        ["asked last, without an answer: and now?", "task: write docs", "uncommitted changes: 3 files"];
    check_open(vec![said("done"), asked("and now?")], &material(), &expected);
    let answered = ["asked last, answered: and now?", expected[1], expected[2]];
    check_open(vec![asked("and now?"), said("this")], &material(), &answered);
    check_open(
        vec![asked("and now?"), line(Kind::SystemEvent, 1, 0.9, &serde_json::json!({}))],
        &Material::default(),
        &expected[..1],
    );
    check_open(vec![], &Material::default(), &[]);
}

#[test]
fn what_was_asked_before_the_record_is_told_once_and_last() {
    let printer = format!("now the printer, {}", "with tests ".repeat(20));
    let requests = texts(&["write the parser", &printer, "go", "go on"]);
    let of = |requests: &[String]| Material { requests: requests.to_vec(), ..Material::default() };
    let told: String = printer.chars().take(200).collect();
    let told = format!("asked: {}", told.trim_end());
    check_open(vec![], &of(&requests), &["asked last: go on", "asked: go", &told, "asked: write the parser"]);
    let cut: String = printer.chars().take(190).collect();
    check_open(
        vec![asked(&cut), said("yes"), asked("go"), said("written")],
        &of(&requests[..3]),
        &["asked last, answered: go", &format!("asked: {}", cut.trim_end()), "asked: write the parser"],
    );
}

#[test]
fn a_question_is_open_and_nothing_that_was_done() {
    check_done(
        vec![said("it works"), said("Shall I go on?")],
        &Material::default(),
        &["last words of a turn: it works"],
    );
    let of = |words: &str| Material { question: Some(words.to_owned()), ..Material::default() };
    let long = of("Shall I go on?");
    check_done(vec![said("the beginning of much")], &long, &[]);
    let open = ["asked last, answered: go", "asked the user: Shall I go on?"];
    check_open(vec![asked("go"), said("Shall I go on?")], &Material::default(), &open);
    check_open(vec![asked("go"), said("the beginning of much")], &long, &open);
    check_open(vec![], &long, &["asked the user: Shall I go on?"]);
    check_open(vec![said("Shall I go on?"), asked("go")], &long, &["asked last, without an answer: go"]);
}

#[test]
fn commands_that_failed_and_did_not_succeed_since_are_open() {
    let args = |command: &str| serde_json::json!({ "command": command }).to_string();
    let failed = |tool: &str, args: &str| {
        let data = serde_json::json!({ "event": "tool_failure", "tool": tool, "args": args, "error": "Exit code 1" });
        line(Kind::SystemEvent, 1, 0.9, &data)
    };
    let ran = |command: &str| {
        line(Kind::ToolCall, 1, 0.9, &serde_json::json!({ "tool": "Bash", "args": args(command) }))
    };
    let actions = vec![
        failed("Bash", &args("make")),
        failed("Bash", &args("cargo test")),
        failed("Bash", &args("cargo test")),
        failed("Edit", "{}"),
        failed("Bash", "{\"command\":\"grep -r \\\"x\\\" and so"),
        ran("make"),
    ];
    check_open(actions, &Material::default(), &["failed: grep -r \"x\" and so", "failed: cargo test"]);
}

#[test]
fn commits_of_our_own_snapshots_are_no_work() {
    let commits = ["Pause snapshot session-20260106-110000", "Pause snapshot tests"];
    let recent_commits = commits.map(|message| commit("1", "2026-01-06T12:00:01Z", message)).to_vec();
    let material =
        Material { git: GitContext { recent_commits, ..GitContext::default() }, ..Material::default() };
    check_done(vec![], &material, &["commit 1: Pause snapshot tests"]);
}

#[test]
fn changes_are_counted_where_there_is_a_repository() {
    let of = |is_git_repo, clean, files: usize| {
        let status = Status { clean, modified_files: numbered("f", files), untracked_files: Vec::new() };
        let git = GitContext { is_git_repo, status, ..GitContext::default() };
        Material { git, ..Material::default() }
    };
    check_open(vec![], &of(true, false, 1), &["uncommitted changes: 1 file"]);
    check_open(vec![], &of(true, true, 0), &[]);
    check_open(vec![], &of(false, false, 1), &[]);
}

#[test]
fn many_open_tasks_leave_room_for_the_rest() {
    let mut much = material();
    much.todos = Todos { active: numbered("task", 30), completed: Vec::new() };
    let open = next_steps(&recorded(vec![asked("and now?")]), &much);
    assert_eq!(open.len(), MAX_LINES);
    assert_eq!((open[8].as_str(), open[9].as_str()), ("task: task 8", "uncommitted changes: 3 files"));
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

#[track_caller]
fn check_files(actions: Vec<Action>, files: &[&str], expected: &[&str]) {
    let files = files.iter().map(Into::into).collect();
    let material = Material { root: "/p".into(), files, ..Material::default() };
    assert_eq!(files_touched(&recorded(actions), &material), texts(expected));
}

#[test]
fn files_are_told_once_relative_to_the_project_in_the_order_of_their_first_change() {
    check_files(
        vec![edit("/p/b"), edit("/p/c"), edit("/p/./x/../c")],
        &["/p/b", "/p/a/d", "/q/e"],
        &["b", "a/d", "/q/e", "c"],
    );
    check_files(vec![edit("/p")], &[], &[]);
    check_files(vec![], &["/p/with space\n", "/pq"], &["with space\n", "/pq"]);
}

#[test]
fn only_edits_touch_files() {
    let read = line(Kind::ToolCall, 1, 0.9, &serde_json::json!({ "tool": "Read", "path": "/p/a" }));
    let failed = line(
        Kind::SystemEvent,
        1,
        0.9,
        &serde_json::json!({ "event": "tool_failure", "tool": "Edit", "path": "/p/a" }),
    );
    let without = line(Kind::ToolCall, 1, 0.9, &serde_json::json!({ "tool": "Edit" }));
    check_files(vec![read, failed, without], &[], &[]);
}

#[test]
fn many_files_are_bounded() {
    let many: Vec<String> = numbered("/p/f", 700);
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let material = |files: &[&str]| Material {
        root: "/p".into(),
        files: files.iter().map(Into::into).collect(),
        ..Material::default()
    };
    assert_eq!(files_touched(&recorded(vec![]), &material(&many)).len(), 500);
    let long: Vec<String> = (0..400).map(|at| format!("/p/{at}/{}", "long/".repeat(300))).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    let told = files_touched(&recorded(vec![]), &material(&long));
    assert!(told.iter().map(String::len).sum::<usize>() <= 200 * 1024 && told.len() > 100);
}

#[test]
fn the_newest_of_many_fit() {
    let mut much = material();
    much.todos.completed = numbered("task", 30);
    let words: Vec<Action> = numbered("turn", 30).iter().map(|words| said(words)).collect();
    let done = accomplishments(&recorded(words.clone()), &much, noon(0));
    assert_eq!(done.len(), MAX_LINES);
    assert_eq!(done[6], "task: task 30");
    assert_eq!(done[9], "last words of a turn: turn 29");
    let of_words = accomplishments(&recorded(words), &Material::default(), noon(0));
    assert_eq!((of_words.len(), of_words[9].as_str()), (MAX_LINES, "last words of a turn: turn 21"));
}
