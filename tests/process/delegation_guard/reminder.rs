//! The reminder after every fifth executed tool of the main session: when it comes, and when it keeps quiet.

use super::Said::{Advice, Denial, Nothing, Reminder};
use super::{Guard, ON, Said, said};
use serde_json::json;

/// A call and its end, and what was said before and after.
#[track_caller]
fn whole_call(guard: &Guard, number: usize) -> (Said, Said) {
    let id = format!("toolu_{number}");
    let before = guard.ask(&guard.before("Bash").with("tool_use_id", id.as_str()));
    let after = guard.ask(&guard.after("Bash").with("tool_use_id", id.as_str()));
    (said(before.as_ref()), said(after.as_ref()))
}

#[test]
fn every_fifth_executed_tool_is_followed_by_a_reminder() {
    let guard = Guard::new(ON);
    let said = guard.ends(11);
    let loud: Vec<_> = said.iter().enumerate().filter(|(_, said)| **said != Nothing).collect();
    assert_eq!(loud, [(4, &Reminder), (9, &Reminder)]);
}

#[test]
fn no_reminder_comes_with_an_advice_nor_for_the_five_executed_calls_after_it() {
    let guard = Guard::warmed_up("delegation-guard: {enabled: true, reminder: {every: 1}}\n");
    let said: Vec<_> = (1..=16).map(|number| whole_call(&guard, number)).collect();
    let advised: Vec<usize> = (1..=16).filter(|call| matches!(said[call - 1].0, Advice(_))).collect();
    let reminded: Vec<usize> = (1..=16).filter(|call| said[call - 1].1 == Reminder).collect();
    assert_eq!(advised, [2, 4, 8, 16]);
    assert_eq!(reminded, [1, 14, 15], "quiet from 2 to 13, and at 16");
}

#[test]
fn in_a_run_of_calls_the_fifth_and_tenth_are_too_close_to_an_advice_and_the_fifteenth_is_not() {
    let guard = Guard::warmed_up(ON);
    let after: Vec<Said> = (1..=15).map(|number| whole_call(&guard, number).1).collect();
    assert_eq!(after.iter().rposition(|said| *said != Nothing), Some(14));
    assert_eq!(after.iter().filter(|said| **said == Reminder).count(), 1);
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

#[test]
fn a_delegation_restarts_the_count() {
    let guard = Guard::new(ON);
    assert_eq!(guard.ends(4), [Nothing; 4]);
    assert_eq!(guard.call("Agent"), Nothing);
    assert_eq!(guard.ends(5), [Nothing, Nothing, Nothing, Nothing, Reminder]);
}

#[test]
fn a_denied_call_executes_nothing_and_counts_nothing() {
    let guard = Guard::new(ON);
    assert_eq!(guard.ends(4), [Nothing; 4]);
    assert_eq!(guard.call("Bash"), Denial);
    assert_eq!(guard.ended("Bash"), Reminder);
}

#[test]
fn it_can_be_switched_off_and_leaves_no_state_then() {
    let guard = Guard::new("delegation-guard: {enabled: true, reminder: {enabled: false}}\n");
    assert_eq!(guard.ends(6), [Nothing; 6]);
    assert!(!guard.file().exists());
}
