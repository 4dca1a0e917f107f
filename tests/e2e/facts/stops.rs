//! Questions 1, 11 and 12: several Stop hooks at once, what each is told over several continuations, and how arguments arrive.

use crate::scene::Scene;
use serde_json::{Value, json};
use tests::binaries;
use tests::messages_api::Reply;
use tests::payloads;
use tests::recording::Behaviour;
use tests::script;
use tests::terminal::DEADLINE;

fn block(reason: &str) -> Value {
    json!({ "decision": "block", "reason": reason })
}

#[test]
fn the_model_sees_every_reason_with_the_command_line_and_the_user_every_line() {
    let message = json!({ "systemMessage": "message of A\nits second line" });
    let scene = Scene::new()
        .hook(
            "Stop",
            "A",
            Behaviour::default().then(block("reason of A\nits second line"), 800).then(message, 0),
        )
        .hook("Stop", "B", Behaviour::default().then(block("reason of B"), 0))
        .hook("Stop", "C", Behaviour::default().then(Value::Null, 300));

    let mut user = scene.user(script!["first end", "second end"]);
    user.asks("work", "second end");
    user.terminal.wait_until("the message", DEADLINE, |screen| {
        plain(screen).contains("⎿ Stop says: message of A\nits second line")
    });

    let screen = plain(&user.screen());
    for part in [
        "● Ran 3 stop hooks",
        "⎿ Stop hook reported a problem\nreason of A\nits second line",
        "⎿ Stop hook reported a problem\nreason of B",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    let shown = user.last().shown_texts();
    let reasons =
        shown.iter().filter_map(|text| text.strip_prefix("Stop hook feedback:\n")).map(str::trim_end);
    assert_eq!(reasons.collect::<Vec<_>>(), ["reason of B", "reason of A\nits second line"]);
    let command =
        format!("Stop hook blocking error from command: \"{} ", binaries::path("record-hook").display());
    assert!(user.last().shows(&command) && user.last().shows(" B\": reason of B"), "{shown:#?}");
}

/// The screen without indents and with plain single blanks.
fn plain(screen: &str) -> String {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    screen.lines().map(words).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_stop_of_a_prompt_has_its_prompt_id_and_arguments_are_passed_as_written() {
    let blocking = Behaviour::default().then(block("again 1"), 0).then(block("again 2"), 0);
    let scene = Scene::new().recording(&["PreToolUse", "UserPromptSubmit"]);
    let more = ["${CLAUDE_PROJECT_DIR}/x", "$CLAUDE_PROJECT_DIR", "${OTHER}", "a b"];
    let hook = scene.recorder.hook("Stop", blocking, &more);
    let scene = scene.registering("Stop", &hook);

    let session = scene.ask("work", script!["end one", "end two", Reply::bash("true"), "end three"]);

    assert_eq!(session.text(), "end three");
    assert_eq!(scene.order(), ["UserPromptSubmit", "Stop", "Stop", "PreToolUse", "Stop"]);
    let prompt = scene.inputs("UserPromptSubmit", "prompt_id").remove(0);
    assert_eq!(scene.inputs("Stop", "prompt_id"), vec![prompt; 3]);
    assert_eq!(scene.inputs("Stop", "stop_hook_active"), [false, true, true]);
    assert_eq!(scene.inputs("Stop", "last_assistant_message"), ["end one", "end two", "end three"]);
    for run in scene.recorder.runs("Stop") {
        let mut keys: Vec<_> = run.payload.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        let recorded = payloads::recorded("Stop");
        let mut expected = recorded.keys();
        expected.sort_unstable();
        assert_eq!(keys, expected);
        assert_eq!(run.args[1..], more[1..]);
        assert_eq!(run.args[0], format!("{}/x", scene.sandbox.project().display()));
        assert!(!run.has_terminal);
    }
}
