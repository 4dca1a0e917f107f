//! The status line the user had before: run as Claude Code ran it, with the same input.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use shared::child::{self, Limits};

pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// More of its output is not read, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Set for the command: our status line, started by it in whatever way, prints nothing.
pub(super) const VARIABLE: &str = "BARBLESS_STATUSLINE";

/// The output of the command for this input; `None` if it cannot be run, or does not end in time.
pub(super) fn output(command: &str, input: &[u8], patience: Duration) -> Option<Vec<u8>> {
    let (program, option) = if cfg!(unix) { ("/bin/sh", "-c") } else { ("cmd", "/C") };
    let mut shell = Command::new(program);
    shell.arg(option).arg(command).env(VARIABLE, "1");
    shell.stderr(Stdio::null());
    let limits = Limits { deadline: Instant::now() + patience, grace: Duration::ZERO, max_bytes: MAX_BYTES };
    child::run(&mut shell, input, limits).ok().map(|output| output.stdout)
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    #[test]
    fn ends_the_command_with_all_it_has_started() {
        use std::time::{Duration, Instant};
        let patience = Duration::from_secs(20);
        let began = Instant::now();
        assert_eq!(super::output("sleep 600 & echo begun; wait", b"{}", Duration::from_millis(50)), None);
        let printed = super::output("cat; sleep 600 & echo; printf '\\033[31m'; exit 3", b"{}", patience);
        assert_eq!(printed.as_deref(), Some(&b"{}\n\x1b[31m"[..]));
        assert!(began.elapsed() < patience);
    }
}
