//! Records and snapshots for tests. A record in numbers, as the seed's example has them, the lists, and the page and the YAML.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use shared::config::read_typed;
use shared::host::Timestamp;

use super::{Snapshot, Todos, accomplishments, build, code, files_touched, markdown, next_steps, yaml};
use crate::git::{Commit, GitContext, Status};
use crate::record::{Action, Kind, NOT_RECORDED, Recorded};

const ID: &str = "session-20260106-120000";

/// So many seconds after noon, when the seed's record begins.
pub(crate) fn noon(seconds: i64) -> Timestamp {
    let noon = Timestamp::from_rfc3339("2026-01-06T12:00:00Z").unwrap();
    Timestamp::from_micros(noon.micros() + seconds * 1_000_000)
}

fn line(kind: Kind, seconds: i64, share: f64, data: Value) -> Action {
    Action { session_id: ID.to_owned(), ..Action::new(kind, noon(seconds), data, share) }
}

/// A line with this data, of no special time.
fn of(kind: Kind, data: Value) -> Action {
    line(kind, 60, 0.93, data)
}

fn started(tokens_total: u64) -> Action {
    let state = json!({ "tokens_used": 180_000, "tokens_total": tokens_total });
    line(Kind::PauseStarted, 0, 0.9, json!({ "context_percentage": 0.9, "initial_state": state }))
}

fn edit(path: &str) -> Action {
    of(Kind::ToolCall, json!({ "tool": "Edit", "path": path }))
}

fn said(summary: &str) -> Action {
    of(Kind::AssistantResponse, json!({ "summary": summary }))
}

fn asked(message: &str) -> Action {
    of(Kind::UserMessage, json!({ "message": message }))
}

fn recorded(actions: Vec<Action>) -> Recorded {
    Recorded { id: ID.to_owned(), actions, skipped_lines: 0 }
}

/// The seed's example: 15 actions, 8 of them tool calls, from 90 to 93 %, over 300 s.
fn seeds() -> Recorded {
    let call = |at| line(Kind::ToolCall, at, 0.91, json!({ "tool": "Read", "path": "/p/a" }));
    let turn = |at: i64| line(Kind::AssistantResponse, 20 + at, 0.93, json!({ "summary": "done" }));
    recorded(std::iter::once(started(200_000)).chain((1..=8).map(call)).chain((0..6).map(turn)).collect())
}

fn commit(sha: &str, timestamp: &str, message: &str) -> Commit {
    let [sha, timestamp, message] = [sha, timestamp, message].map(ToOwned::to_owned);
    Commit { sha, author: "Ada".to_owned(), timestamp, message }
}

fn git() -> GitContext {
    let status = Status {
        clean: false,
        modified_files: vec!["src/a.rs".to_owned()],
        untracked_files: vec!["with space".to_owned(), "line\nbreak".to_owned()],
    };
    let recent_commits = vec![commit("1a2b3c4", "2026-01-06T12:03:00Z", "add the parser")];
    GitContext { is_git_repo: true, branch: Some("main".to_owned()), recent_commits, status }
}

fn todos() -> Todos {
    Todos { active: vec!["write docs".to_owned()], completed: vec!["write code".to_owned()] }
}

fn built(recorded: &Recorded, git: GitContext, at: Timestamp) -> Snapshot {
    build(recorded, Path::new("/p"), git, None, at)
}

/// A snapshot that has something of everything.
fn full() -> Snapshot {
    let mut recorded = seeds();
    recorded.actions.extend([edit("/p/src/c.rs"), said("all is written"), asked("and the docs?")]);
    recorded.actions[1].data.insert(NOT_RECORDED.to_owned(), 3.into());
    recorded.skipped_lines = 2;
    built(&recorded, git(), noon(300))
}

/// A snapshot that has next to nothing.
pub(crate) fn least() -> Snapshot {
    built(&Recorded::default(), GitContext::default(), Timestamp::from_secs(0))
}

