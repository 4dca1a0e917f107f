//! The reminder after every fifth executed tool of the main session: when it comes, and when it keeps quiet.

use super::Said::{Nothing, Reminder};
use super::{Guard, ON, said};
use serde_json::json;

#[test]
fn every_fifth_executed_tool_is_followed_by_a_reminder() {
    let guard = Guard::new(ON);
    let said = guard.ends(11);
    let loud: Vec<_> = said.iter().enumerate().filter(|(_, said)| **said != Nothing).collect();
    assert_eq!(loud, [(4, &Reminder), (9, &Reminder)]);
}

#[test]
fn a_call_of_our_own_commands_does_not_count_as_executed() {
    let guard = Guard::new(ON);
    let own = guard.session.bash_succeeded("delegation-guard status", "on");
    for _ in 0..10 {
        assert_eq!(guard.ask(&own), None);
    }
    assert_eq!(guard.ends(5).last(), Some(&Reminder));
}

#[test]
fn a_failed_call_counts_as_executed() {
    let guard = Guard::new(ON);
    let failed = guard.session.post_tool_use_failure("Bash", json!({ "command": "false" }), "Exit code 1");
    for _ in 0..4 {
        assert_eq!(guard.ask(&failed), None);
    }
    let answer = guard.ask(&failed).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PostToolUseFailure");
    assert_eq!(said(Some(&answer)), Reminder);
}

#[test]
fn subagents_calls_exempt_tools_and_delegations_do_not_count() {
    let guard = Guard::new(ON);
    assert_eq!(guard.ends(4), [Nothing; 4]);
    let before = std::fs::read(guard.file()).unwrap();
    for _ in 0..6 {
        assert_eq!(guard.ask(&guard.after("Bash").in_subagent("a1", "general-purpose")), None);
        assert_eq!(guard.ended("TaskCreate"), Nothing);
        assert_eq!(guard.ended("Agent"), Nothing);
    }
    assert_eq!(std::fs::read(guard.file()).unwrap(), before, "and touch no state");
    assert_eq!(guard.ended("Bash"), Reminder);
}
