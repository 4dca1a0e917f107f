//! The stops that are never blocked, whatever the settings say, and the nearest ones that are.

use crate::gate::{Gate, INSISTS, WORDS};
use tests::transcripts::Transcript;

#[test]
fn a_turn_without_a_tool_call_passes() {
    let gate = Gate::new(INSISTS);
    Transcript::of(&gate.session).prompt("what is a hook?").text("A barbed or barbless one.").write();
    gate.passes(WORDS);
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
