//! Tasks and edits from transcript lines as Claude Code writes them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::git::GitContext;
use crate::snapshot::{Material, Todos, gather};

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

fn edit(id: &str, tool: &str, path: &str, is_error: bool) -> Vec<String> {
    let key = if tool == "NotebookEdit" { "notebook_path" } else { "file_path" };
    vec![call(id, tool, &format!(r#"{{"{key}":"{path}","content":"x"}}"#)), answered(id, is_error, "{}")]
}

fn task(id: &str, subject: &str, status: &str) -> Vec<String> {
    let created = format!(r#"{{"task":{{"id":"{id}","subject":"{subject}"}}}}"#);
    let moved = format!(r#"{{"taskId":"{id}","statusChange":{{"from":"pending","to":"{status}"}}}}"#);
    vec![answered("c", false, &created), answered("m", false, &moved)]
}

fn read(lines: &[String]) -> Material {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("t.jsonl");
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    gather(Path::new("/p"), GitContext::default(), Some(&path))
}

#[test]
fn edits_that_came_back_are_told_once_in_the_order_of_their_first() {
    let lines = [
        edit("1", "Write", "/p/b", false),
        edit("2", "Edit", "/p/a", false),
        edit("3", "MultiEdit", "/p/b", false),
        edit("4", "NotebookEdit", "/p/n.ipynb", false),
        edit("5", "Write", "/p/failed", true),
        edit("6", "Write", "/p/pending", false)[..1].to_vec(),
        edit("7", "Read", "/p/read", false),
        vec![call("8", "Write", "7"), answered("8", false, "{}")],
    ];
    assert_eq!(read(&lines.concat()).files, ["/p/b", "/p/a", "/p/n.ipynb"].map(PathBuf::from));
}

#[test]
fn what_is_being_worked_on_comes_first_on_a_line_without_secrets() {
    let secret = "use sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    let lines = [
        task("1", r"a\n# b", "pending"),
        task("2", "now", "in_progress"),
        task("3", "gone", "deleted"),
        task("4", secret, "completed"),
    ];
    let Todos { active, completed } = read(&lines.concat()).todos;
    assert_eq!(active, ["now", "a # b"]);
    assert!(completed[0].starts_with("use [masked"), "{completed:?}");
}
