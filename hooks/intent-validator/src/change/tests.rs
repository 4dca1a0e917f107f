//! Changes read, applied, shown and put into words.

use std::io;

use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use shared::protocol::ToolCall;

use super::{Versions, diff, read, versions};

fn call(tool: &str, input: &Value) -> ToolCall {
    ToolCall { tool_name: tool.to_owned(), tool_use_id: None, tool_input: Some(to_raw_value(input).unwrap()) }
}

#[track_caller]
fn applied(tool: &str, input: &Value, there: Option<&str>) -> Versions {
    let there = there.map(|text| text.as_bytes().to_vec()).ok_or(io::ErrorKind::NotFound.into());
    versions(read(&call(tool, input)).unwrap(), there)
}

#[test]
fn every_tool_that_writes_is_read() {
    for (tool, input, file) in [
        ("Write", json!({"file_path": "a.rs", "content": "x"}), Some("a.rs")),
        ("Edit", json!({"file_path": "b.rs", "old_string": "x", "new_string": "y"}), Some("b.rs")),
        ("MultiEdit", json!({"file_path": "c.rs", "edits": []}), Some("c.rs")),
        ("NotebookEdit", json!({"notebook_path": "d.ipynb", "new_source": "x"}), Some("d.ipynb")),
        ("Read", json!({"file_path": "a.rs"}), None),
        ("Edit", json!({"old_string": "x"}), None),
        ("Write", json!("text"), None),
        ("Edit", json!({"file_path": "e.rs", "old_string": null, "replace_all": "false"}), Some("e.rs")),
        ("Edit", json!({"file_path": "f.rs", "notebook_path": "g.ipynb"}), Some("f.rs")),
    ] {
        assert_eq!(read(&call(tool, &input)).map(|change| change.file).as_deref(), file, "{tool}: {input}");
    }
}

#[test]
fn pieces_are_replaced_one_after_the_other() {
    let piece = |old: &str, new: &str| json!({"old_string": old, "new_string": new});
    let all = json!({"old_string": "b", "new_string": "B", "replace_all": true});
    for (edits, there, after) in [
        (json!([piece("b", "B")]), Some("a\nb\nb\n"), Some("a\nB\nb\n")),
        (json!([all]), Some("a\nb\nb\n"), Some("a\nB\nB\n")),
        (json!([piece("b", "c"), piece("c", "d")]), Some("b\n"), Some("d\n")),
        (json!([piece("a\nb", "c")]), Some("a\r\nb\r\n"), Some("c\n")),
        (json!([piece("", "new\n")]), None, Some("new\n")),
        (json!([piece("", "new\n")]), Some(""), Some("new\n")),
        (json!([piece("z", "new\n")]), Some("a\n"), None),
        (json!([piece("z", "new\n")]), None, None),
        (json!([piece("", "new\n")]), Some("a\n"), None),
    ] {
        let versions = applied("MultiEdit", &json!({"file_path": "a", "edits": edits}), there);
        assert_eq!((!versions.is_fragment).then_some(versions.after.as_str()), after, "{edits} on {there:?}");
    }
}

#[test]
fn unknown_fields_and_texts_that_grow_too_long_leave_a_fragment() {
    let odd =
        json!({"file_path": "a", "old_string": "x", "new_string": "let it = 1;", "replace_all": "true"});
    let versions = applied("Edit", &odd, Some("x"));
    assert!(versions.is_fragment && versions.after.contains("let it = 1;"), "{versions:?}");
    let twice = json!({"old_string": "a", "new_string": "aa", "replace_all": true});
    let edits = vec![twice; 45];
    assert!(applied("MultiEdit", &json!({"file_path": "a", "edits": edits}), Some("aa")).is_fragment);
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
    assert!(part.starts_with("a.rs is there, and only this part of it is known"), "{part}");
}

#[test]
fn only_a_file_that_is_not_found_is_new() {
    let change = read(&call("Write", &json!({"file_path": "a", "content": "x"}))).unwrap();
    let is_fragment = |read: io::Result<Vec<u8>>| versions(change.clone(), read).is_fragment;
    assert!(!is_fragment(Err(io::ErrorKind::NotFound.into())) && !is_fragment(Ok(b"x".to_vec())));
    for kind in [io::ErrorKind::FileTooLarge, io::ErrorKind::InvalidInput, io::ErrorKind::PermissionDenied] {
        assert!(is_fragment(Err(kind.into())), "{kind}");
    }
    assert!(is_fragment(Ok(b"caf\xe9".to_vec())));
}
