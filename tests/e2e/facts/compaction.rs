//! Question 6: at which occupancy the automatic compaction comes, and which events it is made of.

use crate::scene::Scene;
use serde_json::{Value, json};
use tests::messages_api::Reply;
use tests::script;

/// Between the threshold and the end of the window.
const RESERVE: u64 = 33_000;

/// On either side of the threshold.
const A_LITTLE: u64 = 100;

const EVENTS: [&str; 6] =
    ["PostCompact", "PreCompact", "SessionStart", "Stop", "SubagentStop", "UserPromptSubmit"];

/// One turn with one compaction.
const ORDER: [&str; 7] =
    ["SessionStart", "UserPromptSubmit", "PreCompact", "SubagentStop", "SessionStart", "PostCompact", "Stop"];

/// Not just below the threshold, but just above; tokens of every kind count.
#[test]
fn it_comes_thirty_three_thousand_tokens_below_the_window_between_two_requests() {
    for (model, window) in [("claude-sonnet-4-6", 200_000), ("claude-opus-5-5", 1_000_000)] {
        let threshold = window - RESERVE;
        let call = |tokens| Reply::bash("true").filling(tokens);
        let calls = [threshold - 60_000, threshold - A_LITTLE, threshold + A_LITTLE].map(call);
        let [first, below, above] = calls;
        let scene = Scene::new().recording(&EVENTS);

        let session = scene.ask_as("work", script![first, below, above, "end"], |client| client.model(model));

        assert_eq!(session.text(), "end");
        assert_eq!(session.run.result["modelUsage"][model]["contextWindow"], window);
        assert_eq!(scene.order(), ORDER);
        let began = scene.recorder.runs("PreCompact")[0].started_us;
        assert!(began > session.requests()[2].at_us, "{model}: compacted below the threshold");
        assert_inputs(&scene);
    }
}

fn assert_inputs(scene: &Scene) {
    let prompt = scene.inputs("UserPromptSubmit", "prompt_id").remove(0);
    for event in ["PostCompact", "PreCompact", "Stop", "SubagentStop"] {
        assert_eq!(scene.inputs(event, "prompt_id"), std::slice::from_ref(&prompt), "{event}");
    }
    let summary = json!("<analysis>a</analysis><summary>short</summary>");
    for (event, field, values) in [
        ("PreCompact", "trigger", vec![json!("auto")]),
        ("PreCompact", "custom_instructions", vec![Value::Null]),
        ("SubagentStop", "agent_type", vec![json!("")]),
        ("SessionStart", "source", vec![json!("startup"), json!("compact")]),
        ("SessionStart", "prompt_id", vec![Value::Null, prompt]),
        ("PostCompact", "trigger", vec![json!("auto")]),
        ("PostCompact", "compact_summary", vec![summary]),
    ] {
        assert_eq!(scene.inputs(event, field), values, "{event} {field}");
    }
}
