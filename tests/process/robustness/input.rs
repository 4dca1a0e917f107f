//! Whatever comes on stdin, or does not come: garbage passes in silence, a whole value is answered at once.

use crate::dice::Dice;
use crate::driver::documented;
use crate::gate::{Gate, INSISTS, WORDS, reason};
use serde_json::{Value, json};
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
fn a_stop_with_one_damaged_byte_is_answered_as_documented() {
    let gate = Gate::new(INSISTS);
    let bytes = gate.session.stop(WORDS).to_bytes();
    let mut dice = Dice::seeded(3);
    for round in 0..100 {
        let mut damaged = bytes.clone();
        let place = usize::try_from(dice.number()).unwrap() % bytes.len();
        damaged[place] = dice.bytes(1)[0];
        // A cut or a changed quote may leave the value open: then only the end of stdin ends it.
        gate.answer(round, &damaged);
    }
}

#[test]
fn every_field_of_a_stop_with_every_wrong_type_is_answered_as_documented() {
    let values = || {
        let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100), close.repeat(100));
        [
            json!(null),
            json!(true),
            json!(0),
            json!(-1),
            json!(1.5e300),
            json!(u64::MAX),
            json!(""),
            json!("x".repeat(100_000)),
            json!("\0\u{7f}\u{202e}../../\n"),
            json!([]),
            json!([null, {}, [[]]]),
            json!({}),
            json!({ "hook_event_name": "Stop" }),
            serde_json::from_str::<Value>(&deep("[", "]")).unwrap(),
            serde_json::from_str::<Value>(&deep("{\"a\":", "}")).unwrap(),
        ]
    };
    let gate = Gate::new(INSISTS);
    let stop = gate.session.stop(WORDS);
    for (round, key) in stop.keys().into_iter().enumerate() {
        for value in values() {
            let wrong = stop.clone().with(key, value);
            gate.respond(&wrong.to_bytes());
        }
        gate.answer(round, &stop.clone().without(key).to_bytes());
    }
}

#[test]
fn json_that_is_no_event_passes_in_silence() {
    let gate = Gate::new(INSISTS);
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    let named = |value: &str| format!("{{\"hook_event_name\":{value}}}");
    let texts = [
        "[]".to_owned(),
        "[{}]".to_owned(),
        "{}".to_owned(),
        "null".to_owned(),
        "true".to_owned(),
        "\"Stop\"".to_owned(),
        "7".to_owned(),
        format!("{{\"session_id\":{}}}", "9".repeat(100_000)),
        "\0".repeat(1000),
        "}{".to_owned(),
        "]".to_owned(),
        "{\"a\":1,}".to_owned(),
        "{'hook_event_name':'Stop'}".to_owned(),
        "\u{feff}".to_owned(),
        named("null"),
        named("7"),
        named("\"\""),
        named("[\"Stop\"]"),
        named("\"stop\""),
        named("\"\\ud800\""),
        deep("[", "]"),
        deep("{\"a\":", "}"),
        "[".repeat(100_000),
        deep("{\"hook_event_name\":\"Stop\",\"a\":[", "]}"),
    ];
    for (round, text) in texts.iter().enumerate() {
        passes_in_silence(&gate, round, &text.chars().take(60).collect::<String>(), text.as_bytes());
    }
    still_blocks(&gate);
}

#[test]
fn what_the_hook_does_not_know_does_not_blind_it() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    let stop = || gate.session.stop(WORDS);
    let deep: Value = json!("DEEP");
    let deep_text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = |payload: payloads::Payload| String::from_utf8(payload.to_bytes()).unwrap();
    for bytes in [
        text(stop().with("news", json!({ "a": [1, 2, { "b": null }] }))).into_bytes(),
        text(stop().with("news", deep)).replace("\"DEEP\"", &deep_text).into_bytes(),
        text(stop().with("news", json!("DEEP"))).replace("\"DEEP\"", &"9".repeat(100_000)).into_bytes(),
        text(stop().with("news", json!("DEEP"))).replace("DEEP", "\\ud800 half a pair").into_bytes(),
        [b"\xef\xbb\xbf \r\n", stop().to_bytes().as_slice()].concat(),
        [stop().to_bytes().as_slice(), b"{\"hook_event_name\":\"SessionEnd\"} garbage"].concat(),
    ] {
        let answer = documented(&gate.hook().stdin(&bytes).run());
        reason(answer.as_ref());
    }
}

#[test]
fn text_that_is_no_utf8_does_not_blind_it_where_it_is_not_needed() {
    let gate = Gate::new(INSISTS);
    let mut bytes = gate.session.stop("NOT UTF-8").to_bytes();
    let place = bytes.windows(3).position(|three| three == b"NOT").unwrap();
    bytes[place] = 0xff;
    documented(&gate.hook().stdin(&bytes).run());
}

#[test]
fn empty_and_closed_stdin_pass_in_silence() {
    let gate = Gate::new(INSISTS);
    passes_in_silence(&gate, 0, "empty", b"");
    passes_in_silence(&gate, 0, "blank", b" \n");
    assert_eq!(documented(&gate.hook().stdin_closed().run()), None);
    assert!(gate.journal().contains("no complete JSON value"), "{}", gate.journal());
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
fn a_value_in_pieces_is_put_together() {
    let gate = Gate::new(INSISTS);
    let bytes = gate.session.stop(WORDS).to_bytes();
    let hook = gate.hook().stdin_held_open("").start();
    bytes.chunks(7).for_each(|piece| hook.give(piece));
    reason(documented(&hook.wait()).as_ref());
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
