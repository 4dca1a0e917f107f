//! The lines of `status`: backend, costs, and the reason that stops questions.

use super::lines;
use crate::ledger;
use crate::settings::Backend;
use crate::silence::Silence;
use crate::tests::{NOON, Scene};
use shared::host::Timestamp;

fn said(scene: &Scene) -> Vec<String> {
    scene.with(|caller| lines(caller.settings, caller.store, caller.host, true))
}

const API: &str = "a model is asked through the Messages API, with the key in ANTHROPIC_API_KEY";
const NOTHING: &str = "in the last hour 0 of 60 questions, in 24 hours 0.00 of 2.00 USD";

#[test]
fn the_way_and_what_was_spent() {
    let mut scene = Scene::new();
    assert_eq!(said(&scene), [API, NOTHING]);
    scene.settings.backend = Some(Backend::ClaudeCli);
    let now = Timestamp::from_secs(NOON);
    ledger::reserve(&scene.store, now, &scene.settings, 123_456).unwrap();
    assert_eq!(
        said(&scene),
        [
            "a model is asked through your own `claude -p`, with your login",
            "in the last hour 1 of 60 questions, in 24 hours 0.13 of 2.00 USD",
        ]
    );
}

#[test]
fn why_nobody_would_be_asked() {
    let mut scene = Scene::new();
    scene.past_the_line();
    let told = said(&scene)[2].clone();
    assert!(told.starts_with("no model is asked now: your usage is past its safe line"), "{told}");
    scene.settings.yield_to_pacing = false;
    scene.settings.max_calls_per_hour = serde_json::from_str("0").unwrap();
    let file = "~/.claude/requirements.yaml";
    let spent = Silence::CallsSpent.explained(&scene.settings, file);
    assert_eq!(said(&scene)[2], format!("no model is asked now: {spent}"));
    scene.settings.backend = None;
    let none = Silence::NoBackend.explained(&scene.settings, file);
    assert_eq!(said(&scene)[1], format!("no model is asked now: {none}"));
    scene.settings.backend = Some(Backend::MessagesApi);
    scene.has_state = false;
    assert_eq!(said(&scene).len(), 2);
}
