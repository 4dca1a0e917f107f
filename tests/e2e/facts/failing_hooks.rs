//! Question 9: what `onFailure: block` makes of a hook that fails, event by event. A gate is built on it: a deleted or
//! crashing program must not open it.

use super::stage::Stage;
use serde_json::{Value, json};
use std::path::Path;
use tests::messages_api::{Reply, Script, ToolResult};
use tests::recording::{self, Behaviour};
use tests::settings::Hook;

const FAILED: &str = "failed; blocking because onFailure is \"block\"";

#[test]
fn a_gate_that_exits_with_an_error_or_answers_out_of_form_blocks() {
    let deny = |reason: &str| {
        json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
        }})
    };
    let decision = |decision: &str| json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": decision } });
    let nameless = json!({ "hookSpecificOutput": { "permissionDecision": "deny" } });
    let said = |stdout: Value| recording::Reply::stdout(stdout);
    let replies = [
        (said(Value::Null).exiting(1, "oops"), "\noops"),
        (said(Value::Null).exiting(1, ""), "\nNo stderr output"),
        (said("some text".into()).exiting(3, ""), "\nNo stderr output"),
        (said(decision("allow")).exiting(1, ""), "\nNo stderr output"),
        (said(nameless), "\nHook JSON output validation failed"),
        (said(decision("maybe")), "\nHook JSON output validation failed"),
    ];
    let plain = [
        (said(deny("said with an error")).exiting(1, ""), "said with an error"),
        (said(deny("plain")), "plain"),
    ];
    let all: Vec<_> = replies.iter().chain(&plain).map(|(reply, _)| reply.clone()).collect();
    let (stage, results) = gated(&all);

    for (result, (_, why)) in results.iter().zip(&replies) {
        let text = format!("]: {FAILED}{why}");
        assert!(result.is_error && result.text.contains(&text), "{text}: {result:?}");
        assert!(result.text.starts_with("PreToolUse:Bash hook error: ["), "{result:?}");
    }
    for (result, (_, reason)) in results.iter().skip(replies.len()).zip(&plain) {
        assert_eq!(result.text, format!("PreToolUse:Bash hook error: {reason}"));
    }
    assert_eq!(ran(&stage), [] as [String; 0]);
}

