//! Stops under the real client: what blocks one, once, and what never does.

use super::{project, to_pass};
use crate::scene::{Scene, obeying};
use serde_json::json;
use tests::messages_api::{MessagesApi, Recorded, Reply};
use tests::recording::Behaviour;
use tests::sandbox::Level;
use tests::script;

/// An edit makes the tests due.
const TESTS_GREEN: &str =
    "requirements: {tests_green: {enabled: true, type: evidence, command: ./run-tests, paths: [src/**]}}\n";
const HEADLESS: &str = "requirements-check: {headless: true}\n";

fn tested(scene: Scene, more: &str) -> Scene {
    let scene =
        scene.in_project(&format!("{TESTS_GREEN}{more}")).program("run-tests", "#!/bin/sh\ntest -d src\n");
    scene.committed("notes.txt", "before\n")
}

fn code(scene: &Scene) -> Reply {
    scene.write("src/code.txt", "new\n")
}

/// So often a stop was blocked, as the request shows it.
fn blocked(request: &Recorded) -> usize {
    request.count("Stop hook feedback:\nrequirements-check: ")
}

#[test]
fn a_stop_with_untested_edits_is_blocked_once_and_the_line_it_names_ends_the_matter() {
    let scene = tested(project(""), HEADLESS);
    let session = scene.ask("work", script![code(&scene), "One.", "Two.", "Three."]);
    assert_eq!((session.text(), blocked(&session.last()), scene.journal("block").len()), ("Two.", 1, 1));

    let scene = tested(project(""), HEADLESS);
    let session = scene.ask("work", script![code(&scene), "One.", obeying(to_pass), "Two.", "Three."]);
    assert_eq!(session.text(), "Two.");
    let more = MessagesApi::start(script![scene.read("notes.txt"), "Four.", "Five."]);
    let again = scene.client(&more).args(&["--resume", session.run.session_id()]).ask("and read the notes");
    assert_eq!(again.text(), "Four.", "what was tested stays tested");
    assert_eq!((blocked(&session.last()), session.outcomes()), (1, vec!["ran", "ran"]));
}

#[test]
fn in_the_terminal_it_is_blocked_without_opting_in() {
    let scene = tested(project(""), "");
    let mut user =
        scene.user(script![code(&scene), "Step one is there.", obeying(to_pass), "And it is tested."]);
    user.asks("work", "And it is tested.");
    assert_eq!((blocked(&user.last()), user.outcomes()), (1, vec!["ran", "ran"]));
}

#[test]
fn three_blocks_of_one_stop_reach_claude_and_the_turn_ends() {
    let foreign = Behaviour::default().then(json!({ "decision": "block", "reason": "a foreign reason" }), 0);
    let scene = Scene::with(&["requirements-check", "stop-momentum"], "").hook("Stop", "foreign", foreign);
    let scene = tested(scene, HEADLESS);
    scene.sandbox.requirements(Level::User, "stop-momentum: {enabled: true, headless: true}\n");

    let session = scene.ask("work", script![code(&scene), "One.", obeying(to_pass), "Two.", "Three."]);

    assert_eq!((session.text(), session.outcomes()), ("Two.", vec!["ran", "ran"]));
    let shown = session.last().shown_texts();
    let reasons: Vec<&str> =
        shown.iter().filter_map(|text| text.strip_prefix("Stop hook feedback:\n")).collect();
    assert_eq!(reasons.len(), 3, "{shown:#?}");
    for start in ["requirements-check: ", "stop-momentum: ", "a foreign reason"] {
        assert!(reasons.iter().any(|reason| reason.starts_with(start)), "{start} is not in {reasons:#?}");
    }
}
