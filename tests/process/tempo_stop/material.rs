//! What the model is shown of a turn: its parts, and no secret.

use serde_json::{Value, json};
use tests::transcripts::Transcript;

use super::NAME;
use crate::judged::{Judged, Material, PATIENT, approves};
use crate::privacy::secrets::secrets;

const PARTS: [&str; 5] = ["requests", "conversation", "last_message", "deeds", "state"];

fn asking() -> Judged {
    let limits = "max_calls_per_hour: 10000, max_cost_usd_per_day: 1000, max_conversation_chars: 50000";
    Judged::new(NAME, "", &format!("{PATIENT}, {limits}"), [approves()])
}

/// A turn in which everybody says this, and every tool is given it.
fn turn_with(judged: &Judged, text: &str) -> Option<Value> {
    let file = json!({ "file_path": format!("tools/{text}.py"), "content": text });
    let bash = json!({ "command": text, "description": text });
    Transcript::of(&judged.session)
        .prompt(&format!("Please: {text}"))
        .message("msg_1")
        .text(&format!("I saw {text} there."))
        .tool_call("Write", &file)
        .tool_call("Bash", &bash)
        .tool_call("Task", &json!({ "description": text, "prompt": text }))
        .write();
    judged.ask(&judged.session.stop(&format!("It is done: {text} is there.")))
}

#[test]
fn a_question_has_its_parts() {
    let judged = asking();
    turn_with(&judged, "plain");
    let plain = judged.api.requests().remove(0);
    let material = Material::of(&plain);
    assert_eq!(material.part("requests"), r#"{"by":"user","text":"Please: plain"}"#);
    assert!(material.part("deeds").contains("Write tools/plain.py: ok\nBash plain: ok"), "{material:?}");
    assert_eq!(material.names(), PARTS);
}

#[test]
fn no_secret_goes_out_wherever_it_stands() {
    let judged = asking();
    for secret in secrets() {
        turn_with(&judged, &secret.text);
    }
    judged.assert_kept_back(&secrets(), 1);
}
