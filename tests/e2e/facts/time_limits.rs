//! Question 20: a hook that is still running when its time limit is over.

use super::stage::{SOON, Stage, once};
use std::time::Duration;
use tests::messages_api::{self, Script};
use tests::process::is_running;
use tests::recording::Reply;

const SIGTERM: i32 = 15;

const LIMIT: Duration = Duration::from_secs(1);

/// Longer than anybody waits.
const SLEEP_MS: u64 = 90_000;

#[test]
fn after_a_tool_it_is_told_to_end_then_killed_and_the_turn_goes_on_as_if_it_had_said_nothing() {
    let stage = Stage::new(Script::new().reply(messages_api::Reply::bash("echo ran")).reply("end"));
    let sleeper =
        stage.recorder.hook("sleeper", once(Reply::stdout("lost").after_ms(SLEEP_MS)).trapping_signals());
    let stage = stage.registering("PostToolUse", &sleeper.timeout_secs(LIMIT.as_secs_f64()));

    assert_eq!(stage.client().ask("work").text(), "end");

    let run = stage.recorder.runs("sleeper").remove(0);
    let (signal, at_us) = run.signals[0];
    assert_eq!(signal, SIGTERM);
    let after = Duration::from_micros(at_us - run.started_us);
    assert!((LIMIT / 2..SOON).contains(&after), "{after:?}");
    assert!(run.ended_us.is_none() && !is_running(run.pid), "it came to its own end");
    let request = &stage.api.main_requests()[1];
    let result = &request.tool_results()[0];
    assert_eq!((result.is_error, result.text.trim()), (false, "ran"));
    assert!(!request.shows("timed out") && !request.shows("lost"), "{:#?}", stage.api.shown_after(0));
}

#[test]
fn one_that_leaves_when_told_is_gone_and_the_screen_says_nothing_of_it() {
    let stage = Stage::new(Script::new().reply(messages_api::Reply::bash("echo ran")).reply("end"));
    let sleeper = stage.recorder.hook("sleeper", once(Reply::stdout("lost").after_ms(SLEEP_MS)));
    let stage = stage.registering("PostToolUse", &sleeper.timeout_secs(LIMIT.as_secs_f64()));

    let mut terminal = stage.terminal();
    terminal.enter("work");
    terminal.wait_for_within("end", SOON);
    let run = stage.recorder.runs("sleeper").remove(0);
    assert!(!terminal.screen().contains("hook"), "{}", terminal.screen());
    assert!(!is_running(run.pid));
}
