//! Question 7: in which order a subagent starts, calls and stops, and which of these events can be missing.

use super::stage::Stage;
use serde_json::{Value, json};
use tests::messages_api::{Reply, Script};
use tests::recording;
use tests::recording::Behaviour;

const EVENTS: [&str; 6] =
    ["PostToolUse", "PostToolUseFailure", "PreToolUse", "Stop", "StopFailure", "SubagentStop"];

#[test]
fn a_subagent_asks_nothing_before_its_start_hook_has_ended() {
    let script = Script::new()
        .reply(Reply::agent("outer", "the outer task"))
        .reply("end")
        .route("outer", [Reply::agent("inner", "the inner task"), Reply::text("outer answer")])
        .route("inner", [Reply::bash("true"), Reply::text("inner answer")]);
    let stage = with_slow_start_hook(script);

    stage.client().ask("work").outcome.assert_exit(0);

    let starts = stage.recorder.runs("SubagentStart");
    assert_eq!(starts.len(), 2);
    for (run, route) in starts.iter().zip(["outer", "inner"]) {
        assert!(run.ended() < stage.api.marked_requests(route)[0].at_us, "{route} asked too early");
        assert_eq!(run.start.payload["agent_type"], "general-purpose");
    }
    let ids = stage.inputs("SubagentStart", "agent_id");
    assert_ne!(ids[0], ids[1]);
    let callers = [Value::Null, ids[0].clone(), ids[1].clone()];
    assert_eq!(
        stage.inputs("PreToolUse", "agent_id"),
        callers,
        "the main loop, the outer and the inner agent call"
    );
    assert_eq!(stage.inputs("SubagentStop", "agent_id"), [ids[1].clone(), ids[0].clone()]);
}

#[test]
fn a_background_agent_waits_for_its_start_hook_but_the_main_turn_does_not() {
    let script = Script::new()
        .reply(background_agent("sub"))
        .reply("waiting")
        .reply("woken")
        .route("sub", [Reply::bash("true"), Reply::text("answer")]);
    let stage = with_slow_start_hook(script);

    let run = stage.client().ask("work");

    assert_eq!(run.text(), "woken");
    let start = &stage.recorder.runs("SubagentStart")[0];
    assert!(start.ended() < stage.api.marked_requests("sub")[0].at_us);
    assert!(stage.recorder.runs("Stop")[0].started_us < start.ended(), "the main turn waited");
    assert_eq!(stage.inputs("SubagentStop", "agent_id"), stage.inputs("SubagentStart", "agent_id"));
    let tasks = &stage.inputs("SubagentStop", "background_tasks")[0];
    assert_eq!((&tasks[0]["id"], &tasks[0]["status"]), (&start.start.payload["agent_id"], &json!("running")));
}

#[test]
fn a_subagent_that_dies_of_an_api_error_has_a_stop_failure_and_no_stop() {
    let refusal = || Reply::error(400, "invalid_request_error", "scripted refusal");
    let script = Script::new()
        .reply(Reply::agent("sub", "the task"))
        .reply("end")
        // More often than the client tries.
        .route("sub", [Reply::bash("true")].into_iter().chain((0..20).map(|_| refusal())));
    let stage = Stage::new(script).recording(&EVENTS).recording(&["SubagentStart"]);

    let run = stage.client().ask("work");

    assert_eq!(run.text(), "end");
    let id = stage.inputs("SubagentStart", "agent_id");
    assert_eq!(stage.inputs("StopFailure", "agent_id"), id);
    assert_eq!(stage.inputs("StopFailure", "agent_type"), ["general-purpose"]);
    assert_eq!(stage.inputs("PostToolUseFailure", "tool_name"), ["Agent"]);
    let error = &stage.inputs("PostToolUseFailure", "error")[0];
    let text = error.as_str().unwrap_or_default();
    assert!(
        text.starts_with("Agent terminated early due to an API error: API Error: 400 scripted refusal"),
        "{text}"
    );
    assert!(stage.recorder.runs("SubagentStop").is_empty());
}

#[test]
fn a_subagent_stopped_by_task_stop_has_no_stop() {
    let script = Script::new()
        .reply(background_agent("sub"))
        .reply(Reply::bash("until test -e called; do sleep 0.1; done"))
        .reply(Reply::tool("ToolSearch", json!({ "query": "select:TaskStop" })))
        .reply_with(|request| {
            let launched = &request.tool_results()[0].text;
            let id = launched.split("agentId: ").nth(1).and_then(|rest| rest.split(' ').next());
            Reply::tool("TaskStop", json!({ "task_id": id.unwrap_or_default() }))
        })
        .reply("end")
        .route("sub", [Reply::bash("touch called; sleep 60")]);
    let stage = Stage::new(script).recording(&EVENTS).recording(&["SubagentStart", "UserPromptSubmit"]);

    stage.client().allow(&["Agent", "Bash", "TaskStop", "ToolSearch"]).ask("work").outcome.assert_exit(0);

    let id = stage.inputs("SubagentStart", "agent_id").remove(0);
    let stopped = stage.recorder.runs("PostToolUse");
    let stopped =
        stopped.iter().find(|run| run.start.payload["tool_name"] == "TaskStop").expect("TaskStop ran");
    assert_eq!(stopped.start.payload["tool_input"]["task_id"], id);
    assert!(stage.recorder.runs("SubagentStop").is_empty() && stage.recorder.runs("StopFailure").is_empty());
    // It belongs to the running turn or has one of its own: that depends on how long the turn goes on.
    let notice = stage.inputs("UserPromptSubmit", "prompt").pop().expect("a notice");
    assert!(notice.as_str().is_some_and(|text| text.starts_with("<task-notification>")), "{notice}");
}

fn background_agent(route: &str) -> Reply {
    let input = json!({
        "description": "the task", "prompt": format!("[[route:{route}]] do it"),
        "subagent_type": "general-purpose", "run_in_background": true,
    });
    Reply::tool("Agent", input)
}

/// A hook at SubagentStart that takes two seconds, each time.
fn with_slow_start_hook(script: Script) -> Stage {
    let slow = Behaviour::replying([recording::Reply::silent().after_ms(2000)]);
    Stage::new(script).hook("SubagentStart", "SubagentStart", slow).recording(&EVENTS)
}
