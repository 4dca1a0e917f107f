//! Every file a normal run leaves, replaced by what does not belong there: each event still ends well, and the gate works.

use crate::driver::has_extension;
use crate::gate::{Gate, WORDS, reason};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// A hook that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(8);

/// The gate is on, and something is wrong with the file, so that a notice is remembered too.
const WITH_A_PROBLEM: &str = "stop-momentum: {enabled: true, max_blocks: 6, unheard_of: 1}\n";

/// A gate with every file a normal run makes: those of a session in the middle and those that outlive it.
fn used_gate() -> Gate {
    let gate = Gate::new(WITH_A_PROBLEM);
    gate.blocked(WORDS);
    gate.ask(&gate.session.clone().with_id("another").session_end("other"));
    let switches = r#"{"version":1,"session":"","state":{"machine":{},"sessions":{}}}"#;
    fs::write(gate.state("switches.json"), switches).unwrap();
    gate
}

/// The names below the state folder: what is there, and what a run may make.
fn names_to_replace(gate: &Gate) -> Vec<String> {
    let there = gate.state_names();
    let own = |name: &&String| name.contains(&gate.session.id) && !has_extension(name, "lock");
    let temporary = there.iter().filter(own).map(|name| format!("{name}.tmp"));
    let aside = there.iter().filter(own).map(|name| format!("{name}.corrupt"));
    let more = ["heartbeat/stop-momentum", "journal.jsonl.lock", "nonce"].map(str::to_owned);
    there.iter().cloned().chain(temporary).chain(aside).chain(more).collect()
}

fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}

/// Puts something else where a file was, one at a time, and tells the hook of every event; then takes it away again.
#[track_caller]
fn every_event_ends_well(replace: impl Fn(&Path)) {
    let gate = used_gate();
    let names = names_to_replace(&gate);
    assert!(names.len() >= 16, "{names:?}");
    for (round, name) in names.into_iter().enumerate() {
        let file = gate.state(&name);
        remove(&file);
        replace(&file);
        let session = &gate.session;
        for event in [session.stop(WORDS), session.session_start("startup"), session.session_end("other")] {
            let began = Instant::now();
            gate.answer(round, &event.to_bytes());
            assert!(began.elapsed() < PATIENCE, "{name} makes {} hang", event.get("hook_event_name"));
        }
        remove(&file);
        reason(gate.respond(&session.stop(WORDS).to_bytes()).as_ref());
    }
}

#[test]
fn garbage_in_any_file_does_no_harm() {
    for garbage in [&b""[..], b"\xff\xfe", b"{\"version\":1,\"session\":7,\"state\":[]}"] {
        every_event_ends_well(|file| fs::write(file, garbage).unwrap());
    }
}

#[test]
fn a_pipe_in_place_of_any_file_holds_nobody_up() {
    every_event_ends_well(crate::driver::make_pipe);
}
