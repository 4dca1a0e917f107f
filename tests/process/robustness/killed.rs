//! Kill -9 at any moment leaves the old state or the new one, never a torn one, and nothing that piles up.

use crate::dice::Dice;
use crate::driver::has_extension;
use crate::gate::{Gate, WORDS, token};
use serde_json::Value;
use std::fs;
use std::time::Duration;

const KILLS: usize = 200;

/// Every state file is one whole JSON value, and none had to be set aside.
#[track_caller]
fn assert_whole(gate: &Gate, when: &str) {
    for name in gate.state_names() {
        assert!(!has_extension(&name, "corrupt"), "{name} after {when}");
        let is_beside = ["lock", "tmp"].iter().any(|extension| has_extension(&name, extension));
        if !is_beside && (name.starts_with("stop-ack-") || has_extension(&name, "json")) {
            let text = fs::read_to_string(gate.state(&name)).unwrap();
            assert!(serde_json::from_str::<Value>(&text).is_ok(), "{name} after {when}: {text}");
        }
    }
}

#[test]
fn kill_9_at_any_moment_leaves_whole_files_and_a_gate_that_works() {
    let gate = Gate::new("stop-momentum: {enabled: true, enforce_ack: true, unheard_of: 1}\n");
    let mut dice = Dice::seeded(9);
    let mut limit = Duration::from_millis(4);
    let mut killed = 0;
    for round in 0..KILLS {
        let event = match round % 5 {
            4 => gate.session.session_end("other"),
            _ => {
                gate.session.stop(WORDS).with("prompt_id", format!("turn {round}")).without("transcript_path")
            }
        };
        let mut hook = gate.hook().stdin(event.to_bytes()).start();
        // The moment of the kill is what is tried: nothing is waited for.
        std::thread::sleep(dice.time_below(limit));
        hook.kill();
        let was_killed = !hook.wait().status.success();
        killed += usize::from(was_killed);
        // However fast the machine is just now, about half of the kills come before the end.
        limit = if was_killed { limit * 11 / 10 } else { limit * 10 / 11 }.max(Duration::from_micros(100));
        assert_whole(&gate, &format!("kill {round}"));
    }
    assert!(killed > KILLS / 4, "only {killed} of {KILLS} were killed before their end");
    let names = gate.state_names();
    assert!(
        names.iter().filter(|name| has_extension(name, "tmp")).count() <= 4,
        "one per state file: {names:?}"
    );

    let token = token(&gate.blocked(WORDS));
    gate.passes(&format!("Done. {token}"));
    gate.ask(&gate.session.session_end("other"));
    assert!(!gate.token_file().exists());
}
