//! Question 14: which entries of a settings file make the client drop every hook of that file, and which do no harm.

use super::stage::Stage;
use serde_json::{Value, json};
use tests::messages_api::{Reply, Script};
use tests::sandbox::Level;

/// A good hook and, beside it, this group on this event. Returns whether the good one ran.
fn runs_beside(event: &str, group: &Value) -> bool {
    let stage = Stage::new(Script::new().reply(Reply::bash("true")).reply("end"));
    let stage = stage.recording(&["PreToolUse"]);
    let client = stage.client();
    let path = stage.sandbox.settings_path(Level::User);
    let mut settings: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let groups = &mut settings["hooks"][event];
    if groups.is_null() {
        *groups = json!([]);
    }
    groups.as_array_mut().unwrap().push(group.clone());
    stage.sandbox.settings(Level::User, &settings);
    client.ask("work").outcome.assert_exit(0);
    !stage.recorder.runs("PreToolUse").is_empty()
}

fn of(entry: Value) -> Value {
    json!({ "hooks": [entry] })
}

#[test]
fn one_of_these_silences_the_whole_file() {
    for group in [
        of(json!({ "type": "comand", "command": "true" })),
        of(json!({ "command": "true" })),
        of(json!({ "type": "command" })),
        of(json!({ "type": "command", "command": "true", "timeout": "5" })),
        of(json!({ "type": "command", "command": "true", "args": "x" })),
        of(json!("true")),
        json!({ "matcher": "Bash" }),
        json!({ "matcher": 1, "hooks": [] }),
        json!("true"),
        json!({ "type": "command", "command": "true" }),
    ] {
        assert!(!runs_beside("Stop", &group), "{group}");
    }
}

#[test]
fn these_do_no_harm() {
    for (event, group) in [
        ("Stop", json!({ "hooks": [] })),
        ("Stop", of(json!({ "type": "command", "command": "true", "unknown": 1 }))),
        ("Stop", json!({ "hooks": [], "unknown": 1 })),
        ("NoSuchEvent", of(json!({ "type": "command", "command": "true" }))),
        ("Stop", of(json!({ "type": "prompt", "prompt": "ok?" }))),
    ] {
        assert!(runs_beside(event, &group), "{event} {group}");
    }
}
