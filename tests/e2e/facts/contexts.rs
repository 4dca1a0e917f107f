//! Question 2: what the model sees when several hooks give context at SessionStart and UserPromptSubmit.

use crate::scene::Scene;
use serde_json::{Value, json};
use tests::recording::Behaviour;
use tests::script;

#[test]
fn plain_texts_come_before_the_contexts_of_a_start_and_a_prompt_has_a_paragraph_for_each() {
    let context = |event: &str, text: &str| {
        json!({
            "systemMessage": "for the user",
            "hookSpecificOutput": { "hookEventName": event, "additionalContext": text },
        })
    };
    let after = |answer: Value, milliseconds| Behaviour::default().then(answer, milliseconds);
    let scene = Scene::new()
        .hook("SessionStart", "A", after(context("SessionStart", "context of A"), 1000))
        .hook("SessionStart", "B", after(context("SessionStart", "context of B"), 0))
        .hook("SessionStart", "C", after("plain of C\n".into(), 500))
        .hook("UserPromptSubmit", "D", after(context("UserPromptSubmit", "context of D"), 500))
        .hook("UserPromptSubmit", "E", after("plain of E".into(), 0));

    let session = scene.ask("work", script!["end"]);

    let request = session.last();
    for expected in [
        "SessionStart:startup hook success: plain of C\n\nSessionStart hook additional context: context of B\ncontext of A",
        "UserPromptSubmit hook success: plain of E\n\nUserPromptSubmit hook additional context: context of D",
    ] {
        assert!(request.shows(expected), "{expected}: {:#?}", request.shown_texts());
    }
    assert!(!request.shows("for the user"));
}
