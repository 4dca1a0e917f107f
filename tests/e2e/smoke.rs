//! The smallest cases that prove the harness itself: a denial reaches the model, a Stop block makes it go on, and the
//! terminal client can be used. They register recording hooks, none of ours.

use serde_json::json;
use tests::client::{CLIENT_VERSION, Client};
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::recording::{self, Behaviour, Recorder};
use tests::sandbox::{Level, Sandbox};
use tests::settings::Settings;

#[test]
fn the_reason_of_a_denial_reaches_the_model_and_the_tool_does_not_run() {
    let (sandbox, api) =
        (Sandbox::new(), MessagesApi::start(Script::new().reply(Reply::bash("touch ran")).reply("end")));
    let recorder = Recorder::new(&sandbox);
    let deny = recording::Reply::stdout(json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not here",
    }}));
    let hook = recorder.hook("pre", Behaviour::replying([deny]));
    sandbox.settings(Level::User, &Settings::new().hook_on("PreToolUse", "Bash", &hook).json());

    let run = Client::new(&sandbox, &api).ask("try it");

    run.outcome.assert_exit(0);
    assert_eq!(run.text(), "end");
    assert_eq!(recorder.starts("pre").len(), 1);
    assert_eq!(recorder.starts("pre")[0].payload["tool_input"]["command"], "touch ran");
    let results = api.main_requests()[1].tool_results();
    assert!(results[0].is_error && results[0].text.ends_with("not here"), "{results:?}");
    assert!(!sandbox.project().join("ran").exists());
}

#[test]
fn a_blocked_stop_goes_on_with_the_reason() {
    let (sandbox, api) =
        (Sandbox::new(), MessagesApi::start(Script::new().reply("first end").reply("second end")));
    let recorder = Recorder::new(&sandbox);
    let block = recording::Reply::stdout(json!({ "decision": "block", "reason": "one more thing" }));
    let hook = recorder.hook("stop", Behaviour::replying([block, recording::Reply::silent()]));
    sandbox.settings(Level::User, &Settings::new().hook("Stop", &hook).json());

    let run = Client::new(&sandbox, &api).ask_streaming("work");

    run.outcome.assert_exit(0);
    assert_eq!(run.text(), "second end");
    assert!(api.showed(1, "Stop hook feedback:\none more thing"), "{:?}", api.shown_after(0));
    let active: Vec<_> =
        recorder.starts("stop").iter().map(|run| run.payload["stop_hook_active"].clone()).collect();
    assert_eq!(active, [false, true]);
}

#[test]
fn the_terminal_client_shows_the_answer_to_a_typed_prompt() {
    let (sandbox, api) = (Sandbox::new(), MessagesApi::start(Script::new().reply("a scripted answer")));
    let recorder = Recorder::new(&sandbox);
    let hook = recorder.hook("typed", Behaviour::default());
    sandbox.settings(Level::User, &Settings::new().hook("UserPromptSubmit", &hook).json());

    let mut terminal = Client::new(&sandbox, &api).terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    terminal.enter("a typed prompt");
    terminal.wait_for("a scripted answer");

    assert!(terminal.quit().success());
    assert!(api.main_requests()[0].shows("a typed prompt"));
    assert_eq!(recorder.starts("typed")[0].payload["prompt"], "a typed prompt");
}
