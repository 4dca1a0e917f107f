//! Going in a circle: the same call in a row and two calls in turn, whose texts say what ends it, and polling, which is none.

use super::{Calls, ONLY_LOOPS, told};
use crate::driver::notice;
use serde_json::{Value, json};

/// The answers to these calls, each letter a call of its own.
fn answers(calls: &Calls, letters: &str) -> Vec<Option<Value>> {
    letters.chars().map(|letter| calls.call(&letter.to_string())).collect()
}

#[test]
fn the_same_call_in_a_row_is_told_at_the_fourth_and_at_doublings() {
    let calls = Calls::unconfigured();
    let answers = answers(&calls, &"x".repeat(20));
    assert_eq!(told(&answers), [4, 5, 7, 11, 19]);
    let text = notice(answers[3].as_ref());
    assert!(
        text.starts_with(
            "rate-awareness.repeat: the main session called Bash 4 times in a row with the same input."
        ),
        "{text}"
    );
    assert!(text.contains("set rate-awareness.repeat in requirements.yaml"), "{text}");
}

#[test]
fn any_other_call_ends_the_row_as_the_text_says() {
    let calls = Calls::new(ONLY_LOOPS);
    let text = notice(answers(&calls, "xxxx")[3].as_ref());
    assert!(text.contains("Any other call ends the row."), "{text}");
    assert_eq!(told(&answers(&calls, "yxxx")), [0; 0]);
    let same_tool = calls.session.pre_tool_use("Read", json!({ "command": "echo x", "description": "x" }));
    assert_eq!(calls.ask(&same_tool), None, "the same input of another tool is another call");
    assert_eq!(told(&answers(&calls, "xxx")), [0; 0]);
}

#[test]
fn two_calls_in_turn_are_told_when_the_fourth_round_is_complete_and_a_third_ends_it() {
    let calls = Calls::new(ONLY_LOOPS);
    let answers_in_turn = answers(&calls, &"xy".repeat(8));
    assert_eq!(told(&answers_in_turn), [8, 10, 14]);
    let text = notice(answers_in_turn[7].as_ref());
    assert!(
        text.starts_with("rate-awareness.ping_pong: the main session went back and forth between Bash and one other call for 4 rounds"),
        "{text}"
    );
    assert!(text.contains("Any other call ends it."), "{text}");
    assert_eq!(told(&answers(&calls, "zxyxyxy")), [0; 0]);
}

#[test]
fn another_prompt_begins_anew_and_a_subagent_has_a_row_of_its_own() {
    let calls = Calls::new(ONLY_LOOPS);
    assert_eq!(told(&answers(&calls, "xxx")), [0; 0]);
    let elsewhere = |agent: &str| calls.ask(&calls.bash("x").in_subagent(agent, "general-purpose"));
    for agent in ["a1", "a2"] {
        assert_eq!((0..3).filter(|_| elsewhere(agent).is_some()).count(), 0);
    }
    assert!(notice(elsewhere("a1").as_ref()).contains("this subagent called Bash 4 times"));
    let next = calls.session.clone().with_prompt_id("9c0fe5a1-0000-4000-8000-000000000002");
    let next = next.pre_tool_use("Bash", json!({ "command": "echo x", "description": "x" }));
    assert_eq!((0..3).filter(|_| calls.ask(&next).is_some()).count(), 0);
    assert!(calls.ask(&next).is_some());
}

#[test]
fn polling_is_no_circle_and_which_tools_poll_is_a_setting() {
    let poll =
        |calls: &Calls, tool: &str| calls.ask(&calls.session.pre_tool_use(tool, json!({ "task_id": "b1" })));
    let calls = Calls::new(ONLY_LOOPS);
    for tool in ["TaskOutput", "BashOutput", "AgentOutputTool"] {
        assert_eq!((0..9).filter(|_| poll(&calls, tool).is_some()).count(), 0, "{tool}");
    }
    for _ in 0..9 {
        assert_eq!((calls.call("sleep"), poll(&calls, "TaskOutput")), (None, None), "waiting and looking");
    }
    let calls = Calls::new(&format!("{ONLY_LOOPS}  polling_tools: [mcp__ci__status]\n"));
    assert_eq!((0..9).filter(|_| poll(&calls, "mcp__ci__status").is_some()).count(), 0);
    assert_eq!((0..4).filter(|_| poll(&calls, "TaskOutput").is_some()).count(), 1);
}

#[test]
fn zero_switches_either_rule_off() {
    let calls = Calls::new(&format!("{ONLY_LOOPS}  repeat: 0\n"));
    assert_eq!(told(&answers(&calls, &"x".repeat(12))), [0; 0]);
    assert_eq!(told(&answers(&calls, &"yz".repeat(4))), [8]);
    let calls = Calls::new(&format!("{ONLY_LOOPS}  ping_pong: 0\n"));
    assert_eq!(told(&answers(&calls, &"yz".repeat(6))), [0; 0]);
    assert_eq!(told(&answers(&calls, "xxxx")), [4]);
}

#[test]
fn several_signs_on_one_call_are_one_message() {
    let calls = Calls::new("rate-awareness: {global_default: {capacity: 3, refill_per_sec: 0}}\n");
    let text = notice(answers(&calls, "xxxx")[3].as_ref());
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(
        text.contains("rate-awareness.global_default: ") && text.contains("rate-awareness.repeat: "),
        "{text}"
    );
}
