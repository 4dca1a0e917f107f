//! Stops about which no model is asked, and what the journal says of each.

use serde_json::Value;
use tests::payloads::Payload;

use super::{reason, strict};
use crate::judged::{Judged, REQUEST, worked};

fn after_work(judged: &Judged, message: &str) -> Payload {
    worked(&judged.session, REQUEST);
    judged.session.stop(message)
}

#[test]
fn while_the_user_is_there_nobody_is_asked_in_the_mode_that_waits_for_them_to_go() {
    let judged = strict("mode: auto, away_secs: 86400");
    let unasked = |judged: &Judged| judged.ask(&after_work(judged, "Done."));
    assert_eq!(unasked(&judged), None, "nobody has typed anything yet");
    assert_eq!(judged.ask(&judged.session.user_prompt_submit(REQUEST)), None);
    assert_eq!(unasked(&judged), None, "somebody has just typed");
    assert_eq!(judged.texts("let-go"), ["the user is not away"; 2]);
    // As if the user had typed long ago.
    let file = format!("{}-tempo.json", judged.session.id);
    let mut state = judged.state_of(&file);
    assert!(state["state"]["typed_at"].is_i64(), "{state}");
    state["state"]["typed_at"] = Value::from(1);
    std::fs::write(judged.state(&file), state.to_string()).unwrap();
    assert!(reason(unasked(&judged).as_ref()).is_some(), "{}", judged.journal());
    assert_eq!(judged.api.requests().len(), 1);
}

#[test]
fn nobody_is_asked_where_it_is_off_or_nobody_reads_along() {
    let judged = strict("");
    let headless = judged.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    headless.stdin(after_work(&judged, "Done.").to_bytes()).run().assert_silent();
    judged.ask(&judged.session.user_prompt_submit("tempo-stop off"));
    assert_eq!(judged.ask(&after_work(&judged, "Done.")), None, "it is switched off by hand");
    assert!(judged.api.requests().is_empty());
}
