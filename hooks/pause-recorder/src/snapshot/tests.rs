//! Records and snapshots for tests. A record in numbers, as the seed's example has them, and the lists, from records, transcripts and
//! repositories.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use shared::host::Timestamp;

use super::{Material, Numbers, Snapshot, Todos, accomplishments, build, files_touched, gather, next_steps};
use crate::git::{Commit, GitContext, Status};
use crate::record::{Action, Kind, NOT_RECORDED, Recorded};

const ID: &str = "session-20260106-120000";

/// So many seconds after noon, when the seed's record begins.
pub(crate) fn noon(seconds: i64) -> Timestamp {
    let noon = Timestamp::from_rfc3339("2026-01-06T12:00:00Z").unwrap();
    Timestamp::from_micros(noon.micros() + seconds * 1_000_000)
}

pub(crate) fn line(kind: Kind, seconds: i64, share: f64, data: Value) -> Action {
    Action { session_id: ID.to_owned(), ..Action::new(kind, noon(seconds), data, share) }
}

/// A line with this data, of no special time.
pub(crate) fn of(kind: Kind, data: Value) -> Action {
    line(kind, 60, 0.93, data)
}

pub(crate) fn started(tokens_total: u64) -> Action {
    let state = json!({ "tokens_used": 180_000, "tokens_total": tokens_total });
    line(Kind::PauseStarted, 0, 0.9, json!({ "context_percentage": 0.9, "initial_state": state }))
}

pub(crate) fn edit(path: &str) -> Action {
    of(Kind::ToolCall, json!({ "tool": "Edit", "path": path }))
}

pub(crate) fn said(summary: &str) -> Action {
    of(Kind::AssistantResponse, json!({ "summary": summary }))
}

pub(crate) fn asked(message: &str) -> Action {
    of(Kind::UserMessage, json!({ "message": message }))
}

pub(crate) fn recorded(actions: Vec<Action>) -> Recorded {
    Recorded { id: ID.to_owned(), actions, skipped_lines: 0 }
}

/// The seed's example: 15 actions, 8 of them tool calls, from 90 to 93 %, over 300 s.
fn seeds() -> Recorded {
    let call = |at| line(Kind::ToolCall, at, 0.91, json!({ "tool": "Read", "path": "/p/a" }));
    let turn = |at: i64| line(Kind::AssistantResponse, 20 + at, 0.93, json!({ "summary": "done" }));
    recorded(std::iter::once(started(200_000)).chain((1..=8).map(call)).chain((0..6).map(turn)).collect())
}

pub(crate) fn commit(sha: &str, timestamp: &str, message: &str) -> Commit {
    let [sha, timestamp, message] = [sha, timestamp, message].map(ToOwned::to_owned);
    Commit { sha, author: "Ada".to_owned(), timestamp, message }
}

pub(crate) fn material() -> Material {
    let status = Status {
        clean: false,
        modified_files: vec!["src/a.rs".to_owned()],
        untracked_files: vec!["with space".to_owned(), "line\nbreak".to_owned()],
    };
    Material {
        root: "/p".into(),
        git: GitContext {
            is_git_repo: true,
            branch: Some("main".to_owned()),
            recent_commits: vec![commit("1a2b3c4", "2026-01-06T12:03:00Z", "add the parser")],
            status,
        },
        todos: Todos { active: vec!["write docs".to_owned()], completed: vec!["write code".to_owned()] },
        files: vec!["/p/src/a.rs".into(), "/elsewhere/b".into()],
        ..Material::default()
    }
}

/// A snapshot that has something of everything.
pub(crate) fn full() -> Snapshot {
    let mut recorded = seeds();
    recorded.actions.extend([edit("/p/src/c.rs"), said("all is written"), asked("and the docs?")]);
    recorded.actions[1].data.insert(NOT_RECORDED.to_owned(), 3.into());
    recorded.skipped_lines = 2;
    build(&recorded, &material(), noon(300))
}

/// A snapshot that has next to nothing.
pub(crate) fn least() -> Snapshot {
    build(&Recorded::default(), &Material::default(), Timestamp::from_secs(0))
}

fn numbers(recorded: &Recorded, at: Timestamp) -> Value {
    serde_json::to_value(build(recorded, &Material::default(), at)).unwrap()
}

