//! Question 14: what a malformed entry does to the other hooks of its settings file.

use super::stage::Stage;
use serde_json::{Value, json};
use tests::messages_api::{Reply, Script};
use tests::sandbox::Level;

/// A good hook on PreToolUse, and these settings changed by `edit`. Returns whether the good one ran.
fn runs_with(edit: impl FnOnce(&mut Value)) -> bool {
    let stage = Stage::new(Script::new().reply(Reply::bash("true")).reply("end"));
    let stage = stage.recording(&["PreToolUse"]);
    let client = stage.client();
    let path = stage.sandbox.settings_path(Level::User);
    let mut settings: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    edit(&mut settings);
    stage.sandbox.settings(Level::User, &settings);
    client.ask("work").outcome.assert_exit(0);
    !stage.recorder.runs("PreToolUse").is_empty()
}

fn runs_beside(event: &str, group: &Value) -> bool {
    runs_with(|settings| {
        let groups = &mut settings["hooks"][event];
        if groups.is_null() {
            *groups = json!([]);
        }
        groups.as_array_mut().unwrap().insert(0, group.clone());
    })
}

fn of(entry: &Value) -> Value {
    json!({ "hooks": [entry] })
}

/// Each of them is told by the installer (`client_settings::faults`).
fn malformed() -> Vec<Value> {
    vec![
        of(&json!({ "type": "comand", "command": "true" })),
        of(&json!({ "command": "true" })),
        of(&json!({ "type": "command" })),
        of(&json!({ "type": "command", "command": "true", "timeout": "5" })),
        of(&json!({ "type": "command", "command": "true", "args": "x" })),
        of(&json!("true")),
        json!({ "matcher": "Bash" }),
        json!({ "matcher": 1, "hooks": [] }),
        json!("true"),
        json!({ "type": "command", "command": "true" }),
    ]
}

#[test]
fn it_silences_every_hook_of_the_file_on_its_event() {
    let harmless: Vec<Value> =
        malformed().into_iter().filter(|group| runs_beside("PreToolUse", group)).collect();
    assert!(harmless.is_empty(), "{harmless:#?}");
}

#[test]
fn it_does_nothing_to_other_events() {
    let groups = malformed();
    assert!(runs_with(|settings| settings["hooks"]["Stop"] = json!(groups)));
    assert!(runs_with(|settings| settings["hooks"]["Stop"] = json!({})));
}

#[test]
fn unknown_keys_and_events_and_empty_lists_do_no_harm() {
    for (event, group) in [
        ("PreToolUse", json!({ "hooks": [] })),
        ("PreToolUse", of(&json!({ "type": "command", "command": "true", "unknown": 1 }))),
        ("PreToolUse", json!({ "hooks": [], "unknown": 1 })),
        ("NoSuchEvent", of(&json!({ "type": "command", "command": "true" }))),
    ] {
        assert!(runs_beside(event, &group), "{event} {group}");
    }
}

#[test]
fn a_wrong_type_of_another_setting_silences_the_whole_file() {
    assert!(!runs_with(|settings| settings["model"] = json!(1)));
}
