//! Question 13: the fields of the hooks' inputs against the recordings that the unit tests are built on.

use crate::scene::Scene;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tests::messages_api::Reply;
use tests::payloads;
use tests::script;

/// Fields that came after the recordings.
const NEW: [&str; 1] = ["PostToolUse-Grep: tool_response.totalFiles"];

#[test]
fn no_recorded_field_has_gone_and_the_new_ones_are_known() {
    let scene = Scene::new().committed("old", "old words\n").recording(&[
        "PostToolUse",
        "PostToolUseFailure",
        "PreToolUse",
        "SessionEnd",
        "SessionStart",
        "Stop",
        "UserPromptSubmit",
    ]);
    let files = script![scene.read("old"), scene.edit("old", "old", "new"), scene.write("new", "words\n")];
    let found = files
        .reply(Reply::tool("Glob", &json!({ "pattern": "*" })))
        .reply(Reply::tool("Grep", &json!({ "pattern": "words" })));

    scene.ask("work", found.reply(Reply::bash("true")).reply(Reply::bash("false")).reply("end"));

    let mut new = BTreeSet::new();
    for run in scene.recorder.all_runs() {
        let tool = run.payload["tool_name"].as_str();
        let name = tool.map_or_else(|| run.id.clone(), |tool| format!("{}-{tool}", run.id));
        let recorded = serde_json::from_slice(&payloads::recorded(&name).to_bytes()).unwrap();
        let (now, recorded) = (fields(&run.payload), fields(&recorded));
        let gone: Vec<_> = recorded.difference(&now).collect();
        assert!(gone.is_empty(), "{name} has lost {gone:?}");
        new.extend(now.difference(&recorded).map(|field| format!("{name}: {field}")));
    }
    assert_eq!(new.into_iter().collect::<Vec<_>>(), NEW);
    assert_eq!(scene.inputs("Stop", "effort"), [json!({ "level": "medium" })]);
}

/// Top-level fields, and those of a tool's response.
fn fields(payload: &Value) -> BTreeSet<String> {
    let keys = |value: &Value| {
        value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect::<Vec<_>>()
    };
    let response = keys(&payload["tool_response"]).into_iter().map(|key| format!("tool_response.{key}"));
    keys(payload).into_iter().chain(response).collect()
}
