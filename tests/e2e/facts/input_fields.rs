//! Question 13: the fields of the hooks' inputs against the recordings that the unit tests are built on.

use super::stage::{Stage, ready};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tests::messages_api::{Reply, Script};
use tests::payloads;
use tests::recording::Run;
use tests::sandbox::Sandbox;

/// Fields that came after the recordings.
const NEW: [&str; 1] = ["PostToolUse-Grep: tool_response.totalFiles"];

#[test]
fn no_recorded_field_has_gone_and_the_new_ones_are_known() {
    let stage = session_with_every_file_tool();

    stage.client().ask("work").outcome.assert_exit(0);

    let mut new = BTreeSet::new();
    for (event, run) in stage.recorder.all_runs() {
        let name = recording_of(&event, &run);
        let recorded = serde_json::from_slice(&payloads::recorded(&name).to_bytes()).expect("a recording");
        let (now, recorded) = (fields(&run.start.payload), fields(&recorded));
        let gone: Vec<_> = recorded.difference(&now).collect();
        assert!(gone.is_empty(), "{name} has lost {gone:?}");
        new.extend(now.difference(&recorded).map(|field| format!("{name}: {field}")));
    }
    assert_eq!(new.into_iter().collect::<Vec<_>>(), NEW);
}

#[test]
fn a_fresh_session_is_in_auto_mode_in_the_terminal_and_in_default_mode_in_print_mode() {
    let stage = Stage::new(Script::new().reply("end")).recording(&["Stop", "UserPromptSubmit"]);

    stage.client().own_permission_mode().ask("work").outcome.assert_exit(0);
    let mut terminal = ready(stage.client().own_permission_mode());
    terminal.wait_for("Auto mode is now Claude Code's default permission mode.");
    terminal.enter("work");
    stage.wait_for_ends("Stop", 2);

    assert_eq!(stage.inputs("UserPromptSubmit", "permission_mode"), ["default", "auto"]);
    assert_eq!(stage.inputs("Stop", "permission_mode"), ["default", "auto"]);
    assert_eq!(stage.inputs("Stop", "effort"), vec![json!({ "level": "medium" }); 2]);
}

fn session_with_every_file_tool() -> Stage {
    let sandbox = Sandbox::new();
    let path = |file: &str| sandbox.project().join(file).display().to_string();
    let (old, new) = (sandbox.write("old", "old words\n").display().to_string(), path("new"));
    let tools = [
        ("Read", json!({ "file_path": old })),
        ("Edit", json!({ "file_path": old, "old_string": "old", "new_string": "new" })),
        ("Write", json!({ "file_path": new, "content": "words\n" })),
        ("Glob", json!({ "pattern": "*" })),
        ("Grep", json!({ "pattern": "words" })),
    ];
    let script =
        tools.into_iter().fold(Script::new(), |script, (tool, input)| script.reply(Reply::tool(tool, input)));
    let script = script.reply(Reply::bash("true")).reply(Reply::bash("false")).reply("end");
    Stage::in_sandbox(sandbox, script).recording(&[
        "PostToolUse",
        "PostToolUseFailure",
        "PreToolUse",
        "SessionEnd",
        "SessionStart",
        "Stop",
        "UserPromptSubmit",
    ])
}

/// The name of the recording with the same event and tool.
fn recording_of(event: &str, run: &Run) -> String {
    let tool = run.start.payload["tool_name"].as_str();
    tool.map_or_else(|| event.to_owned(), |tool| format!("{event}-{tool}"))
}

/// Top-level fields, and those of a tool's response.
fn fields(payload: &Value) -> BTreeSet<String> {
    let keys = |value: &Value| {
        value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
    };
    let response = keys(&payload["tool_response"]).into_iter().map(|key| format!("tool_response.{key}"));
    keys(payload).into_iter().chain(response).collect()
}
