//! The state file: read, damaged, locked, unwritable, missing. Whatever is wrong with it, a call passes rather than being
//! refused for ever.

use super::Said::{Denial, Nothing};
use super::{Guard, ON, Said, said};
use crate::driver::{documented, notice, tree};
use std::time::Duration;
use tests::process::Invocation;

/// No call may take longer than this while a lock is held; far below the ten seconds the client gives the hook.
const PATIENCE: Duration = Duration::from_secs(5);

#[test]
fn the_end_of_a_session_drops_its_state_and_no_other() {
    let guard = Guard::warmed_up(ON);
    let other = guard.before("Bash").with("session_id", "another-session");
    assert_eq!(said(guard.ask(&other).as_ref()), Denial);
    assert_eq!(guard.ask(&guard.session.session_end("other")), None);
    let left: Vec<_> =
        guard.state_names().into_iter().filter(|name| name.contains(&guard.session.id)).collect();
    assert_eq!(left, [""; 0]);
    assert_eq!(guard.call("Bash"), Denial, "a session that goes on begins anew");
    assert_eq!(guard.ask(&other), None, "the other one's refusal is spent");
}

#[test]
fn a_file_locked_by_another_process_lets_the_call_pass() {
    let guard = Guard::new(ON);
    let mut lock = guard.lock_of(&guard.file_name());
    let held = lock.try_write().expect("nobody else holds it");
    let outcome = guard.hook().stdin(guard.before("Bash").to_bytes()).run();
    let answer = documented(&outcome);
    assert_eq!(said(answer.as_ref()), Nothing);
    assert!(notice(answer.as_ref()).contains("held by another process"), "{answer:?}");
    assert!(outcome.wall < PATIENCE, "{outcome}");
    assert!(guard.journal().contains("held by another process"), "{}", guard.journal());
    drop(held);
    assert_eq!(guard.call("Bash"), Denial);
}

/// Two calls in a row of this hook, as each is answered.
#[track_caller]
fn twice(guard: &Guard, hook: impl Fn() -> Invocation) -> [Said; 2] {
    let bytes = guard.before("Bash").to_bytes();
    [(); 2].map(|()| said(documented(&hook().stdin(&bytes).run()).as_ref()))
}

#[test]
#[cfg(unix)]
fn a_read_only_state_folder_lets_every_call_pass() {
    let guard = Guard::new(ON);
    guard.open_to_all();
    crate::driver::restrict(&guard.sandbox.home().join(".claude"), 0o755);
    let state = guard.sandbox.state_dir();
    tests::process::give_to_unprivileged(&state);
    crate::driver::restrict(&state, 0o500);
    let program = guard.copied_program();
    let hook = || Invocation::new(&program, &guard.sandbox).unprivileged();
    let before = tree(&guard.sandbox.root());
    assert_eq!(twice(&guard, hook), [Nothing; 2]);
    assert_eq!(tree(&guard.sandbox.root()), before);
    crate::driver::restrict(&state, 0o700);
    assert_eq!(twice(&guard, hook), [Denial, Nothing], "and it is only the permissions");
}
