//! What the model is shown of a turn: its parts, whatever stands in them, and no secret.

use serde_json::{Value, json};
use tests::transcripts::Transcript;

use super::{NAME, reason};
use crate::hostile::{HUGE, hostile, is_dangerous};
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
fn a_question_has_its_parts_and_keeps_its_form_whatever_stands_in_it() {
    let judged = asking();
    turn_with(&judged, "plain");
    let plain = judged.api.requests().remove(0);
    let material = Material::of(&plain);
    assert_eq!(material.part("requests"), r#"{"by":"user","text":"Please: plain"}"#);
    assert!(material.part("deeds").contains("Write tools/plain.py: ok\nBash plain: ok"), "{material:?}");
    for (number, text) in hostile().iter().enumerate() {
        let answer = turn_with(&judged, text);
        assert_eq!(reason(answer.as_ref()), None, "{text:.200}");
        let requests = judged.api.requests();
        assert_eq!(requests.len(), number + 2, "{text:.200}: {}", judged.journal());
        let asked = &requests[number + 1];
        let material = Material::of(asked);
        assert_eq!(material.names(), PARTS, "{text:.200}");
        for key in ["model", "system", "max_tokens", "output_config"] {
            assert_eq!(asked.body[key], plain.body[key], "{key} for {text:.200}");
        }
        assert!(
            !asked.body["messages"][0]["content"].as_str().unwrap().contains(is_dangerous),
            "{text:.200}"
        );
        if text.len() < HUGE {
            assert!(material.part("last_message").contains(text.as_str()), "{text}: {material:?}");
        }
    }
}

#[test]
fn no_secret_goes_out_wherever_it_stands() {
    let judged = asking();
    for secret in secrets() {
        turn_with(&judged, &secret.text);
    }
    judged.assert_kept_back(&secrets(), 1);
}

/// Long texts are cut in more than one place: a secret there is masked before, or the rest of it would look like nothing.
#[test]
fn a_secret_at_the_place_of_a_cut_is_kept_back_whole() {
    let secret = || secrets().into_iter().find(|secret| secret.text.starts_with("ghp_")).unwrap();
    let (judged, after) = (asking(), "word ".repeat(1_000));
    let mut turns = 0;
    for place in [160, 1_000, 8_000] {
        for shift in [6, 12, 24, 36] {
            let before = "word ".repeat(place / 5);
            let before = &before[..before.len() - shift];
            for text in
                [format!("{before} {} {after}", secret().text), format!("{after} {} {before}", secret().text)]
            {
                turn_with(&judged, &text);
                turns += 1;
            }
        }
    }
    judged.assert_kept_back(&(0..turns).map(|_| secret()).collect::<Vec<_>>(), 1);
}

/// Of a file only the name is told.
#[test]
fn no_content_of_a_file_is_shown() {
    let judged = asking();
    Transcript::of(&judged.session)
        .prompt("Set it up.")
        .tool_call("Write", &json!({ "file_path": "config/.env", "content": "MODE=colourful" }))
        .tool_call(
            "Edit",
            &json!({ "file_path": "id_rsa", "old_string": "colourful", "new_string": "colourful" }),
        )
        .text("It is set up.")
        .write();
    judged.ask(&judged.session.stop("It is set up."));
    let asked = judged.api.requests();
    assert!(Material::of(&asked[0]).part("deeds").contains("Write config/.env: ok"), "{asked:?}");
    assert!(!asked[0].text.contains("colourful"), "{asked:?}");
}
