//! The status line the user had before: run as Claude Code ran it, with the same input.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use shared::child::{self, Limits};
use shared::host::Host;

const DEADLINE: Duration = Duration::from_secs(2);

/// More of its output is not read, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Set for the command: our status line, started by it in whatever way, does not start it again.
const VARIABLE: &str = "BARBLESS_STATUSLINE";

/// The output of the command for this input; `None` if it is our own status line, cannot be run, or does not end in time.
pub(super) fn output(host: &Host, command: &str, input: &[u8]) -> Option<Vec<u8>> {
    if host.variable(VARIABLE).is_some() || is_ours(command) {
        return None;
    }
    run(command, input, DEADLINE)
}

fn run(command: &str, input: &[u8], patience: Duration) -> Option<Vec<u8>> {
    let (program, option) = if cfg!(unix) { ("/bin/sh", "-c") } else { ("cmd", "/C") };
    let mut shell = Command::new(program);
    shell.arg(option).arg(command).env(VARIABLE, "1");
    shell.stderr(Stdio::null());
    let limits = Limits { deadline: Instant::now() + patience, grace: Duration::ZERO, max_bytes: MAX_BYTES };
    child::run(&mut shell, input, limits).ok().map(|output| output.stdout)
}

/// The command is our own status line, in whatever folder the program lies.
fn is_ours(command: &str) -> bool {
    let begins = ["credit-pacer", "pace-maker"].iter().find_map(|name| command.find(name));
    begins.is_some_and(|at| command[at..].contains("statusline"))
}

#[cfg(test)]
mod tests {
    use super::is_ours;

    #[test]
    fn our_own_status_line_is_never_chained() {
        for (command, expected) in [
            ("\"$HOME/my hooks/credit-pacer\" statusline", true),
            ("exec env A=1 /x/pace-maker statusline | cat", true),
            ("~/.claude/statusline.sh", false),
            ("statusline credit-pacer", false),
            ("", false),
        ] {
            assert_eq!(is_ours(command), expected, "{command}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn ends_the_command_with_all_it_has_started() {
        use std::time::{Duration, Instant};
        let patience = Duration::from_secs(20);
        let began = Instant::now();
        assert_eq!(super::run("sleep 600 & echo begun; wait", b"{}", Duration::from_millis(50)), None);
        let printed = super::run("cat; sleep 600 & echo; printf '\\033[31m'; exit 3", b"{}", patience);
        assert_eq!(printed.as_deref(), Some(&b"{}\n\x1b[31m"[..]));
        assert!(began.elapsed() < patience);
    }
}
