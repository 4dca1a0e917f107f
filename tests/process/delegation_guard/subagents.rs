//! Subagents: those whose calls carry their id, and those of older clients, of whose start and end alone is told.

use super::Said::{Advice, Denial, Nothing};
use super::{Guard, ON};
use crate::driver::tree;
use serde_json::json;
use tests::payloads::Payload;

/// An event of an older client.
fn anonymous(event: Payload) -> Payload {
    event.without("agent_id").without("agent_type")
}

#[test]
fn a_subagents_calls_are_silent_and_touch_no_state_file() {
    let guard = Guard::new(ON);
    let in_subagent = |event: Payload| event.in_subagent("a1", "general-purpose");
    assert_eq!(guard.ask(&in_subagent(guard.before("Bash"))), None);
    // What any process of a hook leaves: the time of its last beat.
    let before = tree(&guard.sandbox.state_dir());
    for tool in ["Bash", "Agent", "Task", "Skill", "mcp__a__b"] {
        assert_eq!(guard.ask(&in_subagent(guard.before(tool))), None, "{tool}");
        assert_eq!(guard.ask(&in_subagent(guard.after(tool))), None, "{tool}");
        let failed = guard.session.post_tool_use_failure(tool, json!({}), "Exit code 1");
        assert_eq!(guard.ask(&in_subagent(failed)), None, "{tool}");
    }
    assert_eq!(tree(&guard.sandbox.state_dir()), before);
    assert_eq!(guard.call("Bash"), Denial, "and the main session is as armed as before");
}

#[test]
fn in_an_older_client_the_guard_is_silent_from_a_subagents_start_to_its_end() {
    let guard = Guard::warmed_up(ON);
    assert_eq!(guard.ask(&anonymous(guard.session.subagent_start("a1"))), None);
    assert_eq!(guard.calls(3), [Nothing; 3]);
    assert_eq!(guard.ends(6), [Nothing; 6]);
    assert_eq!(guard.streak(), 0);
    assert_eq!(guard.ask(&anonymous(guard.session.subagent_stop("a1", "done"))), None);
    assert_eq!(guard.calls(2), [Nothing, Advice(2)]);
}
