//! delegation-guard through real processes: each of its answers once, parallel calls, and who is left alone. The rules are
//! tables beside its `decide`.

use crate::driver::{Driver, context, denial, documented, tree};
use serde_json::{Value, json};
use tests::payloads::Payload;

const ON: &str = "delegation-guard: {enabled: true}\n";

const COPIES: usize = 20;

fn guard(global: &str) -> Driver {
    Driver::new("delegation-guard", global)
}

/// The event before a call of the main session.
fn before(guard: &Driver) -> Payload {
    guard.session.pre_tool_use("Bash", json!({ "command": "ls" }))
}

/// The text for Claude beside an event that goes on begins so.
#[track_caller]
fn assert_advises(answer: Option<&Value>, beginning: &str) {
    assert_eq!(denial(answer), None);
    let text = context(answer).unwrap_or_default();
    assert!(text.starts_with(&format!("delegation-guard ({beginning}")), "{answer:?}");
}

#[test]
fn the_first_call_is_denied_once_and_advice_and_a_delegation_follow() {
    let guard = guard("delegation-guard:\n  enabled: true\n  first_call: deny\n");
    let call = || guard.ask(&before(&guard));
    let reason = denial(call().as_ref()).unwrap();
    for part in ["delegation-guard denied", "(streak 0)", "call Agent", "send the same call again"] {
        assert!(reason.contains(part), "no `{part}` in {reason}");
    }
    assert!(reason.ends_with("\n(delegation-guard.first_call: ~/.claude/requirements.yaml:3)"), "{reason}");
    assert_eq!(call(), None);
    assert_advises(call().as_ref(), "advice at streak 2)");
    let agent = guard.session.pre_tool_use("Agent", json!({ "description": "x", "prompt": "y" }));
    assert_eq!(guard.ask(&agent), None);
    assert!(denial(call().as_ref()).is_some(), "a delegation arms it again");
}

#[test]
fn a_failed_call_counts_as_executed() {
    let guard = guard(ON);
    let failed = guard.session.post_tool_use_failure("Bash", json!({ "command": "false" }), "Exit code 1");
    for _ in 0..4 {
        assert_eq!(guard.ask(&failed), None);
    }
    let answer = guard.ask(&failed);
    assert_advises(answer.as_ref(), "reminder)");
    assert_eq!(answer.unwrap()["hookSpecificOutput"]["hookEventName"], "PostToolUseFailure");
}

#[test]
fn exactly_one_of_twenty_parallel_first_calls_is_denied_a_hundred_times() {
    let guard = guard(ON);
    for round in 0..100 {
        let call = before(&guard).with("session_id", format!("session-{round}"));
        let calls: Vec<_> =
            (0..COPIES).map(|number| call.clone().with("tool_use_id", format!("toolu_{number}"))).collect();
        let answers = guard.ask_at_once(&calls);
        let denials = answers.iter().filter(|answer| denial(answer.as_ref()).is_some()).count();
        assert_eq!(denials, 1, "round {round}: {answers:?}\n{}", guard.journal());
    }
}

/// Each of these is answered with silence, and none is counted.
#[test]
fn subagents_scripts_and_our_own_commands_are_left_alone() {
    let guard = guard(ON);
    let own = json!({ "command": "delegation-guard status", "description": "x" });
    let own = guard.session.pre_tool_use("Bash", own);
    assert_eq!(guard.ask(&own), None);
    let left = tree(&guard.sandbox.state_dir());
    for tool in ["Bash", "Agent", "Skill", "mcp__a__b"] {
        let before = guard.session.pre_tool_use(tool, json!({}));
        let after = guard.session.post_tool_use_failure(tool, json!({}), "Exit code 1");
        for event in [before, after] {
            assert_eq!(guard.ask(&event.in_subagent("a1", "general-purpose")), None, "{tool}");
        }
    }
    let headless = guard.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    assert_eq!(documented(&headless.stdin(before(&guard).to_bytes()).run()), None);
    assert_eq!(tree(&guard.sandbox.state_dir()), left);
    assert!(
        denial(guard.ask(&before(&guard)).as_ref()).is_some(),
        "and the main session is as armed as before"
    );
}
