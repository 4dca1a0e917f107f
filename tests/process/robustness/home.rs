//! A home that is missing, empty, no folder or read-only, and a disk that is full: the stop passes, nothing is created
//! where it does not belong, and with a state folder that works the gate works.

use crate::driver::{documented, notice, tree};
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
    let file = gate.sandbox.write_home("a-file", "");
    for home in [std::path::PathBuf::new(), file.clone(), file.join("home"), "/dev/null".into()] {
        passes_without_a_trace(&gate, stateless(&gate).env("HOME", home.display().to_string()));
    }
}

/// The answer to a stop where the environment names this state folder.
#[track_caller]
fn with_state_folder(gate: &Gate, folder: &Path) -> Option<serde_json::Value> {
    let hook = gate.hook().env("CLAUDE_HOOK_STATE_DIR", folder.display().to_string());
    documented(&hook.stdin(gate.session.stop(WORDS).to_bytes()).run())
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
