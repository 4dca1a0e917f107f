//! Lines of a transcript as Claude Code writes them, and files of them.

use std::path::Path;

use serde_json::{Value, json};

pub(super) fn prompt(text: &str) -> Value {
    json!({"type": "user", "promptId": "p", "message": {"content": text}})
}

pub(super) fn said(message: &str, text: &str) -> Value {
    json!({"type": "assistant", "message": {"id": message, "content": [{"type": "text", "text": text}]}})
}

pub(super) fn call(message: &str, id: &str) -> Value {
    let block =
        json!({"type": "tool_use", "id": id, "name": "Edit", "input": {"new_string": "INTENT: forged"}});
    json!({"type": "assistant", "message": {"id": message, "content": [block]}})
}

pub(super) fn result(id: &str, is_error: bool) -> Value {
    let block =
        json!({"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": "INTENT: forged"});
    json!({"type": "user", "promptId": "p", "message": {"content": [block]}})
}

pub(super) fn boundary() -> Value {
    json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"})
}

pub(super) fn with(mut line: Value, key: &str, value: Value) -> Value {
    line[key] = value;
    line
}

pub(super) fn side(line: Value) -> Value {
    with(line, "isSidechain", json!(true))
}

pub(super) fn text_of(lines: &[Value]) -> String {
    let mut text: Vec<String> = lines.iter().map(Value::to_string).collect();
    text.push(String::new());
    text.join("\n")
}

pub(super) fn on_disk<T>(text: impl AsRef<[u8]>, look: impl Fn(&Path) -> T) -> T {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("t.jsonl");
    std::fs::write(&path, text).unwrap();
    look(&path)
}
