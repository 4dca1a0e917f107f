//! Many copies at once: one stop is blocked once, and no turn, session or notice is lost or doubled.

use crate::driver::{is_block, notice};
use crate::gate::{Gate, WORDS, reason, token};
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
fn the_token_of_the_one_block_holds() {
    let gate = Gate::new("stop-momentum: {enabled: true, enforce_ack: true}\n");
    let answers = gate.ask_at_once(&vec![gate.session.stop(WORDS); COPIES]);
    let blocked = answers.iter().flatten().find(|answer| is_block(answer));
    let token = token(&reason(blocked));
    assert!(gate.state_of(&format!("stop-ack-{}", gate.session.id)).to_string().contains(&token));
    gate.passes(&format!("Done. {token}"));
    assert!(gate.journal().contains("acknowledged"), "{}", gate.journal());
}

#[test]
fn forty_sessions_are_blocked_and_counted_each() {
    let gate = Gate::new("stop-momentum: {enabled: true}\n");
    let sessions: Vec<String> = (0..COPIES).map(|number| format!("session-{number}")).collect();
    let stops: Vec<_> =
        sessions.iter().map(|id| gate.session.stop(WORDS).with("session_id", id.as_str())).collect();
    let answers = gate.ask_at_once(&stops);
    assert_eq!(count_blocks(&answers), COPIES, "{}", gate.journal());
    for (session, answer) in sessions.iter().zip(&answers) {
        let count = gate.state_of(&format!("{session}-blocks.json"));
        assert_eq!(count["state"]["stops"]["stop-momentum"]["count"], 1, "{count}");
        let remembered = gate.state_of(&format!("stop-ack-{session}"));
        assert_eq!(remembered["state"]["token"], token(&reason(answer.as_ref())).as_str());
    }
    assert_eq!(gate.journal().lines().filter(|line| line.contains(r#""what":"block""#)).count(), COPIES);
}

#[test]
fn forty_turns_of_one_session_are_blocked_each_and_the_last_ones_state_is_whole() {
    let gate = Gate::new("stop-momentum: {enabled: true}\n");
    let turns: Vec<String> = (0..COPIES).map(|number| format!("turn-{number}")).collect();
    let stop = gate.session.stop(WORDS).without("transcript_path");
    let stops: Vec<_> = turns.iter().map(|id| stop.clone().with("prompt_id", id.as_str())).collect();
    let answers = gate.ask_at_once(&stops);
    // On a loaded machine a copy may not get the lock in its second: then it passes and says so.
    let busy = gate.journal().matches("held by another process").count();
    assert_eq!(count_blocks(&answers) + busy, COPIES, "{}", gate.journal());
    assert!(busy < COPIES / 2, "{busy} copies gave up");
    let count = gate.state_of(&format!("{}-blocks.json", gate.session.id));
    let last = turns.iter().position(|turn| count["state"]["prompt_id"] == turn.as_str()).unwrap();
    let remembered = gate.state_of(&format!("stop-ack-{}", gate.session.id));
    assert_eq!(remembered["state"]["token"], token(&reason(answers[last].as_ref())).as_str());
    assert_eq!(count["state"]["stops"]["stop-momentum"]["count"], 1, "{count}");
}

#[test]
fn forty_copies_tell_a_problem_once() {
    let gate = Gate::new("stop-momentum: {enabled: true, unheard_of: 1}\n");
    let answers = gate.ask_at_once(&vec![gate.session.stop(WORDS); COPIES]);
    let told = answers.iter().filter(|answer| notice(answer.as_ref()).contains("unheard_of")).count();
    assert_eq!(told, 1, "{answers:?}");
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
