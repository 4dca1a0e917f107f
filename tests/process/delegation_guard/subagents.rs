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
fn the_guard_stays_on_in_the_main_session_while_named_subagents_run() {
    let guard = Guard::warmed_up(ON);
    assert_eq!(guard.ask(&guard.session.subagent_start("a1")), None);
    assert_eq!(guard.calls(2), [Nothing, Advice(2)]);
    assert_eq!(guard.ask(&guard.session.subagent_stop("a1", "done")), None);
    assert_eq!(guard.calls(2), [Nothing, Advice(4)]);
}

#[test]
fn a_named_start_alone_leaves_no_state() {
    let guard = Guard::new(ON);
    guard.ask(&guard.session.subagent_start("a1"));
    guard.ask(&guard.session.subagent_stop("a1", "done"));
    let left: Vec<_> =
        guard.state_names().into_iter().filter(|name| name.contains(&guard.session.id)).collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn a_subagent_resets_nothing_of_the_main_session() {
    let guard = Guard::warmed_up(ON);
    assert_eq!(guard.calls(1), [Nothing]);
    assert_eq!(guard.ask(&guard.before("Agent").in_subagent("a1", "general-purpose")), None);
    assert_eq!(guard.call("Bash"), Advice(2));
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

#[test]
fn two_anonymous_starts_need_two_ends_and_one_of_an_unknown_id_is_as_good() {
    let guard = Guard::warmed_up(ON);
    for _ in 0..2 {
        assert_eq!(guard.ask(&anonymous(guard.session.subagent_start("a1"))), None);
    }
    assert_eq!(guard.ask(&guard.session.subagent_stop("unheard-of", "done")), None);
    assert_eq!(guard.calls(3), [Nothing; 3]);
    assert_eq!(guard.ask(&anonymous(guard.session.subagent_stop("a1", "done"))), None);
    assert_eq!(guard.calls(2), [Nothing, Advice(2)]);
}

#[test]
fn an_end_that_nothing_began_changes_nothing() {
    let guard = Guard::warmed_up(ON);
    for stop in ["a1", "a2"].map(|id| guard.session.subagent_stop(id, "done")) {
        assert_eq!(guard.ask(&stop), None);
        assert_eq!(guard.ask(&anonymous(stop)), None);
    }
    assert_eq!(guard.calls(2), [Nothing, Advice(2)]);
}

#[test]
fn a_client_that_was_renewed_in_the_middle_of_a_session_is_believed() {
    let guard = Guard::warmed_up(ON);
    assert_eq!(guard.ask(&anonymous(guard.session.subagent_start("a1"))), None);
    assert_eq!(guard.ask(&guard.session.subagent_start("a2")), None);
    assert_eq!(guard.calls(2), [Nothing, Advice(2)]);
}
