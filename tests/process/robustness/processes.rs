//! Other processes: many copies at once, one that holds a lock, and kill -9 at any moment. No turn, session or notice is lost or
//! doubled, no file is torn, and nobody waits for long.

use crate::driver::{documented, has_extension, is_block, notice};
use crate::gate::{Gate, INSISTS, WORDS, token};
use fd_lock::{RwLock, RwLockWriteGuard};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::Value;
use std::fs::{self, File};
use std::time::Duration;
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

/// No stop may take longer than this while a lock is held; far below the ten seconds the client gives the hook.
const PATIENCE: Duration = Duration::from_secs(5);

fn hold(lock: &mut RwLock<File>) -> RwLockWriteGuard<'_, File> {
    lock.try_write().expect("nobody else holds it")
}

#[test]
fn a_stop_passes_with_a_notice_while_the_token_is_locked() {
    let gate = Gate::new(INSISTS);
    let mut lock = gate.lock_of(&format!("stop-ack-{}", gate.session.id));
    let held = hold(&mut lock);
    let outcome = gate.hook().stdin(gate.session.stop(WORDS).to_bytes()).run();
    let answer = documented(&outcome);
    assert!(notice(answer.as_ref()).contains("held by another process"), "{outcome}");
    assert!(!answer.is_some_and(|answer| is_block(&answer)), "{outcome}");
    assert!(outcome.wall < PATIENCE, "{outcome}");
    assert!(gate.journal().contains("held by another process"), "{}", gate.journal());
    drop(held);
    gate.blocked(WORDS);
}

#[test]
fn a_stop_is_blocked_while_only_the_notices_the_switches_and_the_journal_are_locked() {
    let gate = Gate::new("stop-momentum: {enabled: true, unheard_of: 1}\n");
    let files =
        [format!("{}-told.json", gate.session.id), "switches.json".to_owned(), "journal.jsonl".to_owned()];
    let mut locks = files.map(|file| gate.lock_of(&file));
    let held: Vec<_> = locks.iter_mut().map(hold).collect();
    let outcome = gate.hook().stdin(gate.session.stop(WORDS).to_bytes()).run();
    assert!(documented(&outcome).is_some_and(|answer| is_block(&answer)), "{outcome}");
    assert!(outcome.wall < PATIENCE, "{outcome}");
    drop(held);
}

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
    let mut dice = StdRng::seed_from_u64(9);
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
        std::thread::sleep(dice.random_range(Duration::ZERO..limit));
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
