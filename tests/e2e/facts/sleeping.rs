//! Questions 3 and 20: what the terminal shows while hooks sleep, what becomes of a prompt typed meanwhile, and what Escape and
//! a time limit do to a hook that sleeps.

use crate::scene::{Scene, touch, wait_until};
use serde_json::{Value, json};
use std::time::Duration;
use tests::clock::epoch_micros;
use tests::messages_api::Reply;
use tests::process::is_running;
use tests::recording::Behaviour;
use tests::script;
use tests::terminal::Key;

/// The longest sleep of any hook here: only an end from outside can come before it.
const SLEEP_MS: u64 = 90_000;

/// Between the key and the signal; seen: 0.08 to 0.14 s.
const UNTIL_SIGNAL: Duration = Duration::from_secs(5);

const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a \
                        file edit, the new_string was NOT written to the file).";

#[test]
fn the_spinner_shows_the_status_message_and_a_prompt_typed_meanwhile_belongs_to_the_running_turn() {
    let scene = Scene::new().recording(&["UserPromptSubmit", "Stop"]);
    let first = scene.recorder.hook("first", Behaviour::default().then(Value::Null, 3000), &[]);
    let report = Behaviour::default().then(json!({ "systemMessage": "slept long" }), 8000);
    let longer = scene.recorder.hook("second", report, &[]);
    let scene = scene
        .registering("PostToolUse", &first.with("statusMessage", "pausing for credit"))
        .registering("PostToolUse", &longer.with("statusMessage", "another pause"));

    let mut user = scene.user(script![Reply::bash("true"), "the end"]);
    user.asks("work", "(pausing for credit… 0/2 · ");
    assert!(!user.screen().contains("another pause"));
    user.terminal.wait_for("(another pause… 1/2 · ");
    user.asks("queued words", "PostToolUse:Bash says: slept long");
    user.terminal.wait_for("the end");
    scene.recorder.wait_for_ends("Stop", 1);

    let (prompts, sleepers) = (scene.recorder.runs("UserPromptSubmit"), scene.recorder.runs("second"));
    assert_eq!(prompts[1].payload["prompt"], "queued words");
    assert_eq!(prompts[1].payload["prompt_id"], prompts[0].payload["prompt_id"]);
    assert!(prompts[1].started_us < sleepers[0].ended(), "the prompt's hook waited for the sleeper");
    assert!(user.last().shows("The user sent a new message while you were working:\nqueued words"));
    assert_eq!(scene.inputs("Stop", "prompt_id"), [prompts[0].payload["prompt_id"].clone()]);
}

/// The hook is asked to end, then killed; the turn is over without a Stop; after the tool the model is told what is not true.
#[test]
fn escape_ends_hook_and_turn_and_the_model_reads_a_rejection() {
    for (event, has_run) in [("PreToolUse", false), ("PostToolUse", true)] {
        let scene =
            Scene::new().recording(&["PostToolBatch", "PostToolUseFailure", "Stop", "UserPromptSubmit"]);
        let trapping = Behaviour::default().then("lost", SLEEP_MS).trapping_signals();
        let sleeper = scene.recorder.hook("sleeper", trapping, &[]).with("timeout", 600);
        let scene = scene.registering(event, &sleeper.with("statusMessage", "pausing for credit"));
        let mut user = scene.user(script![touch("ran"), "the end"]);
        user.asks("work", "pausing for credit");
        scene.recorder.wait_until("the sleeper", |runs| runs.iter().any(|run| run.id == "sleeper"));
        let escaped_us = epoch_micros();
        user.terminal.press(Key::Escape);

        let sleeper = || scene.recorder.runs("sleeper").remove(0);
        wait_until("a signal", || !sleeper().signals.is_empty());
        assert!(Duration::from_micros(sleeper().signals[0] - escaped_us) < UNTIL_SIGNAL);
        wait_until("the death of a hook that ignores SIGTERM", || !is_running(sleeper().pid));
        assert_eq!(sleeper().ended_us, None, "it was not killed but came to its end");
        user.terminal.wait_for("Interrupted");
        assert_eq!(scene.files() == ["ran"], has_run);
        user.asks("again", "the end");
        scene.recorder.wait_for_ends("Stop", 1);

        let result = user.last().newest_result();
        assert!(result.is_error && result.text.contains(REJECTED), "{result:?}");
        let prompts = scene.inputs("UserPromptSubmit", "prompt_id");
        assert_eq!(
            scene.inputs("Stop", "prompt_id"),
            prompts[1..],
            "the turn that was escaped from has none"
        );
        let order = scene.order();
        assert!(!order.iter().any(|id| id.starts_with("PostTool")), "{order:?}");
    }
}

#[test]
fn after_its_time_limit_a_hook_is_ended_and_the_turn_goes_on_as_if_it_had_said_nothing() {
    let scene = Scene::new();
    let trapping = Behaviour::default().then("lost", SLEEP_MS).trapping_signals();
    let sleeper = scene.recorder.hook("sleeper", trapping, &[]).with("timeout", 1);
    let scene = scene.registering("PostToolUse", &sleeper);

    let session = scene.ask("work", script![Reply::bash("echo ran"), "end"]);

    assert_eq!(session.text(), "end");
    let run = scene.recorder.runs("sleeper").remove(0);
    let after = Duration::from_micros(run.signals[0] - run.started_us);
    assert!((Duration::from_millis(500)..UNTIL_SIGNAL * 4).contains(&after), "{after:?}");
    assert!(run.ended_us.is_none() && !is_running(run.pid), "it came to its own end");
    let result = session.last().newest_result();
    assert_eq!((result.is_error, result.text.trim()), (false, "ran"));
    assert!(!session.last().shows("timed out") && !session.last().shows("lost"));
}
