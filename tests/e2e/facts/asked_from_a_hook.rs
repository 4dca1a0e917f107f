//! Question 21: `claude -p` as a judge: what keeps the user's hooks, memories and session files out of it, what the model is
//! shown, and what it says where there is no verdict. The arguments and variables are those of `judge`.

use super::stage::Stage;
use serde_json::{Value, json};
use tests::client::Client;
use tests::messages_api::{Reply, Script};

const MODEL: [&str; 2] = ["--model", "claude-haiku-4-5"];

const SCHEMA: &str = r#"{"type":"object","properties":{"verdict":{"enum":["YES","NO"]}},"required":["verdict"],"additionalProperties":false}"#;

const NO_HOOKS: [&str; 2] = ["--settings", r#"{"disableAllHooks":true}"#];

const NO_SOURCES: [&str; 2] = ["--setting-sources", ""];

const SAFE_MODE: (&str, &str) = ("CLAUDE_CODE_SAFE_MODE", "1");

const EVENTS: [&str; 6] =
    ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];

/// A stage on which the user has hooks of every kind and a memory.
fn stage(script: Script) -> Stage {
    let stage = Stage::new(script).recording(&EVENTS);
    stage.sandbox.write_home(".claude/CLAUDE.md", "a memory of the user");
    stage
}

/// Asked for a verdict without tools, memories of the session and skills.
fn asked(stage: &Stage) -> Client<'_> {
    let client = stage.client().own_permission_mode().allow(&[]).args(&MODEL);
    client
        .args(&["--json-schema", SCHEMA, "--system-prompt", "Judge it.", "--tools", "", "--max-turns", "2"])
        .args(&["--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"])
}

/// As `judge` asks.
fn judging(stage: &Stage) -> Client<'_> {
    asked(stage)
        .args(&NO_HOOKS)
        .args(&NO_SOURCES)
        .env(SAFE_MODE.0, SAFE_MODE.1)
        .env("CLAUDE_CODE_MAX_RETRIES", "0")
        .env("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "2000")
        .env("MAX_THINKING_TOKENS", "0")
        .env("CLAUDE_CODE_EFFORT_LEVEL", "low")
}

fn says(verdict: &str) -> Reply {
    Reply::tool("StructuredOutput", json!({ "verdict": verdict }))
}

#[test]
fn each_of_three_ways_alone_keeps_the_users_hooks_from_running() {
    let runs = |with: &dyn for<'a> Fn(Client<'a>) -> Client<'a>| {
        let stage = stage(Script::new().reply(says("YES")));
        with(asked(&stage)).pipe("the material").outcome.assert_exit(0);
        stage.order()
    };
    // Even the structured answer is a tool call with hooks of its own.
    assert_eq!(runs(&|client| client), EVENTS);
    assert!(runs(&|client| client.args(&NO_HOOKS)).is_empty());
    assert!(runs(&|client| client.args(&NO_SOURCES)).is_empty());
    assert!(runs(&|client| client.env(SAFE_MODE.0, SAFE_MODE.1)).is_empty());
}

#[test]
fn the_model_is_shown_the_material_and_no_memory_and_no_session_is_left() {
    let stage = stage(Script::new().reply(says("YES")));
    stage.sandbox.write("CLAUDE.md", "a memory of the project");

    let run = judging(&stage).pipe("the material");

    run.outcome.assert_exit(0);
    assert_eq!(run.result()["structured_output"], json!({ "verdict": "YES" }));
    let requests = stage.api.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].tools(), ["StructuredOutput"]);
    assert!(requests[0].shows("the material") && requests[0].shows("Judge it."));
    assert!(!requests[0].shows("a memory of"), "{:#?}", requests[0].shown_texts());
    assert_eq!(requests[0].body["max_tokens"], 2000);
    assert_eq!(requests[0].body["thinking"], json!({ "type": "disabled" }));
    assert!(stage.order().is_empty());
    assert!(!stage.sandbox.home().join(".claude/projects").exists());
}

#[test]
fn a_model_that_thinks_as_it_likes_does_so_at_low_effort() {
    let stage = stage(Script::new().reply(says("YES")));

    judging(&stage).args(&["--model", "claude-haiku-5-5"]).pipe("the material").outcome.assert_exit(0);

    let body = &stage.api.requests()[0].body;
    assert_eq!(
        (&body["thinking"]["type"], &body["output_config"]),
        (&"adaptive".into(), &json!({ "effort": "low" }))
    );
}

#[test]
fn what_does_not_fit_the_schema_is_asked_for_again_and_then_is_no_verdict() {
    let judged = |replies: [Reply; 2]| {
        let script = replies.into_iter().fold(Script::new(), Script::reply);
        judging(&stage(script)).pipe("the material").result().clone()
    };
    let second = judged([says("PERHAPS"), says("NO")]);
    assert_eq!(second["structured_output"], json!({ "verdict": "NO" }));

    let never = judged([says("PERHAPS"), says("PERHAPS")]);
    assert_eq!((&never["is_error"], &never["subtype"]), (&json!(true), &json!("error_max_turns")));

    let prose = judged([Reply::text("YES"), Reply::text("YES")]);
    assert_eq!((&prose["is_error"], &prose["structured_output"]), (&json!(false), &Value::Null));
}

#[test]
fn an_error_of_the_api_is_told_by_its_status_and_not_tried_again() {
    for (status, kind) in [
        (401, "authentication_error"),
        (403, "permission_error"),
        (429, "rate_limit_error"),
        (529, "overloaded_error"),
    ] {
        let stage = stage(Script::new().otherwise(Reply::error(status, kind, "no")));

        let run = judging(&stage).pipe("the material");

        run.outcome.assert_exit(1);
        let result = run.result();
        assert!(run.is_error(), "{result:#}");
        assert_eq!(result["api_error_status"], status, "{result:#}");
        assert_eq!(result["api_error_type"], kind, "{result:#}");
        assert_eq!(stage.api.requests().len(), 1, "{status}");
    }
}

#[test]
fn without_a_login_a_sentence_is_all_there_is() {
    let stage = stage(Script::new());

    let run = judging(&stage).unset("ANTHROPIC_API_KEY").pipe("the material");

    run.outcome.assert_exit(1);
    assert_eq!(run.text(), "Not logged in · Please run /login");
    assert_eq!(run.result()["api_error_status"], Value::Null);
    assert_eq!(run.result()["api_error"], Value::Null);
}

#[test]
fn a_server_that_cannot_be_reached_is_told_by_its_cause() {
    let stage = stage(Script::new());

    // Nobody listens at this port: it is reserved for throwing away what comes.
    let run = judging(&stage).env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9").pipe("the material");

    run.outcome.assert_exit(1);
    assert_eq!(run.result()["api_error"], "connection_failed");
}
