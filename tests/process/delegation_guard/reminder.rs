//! The reminder after every fifth executed tool of the main session: when it comes, and when it keeps quiet.

use super::Said::Reminder;
use super::{Guard, ON, said};
use serde_json::json;

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
