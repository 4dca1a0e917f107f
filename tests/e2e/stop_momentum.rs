//! stop-momentum under the real client: what is blocked, what is let go, and what the model was told.

use crate::scene::Scene;
use tests::messages_api::{Answer, Recorded, Reply};
use tests::script;

/// The first line of the built-in guidance.
fn guidance() -> &'static str {
    include_str!("../../config/messages/stop-momentum.md").lines().next().unwrap()
}

/// Ends with the newest token that the model was shown.
fn acknowledging() -> Answer {
    Answer::made_by(|request: &Recorded| {
        let texts = request.shown_texts().join("\n");
        let start = texts.rfind("ACK-").expect("the model was shown a token");
        Reply::text(&format!("Everything is done. {}", &texts[start..start + 8]))
    })
}

#[test]
fn stop_without_its_token_is_blocked_and_with_it_allowed() {
    let section = "stop-momentum: {enabled: true, headless: true, enforce_ack: true}\n";
    let scene = Scene::with(&["stop-momentum"], section);
    let script = script![Reply::bash("echo worked"), "Step one is done.", "Still done.", "Done, ACK-0000."];

    let session = scene.ask("do it", script.reply(acknowledging()).reply("asked too often"));

    assert!(session.text().starts_with("Everything is done. ACK-"), "{}", session.text());
    let requests = session.requests();
    assert_eq!(requests.len(), 5, "the stop after the token went through");
    assert!(requests[2].shows(guidance()), "the first block says what to check");
    for request in &requests[3..] {
        assert!(request.shows("your message did not contain the token"), "{:?}", request.shown_texts());
    }
    assert_eq!(scene.ask("say hello", script!["Hello.", "blocked"]).text(), "Hello.", "no work, no block");
}

#[test]
fn in_the_terminal_a_stop_is_blocked_and_the_token_ends_the_turn() {
    let scene = Scene::with(&["stop-momentum"], "stop-momentum: {enabled: true, enforce_ack: true}\n");
    let script = script![Reply::bash("echo worked"), "Step one is done.", acknowledging(), "asked too often"];

    let mut user = scene.user(script);
    user.asks("do it", "Everything is done. ACK-");

    assert_eq!(user.requests().len(), 3);
    assert!(user.last().shows(guidance()));
}
