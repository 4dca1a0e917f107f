//! The stops that are never blocked, whatever the settings say, and the nearest ones that are.

use crate::driver::is_block;
use crate::gate::{Gate, INSISTS, WORDS};
use tests::payloads::Payload;
use tests::transcripts::Transcript;

#[track_caller]
fn passes(change: impl FnOnce(Payload) -> Payload) {
    let gate = Gate::new(INSISTS);
    let stop = change(gate.session.stop(WORDS));
    assert_eq!(gate.ask(&stop), None, "{stop:?}");
}

#[track_caller]
fn is_blocked(change: impl FnOnce(Payload) -> Payload) {
    let gate = Gate::new(INSISTS);
    let stop = change(gate.session.stop(WORDS));
    assert!(gate.ask(&stop).is_some_and(|answer| is_block(&answer)), "{stop:?}");
}

#[test]
fn a_turn_without_a_tool_call_passes() {
    let gate = Gate::new(INSISTS);
    Transcript::of(&gate.session).prompt("what is a hook?").text("A barbed or barbless one.").write();
    gate.passes(WORDS);
}

#[test]
fn a_question_to_the_user_passes() {
    passes(|stop| stop.with("last_assistant_message", "Shall I go on?"));
    passes(|stop| stop.with("last_assistant_message", "Which one?\n\n1. The first\n2. The second"));
    is_blocked(|stop| stop.with("last_assistant_message", "You asked why? Because of this."));
}

#[test]
fn without_a_session_id_it_passes_and_nothing_is_remembered() {
    let gate = Gate::new(INSISTS);
    let stop = gate.session.stop(WORDS);
    for stop in
        [stop.clone().without("session_id"), stop.clone().with("session_id", ""), stop.with("session_id", 7)]
    {
        assert_eq!(gate.ask(&stop), None, "{stop:?}");
    }
    assert!(gate.state_names().iter().all(|name| ["heartbeat", "journal.jsonl"].contains(&name.as_str())));
}
