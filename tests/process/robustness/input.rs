//! What comes on stdin or does not come, what becomes of stdout, ids of every shape: garbage passes in silence, a whole value is
//! answered at once, and no id leaves the state folder.

use crate::driver::{documented, tree};
use crate::gate::{Gate, INSISTS, WORDS, reason, token};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;
use tests::payloads::{self, Payload};
use tests::process::Invocation;

/// More input than this is refused, in bytes.
const MAX_INPUT_BYTES: usize = 16 * 1024 * 1024;

/// How long the hook waits for the end of a value.
const READ_DEADLINE: Duration = Duration::from_secs(2);

#[test]
fn garbage_and_inputs_cut_short_pass_in_silence_and_the_gate_still_blocks() {
    let gate = Gate::new(INSISTS);
    let mut dice = StdRng::seed_from_u64(1);
    for round in 0..100 {
        let mut bytes = vec![0; 1 << (round % 13)];
        dice.fill(&mut bytes[..]);
        assert_eq!(gate.answer(round, &bytes), None, "random bytes, round {round}");
    }
    for (round, (name, payload)) in payloads::recordings().into_iter().enumerate() {
        let bytes = payload.to_bytes();
        // The line break and the closing brace are the last two bytes: without them the object is not whole.
        for cut in [0, 1, bytes.len() / 2, bytes.len() - 2] {
            assert_eq!(gate.answer(round, &bytes[..cut]), None, "{name} cut at {cut}");
        }
    }
    assert_eq!(documented(&gate.hook().stdin_closed().run()), None);
    assert!(gate.journal().contains("no complete JSON value"), "{}", gate.journal());
    gate.blocked(WORDS);
}

#[test]
fn only_stops_among_all_recorded_inputs_get_an_answer() {
    let gate = Gate::new(INSISTS);
    let inputs = payloads::recordings().into_iter().enumerate();
    let answered = inputs.filter(|(round, (_, input))| gate.answer(*round, &input.to_bytes()).is_some());
    let names: Vec<String> = answered.map(|(_, (name, _))| name).collect();
    assert_eq!(names, ["Stop", "Stop-stop_hook_active"]);
}

#[test]
fn stdin_that_stays_open_without_a_whole_value_is_given_up_at_the_deadline() {
    let gate = Gate::new(INSISTS);
    let half = &gate.session.stop(WORDS).to_bytes()[..100];
    let start = |given: &[u8]| gate.hook().stdin_held_open(given).start();
    for hook in [&b""[..], half, b"true"].map(start) {
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
        gate.session.stop(&"x".repeat(padding)).to_bytes().trim_ascii_end().to_vec()
    };
    reason(documented(&gate.hook().stdin(of(MAX_INPUT_BYTES)).run()).as_ref());
    assert_eq!(gate.answer(0, &of(MAX_INPUT_BYTES + 1)), None, "one byte more");
    assert!(gate.journal().contains("more than 16 MiB"), "{}", gate.journal());
}

#[test]
fn an_answer_that_nobody_can_read_does_no_harm() {
    let mut changes: Vec<fn(Invocation) -> Invocation> =
        vec![Invocation::stdout_closed, Invocation::stdout_without_reader, |hook| {
            hook.stdin_closed().stdout_closed()
        }];
    #[cfg(target_os = "linux")]
    changes.push(Invocation::stdout_on_full_disk);
    for change in changes {
        let gate = Gate::new(INSISTS);
        let hook = change(gate.hook().stdin(gate.session.stop(WORDS).to_bytes()));
        assert_eq!(documented(&hook.run()), None, "stdout is not ours to read");
        gate.blocked(WORDS);
    }
}

/// Ids a well-meaning client would never send.
fn hostile_ids() -> Vec<String> {
    let long = "x".repeat(101);
    let ids = [
        "..",
        "/",
        "~",
        "../../escape",
        "..\\..\\escape",
        "/etc/passwd",
        "nul\0byte",
        "a b",
        "line\nbreak",
        "-rf",
        "$(touch escape)",
        "ünïcödé",
        "CON",
        "C:",
        "OFF",
        "switches",
        "journal",
        "stop-ack-",
        "x.lock",
        "x-blocks.json",
        &long,
    ];
    ids.map(str::to_owned).into()
}

/// Everything in the sandbox but what is in the state folder.
fn outside(gate: &Gate) -> BTreeSet<(std::path::PathBuf, String)> {
    let state = gate.sandbox.state_dir();
    tree(&gate.sandbox.root())
        .into_iter()
        .filter(|(path, _)| !path.starts_with(&state) || *path == state)
        .collect()
}

#[test]
fn a_hostile_session_id_works_like_any_other_and_stays_inside_the_state_folder() {
    let gate = Gate::new(INSISTS);
    let before = outside(&gate);
    for (round, id) in hostile_ids().into_iter().enumerate() {
        // The id alone: where the transcript lies is the client's own business.
        let ask = |payload: Payload| gate.answer(round, &payload.with("session_id", id.as_str()).to_bytes());
        let first = token(&reason(ask(gate.session.stop(WORDS)).as_ref()));
        assert_eq!(ask(gate.session.stop(&format!("Done. {first}"))), None, "{id:?}");
        ask(gate.session.session_start("startup"));
        ask(gate.session.pre_tool_use("Bash", json!({ "command": "ls" })));
        ask(gate.session.session_end("other"));
        let kept: BTreeSet<String> = ["heartbeat", "journal.jsonl", "swept"].map(str::to_owned).into();
        assert_eq!(gate.state_names(), kept, "after the end of {id:?}");
    }
    assert_eq!(outside(&gate), before);
}

#[test]
fn hostile_paths_in_the_input_are_read_by_nobody_and_written_by_nobody() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    let before = outside(&gate);
    let secret = gate.sandbox.home().join(".gitconfig").display().to_string();
    for path in ["/dev/zero", "/dev/stdin", "/proc/self/mem", "/", "relative", "\0", &secret] {
        for key in ["transcript_path", "cwd"] {
            let stop = gate.session.stop(WORDS).with(key, path).with("prompt_id", format!("{key} {path}"));
            let answer = documented(&gate.hook().stdin(stop.to_bytes()).run());
            assert!(!answer.is_some_and(|answer| answer.to_string().contains("Sandbox")), "{key} {path}");
        }
    }
    assert_eq!(outside(&gate), before);
}
