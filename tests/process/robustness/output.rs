//! Whatever becomes of what the hook says: nobody reads it, it cannot be written, there is no stdout at all.

use crate::driver::documented;
use crate::gate::{Gate, INSISTS, WORDS};
use tests::process::Invocation;

/// A stop that would be blocked ends well, and the next one is blocked as ever.
#[track_caller]
fn ends_well(change: impl FnOnce(Invocation) -> Invocation) {
    let gate = Gate::new(INSISTS);
    let hook = change(gate.hook().stdin(gate.session.stop(WORDS).to_bytes()));
    assert_eq!(documented(&hook.run()), None, "stdout is not ours to read");
    gate.blocked(WORDS);
}

#[test]
fn a_closed_stdout_does_no_harm() {
    ends_well(Invocation::stdout_closed);
}

#[test]
#[cfg(target_os = "linux")]
fn a_stdout_on_a_full_disk_does_no_harm() {
    ends_well(Invocation::stdout_on_full_disk);
}

#[test]
fn no_descriptor_at_all_does_no_harm() {
    let gate = Gate::new(INSISTS);
    assert_eq!(documented(&gate.hook().stdin_closed().stdout_closed().run()), None);
}
