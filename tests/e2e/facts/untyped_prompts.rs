//! Question 5, second half: prompts of print mode, and notices about what ran in the background. All of them run the
//! hooks of UserPromptSubmit.

use super::stage::{Stage, ready};
use serde_json::{Value, json};
use std::time::Duration;
use tests::messages_api::{Reply, Script};

#[test]
fn every_way_of_asking_in_print_mode_submits_a_prompt() {
    let stage = Stage::new(Script::new()).recording(&["SessionStart", "UserPromptSubmit"]);

    let first = stage.client().ask("asked");
    stage.client().args(&["--resume", first.session_id()]).ask("resumed").outcome.assert_exit(0);
    stage.client().args(&["--continue"]).ask("continued").outcome.assert_exit(0);
    stage.client().feed(&["fed", "fed again"]).outcome.assert_exit(0);
    stage.client().pipe("piped\n").outcome.assert_exit(0);

    let prompts = ["asked", "resumed", "continued", "fed", "fed again", "piped\n"];
    assert_eq!(stage.inputs("UserPromptSubmit", "prompt"), prompts);
    assert_all_different(&stage.inputs("UserPromptSubmit", "prompt_id"));
    for run in stage.recorder.runs("UserPromptSubmit") {
        assert_eq!(run.start.payload["source"], Value::Null);
        let env = &run.start.env;
        assert_eq!(
            (&*env["CLAUDE_CODE_ENTRYPOINT"], &*env["CLAUDE_CODE_SESSION_ATTENDED"]),
            ("sdk-cli", "0")
        );
    }
    let sources = ["startup", "resume", "resume", "startup", "startup"];
    assert_eq!(stage.inputs("SessionStart", "source"), sources);
    let line = stage.user_line("asked");
    assert_eq!([&line["promptSource"], &line["turnOrigin"]], ["sdk", "sdk"]);
    assert_resumed_session_start_has_more_fields(&stage);
}

fn assert_resumed_session_start_has_more_fields(stage: &Stage) {
    let new = [
        "context_tokens",
        "estimated_cache_write_usd",
        "prompt_cache_likely_expired",
        "seconds_since_last_response",
    ];
    let has = |run: usize, field: &str| !stage.inputs("SessionStart", field)[run].is_null();
    assert!(new.iter().all(|field| !has(0, field) && has(1, field)));
}

#[test]
fn the_end_of_a_background_command_is_a_prompt_of_its_own() {
    let wait = "until test -e go; do sleep 0.1; done";
    let input = json!({ "command": wait, "description": "wait", "run_in_background": true });
    let script = Script::new().reply(Reply::tool("Bash", input)).reply("waiting").reply("woken");
    let stage = Stage::new(script).recording(&["Stop", "UserPromptSubmit"]);

    let mut terminal = ready(stage.client());
    terminal.enter("work");
    stage.wait_for_ends("Stop", 1);
    stage.sandbox.write("go", "");
    stage.wait_for_ends("Stop", 2);

    let prompts = stage.inputs("UserPromptSubmit", "prompt");
    assert_eq!((prompts.len(), &prompts[0]), (2, &json!("work")));
    let notice = prompts[1].as_str().expect("a text");
    assert!(notice.starts_with("<task-notification>\n<task-id>"), "{notice}");
    let ids = stage.inputs("UserPromptSubmit", "prompt_id");
    assert_all_different(&ids);
    assert_eq!(stage.inputs("Stop", "prompt_id"), ids);
    let tasks = &stage.inputs("Stop", "background_tasks")[0];
    assert_eq!([&tasks[0]["type"], &tasks[0]["status"]], ["shell", "running"]);
    let line = stage.user_line(notice);
    assert_eq!([&line["origin"]["kind"], &line["promptSource"]], ["task-notification", "system"]);
    assert_eq!(line["turnOrigin"], "task_notification");
}

#[test]
fn of_two_notices_at_once_only_the_second_has_a_stop() {
    let agent = |route: &str| {
        json!({
            "description": route, "prompt": format!("[[route:{route}]] do it"),
            "subagent_type": "general-purpose", "run_in_background": true,
        })
    };
    let launch = Reply::tool("Agent", agent("one")).and_tool("Agent", agent("two"));
    // Both agents are done before the turn that started them is.
    let waiting = Reply::text("waiting").after(Duration::from_secs(6));
    let script = Script::new().reply(launch).reply(waiting).reply("woken");
    let stage = Stage::new(script.route("one", ["answer"]).route("two", ["answer"])).recording(&[
        "Stop",
        "SubagentStop",
        "UserPromptSubmit",
    ]);

    let run = stage.client().ask("work");

    assert_eq!(run.text(), "woken");
    let prompts = stage.inputs("UserPromptSubmit", "prompt_id");
    assert_eq!(prompts.len(), 3);
    assert_all_different(&prompts);
    let is_notice = |text: &Value| text.as_str().is_some_and(|text| text.starts_with("<task-notification>"));
    assert!(stage.inputs("UserPromptSubmit", "prompt")[1..].iter().all(is_notice));
    assert_eq!(stage.inputs("Stop", "prompt_id"), [prompts[0].clone(), prompts[2].clone()]);
}

fn assert_all_different(ids: &[Value]) {
    for (index, id) in ids.iter().enumerate() {
        assert!(id.is_string() && !ids[..index].contains(id), "{ids:?}");
    }
}
