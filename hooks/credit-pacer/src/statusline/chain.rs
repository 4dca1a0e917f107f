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
    let is_between = |char: char| char.is_whitespace() || "'\"`;|&()<>$={}\\/".contains(char);
    let mut words = command.split(is_between).filter(|word| !word.is_empty());
    let is_program =
        |word: &str| matches!(word.strip_suffix(".exe").unwrap_or(word), "credit-pacer" | "pace-maker");
    words.any(is_program) && words.any(|word| word == "statusline")
}

#[cfg(test)]
mod tests {
    use super::is_ours;

    #[test]
    fn our_own_status_line_is_never_chained_whatever_its_path() {
        for command in [
            "credit-pacer statusline",
            "pace-maker statusline",
            "~/.claude/hooks/credit-pacer statusline",
            "\"$HOME/my hooks/credit-pacer\" statusline",
            "'/opt/x/pace-maker' 'statusline'",
            "exec env A=1 /x/credit-pacer --quiet statusline | cat",
            "C:\\Users\\me\\credit-pacer.exe statusline",
            "sh -c 'credit-pacer statusline'",
            "x=$(credit-pacer statusline); echo $x",
        ] {
            assert!(is_ours(command), "{command}");
        }
        for command in [
            "~/.claude/statusline.sh",
            "credit-pacer status",
            "npx ccstatusline",
            "statusline credit-pacer",
            "my-credit-pacer statusline",
            "credit-pacer-theme statusline",
            "",
        ] {
            assert!(!is_ours(command), "{command}");
        }
    }

    #[cfg(unix)]
    mod run {
        use std::time::{Duration, Instant};

        use super::super::run;

        const PATIENCE: Duration = Duration::from_secs(20);

        fn text(command: &str) -> Option<String> {
            run(command, b"{\"session_id\":\"s\"}", PATIENCE).map(|bytes| String::from_utf8(bytes).unwrap())
        }

        #[test]
        fn passes_the_input_and_returns_the_output_unchanged() {
            assert_eq!(text("cat").as_deref(), Some("{\"session_id\":\"s\"}"));
            assert_eq!(text("printf '\\033[31mred\\n\\n'").as_deref(), Some("\u{1b}[31mred\n\n"));
            assert_eq!(text("echo not read; exit 3").as_deref(), Some("not read\n"));
            assert_eq!(text("echo \"$BARBLESS_STATUSLINE\"").as_deref(), Some("1\n"));
            assert_eq!(text("/nowhere/at-all").as_deref(), Some(""));
            assert_eq!(text("yes").map(|text| text.len()), Some(64 * 1024));
        }

        #[test]
        fn ends_the_command_with_all_it_has_started() {
            let began = Instant::now();
            assert_eq!(run("sleep 600 & echo begun; wait", b"{}", Duration::from_millis(50)), None);
            assert_eq!(text("sleep 600 & echo done").as_deref(), Some("done\n"));
            assert!(began.elapsed() < PATIENCE);
        }
    }
}
