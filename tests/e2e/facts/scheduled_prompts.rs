//! Question 5, first half: prompts that the model puts into the future with `CronCreate` and `ScheduleWakeup`. They
//! arrive at UserPromptSubmit as if typed. Two cases wait for the client's own clock, a minute and a bit.

use super::stage::{SOON, Stage, ready};
use serde_json::{Value, json};
use std::time::Duration;
use tests::clock::epoch_micros;
use tests::messages_api::{Reply, Script};
use tests::recording::{Behaviour, Run};

/// The client's schedules are full minutes; its shortest wake-up is one after sixty seconds, and full minutes again.
const SOME_MINUTES: Duration = Duration::from_secs(300);

/// A one-shot schedule at minute 0 or 30 fires up to 90 s early, perhaps while the turn that made it still runs.
const EARLY_EVERY_MINUTES: u64 = 30;

/// To make a schedule and end the turn takes the client less than this, in seconds.
const A_TURN: u64 = 15;

#[test]
fn a_cron_prompt_arrives_as_if_typed_and_only_the_transcript_tells() {
    let stage = Stage::new(planning("CronCreate", || next_minute("cron words")).reply("cron answer"))
        .hook("UserPromptSubmit", "prompt", Behaviour::default().watching_the_transcript(1000))
        .recording(&["Stop"]);

    let mut terminal = ready(stage.client().env("TZ", "UTC").allow(&["CronCreate", "ToolSearch"]));
    terminal.enter("typed words");
    terminal.wait_for_within("cron answer", SOME_MINUTES);
    stage.wait_for_ends("Stop", 2);

    let prompts = stage.recorder.runs("prompt");
    assert_eq!(stage.inputs("prompt", "prompt"), ["typed words", "cron words"]);
    assert_looks_typed(&prompts[0], &prompts[1]);
    assert_scheduled_at_the_stop_before(&stage, "cron words");
    let (typed, scheduled) = (stage.user_line("typed words"), stage.user_line("cron words"));
    assert_eq!(
        [&typed["origin"]["kind"], &typed["promptSource"], &typed["turnOrigin"]],
        ["human", "typed", "human"]
    );
    assert_eq!([&scheduled["promptSource"], &scheduled["turnOrigin"]], ["system", "scheduled"]);
    assert_eq!(scheduled["wakeupSource"], "schedule_wakeup");
    assert_eq!((&scheduled["isMeta"], &scheduled["origin"]), (&json!(true), &Value::Null));
    assert_eq!(scheduled["promptId"], prompts[1].start.payload["prompt_id"]);
    assert!(scheduled["scheduledTaskId"].is_string());
    assert!(!saw(&prompts[0], "queue-operation", "typed words"));
    assert!(saw(&prompts[1], "queue-operation", "cron words"), "{:?}", prompts[1].looks);
    assert!(!saw(&prompts[1], "user", "cron words"), "its line came before its hook had ended");
}

#[test]
fn a_wakeup_arrives_as_if_typed() {
    let wakeup =
        || json!({ "delaySeconds": shortest_delay(), "prompt": "/loop own words", "reason": "a test" });
    let stage = Stage::new(planning("ScheduleWakeup", wakeup).reply("woken")).recording(&[
        "Stop",
        "UserPromptExpansion",
        "UserPromptSubmit",
    ]);

    let mut terminal =
        ready(stage.client().env("TZ", "UTC").allow(&["ScheduleWakeup", "Skill", "ToolSearch"]));
    terminal.enter("/loop own words");
    terminal.wait_for_within("woken", SOME_MINUTES);
    stage.wait_for_ends("Stop", 2);

    let prompts = stage.recorder.runs("UserPromptSubmit");
    assert_eq!(stage.inputs("UserPromptSubmit", "prompt"), ["/loop own words", "/loop own words"]);
    assert_looks_typed(&prompts[0], &prompts[1]);
    assert_eq!(stage.inputs("UserPromptExpansion", "command_source"), ["bundled", "bundled"]);
    assert_scheduled_at_the_stop_before(&stage, "/loop own words");
    let line = stage.transcript_line("of the wake-up", |line| line["wakeupSource"] == "loop_wakeup");
    assert_eq!((&line["turnOrigin"], &line["promptSource"]), (&json!("scheduled"), &Value::Null));
    assert!(line["scheduledTaskId"].is_string());
    assert_eq!(line["promptId"], prompts[1].start.payload["prompt_id"]);
}

