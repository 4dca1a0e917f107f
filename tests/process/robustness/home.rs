//! A home that is missing, empty, no folder or read-only, and a disk that is full: the stop passes, nothing is created
//! where it does not belong, and with a state folder that works the gate works.

use crate::driver::{documented, is_block, notice, tree};
use crate::gate::{Gate, WORDS, reason};
use std::fs;
use std::path::Path;
use tests::process::Invocation;
use tests::sandbox::Level;

const TEAM: &str = "stop-momentum: {enabled: true, enforce_ack: true}\n";

/// A project that enables the gate, and nothing in the home.
fn gate() -> Gate {
    let gate = Gate::unconfigured();
    gate.sandbox.requirements(Level::Project, TEAM);
    gate
}

/// The hook without a state folder that the environment names.
fn stateless(gate: &Gate) -> Invocation {
    gate.hook().unset("CLAUDE_HOOK_STATE_DIR").stdin(gate.session.stop(WORDS).to_bytes())
}

/// A stop passes in silence, and nothing in the sandbox is another than before.
#[track_caller]
fn passes_without_a_trace(gate: &Gate, hook: Invocation) {
    let before = tree(&gate.sandbox.root());
    let outcome = hook.run();
    assert_eq!(documented(&outcome), None, "{outcome}");
    assert_eq!(tree(&gate.sandbox.root()), before);
}

#[test]
fn without_a_home_nothing_is_created_anywhere() {
    let gate = gate();
    passes_without_a_trace(&gate, stateless(&gate).unset("HOME"));
    passes_without_a_trace(&gate, stateless(&gate).env("HOME", ""));
}

#[test]
fn without_a_home_a_state_folder_of_its_own_is_enough() {
    for home in [None, Some("")] {
        let gate = gate();
        let hook = gate.hook().stdin(gate.session.stop(WORDS).to_bytes());
        let hook = match home {
            None => hook.unset("HOME"),
            Some(home) => hook.env("HOME", home),
        };
        reason(documented(&hook.run()).as_ref());
    }
}

#[test]
fn a_home_that_is_a_file_or_lies_below_one_does_no_harm() {
    let gate = gate();
    let file = gate.sandbox.write_home("a-file", "");
    for home in [file.clone(), file.join("home"), "/dev/null".into()] {
        passes_without_a_trace(&gate, stateless(&gate).env("HOME", home.display().to_string()));
    }
}

#[test]
fn a_relative_home_does_no_harm() {
    let gate = gate();
    documented(&stateless(&gate).env("HOME", "relative").run());
    documented(&stateless(&gate).env("HOME", ".").run());
}

/// The answer to a stop where the environment names this state folder.
#[track_caller]
fn with_state_folder(gate: &Gate, folder: &Path) -> Option<serde_json::Value> {
    let hook = gate.hook().env("CLAUDE_HOOK_STATE_DIR", folder.display().to_string());
    documented(&hook.stdin(gate.session.stop(WORDS).to_bytes()).run())
}

#[test]
fn a_state_folder_that_is_no_folder_is_reported_and_the_usual_one_is_used() {
    for relative in [false, true] {
        let gate = gate();
        let file = gate.sandbox.write_home("a-file", "");
        let folder = if relative { Path::new("relative") } else { &file };
        let answer = with_state_folder(&gate, folder);
        assert!(
            notice(answer.as_ref()).contains("CLAUDE_HOOK_STATE_DIR"),
            "{}: {answer:?}",
            folder.display()
        );
        reason(answer.as_ref());
        assert!(!gate.sandbox.project().join("relative").exists());
    }
}

#[test]
fn a_state_folder_that_cannot_be_made_is_reported_and_the_usual_one_is_used() {
    for folder in ["/dev/null/state", "/proc/1/state"].map(Path::new) {
        let gate = gate();
        let answer = with_state_folder(&gate, folder);
        assert!(
            notice(answer.as_ref()).contains("CLAUDE_HOOK_STATE_DIR"),
            "{}: {answer:?}",
            folder.display()
        );
        reason(answer.as_ref());
    }
}

#[test]
#[cfg(unix)]
fn a_read_only_home_does_no_harm() {
    let gate = gate();
    gate.open_to_all();
    crate::driver::restrict(&gate.sandbox.home(), 0o555);
    crate::driver::restrict(&gate.sandbox.home().join(".claude"), 0o555);
    let program = gate.copied_program();
    let hook = Invocation::new(program, &gate.sandbox).unset("CLAUDE_HOOK_STATE_DIR").unprivileged();
    passes_without_a_trace(&gate, hook.stdin(gate.session.stop(WORDS).to_bytes()));
}

#[test]
#[cfg(unix)]
fn a_read_only_state_folder_does_no_harm() {
    let gate = gate();
    gate.open_to_all();
    let state = gate.sandbox.state_dir();
    tests::process::give_to_unprivileged(&state);
    crate::driver::restrict(&state, 0o500);
    let program = gate.copied_program();
    let hook = || Invocation::new(&program, &gate.sandbox).unprivileged();
    passes_without_a_trace(&gate, hook().stdin(gate.session.stop(WORDS).to_bytes()));
    crate::driver::restrict(&state, 0o700);
    let answer = documented(&hook().stdin(gate.session.stop(WORDS).to_bytes()).run());
    assert!(answer.is_some_and(|answer| is_block(&answer)), "and it is only the permissions");
}

#[test]
#[cfg(unix)]
fn a_state_folder_of_another_user_is_not_used() {
    let gate = gate();
    gate.open_to_all();
    let foreign = Path::new("/usr");
    let hook = Invocation::new(gate.copied_program(), &gate.sandbox).unprivileged().unset("HOME");
    let hook = hook.env("CLAUDE_HOOK_STATE_DIR", foreign.display().to_string());
    documented(&hook.stdin(gate.session.session_start("startup").to_bytes()).run());
    assert!(!foreign.join("heartbeat").exists());
}

#[test]
#[cfg(unix)]
fn a_full_disk_lets_the_stop_pass_and_leaves_the_old_state() {
    let gate = gate();
    let full = || gate.hook().files_cannot_grow().stdin(gate.session.stop(WORDS).to_bytes());
    assert_eq!(documented(&full().run()), None, "a gate that cannot count must not block");
    let first = crate::gate::token(&gate.blocked(WORDS));
    let state = fs::read(gate.token_file()).unwrap();
    assert_eq!(documented(&full().run()), None);
    assert_eq!(fs::read(gate.token_file()).unwrap(), state);
    gate.passes(&format!("Done. {first}"));
}

#[test]
#[cfg(unix)]
fn every_event_ends_well_on_a_full_disk() {
    let gate = gate();
    gate.sandbox.requirements(Level::User, "unheard_of: 1\nstop-momentum: {unheard_of: 1}\n");
    gate.blocked(WORDS);
    let session = &gate.session;
    for event in
        [session.session_start("startup"), session.user_prompt_submit("go"), session.session_end("other")]
    {
        documented(&gate.hook().files_cannot_grow().stdin(event.to_bytes()).run());
    }
}
