//! `req completions`: what a shell needs to complete `req`, from the definition of the command line.

use clap_complete::Shell;

use crate::command::{Reply, clap_command};

pub(super) fn completions(shell: Shell) -> Reply {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut clap_command(), "req", &mut script);
    Reply::yes(String::from_utf8_lossy(&script).trim_end())
}
