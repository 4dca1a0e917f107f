//! Question 21: `claude -p` as a judge: what keeps the user's hooks, memories and session files out of it, what the model is
//! shown, and what it says where there is no verdict. The arguments and variables are those of `judge`.

use crate::scene::Scene;
use serde_json::{Value, json};
use tests::client::Client;
use tests::messages_api::{MessagesApi, Reply};
use tests::script;

const SCHEMA: &str = r#"{"type":"object","properties":{"verdict":{"enum":["YES","NO"]}},"required":["verdict"],"additionalProperties":false}"#;

const EVENTS: [&str; 6] =
    ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];

/// A user with hooks of every kind and a memory.
fn scene() -> Scene {
    let scene = Scene::new().recording(&EVENTS);
    scene.sandbox.write_home(".claude/CLAUDE.md", "a memory of the user");
    scene.sandbox.write("CLAUDE.md", "a memory of the project");
    scene
}

fn says(verdict: &str) -> Reply {
    Reply::json(&json!({ "verdict": verdict }))
}

/// Asked for a verdict without tools, memories of the session and skills.
fn asked(client: Client<'_>) -> Client<'_> {
    let client = client.permission_mode("").allow("").model("claude-haiku-4-5");
    client
        .args(&["--json-schema", SCHEMA, "--system-prompt", "Judge it.", "--tools", "", "--max-turns", "2"])
        .args(&["--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"])
}

fn without_hooks(client: Client<'_>) -> Client<'_> {
    client.args(&["--settings", r#"{"disableAllHooks":true}"#])
}

fn without_sources(client: Client<'_>) -> Client<'_> {
    client.args(&["--setting-sources", ""])
}

fn in_safe_mode(client: Client<'_>) -> Client<'_> {
    client.env("CLAUDE_CODE_SAFE_MODE", "1")
}

/// As `judge` asks.
fn judging(client: Client<'_>) -> Client<'_> {
    in_safe_mode(without_sources(without_hooks(asked(client))))
        .env("CLAUDE_CODE_MAX_RETRIES", "0")
        .env("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "2000")
        .env("MAX_THINKING_TOKENS", "0")
        .env("CLAUDE_CODE_EFFORT_LEVEL", "low")
}

#[test]
fn each_of_three_ways_alone_keeps_the_users_hooks_from_running() {
    for (way, expected) in [
        // Even the structured answer is a tool call with hooks of its own.
        (asked as fn(Client<'_>) -> Client<'_>, &EVENTS[..]),
        (|client| without_hooks(asked(client)), &[]),
        (|client| without_sources(asked(client)), &[]),
        (|client| in_safe_mode(asked(client)), &[]),
    ] {
        let scene = scene();
        let api = MessagesApi::start(script![].judge(says("YES")));
        way(scene.client(&api)).pipe("the material").outcome.assert_exit(0);
        assert_eq!(scene.order(), expected);
    }
}

#[test]
fn the_model_is_shown_the_material_and_no_memory_and_no_session_is_left() {
    for (model, thinking) in [("claude-haiku-4-5", "disabled"), ("claude-haiku-5-5", "adaptive")] {
        let scene = scene();
        let api = MessagesApi::start(script![].judge(says("YES")));

        let run = judging(scene.client(&api)).model(model).pipe("the material");

        run.outcome.assert_exit(0);
        assert_eq!(run.result["structured_output"], json!({ "verdict": "YES" }));
        let judged = api.judged();
        let [request] = &judged[..] else { panic!("one question: {judged:?}") };
        assert_eq!(request.tools().last(), Some(&"StructuredOutput"));
        assert!(!request.tools().contains(&"Bash"));
        assert!(request.shows("the material") && request.shows("Judge it."));
        assert!(!request.shows("a memory of"), "{:#?}", request.shown_texts());
        assert_eq!(
            (&request.body["max_tokens"], &request.body["thinking"]["type"]),
            (&json!(2000), &json!(thinking))
        );
        if thinking == "adaptive" {
            assert_eq!(request.body["output_config"]["effort"], "low");
        }
        assert!(!scene.sandbox.home().join(".claude/projects").exists());
    }
}

#[test]
fn question_without_a_verdict_has_its_reason_in_fields() {
    let out_of_form = "error_max_turns";
    for (what, replies, expected) in [
        ("asked again", [says("PERHAPS"), says("NO")], json!({ "structured_output": { "verdict": "NO" } })),
        (
            "never in form",
            [says("PERHAPS"), says("PERHAPS")],
            json!({ "is_error": true, "subtype": out_of_form }),
        ),
        (
            "prose",
            [Reply::text("YES"), Reply::text("YES")],
            json!({ "is_error": false, "structured_output": null }),
        ),
    ] {
        let api = MessagesApi::start(replies.into_iter().fold(script![], tests::messages_api::Script::judge));
        assert_has(what, &judging(scene().client(&api)).pipe("the material").result, &expected);
    }
    for (status, kind) in
        [(401, "authentication_error"), (429, "rate_limit_error"), (529, "overloaded_error")]
    {
        let api = MessagesApi::start(script![].judge(Reply::error(status, kind)));
        let run = judging(scene().client(&api)).pipe("the material");
        run.outcome.assert_exit(1);
        let expected = json!({ "is_error": true, "api_error_status": status, "api_error_type": kind });
        assert_has(kind, &run.result, &expected);
        assert_eq!(api.judged().len(), 1, "{status}: not tried again");
    }
    let (scene, api) = (scene(), MessagesApi::start(script![]));
    let run = judging(scene.client(&api)).unset("ANTHROPIC_API_KEY").pipe("the material");
    assert_has(
        "no login",
        &run.result,
        &json!({ "result": "Not logged in · Please run /login", "api_error": null }),
    );
    // Nobody listens at this port: it is reserved for throwing away what comes.
    let run =
        judging(scene.client(&api)).env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9").pipe("the material");
    assert_has("nobody there", &run.result, &json!({ "api_error": "connection_failed" }));
}

#[track_caller]
fn assert_has(what: &str, result: &Value, expected: &Value) {
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&result[key], value, "{what}: {key} in {result:#}");
    }
}