fn numbers(recorded: &Recorded, at: Timestamp) -> Value {
    serde_json::to_value(built(recorded, GitContext::default(), at)).unwrap()
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
fn tasks_commits_of_the_record_and_last_words_were_done() {
    let mut git = git();
    git.recent_commits.push(commit("0", "2026-01-06T11:59:59Z", "before the record"));
    let record = recorded(vec![started(200_000), said("first"), said(""), said("second")]);
    let turns = ["last words of a turn: second", "last words of a turn: first"];
    let expected = ["task: write code", "commit 1a2b3c4: add the parser", turns[0], turns[1]];
    assert_eq!(accomplishments(&record, &todos(), &git, noon(0)), expected);
}

#[test]
fn last_prompt_tasks_and_earlier_prompts_are_open() {
    let printer = format!("now the printer, {}", "with tests ".repeat(20));
    let requests = ["write the parser", &printer, "go"].map(ToOwned::to_owned);
    let cut = |chars: usize| printer.chars().take(chars).collect::<String>();
    let asked_printer = |chars: usize| format!("asked: {}", cut(chars).trim_end());
    let (parser, task) = ("asked: write the parser", "task: write docs");
    let other = || of(Kind::SystemEvent, json!({}));
    for (actions, requests, open) in [
        (vec![said("done"), asked("go"), other()], &[][..], vec!["asked last, without an answer: go", task]),
        (vec![asked("go"), said("this")], &[], vec!["asked last, answered: go", task]),
        (vec![], &requests[..], vec!["asked last: go", task, &asked_printer(200), parser]),
        // The record has the beginning of a prompt, and prompts before it are in the transcript.
        (
            vec![asked(&cut(190)), said("yes"), asked("go"), said("written")],
            &requests[..2],
            vec!["asked last, answered: go", task, &asked_printer(190), parser],
        ),
    ] {
        assert_eq!(next_steps(&recorded(actions), &todos(), requests), open);
    }
}

#[test]
fn lists_are_bounded_and_the_newest_fit() {
    let numbered = |word: &str| (1..=30).map(|number| format!("{word} {number}")).collect::<Vec<_>>();
    let much = Todos { active: numbered("task"), completed: numbered("task") };
    let words = numbered("turn").iter().map(|words| said(words)).collect();
    let done = accomplishments(&recorded(words), &much, &git(), noon(0));
    assert_eq!((done.len(), done[4].as_str()), (9, "task: task 30"));
    assert_eq!(done[8], "last words of a turn: turn 28");
    let prompts = numbered("p").iter().map(|text| asked(text)).collect();
    assert_eq!(next_steps(&recorded(prompts), &much, &[]).len(), 10);
}

#[test]
fn snapshot_lists_each_edited_file_once_in_order_of_first_change() {
    let tool = |kind, tool: &str| of(kind, json!({ "event": "tool_failure", "tool": tool, "path": "/p/a" }));
    let actions = vec![
        edit("/p/b"),
        edit("/p/c"),
        edit("/p/./x/../c"),
        edit("/p"),
        tool(Kind::ToolCall, "Read"),
        tool(Kind::SystemEvent, "Edit"),
        of(Kind::ToolCall, json!({ "tool": "Edit" })),
    ];
    let files = ["/p/b", "/p/a/d", "/q/e"].map(Into::into).to_vec();
    assert_eq!(files_touched(&recorded(actions), files, Path::new("/p")), ["b", "a/d", "/q/e", "c"]);
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

fn called(id: &str, tool: &str, path: &str, is_error: bool) -> Vec<String> {
    let key = if tool == "NotebookEdit" { "notebook_path" } else { "file_path" };
    vec![call(id, tool, &format!(r#"{{"{key}":"{path}","content":"x"}}"#)), answered(id, is_error, "{}")]
}

fn told_task(id: &str, subject: &str, status: &str) -> Vec<String> {
    let created = format!(r#"{{"task":{{"id":"{id}","subject":"{subject}"}}}}"#);
    let moved = format!(r#"{{"taskId":"{id}","statusChange":{{"from":"pending","to":"{status}"}}}}"#);
    vec![answered("c", false, &created), answered("m", false, &moved)]
}

#[test]
fn transcript_tells_edits_that_came_back_and_tasks_the_present_one_first() {
    let secret = "use sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    let lines = [
        called("1", "Write", "/p/b", false),
        called("2", "Edit", "/p/a", false),
        called("3", "MultiEdit", "/p/b", false),
        called("4", "NotebookEdit", "/p/n.ipynb", false),
        called("5", "Write", "/p/failed", true),
        called("6", "Write", "/p/pending", false)[..1].to_vec(),
        called("7", "Read", "/p/read", false),
        vec![call("8", "Write", "7"), answered("8", false, "{}")],
        told_task("1", r"a\n# b", "pending"),
        told_task("2", "now", "in_progress"),
        told_task("3", "gone", "deleted"),
        told_task("4", secret, "completed"),
    ];
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("t.jsonl");
    fs::write(&path, lines.concat().join("\n") + "\n").unwrap();
    let snapshot = build(&recorded(vec![]), Path::new("/p"), git(), Some(&path), noon(0));
    assert_eq!(snapshot.files_touched, ["b", "a", "n.ipynb"]);
    let Todos { active, completed } = snapshot.todos;
    assert_eq!(active, ["now", "a # b"]);
    assert!(completed[0].starts_with("use [masked"), "{completed:?}");
}

#[test]
fn a_page_as_people_read_it() {
    let page = markdown(&full());
    for part in [
        "# Paused session `session-20260106-120000`\n\n- paused at: `",
        "\n- context: 93 % full (186,000 of 200,000 tokens)\n- recorded: 21 actions in 5 min\n",
        "\n- branch: `main`\n\n## Open\n\n- `asked last, without an answer: and the docs?`\n",
        "\n## Untracked files\n\n- `with space`\n- `\"line\\nbreak\"`\n",
    ] {
        assert!(page.contains(part), "{part}\n---\n{page}");
    }
    assert!(markdown(&least()).contains("- context: not known\n"));
}

#[test]
fn texts_stand_as_code_whatever_they_hold() {
    for (text, expected) in [
        ("<b>&amp;</b> [x](y)", "`<b>&amp;</b> [x](y)`"),
        ("", "`\"\"`"),
        ("a`b``c", "`a'b''c`"),
        ("a\n\n# b", "`\"a\\n\\n# b\"`"),
        ("a\u{202e}\"\\\n", "`\"a\\u{202e}\\\"\\\\\\n\"`"),
    ] {
        assert_eq!(code(text), expected, "{text:?}");
    }
}

#[test]
fn reads_back_as_the_same_value() {
    let odd = [
        "yes",
        "~",
        "1e3",
        "2026-01-06T12:00:00Z",
        "- x",
        "a: b",
        "",
        "\u{0}\u{7f}\u{85}\u{2028}",
        "\u{feff}\u{ffff}",
        "'\"\\",
        "🦀",
    ];
    let value = json!({
        "id": "session-1", "share": 0.93, "none": null, "range": [0.9, 1.0], "tasks": [], "map": {},
        "actions": [{ "type": "tool_call", "on": true }, { "of": [odd] }], "texts": odd,
    });
    let text = yaml(&value);
    assert_eq!(read_typed::<Value>(&text).unwrap(), value, "{text}");
    assert!(!text.contains(|char: char| char.is_control() && char != '\n'), "{text:?}");
    assert!(text.starts_with("id: \"session-1\"\nshare: 0.93\nnone: null\nrange:\n  - 0.9\n"), "{text}");
}
