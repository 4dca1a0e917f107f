//! Question 3, second half: Escape while a hook sleeps. The hook is asked to end, then ended; its answer is lost; the turn
//! is over without a Stop; and the model is told something that need not be true.

use super::stage::{SOON, Stage};
use serde_json::Value;
use std::thread;
use std::time::{Duration, Instant};
use tests::clock::epoch_micros;
use tests::messages_api::{self, Script};
use tests::process::is_running;
use tests::recording::{Behaviour, Reply};
use tests::terminal::{Key, Terminal};

const SIGTERM: i32 = 15;

/// The longest sleep of any hook here: only an end from outside can come before it.
const SLEEP_MS: u64 = 90_000;

/// Seen: 0.08 to 0.14 s.
const UNTIL_SIGNAL: Duration = Duration::from_secs(5);

const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a \
                        file edit, the new_string was NOT written to the file).";

#[test]
fn during_post_tool_use_the_model_is_told_that_the_tool_was_rejected_although_it_ran() {
    let (stage, mut terminal) = escaped_during("PostToolUse");
    terminal.wait_for("Interrupted");
    assert!(stage.sandbox.project().join("ran").exists());

    let request = next_request(&stage, &mut terminal, 1);

    let result = &request.tool_results()[0];
    assert!(result.is_error && result.text.contains(REJECTED), "{result:?}");
    assert!(request.shows("[Request interrupted by user for tool use]"));
    assert_only_the_next_turn_stops(&stage, 1);
    assert_eq!(stage.inputs("PostToolUseFailure", "tool_name"), [] as [Value; 0]);
    assert_eq!(stage.inputs("PostToolBatch", "tool_calls"), [] as [Value; 0]);
}

#[test]
fn during_pre_tool_use_the_tool_does_not_run() {
    let (stage, mut terminal) = escaped_during("PreToolUse");
    terminal.wait_for("Interrupted");

    let request = next_request(&stage, &mut terminal, 1);

    assert!(request.tool_results()[0].text.contains(REJECTED));
    assert!(!stage.sandbox.project().join("ran").exists());
    assert_only_the_next_turn_stops(&stage, 1);
}

#[test]
fn during_stop_the_next_prompt_starts_afresh() {
    let (stage, mut terminal) = escaped_during("Stop");
    terminal.wait_for("Interrupted");

    let request = next_request(&stage, &mut terminal, 2);

    assert!(request.shows("[Request interrupted by user]"));
    stage.wait_for_ends("Stop", 2);
    assert_eq!(stage.inputs("Stop", "stop_hook_active"), [false, false]);
}

#[test]
fn during_user_prompt_submit_nothing_is_sent_and_the_prompt_can_be_edited() {
    let (stage, mut terminal) = escaped_during("UserPromptSubmit");

    terminal.wait_until("the prompt in the input line, below a rule", SOON, |screen| {
        let lines: Vec<_> = screen.lines().collect();
        lines.windows(2).any(|pair| pair[0].starts_with("──") && pair[1] == "❯\u{a0}work")
    });
    assert!(stage.api.main_requests().is_empty());
    terminal.type_text(" again");
    terminal.wait_for("work again");
    terminal.press(Key::Enter);
    let request = stage.api.wait_for_main_request(0, SOON);
    assert!(request.shows("work again"));
}

/// Presses Escape while a hook of this event sleeps, and looks at how the hook ends: SIGTERM soon, killed in the end.
fn escaped_during(event: &str) -> (Stage, Terminal) {
    let call = messages_api::Reply::text("I will run it.")
        .and_tool("Bash", serde_json::json!({ "command": "touch ran", "description": "run a command" }));
    let stage = Stage::new(Script::new().reply(call).reply("end one").reply("end two"));
    let behaviour = Behaviour::replying([Reply::stdout("lost").after_ms(SLEEP_MS), Reply::silent()]);
    let sleeper = stage.recorder.hook("sleeper", behaviour.trapping_signals());
    let sleeper = sleeper.timeout_secs(600.0).with("statusMessage", "pausing for credit");
    let stage = stage.registering(event, &sleeper).recording(&[
        "PostToolBatch",
        "PostToolUseFailure",
        "Stop",
        "UserPromptSubmit",
    ]);

    let mut terminal = stage.terminal();
    terminal.enter("work");
    stage.wait_for_starts("sleeper", 1);
    terminal.wait_for_within("pausing for credit", SOON);
    let escaped_us = epoch_micros();
    terminal.press(Key::Escape);

    stage.recorder.wait_until("a signal", SOON, |_| !stage.recorder.runs("sleeper")[0].signals.is_empty());
    let (signal, at_us) = stage.recorder.runs("sleeper")[0].signals[0];
    assert_eq!(signal, SIGTERM);
    assert!(Duration::from_micros(at_us - escaped_us) < UNTIL_SIGNAL);
    wait_for_death_of_the_sleeper(&stage);
    (stage, terminal)
}

fn wait_for_death_of_the_sleeper(stage: &Stage) {
    let until = Instant::now() + SOON;
    while is_running(stage.recorder.runs("sleeper")[0].pid) {
        assert!(Instant::now() < until, "a hook that ignores SIGTERM lives on");
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(stage.recorder.runs("sleeper")[0].ended_us, None, "it was not killed but came to its end");
}

/// Types another prompt and returns the request it makes.
fn next_request(
    stage: &Stage,
    terminal: &mut Terminal,
    index: usize,
) -> std::sync::Arc<messages_api::Recorded> {
    terminal.enter("again");
    stage.api.wait_for_main_request(index, SOON)
}

/// The turn that was escaped from has no Stop, the one after it has.
fn assert_only_the_next_turn_stops(stage: &Stage, index: usize) {
    stage.wait_for_ends("Stop", 1);
    let prompts = stage.inputs("UserPromptSubmit", "prompt_id");
    assert_eq!(stage.inputs("Stop", "prompt_id"), [prompts[index].clone()]);
}
