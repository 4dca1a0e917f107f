//! What a system must know to run processes in groups and as other users.

use rustix::process::{Pid, Signal, geteuid, kill_process_group, test_kill_process};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command};

/// The user and group that own nothing.
const NOBODY: u32 = 65534;

pub(super) fn lead_own_group(command: &mut Command, unprivileged: bool) {
    command.process_group(0);
    if unprivileged && geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
}

pub(super) fn end_group(child: &mut Child, at_once: bool) {
    let signal = if at_once { Signal::KILL } else { Signal::TERM };
    // An error says that nobody of the group is left.
    let _ = kill_process_group(Pid::from_child(child), signal);
}

/// Makes the user of [`crate::process::Invocation::unprivileged`] the owner of a file or folder.
pub fn give_to_unprivileged(path: &Path) {
    if geteuid().is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).expect("another owner");
    }
}

/// Is there still a process of that id? One that has ended counts until its parent has asked for its status.
pub fn is_running(id: u32) -> bool {
    let process = i32::try_from(id).ok().and_then(Pid::from_raw);
    process.is_some_and(|process| test_kill_process(process).is_ok())
}
