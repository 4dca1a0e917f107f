//! The streak end to end: refused once, silent, advised on at doublings, back to the beginning with a delegation.

use super::Said::{Advice, Denial, Nothing};
use super::{Guard, ON};

#[test]
fn the_first_call_is_refused_and_the_next_ones_run_with_advice_at_2_4_8_and_16() {
    let guard = Guard::new(ON);
    let said = guard.calls(18);
    let loud: Vec<_> = said.iter().enumerate().filter(|(_, said)| **said != Nothing).collect();
    // The refused call does not count: the call of that index has that streak.
    assert_eq!(loud, [(0, &Denial), (2, &Advice(2)), (4, &Advice(4)), (8, &Advice(8)), (16, &Advice(16))]);
    assert_eq!(guard.streak(), 17);
}

#[test]
fn sending_the_same_call_again_lets_it_run_as_the_refusal_says() {
    let guard = Guard::new(ON);
    let call = guard.before("Bash");
    let reason = crate::driver::denial(guard.ask(&call).as_ref()).unwrap();
    assert!(reason.contains("send the same call again: it will run"), "{reason}");
    assert_eq!(guard.ask(&call), None);
}

#[test]
fn delegating_instead_is_never_refused_as_the_refusal_says() {
    for tool in ["Agent", "Task"] {
        let guard = Guard::new(ON);
        let reason = crate::driver::denial(guard.ask(&guard.before("Bash")).as_ref()).unwrap();
        assert!(reason.contains("call Agent (Task in older clients)"), "{reason}");
        assert_eq!(guard.call(tool), Nothing);
        assert_eq!(guard.ended(tool), Nothing);
    }
}

#[test]
fn a_delegation_sets_the_streak_back_and_arms_the_refusal_again() {
    for tool in ["Agent", "Task"] {
        let guard = Guard::warmed_up(ON);
        assert_eq!(guard.calls(3), [Nothing, Advice(2), Nothing]);
        assert_eq!(guard.call(tool), Nothing);
        assert_eq!(guard.streak(), 0);
        assert_eq!(guard.calls(3), [Denial, Nothing, Advice(2)], "after {tool}");
    }
}

#[test]
fn the_listed_tools_neither_count_nor_reset_and_leave_no_state() {
    let exempt = [
        "Skill",
        "AskUserQuestion",
        "TaskCreate",
        "TaskUpdate",
        "TaskGet",
        "TaskList",
        "EnterPlanMode",
        "ExitPlanMode",
    ];
    let guard = Guard::new(ON);
    for tool in exempt {
        assert_eq!((guard.call(tool), guard.ended(tool)), (Nothing, Nothing), "{tool}");
    }
    assert!(!guard.file().exists());
    assert_eq!(guard.calls(2), [Denial, Nothing]);
    for tool in exempt {
        assert_eq!(guard.call(tool), Nothing, "{tool}");
        assert_eq!(guard.streak(), 1, "{tool}");
    }
    assert_eq!(guard.call("Bash"), Advice(2));
}

#[test]
fn a_new_session_begins_armed_and_a_new_prompt_changes_nothing() {
    let guard = Guard::warmed_up(ON);
    assert_eq!(guard.calls(1), [Nothing]);
    let next_prompt = guard.before("Bash").with("prompt_id", "another-turn");
    assert_eq!(super::said(guard.ask(&next_prompt).as_ref()), Advice(2));
    let other = guard.before("Bash").with("session_id", "another-session");
    assert_eq!(super::said(guard.ask(&other).as_ref()), Denial);
    assert_eq!(guard.calls(2), [Nothing, Advice(4)], "the other session's calls are its own");
}

#[test]
fn a_call_made_only_of_our_own_commands_is_neither_refused_nor_counted() {
    let guard = Guard::new(ON);
    let own = |command: &str| {
        guard.session.pre_tool_use("Bash", serde_json::json!({ "command": command, "description": "x" }))
    };
    assert_eq!(guard.ask(&own("delegation-guard status")), None);
    assert!(!guard.file().exists());
    assert_eq!(super::said(guard.ask(&own("delegation-guard status && ls")).as_ref()), Denial);
}

#[test]
fn every_recorded_input_of_the_client_is_answered_as_documented() {
    let guard = Guard::new(ON);
    let mut loud = Vec::new();
    for (name, payload) in tests::payloads::recordings() {
        if guard.ask(&payload.with("session_id", name.as_str())).is_some() {
            loud.push(name);
        }
    }
    let exempt =
        ["Agent", "AskUserQuestion", "ExitPlanMode", "Skill", "TaskCreate", "TaskList", "TaskUpdate"];
    let expected: Vec<String> = tests::payloads::recordings()
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| name.strip_prefix("PreToolUse-").is_some_and(|tool| !exempt.contains(&tool)))
        .filter(|name| !name.ends_with("-in-subagent"))
        .collect();
    assert!(expected.len() >= 8, "{expected:?}");
    assert_eq!(loud, expected, "the first call of each session, and nothing else");
}
