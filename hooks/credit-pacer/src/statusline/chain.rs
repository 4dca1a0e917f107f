//! The status line the user had before: run as the client ran it, with what the client told us.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use shared::host::Host;

/// It may take so long.
const DEADLINE: Duration = Duration::from_secs(2);

/// What was printed before the end is there after so long, whoever else still holds the pipe.
const REST: Duration = Duration::from_millis(50);

/// More of its output is not read.
const MAX_BYTES: u64 = 64 * 1024;

/// Set for it: ours, started by it in whatever way, does not start it again.
const VARIABLE: &str = "BARBLESS_STATUSLINE";

/// What the command prints when it is given `input`, unchanged. Nothing, if it is ourselves, cannot be run, or has not ended
/// in time.
pub(super) fn output(host: &Host, command: &str, input: &[u8]) -> Option<Vec<u8>> {
    let leads_to_us = || {
        let home = host.variable("HOME").map(PathBuf::from);
        let path = host.variable("PATH").unwrap_or_default();
        let program = std::env::current_exe().and_then(|program| program.canonicalize());
        program.is_ok_and(|program| first_program(command, home.as_deref(), &path) == Some(program))
    };
    if host.variable(VARIABLE).is_some() || is_ours(command) || leads_to_us() {
        return None;
    }
    run(command, input, DEADLINE)
}

fn run(command: &str, input: &[u8], patience: Duration) -> Option<Vec<u8>> {
    let deadline = Instant::now() + patience;
    let mut shell = shell(command);
    shell.env(VARIABLE, "1").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    lead_own_group(&mut shell);
    let mut child = shell.spawn().ok()?;
    feed(&mut child, input.to_vec());
    let printed = collect(&mut child)?;
    let has_ended = ends_by(&mut child, deadline);
    // Something it has left behind may hold the pipe open: what it printed itself counts.
    let printed = has_ended.then(|| taken(&printed, Instant::now() + REST));
    end_group(&mut child);
    let _ = child.wait();
    printed
}

/// What has come until the pipe is closed, or until then.
fn taken(printed: &mpsc::Receiver<Vec<u8>>, until: Instant) -> Vec<u8> {
    let next = || printed.recv_timeout(until.saturating_duration_since(Instant::now())).ok();
    std::iter::from_fn(next).flatten().collect()
}

/// The program the command begins with, whatever links lead to it.
fn first_program(command: &str, home: Option<&Path>, path: &str) -> Option<PathBuf> {
    let command = command.trim_start();
    let command = command.strip_prefix("exec ").unwrap_or(command).trim_start();
    let word = match command.chars().next()? {
        quote @ ('"' | '\'') => command.get(1..)?.split(quote).next()?,
        _ => command.split(|char: char| char.is_whitespace() || ";|&<>()".contains(char)).next()?,
    };
    let in_home = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|prefix| word.strip_prefix(prefix));
    if let Some(rest) = in_home {
        return home?.join(rest).canonicalize().ok();
    }
    if word.contains(std::path::is_separator) {
        return Path::new(word).canonicalize().ok();
    }
    let found = std::env::split_paths(path).map(|folder| folder.join(word)).find(|file| file.is_file());
    found?.canonicalize().ok()
}

/// The command is our own status line, in whatever folder the program lies.
fn is_ours(command: &str) -> bool {
    let is_between = |char: char| char.is_whitespace() || "'\"`;|&()<>$={}\\/".contains(char);
    let mut words = command.split(is_between).filter(|word| !word.is_empty());
    let is_program = |word: &str| {
        let name = word.strip_suffix(".exe").unwrap_or(word);
        name == "credit-pacer" || name == "pace-maker"
    };
    words.any(is_program) && words.any(|word| word == "statusline")
}

#[cfg(unix)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command);
    shell
}

#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.arg("/C").arg(command);
    shell
}

/// From a thread, because it need not read.
fn feed(child: &mut Child, input: Vec<u8>) {
    if let Some(mut stdin) = child.stdin.take() {
        thread::spawn(move || {
            // That it does not want it is its own affair.
            let _ = stdin.write_all(&input);
        });
    }
}

