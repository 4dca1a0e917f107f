//! The recorded inputs of the real client: the library reads each as the event it is, and the binary answers each.

use crate::gate::{Gate, INSISTS};
use shared::protocol;
use tests::payloads;

/// What the client tells its status line command is no hook input.
fn is_hook_input(name: &str) -> bool {
    !name.starts_with("statusLine")
}

#[test]
fn every_recorded_hook_input_is_read_as_its_event() {
    let (mut read, mut known) = (0, 0);
    for (name, payload) in payloads::recordings().iter().filter(|(name, _)| is_hook_input(name)) {
        let input = protocol::parse(&payload.to_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(input.event.name(), payload.get("hook_event_name"), "{name}");
        assert_eq!(input.call.session_id.as_deref(), payload.get("session_id").as_str(), "{name}");
        assert_eq!(input.call.prompt_id.as_deref(), payload.get("prompt_id").as_str(), "{name}");
        assert_eq!(input.call.agent_id.as_deref(), payload.get("agent_id").as_str(), "{name}");
        read += 1;
        known += usize::from(!matches!(input.event, protocol::Event::Other(_)));
    }
    assert_eq!(read, 83);
    assert!(known > 50, "only {known} recordings are events our hooks know");
}

#[test]
fn of_all_recorded_inputs_only_the_stops_are_answered() {
    let gate = Gate::new(INSISTS);
    let answered: Vec<String> = payloads::recordings()
        .into_iter()
        .enumerate()
        .filter(|(round, (_, payload))| gate.answer(*round, &payload.to_bytes()).is_some())
        .map(|(_, (name, _))| name)
        .collect();
    assert_eq!(answered, ["Stop", "Stop-stop_hook_active"]);
}
