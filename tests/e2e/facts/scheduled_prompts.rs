//! Question 5, first half: prompts that the model puts into the future with CronCreate and ScheduleWakeup. They arrive at
//! UserPromptSubmit as if typed. Both cases wait for the client's own clock, a minute and a bit.

use super::stage::{SOON, Stage, ready};
use serde_json::{Value, json};
use std::time::Duration;
use tests::messages_api::{Reply, Script};
use tests::recording::{Behaviour, Run};

/// The client's shortest schedule is the next full minute, its shortest wake-up one after sixty seconds.
const A_MINUTE_AND_SOME: Duration = Duration::from_secs(180);

#[test]
fn a_cron_prompt_arrives_as_if_typed_and_only_the_transcript_tells() {
    let script =
        planning("CronCreate", json!({ "cron": "* * * * *", "prompt": "cron words", "recurring": false }))
            .reply("cron answer");
    let stage = Stage::new(script)
        .hook("UserPromptSubmit", "prompt", Behaviour::default().watching_the_transcript(500))
        .recording(&["Stop"]);

    let mut terminal = ready(stage.client().allow(&["CronCreate", "ToolSearch"]));
    terminal.enter("typed words");
    terminal.wait_for_within("cron answer", A_MINUTE_AND_SOME);
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
    assert!(!is_queued(&prompts[0], "typed words"));
    assert!(is_queued(&prompts[1], "cron words"), "{:?}", prompts[1].looks);
}

#[test]
fn a_wakeup_arrives_as_if_typed() {
    let wakeup = json!({ "delaySeconds": 60, "prompt": "/loop own words", "reason": "a test" });
    let stage = Stage::new(planning("ScheduleWakeup", wakeup).reply("woken")).recording(&[
        "Stop",
        "UserPromptExpansion",
        "UserPromptSubmit",
    ]);

    let mut terminal = ready(stage.client().allow(&["ScheduleWakeup", "Skill", "ToolSearch"]));
    terminal.enter("/loop own words");
    terminal.wait_for_within("woken", A_MINUTE_AND_SOME);
    stage.wait_for_ends("Stop", 2);

    let prompts = stage.recorder.runs("UserPromptSubmit");
    assert_eq!(stage.inputs("UserPromptSubmit", "prompt"), ["/loop own words", "/loop own words"]);
    assert_looks_typed(&prompts[0], &prompts[1]);
    assert_eq!(stage.inputs("UserPromptExpansion", "command_source"), ["bundled", "bundled"]);
    assert_scheduled_at_the_stop_before(&stage, "/loop own words");
    let line = stage.transcript_line("of the wake-up", |line| line["wakeupSource"] == "loop_wakeup");
    assert_eq!(line["turnOrigin"], "scheduled");
    assert_eq!(line["promptId"], prompts[1].start.payload["prompt_id"]);
}

#[test]
fn a_cron_prompt_never_fires_in_print_mode() {
    let script =
        planning("CronCreate", json!({ "cron": "* * * * *", "prompt": "cron words", "recurring": false }));
    let stage = Stage::new(script).recording(&["Stop", "UserPromptSubmit"]);

    let run = stage.client().allow(&["CronCreate", "ToolSearch"]).deadline(SOON).ask("work");

    assert_eq!(run.text(), "planned");
    assert_scheduled_at_the_stop_before(&stage, "cron words");
    assert_eq!(stage.inputs("UserPromptSubmit", "prompt"), ["work"]);
}

/// The model loads a tool, calls it once and says that it has planned.
fn planning(tool: &str, input: Value) -> Script {
    let load = Reply::tool("ToolSearch", json!({ "query": format!("select:{tool}") }));
    Script::new().reply(load).reply(Reply::tool(tool, input)).reply("planned")
}

/// Same fields, same environment, a prompt_id of its own, and no `source`.
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

/// Did the hook see in the transcript, while it ran, that this prompt came through the queue?
fn is_queued(run: &Run, prompt: &str) -> bool {
    let mut lines = run.looks.iter().flat_map(|look| look.lines.iter().flatten());
    lines.any(|line| line.kind == "queue-operation" && line.marks.iter().any(|mark| mark == prompt))
}
