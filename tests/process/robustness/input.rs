//! Whatever comes on stdin, or does not come: garbage passes in silence, a whole value is answered at once.

use crate::dice::Dice;
use crate::driver::documented;
use crate::gate::{Gate, INSISTS, WORDS, reason};
use std::time::Duration;
use tests::payloads;

/// More input than this is refused, in bytes.
const MAX_INPUT_BYTES: usize = 16 * 1024 * 1024;

/// How long the hook waits for the end of a value.
const READ_DEADLINE: Duration = Duration::from_secs(2);

#[track_caller]
fn passes_in_silence(gate: &Gate, round: usize, what: &str, bytes: &[u8]) {
    assert_eq!(gate.answer(round, bytes), None, "{what}");
}

/// The gate works as ever, whatever came before.
#[track_caller]
fn still_blocks(gate: &Gate) {
    reason(gate.stop(WORDS).as_ref());
}

#[test]
fn random_bytes_pass_in_silence() {
    let gate = Gate::new(INSISTS);
    let mut dice = Dice::seeded(1);
    for round in 0..100 {
        let count = 1 << (round % 13);
        passes_in_silence(&gate, round, &format!("round {round}"), &dice.bytes(count));
    }
    still_blocks(&gate);
}

#[test]
fn every_recorded_input_cut_short_passes_in_silence() {
    let gate = Gate::new(INSISTS);
    let mut dice = Dice::seeded(2);
    for (round, (name, payload)) in payloads::recordings().into_iter().enumerate() {
        let bytes = payload.to_bytes();
        // The line break and the closing brace are the last two bytes: without them the object is not whole.
        let longest = bytes.len() - 2;
        let somewhere = usize::try_from(dice.number()).unwrap() % longest;
        for cut in [1, longest / 2, somewhere, longest] {
            passes_in_silence(&gate, round, &format!("{name} cut at {cut}"), &bytes[..cut]);
        }
    }
    still_blocks(&gate);
}

#[test]
fn stdin_that_stays_open_without_a_whole_value_is_given_up_at_the_deadline() {
    let gate = Gate::new(INSISTS);
    let half = &gate.session.stop(WORDS).to_bytes()[..100];
    let waiting: Vec<_> = [&b""[..], half, b" \n", b"true"]
        .map(|given| gate.hook().stdin_held_open(given).start())
        .into_iter()
        .collect();
    for hook in waiting {
        let outcome = hook.wait();
        assert_eq!(documented(&outcome), None);
        assert!(outcome.wall >= READ_DEADLINE, "it gave up too early: {outcome}");
    }
}

#[test]
fn a_whole_value_on_stdin_that_stays_open_is_answered_at_once() {
    let gate = Gate::new(INSISTS);
    let outcome = gate.hook().stdin_held_open(gate.session.stop(WORDS).to_bytes()).run();
    reason(documented(&outcome).as_ref());
    assert!(outcome.wall < READ_DEADLINE, "it waited for more: {outcome}");
}

#[test]
fn an_input_of_16_mib_is_answered_and_a_longer_one_passes() {
    let gate = Gate::new(INSISTS);
    let of = |bytes: usize| {
        let padding = bytes - gate.session.stop("").to_bytes().trim_ascii_end().len();
        let stop = gate.session.stop(&"x".repeat(padding)).to_bytes().trim_ascii_end().to_vec();
        assert_eq!(stop.len(), bytes);
        stop
    };
    reason(documented(&gate.hook().stdin(of(MAX_INPUT_BYTES)).run()).as_ref());
    passes_in_silence(&gate, 0, "one byte more", &of(MAX_INPUT_BYTES + 1));
    assert!(gate.journal().contains("more than 16 MiB"), "{}", gate.journal());
}
