//! Question 6: at which occupancy the automatic compaction comes, and which events it is made of.

use super::stage::Stage;
use serde_json::{Value, json};
use tests::messages_api::{Reply, Script, Usage};

/// Between the threshold and the end of the window.
const RESERVE: u64 = 33_000;

/// On either side of the threshold.
const A_LITTLE: u64 = 100;

const EVENTS: [&str; 6] =
    ["PostCompact", "PreCompact", "SessionStart", "Stop", "SubagentStop", "UserPromptSubmit"];

/// One turn with one compaction.
const ORDER: [&str; 7] =
    ["SessionStart", "UserPromptSubmit", "PreCompact", "SubagentStop", "SessionStart", "PostCompact", "Stop"];

#[test]
fn it_comes_thirty_three_thousand_tokens_below_a_window_of_two_hundred_thousand() {
    assert_threshold("claude-sonnet-4-6", 200_000);
}

#[test]
fn it_comes_thirty_three_thousand_tokens_below_a_window_of_a_million() {
    assert_threshold("claude-opus-5-5", 1_000_000);
}

#[test]
fn input_cache_and_output_all_count() {
    let full = 200_000 - RESERVE + A_LITTLE;
    let usages = [
        (Usage { input: full, ..Usage::default() }, 1),
        (Usage { cache_creation: 107_100, cache_read: 60_000, ..Usage::default() }, 1),
        (Usage { cache_read: 160_000, output: 7_100, ..Usage::default() }, 1),
        (Usage { cache_read: 160_000, ..Usage::default() }, 0),
    ];
    for (usage, expected) in usages {
        let stage =
            Stage::new(Script::new().reply(Reply::bash("true").usage(usage)).reply("end")).recording(&EVENTS);
        stage.client().args(&["--model", "claude-sonnet-4-6"]).ask("work").outcome.assert_exit(0);
        assert_eq!(stage.recorder.runs("PreCompact").len(), expected, "{usage:?}");
        // With one call there is nothing to summarize yet: the event alone proves no compaction.
        assert_eq!(stage.recorder.runs("PostCompact").len(), 0, "{usage:?}");
    }
}

#[test]
fn older_models_are_not_compacted_by_occupancy_but_when_the_api_refuses() {
    let too_long = "prompt is too long: 205000 tokens > 200000 maximum";
    let script = Script::new()
        .reply(occupying(167_100))
        .reply(occupying(190_000))
        .reply(occupying(230_000))
        .reply(Reply::error(400, "invalid_request_error", too_long))
        .reply("end")
        .when_shown("summary of the conversation", ["<summary>short</summary>"]);
    let stage = Stage::new(script).recording(&EVENTS);

    let run = stage.client().args(&["--model", "claude-sonnet-4-5"]).ask("work");

    assert_eq!(run.text(), "end");
    assert_eq!(stage.order(), ORDER);
    let refused = stage.api.main_requests()[3].at_us;
    let before = stage.recorder.runs("PreCompact")[0].started_us;
    assert!(before > refused, "compacted before the API refused");
    assert_eq!(stage.inputs("PreCompact", "trigger"), ["auto"]);
    assert_eq!(stage.inputs("PostCompact", "trigger"), ["auto"]);
}

/// Not just below the threshold, but just above; and the events between two requests of one turn.
fn assert_threshold(model: &str, window: u64) {
    let threshold = window - RESERVE;
    let script = Script::new()
        .reply(occupying(threshold - 60_000))
        .reply(occupying(threshold - A_LITTLE))
        .reply(occupying(threshold + A_LITTLE))
        .reply("end")
        .when_shown("summary of the conversation", ["<analysis>a</analysis><summary>short</summary>"]);
    let stage = Stage::new(script).recording(&EVENTS);

    let run = stage.client().args(&["--model", model]).ask("work");

    assert_eq!(run.text(), "end");
    assert_eq!(run.result()["modelUsage"][model]["contextWindow"], window);
    assert_eq!(stage.order(), ORDER);
    let (third, before) =
        (stage.api.main_requests()[2].at_us, stage.recorder.runs("PreCompact")[0].started_us);
    assert!(before > third, "compacted below the threshold");
    assert_inputs_of_the_compaction(&stage);
}

fn assert_inputs_of_the_compaction(stage: &Stage) {
    assert_eq!(stage.inputs("PreCompact", "trigger"), ["auto"]);
    assert_eq!(stage.inputs("PreCompact", "custom_instructions"), [Value::Null]);
    assert_eq!(stage.inputs("SubagentStop", "agent_type"), [""]);
    assert_eq!(stage.inputs("SessionStart", "source"), ["startup", "compact"]);
    assert_eq!(stage.inputs("PostCompact", "trigger"), ["auto"]);
    let summary = json!("<analysis>a</analysis><summary>short</summary>");
    assert_eq!(stage.inputs("PostCompact", "compact_summary"), [summary]);
    let prompt = stage.inputs("UserPromptSubmit", "prompt_id").remove(0);
    for event in ["PostCompact", "PreCompact", "Stop", "SubagentStop"] {
        assert_eq!(stage.inputs(event, "prompt_id"), std::slice::from_ref(&prompt), "{event}");
    }
    assert_eq!(stage.inputs("SessionStart", "prompt_id")[1], prompt);
}

/// A call of a tool in a reply that brings the conversation to so many tokens.
fn occupying(tokens: u64) -> Reply {
    let usage = Usage::default();
    Reply::bash("true").usage(Usage { cache_read: tokens - usage.input - usage.output, ..usage })
}