#[test]
fn a_cron_prompt_never_fires_in_print_mode() {
    let script = planning("CronCreate", || next_minute("cron words"));
    let stage = Stage::new(script).recording(&["Stop", "UserPromptSubmit"]);

    let run = stage.client().allow(&["CronCreate", "ToolSearch"]).deadline(SOON).ask("work");

    assert_eq!(run.text(), "planned");
    assert_scheduled_at_the_stop_before(&stage, "cron words");
    assert_eq!(stage.inputs("UserPromptSubmit", "prompt"), ["work"]);
}

/// Input of `CronCreate`: once, at the next full minute that leaves time to end the turn and is not fired early.
fn next_minute(prompt: &str) -> Value {
    let next = (epoch_secs() + A_TURN) / 60 + 1;
    let minute = if next.is_multiple_of(EARLY_EVERY_MINUTES) { next + 1 } else { next };
    json!({ "cron": format!("{} * * * *", minute % 60), "prompt": prompt, "recurring": false })
}

/// Of a wake-up, in seconds: a minute, or three when that would end where wake-ups are early.
fn shortest_delay() -> u64 {
    // The client rounds to full minutes.
    let minute = (epoch_secs() + 60) / 60;
    let is_early = [minute, minute + 1].iter().any(|minute| minute.is_multiple_of(EARLY_EVERY_MINUTES));
    if is_early { 180 } else { 60 }
}

fn epoch_secs() -> u64 {
    epoch_micros() / 1_000_000
}

/// The model loads a tool, calls it once, with an input made at that moment, and says that it has planned.
fn planning(tool: &'static str, input: impl Fn() -> Value + Send + Sync + 'static) -> Script {
    let load = Reply::tool("ToolSearch", json!({ "query": format!("select:{tool}") }));
    Script::new().reply(load).reply_with(move |_| Reply::tool(tool, input())).reply("planned")
}

/// Same fields, same environment, a `prompt_id` of its own, and no `source`.
fn assert_looks_typed(typed: &Run, scheduled: &Run) {
    let (typed, scheduled) = (&typed.start, &scheduled.start);
    let keys = |payload: &Value| payload.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&typed.payload), keys(&scheduled.payload));
    assert_eq!(scheduled.payload["source"], Value::Null);
    assert_ne!(typed.payload["prompt_id"], scheduled.payload["prompt_id"]);
    assert_eq!(typed.env, scheduled.env);
    assert_eq!(
        (&*typed.env["CLAUDE_CODE_ENTRYPOINT"], &*typed.env["CLAUDE_CODE_SESSION_ATTENDED"]),
        ("cli", "1")
    );
}

fn assert_scheduled_at_the_stop_before(stage: &Stage, prompt: &str) {
    let crons = &stage.inputs("Stop", "session_crons")[0];
    assert_eq!(crons[0]["prompt"], prompt, "{crons}");
    assert!(crons[0]["id"].is_string() && crons[0]["schedule"].is_string() && crons[0]["recurring"] == false);
}

/// Did the hook see a line of this kind and text in the transcript while it ran?
fn saw(run: &Run, kind: &str, text: &str) -> bool {
    let mut lines = run.looks.iter().flat_map(|look| look.lines.iter().flatten());
    lines.any(|line| line.kind == kind && line.marks.iter().any(|mark| mark == text))
}
