//! Question 16: what does not run before the user trusts a folder.

use crate::scene::Scene;
use serde_json::json;
use std::time::Duration;
use tests::client::CLIENT_VERSION;
use tests::messages_api::MessagesApi;
use tests::script;
use tests::terminal::Key;

#[test]
fn no_hook_runs_in_a_terminal_before_the_answer_and_print_mode_does_not_ask() {
    let scene = Scene::new().recording(&["SessionStart"]);
    let api = MessagesApi::start(script![]);
    let client = scene.client(&api);
    scene.sandbox.write_home(".claude.json", with_answers_but(&scene));

    let mut terminal = client.terminal();
    terminal.wait_for("Yes, I trust this folder");
    assert_eq!(scene.order(), [""; 0]);
    let every = Duration::from_millis(300);
    terminal.press_until(Key::Down, every, |screen| screen.contains("❯ Yes, I trust"));
    terminal.press_until(Key::Enter, every, |screen| screen.contains(CLIENT_VERSION.trim()));
    scene.recorder.wait_for_ends("SessionStart", 1);
    drop(terminal);

    let client = scene.client(&api);
    scene.sandbox.write_home(".claude.json", with_answers_but(&scene));
    client.ask("work").outcome.assert_exit(0);
    assert_eq!(scene.order().len(), 2);
}

/// The client's record of first answers, without the one about trust.
fn with_answers_but(scene: &Scene) -> String {
    let text = std::fs::read_to_string(scene.sandbox.home().join(".claude.json")).unwrap();
    let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record["projects"] = json!({});
    record.to_string()
}
