//! Changes read, applied, shown and put into words.

use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use shared::protocol::ToolCall;

use super::{Versions, diff, in_words, read, versions};

fn call(tool: &str, input: &Value) -> ToolCall {
    ToolCall { tool_name: tool.to_owned(), tool_use_id: None, tool_input: Some(to_raw_value(input).unwrap()) }
}

#[track_caller]
fn applied(tool: &str, input: &Value, there: Option<&str>) -> Versions {
    versions(&read(&call(tool, input)).unwrap(), there)
}

#[test]
fn every_tool_that_writes_is_read() {
    for (tool, input, file) in [
        ("Write", json!({"file_path": "a.rs", "content": "x"}), Some("a.rs")),
        ("Edit", json!({"file_path": "b.rs", "old_string": "x", "new_string": "y"}), Some("b.rs")),
        ("MultiEdit", json!({"file_path": "c.rs", "edits": []}), Some("c.rs")),
        ("NotebookEdit", json!({"notebook_path": "d.ipynb", "new_source": "x"}), Some("d.ipynb")),
        ("NotebookEdit", json!({"notebook_path": "d.ipynb", "edit_mode": "delete"}), Some("d.ipynb")),
        ("Read", json!({"file_path": "a.rs"}), None),
        ("Edit", json!({"old_string": "x"}), None),
        ("Write", json!("text"), None),
    ] {
        assert_eq!(read(&call(tool, &input)).map(|change| change.file).as_deref(), file, "{tool}: {input}");
    }
}

#[test]
fn pieces_are_replaced_one_after_the_other() {
    for (edits, there, after) in [
        (json!([{"old_string": "b", "new_string": "B"}]), Some("a\nb\nb\n"), Some("a\nB\nb\n")),
        (
            json!([{"old_string": "b", "new_string": "B", "replace_all": true}]),
            Some("a\nb\nb\n"),
            Some("a\nB\nB\n"),
        ),
        (
            json!([{"old_string": "b", "new_string": "c"}, {"old_string": "c", "new_string": "d"}]),
            Some("b\n"),
            Some("d\n"),
        ),
        (json!([{"old_string": "a\nb", "new_string": "c"}]), Some("a\r\nb\r\n"), Some("c\n")),
        (json!([{"old_string": "", "new_string": "new\n"}]), None, Some("new\n")),
        (json!([{"old_string": "", "new_string": "new\n"}]), Some(""), Some("new\n")),
        (json!([{"old_string": "z", "new_string": "new\n"}]), Some("a\n"), None),
        (json!([{"old_string": "z", "new_string": "new\n"}]), None, None),
        (json!([{"old_string": "", "new_string": "new\n"}]), Some("a\n"), None),
    ] {
        let versions = applied("MultiEdit", &json!({"file_path": "a", "edits": edits}), there);
        assert_eq!((!versions.is_fragment).then_some(versions.after.as_str()), after, "{edits} on {there:?}");
    }
}

#[test]
fn a_diff_says_what_the_file_is_and_shows_what_is_around() {
    let there = (1..=60).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
    let input = json!({"file_path": "a.rs", "old_string": "line 30\n", "new_string": "changed\n"});
    let text = diff("a.rs", &applied("Edit", &input, Some(&there)));
    assert!(text.starts_with("a.rs is changed.\n@@ -15,31 +15,31 @@"), "{text}");
    assert!(
        text.contains("-line 30\n+changed\n") && !text.contains("line 14\n") && !text.contains("line 46")
    );
    let new = diff("b.rs", &applied("Write", &json!({"file_path": "b.rs", "content": "x\n"}), None));
    assert!(new.starts_with("b.rs is a new file.") && new.ends_with("+x\n"), "{new}");
    let part = diff("a.rs", &applied("Edit", &input, Some("other")));
    assert!(part.starts_with("Part of a.rs;"), "{part}");
}

#[test]
fn a_change_in_a_few_words() {
    for (before, after, words) in [
        (None, "a\nb\n", "create a.py with 2 lines"),
        (Some("a\n"), "a\n", "leave the text as it is"),
        (Some("def login(x):\n    pass\n"), "def login(x):\n    check(x)\n    pass\n", "add 1 line in login"),
        (Some("a\nb\n"), "a\n", "remove 1 line"),
        (
            Some("pub async fn run() {\n  a();\n}\n"),
            "pub async fn run() {\n  b();\n  c();\n}\n",
            "replace 1 line by 2 lines in run",
        ),
        (
            Some("class A:\n    x = 1\n\nclass B:\n    y = 1\n"),
            "class A:\n    x = 2\n\nclass B:\n    y = 2\n",
            "replace 2 lines by 2 lines in A",
        ),
    ] {
        let versions =
            Versions { before: before.map(str::to_owned), after: after.to_owned(), is_fragment: false };
        assert_eq!(in_words("a.py", &versions), words, "{before:?} -> {after:?}");
    }
}