#[test]
fn seeds_example_comes_out_as_in_the_seed() {
    let value = numbers(&seeds(), noon(300));
    let pause = &value["incremental_pause"];
    let last = json!({ "type": "assistant_response", "timestamp": "2026-01-06T12:00:25.000Z" });
    for (found, expected) in [
        (&value["session_id"], json!(ID)),
        (&value["duration_hours"], json!(0.08)),
        (&value["paused_at"], json!("2026-01-06T12:05:00.000Z")),
        (
            &value["context_usage"],
            json!({ "tokens_used": 186_000, "tokens_total": 200_000, "percentage": 93.0 }),
        ),
        (&pause["enabled"], json!(true)),
        (&pause["action_count"], json!(15)),
        (&pause["duration_seconds"], json!(300)),
        (&pause["tool_calls"], json!(8)),
        (&pause["context_range"], json!([0.9, 0.93])),
        (&pause["actions_summary"][9], last),
        (&pause["actions_summary"][10], Value::Null),
    ] {
        assert_eq!(*found, expected);
    }
}

#[test]
fn tokens_and_percentage_are_rounded_and_of_the_last_window() {
    let level =
        |total: u64| of(Kind::SystemEvent, json!({ "event": "level_reached", "tokens_total": total }));
    for (share, actions, used, total, percentage) in [
        (0.123_456, vec![started(200_000)], 24_691, 200_000, 12.35),
        (0.93, vec![], 0, 0, 93.0),
        (0.5, vec![started(200_000), level(1_000_000)], 500_000, 1_000_000, 50.0),
    ] {
        let last = Action { share, ..said("x") };
        let actions = actions.into_iter().chain([last]).collect();
        let usage = &numbers(&recorded(actions), noon(0))["context_usage"];
        let expected = json!({ "tokens_used": used, "tokens_total": total, "percentage": percentage });
        assert_eq!(*usage, expected);
    }
}

#[test]
fn last_line_counts_what_was_left_out() {
    let mut open = seeds();
    for (index, count) in [(3, 1), (9, 3)] {
        open.actions[index].data.insert(NOT_RECORDED.to_owned(), count.into());
    }
    let data = Numbers::new(&open, noon(300)).of_end();
    let expected = json!({
        "total_actions": 19,
        "final_percentage": 0.93,
        "pause_started_at": "2026-01-06T12:00:00.000Z",
        "duration_seconds": 300
    });
    assert_eq!(data, expected);
}

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

fn call(id: &str, tool: &str, input: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"{tool}","input":{input}}}]}}}}"#
    )
}

fn answered(id: &str, is_error: bool, answer: &str) -> String {
    format!(
        r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","is_error":{is_error}}}]}},"toolUseResult":{answer}}}"#
    )
}

fn called_edit(id: &str, tool: &str, path: &str, is_error: bool) -> Vec<String> {
    let key = if tool == "NotebookEdit" { "notebook_path" } else { "file_path" };
    vec![call(id, tool, &format!(r#"{{"{key}":"{path}","content":"x"}}"#)), answered(id, is_error, "{}")]
}

fn told_task(id: &str, subject: &str, status: &str) -> Vec<String> {
    let created = format!(r#"{{"task":{{"id":"{id}","subject":"{subject}"}}}}"#);
    let moved = format!(r#"{{"taskId":"{id}","statusChange":{{"from":"pending","to":"{status}"}}}}"#);
    vec![answered("c", false, &created), answered("m", false, &moved)]
}

fn gathered(lines: &[String]) -> Material {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("t.jsonl");
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    gather(Path::new("/p"), GitContext::default(), Some(&path))
}

#[test]
fn edits_that_came_back_are_told_once_in_the_order_of_their_first() {
    let lines = [
        called_edit("1", "Write", "/p/b", false),
        called_edit("2", "Edit", "/p/a", false),
        called_edit("3", "MultiEdit", "/p/b", false),
        called_edit("4", "NotebookEdit", "/p/n.ipynb", false),
        called_edit("5", "Write", "/p/failed", true),
        called_edit("6", "Write", "/p/pending", false)[..1].to_vec(),
        called_edit("7", "Read", "/p/read", false),
        vec![call("8", "Write", "7"), answered("8", false, "{}")],
    ];
    let files = files_touched(&recorded(vec![]), &gathered(&lines.concat()));
    assert_eq!(files, texts(&["b", "a", "n.ipynb"]));
}

#[test]
fn what_is_being_worked_on_comes_first_on_a_line_without_secrets() {
    let secret = "use sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    let lines = [
        told_task("1", r"a\n# b", "pending"),
        told_task("2", "now", "in_progress"),
        told_task("3", "gone", "deleted"),
        told_task("4", secret, "completed"),
    ];
    let Todos { active, completed } = gathered(&lines.concat()).todos;
    assert_eq!(active, ["now", "a # b"]);
    assert!(completed[0].starts_with("use [masked"), "{completed:?}");
}