#[test]
fn a_gate_that_says_no_json_lets_the_tool_run() {
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    let texts = ["hello there", r#"{"hookSpecificOutput": "#, &format!("hello\n{deny}"), ""];
    let (stage, results) = gated(&texts.map(recording::Reply::stdout));

    assert!(results.iter().all(|result| !result.is_error), "{results:?}");
    assert_eq!(ran(&stage), ["ran-0", "ran-1", "ran-2", "ran-3"]);
}

#[test]
fn a_gate_whose_program_is_missing_or_killed_or_too_slow_blocks() {
    let missing = "Error occurred while executing hook command: ENOENT";
    let cases = [
        (
            Hook::new(Path::new("/nonexistent/gate"), &["x"]),
            format!("[/nonexistent/gate x]: {FAILED}\n{missing}"),
        ),
        (Hook::shell("/nonexistent/gate x"), format!("[/nonexistent/gate x]: {FAILED}\n")),
        (
            Hook::new(Path::new("/etc/passwd"), &[]),
            format!("{FAILED}\nError occurred while executing hook command: EACCES"),
        ),
        (Hook::shell("kill -9 $$"), format!("[kill -9 $$]: {FAILED}\nNo stderr output")),
        (
            Hook::shell("sleep 60").timeout_secs(1.0),
            "[sleep 60]: timed out; blocking because onFailure is \"block\"".to_owned(),
        ),
    ];
    for (hook, expected) in cases {
        let stage = calls(1).registering("PreToolUse", &hook.with("onFailure", "block"));
        stage.client().ask("work").outcome.assert_exit(0);
        let result = last_results(&stage).remove(0);
        assert!(result.is_error && result.text.contains(&expected), "{expected}: {result:?}");
        assert_eq!(ran(&stage), [] as [String; 0], "{expected}");
    }
}

#[test]
fn without_it_or_with_async_the_tool_runs() {
    let unset: &[(&str, Value)] = &[];
    let cases = [
        unset,
        &[("onFailure", json!("continue"))],
        &[("onFailure", json!("block")), ("async", json!(true))],
    ];
    for keys in cases {
        let stage = calls(1);
        let gate = stage.recorder.hook("gate", always_failing());
        let gate = keys.iter().fold(gate, |gate, (key, value)| gate.with(key, value.clone()));
        let stage = stage.registering("PreToolUse", &gate);
        stage.client().ask("work").outcome.assert_exit(0);
        stage.wait_for_starts("gate", 1);
        assert_eq!(ran(&stage), ["ran-0"], "{keys:?}");
    }
}

#[test]
fn a_failing_stop_hook_ends_the_turn_as_usual() {
    let failures = [
        Hook::shell("touch ran-hook; exit 1"),
        Hook::shell("touch ran-hook; /nonexistent/gate"),
        Hook::shell(r#"touch ran-hook; echo '{"decision":"maybe"}'"#),
        Hook::shell("touch ran-hook; sleep 60").timeout_secs(1.0),
    ];
    for failure in failures {
        let stage = calls(0).registering("Stop", &failure.clone().with("onFailure", "block"));
        let run = stage.client().ask("work");
        assert_eq!(ran(&stage), ["ran-hook"], "{failure:?}");
        assert_eq!((run.text(), stage.api.main_requests().len()), ("end", 1), "{failure:?}");
    }
}

#[test]
fn a_failing_prompt_hook_refuses_the_prompt() {
    let stage = calls(0)
        .registering("UserPromptSubmit", &Hook::shell("echo oops >&2; exit 1").with("onFailure", "block"));
    let run = stage.client().ask("work");
    let expected =
        format!("UserPromptSubmit operation blocked by hook:\n[echo oops >&2; exit 1]: {FAILED}\noops");
    assert_eq!(run.text(), expected);
    assert!(stage.api.main_requests().is_empty());

    let stage =
        calls(0).registering("UserPromptSubmit", &Hook::shell("echo plain words").with("onFailure", "block"));
    assert_eq!(stage.client().ask("work").text(), "end");
    assert!(stage.api.showed(0, "UserPromptSubmit hook success: plain words"));
}

#[test]
fn a_failing_post_tool_use_hook_becomes_a_message_for_the_model() {
    let hook = Hook::shell("echo oops >&2; exit 1").with("onFailure", "block");
    let stage = calls(1).registering("PostToolUse", &hook);

    let run = stage.client().ask("work");

    assert_eq!((run.text(), ran(&stage)), ("end", vec!["ran-0".to_owned()]));
    assert!(!last_results(&stage)[0].is_error);
    let command = "echo oops >&2; exit 1";
    let text = format!(
        "PostToolUse:Bash hook blocking error from command: \"{command}\": [{command}]: {FAILED}\noops"
    );
    assert!(stage.api.showed(1, &text), "{:?}", stage.api.shown_after(0));
}

fn always_failing() -> Behaviour {
    Behaviour::replying([recording::Reply::silent().exiting(1, "oops")])
}

/// One call of Bash for each of these replies of a gate that blocks when it fails; and what the model was told.
fn gated(replies: &[recording::Reply]) -> (Stage, Vec<ToolResult>) {
    let stage = calls(replies.len());
    let gate = stage.recorder.hook("gate", Behaviour::replying(replies.to_vec()));
    let stage = stage.registering("PreToolUse", &gate.with("onFailure", "block"));
    stage.client().ask("work").outcome.assert_exit(0);
    let results = last_results(&stage);
    assert_eq!((results.len(), stage.recorder.runs("gate").len()), (replies.len(), replies.len()));
    (stage, results)
}

/// The model calls Bash so often, each time touching a file `ran-N`.
fn calls(count: usize) -> Stage {
    let script = (0..count)
        .fold(Script::new(), |script, index| script.reply(Reply::bash(&format!("touch ran-{index}"))));
    Stage::new(script.reply("end"))
}

fn last_results(stage: &Stage) -> Vec<ToolResult> {
    stage.api.main_requests().last().expect("a request").tool_results()
}

/// The files that commands have touched.
fn ran(stage: &Stage) -> Vec<String> {
    let listed = stage.sandbox.git(&["ls-files", "--others", "ran-*"]);
    listed.lines().map(str::to_owned).collect()
}
