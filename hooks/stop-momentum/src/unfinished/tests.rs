//! Signs of unfinished work, from transcript lines as the client writes them.

use transcript::Line;

use super::{Sign, signs};

const PROMPT: &str = r#"{"type":"user","promptId":"p","message":{"content":"do it"}}"#;

fn call(id: &str, tool: &str, input: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"{tool}","input":{input}}}]}}}}"#
    )
}

fn bash(id: &str, command: &str) -> String {
    call(id, "Bash", &format!(r#"{{"command":"{command}"}}"#))
}

fn result(id: &str, is_error: bool) -> String {
    format!(
        r#"{{"type":"user","promptId":"p","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","is_error":{is_error}}}]}}}}"#
    )
}

fn answered(id: &str, answer: &str) -> String {
    format!(
        r#"{{"type":"user","promptId":"p","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}"}}]}},"toolUseResult":{answer}}}"#
    )
}

#[track_caller]
fn check(lines: &[String], message: &str, expected: &[Sign]) {
    let lines: Vec<Line> = lines.iter().map(|line| Line::parse(line.as_bytes()).unwrap()).collect();
    assert_eq!(signs(&lines, message), expected);
}

#[test]
fn open_tasks_are_counted_over_the_whole_session() {
    let created = || answered("1", r#"{"task":{"id":"1","subject":"a"}}"#);
    let moved = |to: &str| {
        answered(
            "2",
            &format!(r#"{{"success":true,"taskId":"1","statusChange":{{"from":"pending","to":"{to}"}}}}"#),
        )
    };
    check(&[created()], "", &[Sign::OpenTasks(1)]);
    check(&[created(), moved("in_progress"), PROMPT.into()], "", &[Sign::OpenTasks(1)]);
    check(&[created(), moved("completed")], "", &[]);
    check(&[created(), moved("deleted")], "", &[]);
    let list = answered(
        "3",
        r#"{"tasks":[{"id":"7","status":"completed"},{"id":"8","status":"pending"},{"id":"9","status":"in_progress"}]}"#,
    );
    check(&[created(), list], "", &[Sign::OpenTasks(2)]);
}

#[test]
fn a_failed_last_command_is_a_sign_until_another_one_passes() {
    let prompt = || PROMPT.to_owned();
    check(&[prompt(), bash("1", "ls"), result("1", true)], "", &[Sign::LastCommandFailed]);
    check(&[prompt(), bash("1", "ls"), result("1", true), bash("2", "pwd"), result("2", false)], "", &[]);
    check(&[bash("1", "ls"), result("1", true), prompt()], "", &[]);
}

#[test]
fn edits_are_unproven_until_a_check_passes_after_them() {
    let edit = || [PROMPT.to_owned(), call("1", "Edit", "{}"), result("1", false)].to_vec();
    let then = |command: &str, failed| [edit(), vec![bash("2", command), result("2", failed)]].concat();
    check(&edit(), "", &[Sign::UnprovenEdits]);
    check(&then("cargo test", false), "", &[]);
    check(&then("npm run lint -- --fix", false), "", &[]);
    check(&then("git status", false), "", &[Sign::UnprovenEdits]);
    check(&then("cargo test", true), "", &[Sign::LastCommandFailed, Sign::UnprovenEdits]);
    let refused = [PROMPT.to_owned(), call("1", "Edit", "{}"), result("1", true)];
    check(&refused, "", &[]);
}

#[test]
fn an_announcement_in_the_last_message_is_a_sign() {
    for message in [
        "Step one is done. Next, I'll write the tests.",
        "Now I’ll fix the rest.",
        "Remaining work: docs.",
        "TODO: cleanup",
    ] {
        check(&[], message, &[Sign::AnnouncedWork]);
    }
    for message in ["", "Everything is done.", "The next release has it."] {
        check(&[], message, &[]);
    }
}
