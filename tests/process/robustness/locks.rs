//! A lock that another process does not let go of: the hook waits its second and passes. Nobody waits for what only
//! reads.

use crate::driver::{documented, is_block, notice};
use crate::gate::{Gate, INSISTS, WORDS};
use fd_lock::{RwLock, RwLockWriteGuard};
use std::fs::File;
use std::time::Duration;

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