/// Piece by piece, as it comes.
fn collect(child: &mut Child) -> Option<mpsc::Receiver<Vec<u8>>> {
    let mut stdout = child.stdout.take()?.take(MAX_BYTES);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut piece = [0; 4096];
        loop {
            match stdout.read(&mut piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return,
                Ok(count) => {
                    let piece = piece.get(..count).unwrap_or_default();
                    if sender.send(piece.to_vec()).is_err() {
                        return;
                    }
                }
            }
        }
    });
    Some(receiver)
}

fn ends_by(child: &mut Child, deadline: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(_)) => return true,
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(1)),
            _ => return false,
        }
    }
}

#[cfg(unix)]
fn lead_own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn lead_own_group(_command: &mut Command) {}

#[cfg(unix)]
fn end_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // An error says that nobody of the group is left.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(unix))]
fn end_group(child: &mut Child) {
    let _ = child.kill();
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

        use super::super::{first_program, run};

        const PATIENCE: Duration = Duration::from_secs(20);

        fn text(command: &str) -> Option<String> {
            run(command, b"{\"session_id\":\"s\"}", PATIENCE).map(|bytes| String::from_utf8(bytes).unwrap())
        }

        #[test]
        fn it_is_given_what_the_client_told_and_heard_unchanged() {
            assert_eq!(text("cat").as_deref(), Some("{\"session_id\":\"s\"}"));
            assert_eq!(
                text("printf '\\033[31mred\\033[0m\\n\\n'").as_deref(),
                Some("\u{1b}[31mred\u{1b}[0m\n\n")
            );
            assert_eq!(text("echo not read; exit 3").as_deref(), Some("not read\n"));
            assert_eq!(text("echo \"$BARBLESS_STATUSLINE\"").as_deref(), Some("1\n"));
            assert_eq!(text("/nowhere/at-all").as_deref(), Some(""));
        }

        #[test]
        fn endless_output_is_cut() {
            assert_eq!(text("yes").map(|text| text.len()), Some(64 * 1024));
        }

        #[test]
        fn one_that_hangs_is_ended_with_all_it_has_started() {
            let began = Instant::now();
            let hanging = "sleep 600 & echo begun; wait";
            assert_eq!(run(hanging, b"{}", Duration::from_millis(50)), None);
            assert!(began.elapsed() < PATIENCE);
        }

        #[test]
        fn what_it_leaves_behind_does_not_hold_us() {
            let began = Instant::now();
            assert_eq!(text("sleep 600 & echo done").as_deref(), Some("done\n"));
            // In a session of its own it is not ended with the others, and holds the pipe.
            assert_eq!(text("setsid sleep 5 & echo done").as_deref(), Some("done\n"));
            assert!(began.elapsed() < Duration::from_secs(4));
        }

        #[test]
        fn the_program_is_found_through_links() {
            let scratch = tempfile::tempdir().unwrap();
            let folder = scratch.path().canonicalize().unwrap();
            let program = folder.join("a program");
            std::fs::write(&program, "").unwrap();
            std::os::unix::fs::symlink(&program, folder.join("link")).unwrap();
            std::os::unix::fs::symlink(folder.join("link"), folder.join("sl")).unwrap();
            let place = folder.to_str().unwrap();
            for (command, expected) in [
                (format!("{place}/sl statusline"), true),
                (format!("  exec {place}/sl"), true),
                (format!("'{place}/a program' statusline"), true),
                (format!("\"{place}/link\" statusline"), true),
                ("~/sl statusline".to_owned(), true),
                ("$HOME/sl;true".to_owned(), true),
                ("sl statusline".to_owned(), true),
                ("other statusline".to_owned(), false),
                (format!("{place}/nothing statusline"), false),
                (String::new(), false),
            ] {
                let found = first_program(&command, Some(&folder), place);
                assert_eq!(found.as_ref() == Some(&program), expected, "{command}");
            }
        }
    }
}
