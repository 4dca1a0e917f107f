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
fn a_call_made_only_of_our_own_commands_is_neither_refused_nor_counted() {
    let guard = Guard::new(ON);
    let own = |command: &str| {
        guard.session.pre_tool_use("Bash", serde_json::json!({ "command": command, "description": "x" }))
    };
    assert_eq!(guard.ask(&own("delegation-guard status")), None);
    assert!(!guard.file().exists());
    assert_eq!(super::said(guard.ask(&own("delegation-guard status && ls")).as_ref()), Denial);
}
