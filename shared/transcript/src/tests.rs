//! Lines of a transcript as Claude Code writes them, files of them, and where they lie.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use shared::protocol::Call;

use super::{transcript_of, transcript_of_session};

pub(super) fn prompt(text: &str) -> Value {
    json!({"type": "user", "promptId": "p", "message": {"content": text}})
}

pub(super) fn said(message: &str, text: &str) -> Value {
    json!({"type": "assistant", "message": {"id": message, "content": [{"type": "text", "text": text}]}})
}

pub(super) fn call(message: &str, id: &str) -> Value {
    let block = json!({"type": "tool_use", "id": id, "name": "Edit", "input": {"new_string": "forged"}});
    json!({"type": "assistant", "message": {"id": message, "content": [block]}})
}

pub(super) fn result(id: &str, is_error: bool) -> Value {
    let block = json!({"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": "forged"});
    json!({"type": "user", "promptId": "p", "message": {"content": [block]}})
}

pub(super) fn boundary() -> Value {
    json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"})
}

pub(super) fn summary() -> Value {
    with(prompt("This session is being continued"), "isCompactSummary", json!(true))
}

pub(super) fn with(mut line: Value, key: &str, value: Value) -> Value {
    line[key] = value;
    line
}

pub(super) fn side(line: Value) -> Value {
    with(line, "isSidechain", json!(true))
}

pub(super) fn text_of(lines: &[Value]) -> String {
    lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
}

pub(super) fn on_disk<T>(text: impl AsRef<[u8]>, look: impl Fn(&Path) -> T) -> T {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("t.jsonl");
    fs::write(&path, text).unwrap();
    look(&path)
}

#[test]
fn a_session_is_found_by_its_id_and_by_nothing_else() {
    let config = tempfile::tempdir().unwrap();
    let projects = config.path().join("projects");
    for file in ["-srv-app/one.jsonl", "-srv-other/two.jsonl", "-srv-other/note.txt"] {
        let file = projects.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }
    let of = |session| transcript_of_session(config.path(), session);
    assert_eq!(of("two"), Some(projects.join("-srv-other/two.jsonl")));
    for none in ["three", "", "../-srv-app/one", "-srv-app/one", "note"] {
        assert_eq!(of(none), None, "{none}");
    }
}

#[test]
fn the_transcript_of_an_agent_stands_beside_its_sessions() {
    let of = |session: Option<&str>, agent: Option<&str>| {
        let (transcript_path, agent_id) = (session.map(PathBuf::from), agent.map(str::to_owned));
        transcript_of(&Call { transcript_path, agent_id, ..Call::default() })
    };
    let main = Some("/h/projects/x/s1.jsonl");
    assert_eq!(of(main, None), main.map(PathBuf::from));
    assert_eq!(of(main, Some("a47")), Some(PathBuf::from("/h/projects/x/s1/subagents/agent-a47.jsonl")));
    for unsafe_id in ["", "../x", "a/b", "a\\b", "a.b", "a\0"] {
        assert_eq!(of(main, Some(unsafe_id)), None, "{unsafe_id:?}");
    }
    assert_eq!(of(None, Some("a47")), None);
}
