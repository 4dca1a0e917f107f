//! Many copies at once: one stop is blocked once, and no turn, session or notice is lost or doubled.

use crate::driver::is_block;
use crate::gate::{Gate, WORDS};
use serde_json::Value;
use tests::payloads::Payload;

const COPIES: usize = 40;

fn count_blocks(answers: &[Option<Value>]) -> usize {
    answers.iter().flatten().filter(|answer| is_block(answer)).count()
}

#[test]
fn forty_copies_of_one_stop_are_blocked_once() {
    for global in ["stop-momentum: {enabled: true}\n", "stop-momentum: {enabled: true, enforce_ack: true}\n"]
    {
        let gate = Gate::new(global);
        let answers = gate.ask_at_once(&vec![gate.session.stop(WORDS); COPIES]);
        assert_eq!(count_blocks(&answers), 1, "{global}{}", gate.journal());
    }
}

#[test]
fn the_end_of_a_session_in_the_middle_of_its_stops_harms_nobody() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    let events: Vec<Payload> = (0..COPIES)
        .map(|number| match number % 4 {
            0 => gate.session.session_end("other"),
            _ => gate.session.stop(WORDS).with("prompt_id", format!("turn-{number}")),
        })
        .collect();
    gate.ask_at_once(&events);
    gate.ask(&gate.session.session_end("other"));
    assert!(
        !gate.state_names().iter().any(|name| name.contains(&gate.session.id)),
        "{:?}",
        gate.state_names()
    );
    gate.blocked(WORDS);
}
