//! Question 3, first half: what the terminal shows while hooks sleep, and what becomes of a prompt typed meanwhile.

use super::stage::{SOON, Stage, once};
use serde_json::json;
use tests::messages_api::{self, Script};
use tests::recording::Reply;

#[test]
fn the_spinner_shows_the_status_message_and_how_many_hooks_are_done() {
    let stage = Stage::new(Script::new().reply(messages_api::Reply::bash("true")).reply("end"));
    let sleeper = stage.recorder.hook("first", once(Reply::silent().after_ms(3000)));
    let report = Reply::stdout(json!({ "systemMessage": "slept long" }));
    let longer = stage.recorder.hook("second", once(report.after_ms(6000)));
    let stage = stage
        .registering("PostToolUse", &sleeper.with("statusMessage", "pausing for credit"))
        .registering("PostToolUse", &longer.with("statusMessage", "another pause"));

    let mut terminal = stage.terminal();
    terminal.enter("work");

    terminal.wait_for_within("(pausing for credit… 0/2 · ", SOON);
    assert!(!terminal.screen().contains("another pause"));
    terminal.wait_for_within("(another pause… 1/2 · ", SOON);
    terminal.wait_for_within("PostToolUse:Bash says: slept long", SOON);
    assert!(!terminal.screen().contains("another pause"));
}

#[test]
fn a_prompt_typed_while_a_hook_sleeps_belongs_to_the_running_turn() {
    let stage = Stage::new(Script::new().reply(messages_api::Reply::bash("true")).reply("end"))
        .hook("PostToolUse", "sleeper", once(Reply::silent().after_ms(6000)))
        .recording(&["UserPromptSubmit", "Stop"]);

    let mut terminal = stage.terminal();
    terminal.enter("work");
    terminal.wait_for_within("(running PostToolUse hook · ", SOON);
    terminal.enter("queued words");
    stage.wait_for_starts("UserPromptSubmit", 2);
    stage.wait_for_ends("Stop", 1);

    let (prompts, sleeper) = (stage.recorder.runs("UserPromptSubmit"), stage.recorder.runs("sleeper"));
    assert_eq!(prompts[1].start.payload["prompt"], "queued words");
    assert_eq!(prompts[1].start.payload["prompt_id"], prompts[0].start.payload["prompt_id"]);
    assert!(prompts[1].started_us < sleeper[0].ended(), "the prompt's hook waited for the sleeper");
    let request = stage.api.wait_for_main_request(1, SOON);
    assert!(request.shows("The user sent a new message while you were working:\nqueued words"));
    assert_eq!(stage.inputs("Stop", "prompt_id"), [prompts[0].start.payload["prompt_id"].clone()]);
}
