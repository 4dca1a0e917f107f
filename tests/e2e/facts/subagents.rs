//! Question 7: in which order a subagent starts, calls and stops.

use crate::scene::Scene;
use serde_json::Value;
use tests::messages_api::Reply;
use tests::recording::Behaviour;
use tests::script;

#[test]
fn a_subagent_asks_nothing_before_its_start_hook_has_ended_and_its_calls_carry_its_id() {
    let slow = Behaviour::default().then(Value::Null, 2000).then(Value::Null, 2000);
    let scene =
        Scene::new().hook("SubagentStart", "SubagentStart", slow).recording(&["PreToolUse", "SubagentStop"]);

    let session = scene.ask(
        "work",
        script![Reply::agent("outer"), "end"]
            .agent("outer", [Reply::agent("inner"), Reply::text("outer answer")])
            .agent("inner", [Reply::bash("true"), Reply::text("inner answer")]),
    );

    let starts = scene.recorder.runs("SubagentStart");
    assert_eq!(starts.len(), 2);
    for (run, name) in starts.iter().zip(["outer", "inner"]) {
        assert!(run.ended() < session.of_agent(name)[0].at_us, "{name} asked too early");
        assert_eq!(run.payload["agent_type"], "general-purpose");
    }
    let [outer, inner] = &scene.inputs("SubagentStart", "agent_id")[..] else { panic!("{starts:?}") };
    assert_ne!(outer, inner);
    assert_eq!(scene.inputs("PreToolUse", "agent_id"), [&Value::Null, outer, inner].map(Value::clone));
    assert_eq!(scene.inputs("SubagentStop", "agent_id"), [inner, outer].map(Value::clone));
}
