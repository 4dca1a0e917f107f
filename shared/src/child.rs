//! Runs a child process with a deadline, in a process group of its own: nothing that the child has started outlives the run.

use std::io::{self, ErrorKind, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// Pauses between two checks whether the child has ended: short, because starts are timed, then longer.
const FIRST_PAUSE: Duration = Duration::from_micros(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// Time to read the rest of the output after the child's end. A process in another group may hold the pipe.
const REST: Duration = Duration::from_millis(500);

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub deadline: Instant,
    /// Time after the deadline between SIGTERM and SIGKILL, for a child that has files to remove.
    pub grace: Duration,
    /// Maximum size of each output that is read, in bytes.
    pub max_bytes: u64,
}

/// A child that has ended in time. `stderr` is empty unless the command pipes it.
#[derive(Debug)]
pub struct Output {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    #[error("it cannot be started")]
    NotStarted(#[source] io::Error),
    #[error("it did not come back in time")]
    Late,
}

/// Runs `command` with `input` on stdin, which the child need not read.
pub fn run(command: &mut Command, input: &[u8], limits: Limits) -> Result<Output, ChildError> {
    run_while(command, input, limits, || true)
}

/// The same, and ends the child before its deadline once nobody wants it any more.
pub fn run_while(
    command: &mut Command,
    input: &[u8],
    limits: Limits,
    is_wanted: impl Fn() -> bool,
) -> Result<Output, ChildError> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = spawn(command, limits.deadline).map_err(ChildError::NotStarted)?;
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_vec();
        thread::spawn(move || stdin.write_all(&input));
    }
    let stdout = read(child.stdout.take(), limits.max_bytes);
    let stderr = read(child.stderr.take(), limits.max_bytes);
    let status = wait(&mut child, limits.deadline, is_wanted);
    if status.is_none() && !limits.grace.is_zero() {
        signal(&child, false);
        wait(&mut child, Instant::now() + limits.grace, || true);
    }
    signal(&child, true);
    let _ = child.kill();
    let _ = child.wait();
    let rest = |output: Receiver<Vec<u8>>| output.recv_timeout(REST).map_err(|_| ChildError::Late);
    let status = status.ok_or(ChildError::Late)?;
    Ok(Output { status, stdout: rest(stdout)?, stderr: rest(stderr)? })
}

/// Starts it, again while its file is busy: another thread's fork may hold a file that was just written open for writing.
fn spawn(command: &mut Command, deadline: Instant) -> io::Result<Child> {
    loop {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && Instant::now() < deadline => {
                thread::sleep(LONGEST_PAUSE);
            }
            started => return started,
        }
    }
}

/// The status of the child once it has ended.
fn wait(child: &mut Child, deadline: Instant, is_wanted: impl Fn() -> bool) -> Option<ExitStatus> {
    let mut pause = FIRST_PAUSE;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || !is_wanted() {
            return None;
        }
        thread::sleep(pause.min(left));
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
}

/// Reads in a thread, because a grandchild may keep the pipe open.
fn read(pipe: Option<impl Read + Send + 'static>, max_bytes: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    let send = move |bytes| drop(sender.send(bytes));
    let Some(pipe) = pipe else {
        send(Vec::new());
        return receiver;
    };
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.take(max_bytes).read_to_end(&mut bytes);
        send(bytes);
    });
    receiver
}

/// Sends a signal to the whole group, SIGKILL or else SIGTERM; without process groups, nothing. It fails if the group has ended.
fn signal(child: &Child, kill: bool) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let _ = kill_process_group(Pid::from_child(child), if kill { Signal::KILL } else { Signal::TERM });
    }
    let _ = (child, kill);
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    /// For everything that happens at once on an idle machine.
    const SOON: Duration = Duration::from_secs(30);

    fn shell(line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]).stderr(Stdio::piped());
        command
    }

    fn within(time: Duration) -> Limits {
        Limits { deadline: Instant::now() + time, grace: Duration::ZERO, max_bytes: 10 }
    }

    #[test]
    fn busy_file_is_started_once_it_is_free() {
        use std::os::unix::fs::OpenOptionsExt as _;
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("program");
        let mut options = std::fs::OpenOptions::new();
        let file = options.write(true).create(true).mode(0o700).open(&path).unwrap();
        std::fs::write(&path, "#!/bin/sh\necho free\n").unwrap();
        let holder = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            drop(file);
        });
        assert_eq!(run(&mut Command::new(&path), b"", within(SOON)).unwrap().stdout, b"free\n");
        holder.join().unwrap();
    }

    #[test]
    fn output_and_status_of_a_child_come_back() {
        for (line, code, stdout, stderr) in [
            ("cat; echo put", Some(0), "input\n", ""),
            ("echo out; echo err >&2; exit 3", Some(3), "out\n", "err\n"),
            ("printf 0123456789abc", Some(0), "0123456789", ""),
            ("kill -9 $$", None, "", ""),
            ("sleep 3600 & echo left", Some(0), "left\n", ""),
        ] {
            let output = run(&mut shell(line), b"in", within(SOON)).unwrap();
            let found = (output.status.code(), &*output.stdout, &*output.stderr);
            assert_eq!(found, (code, stdout.as_bytes(), stderr.as_bytes()), "{line}");
        }
        let error = run(&mut Command::new("/nowhere/at-all"), b"", within(SOON)).unwrap_err();
        assert!(matches!(error, ChildError::NotStarted(_)), "{error:?}");
    }

    #[test]
    fn child_ends_at_its_deadline_or_when_nobody_wants_it() {
        let began = Instant::now();
        for line in ["exec sleep 3600", "exec sleep 3600 >&-", "sleep 3600 & wait"] {
            let error = run(&mut shell(line), b"", within(Duration::from_millis(100))).unwrap_err();
            assert!(matches!(error, ChildError::Late), "{line}");
            let error = run_while(&mut shell(line), b"", within(SOON), || false).unwrap_err();
            assert!(matches!(error, ChildError::Late), "{line}");
        }
        assert!(began.elapsed() < SOON);
    }

    #[test]
    fn child_with_grace_can_remove_its_files() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("lock");
        let line = format!("trap 'rm {0}; exit' TERM; : > {0}; sleep 3600 & wait", file.display());
        let limits = Limits { grace: SOON, ..within(Duration::from_millis(500)) };
        run(&mut shell(&line), b"", limits).unwrap_err();
        assert!(!file.exists());
    }

    #[test]
    fn childs_own_children_end_with_it() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("child");
        let line = format!("sleep 3600 & echo $! > {}; wait", file.display());
        run(&mut shell(&line), b"", within(Duration::from_millis(500))).unwrap_err();
        let child = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
        let child = rustix::process::Pid::from_raw(child).unwrap();
        let is_dead = || {
            let line = std::fs::read_to_string(format!("/proc/{}/stat", child.as_raw_nonzero()));
            line.is_ok_and(|line| line.contains(") Z ") || line.contains(") X "))
        };
        let until = Instant::now() + SOON;
        while rustix::process::test_kill_process(child).is_ok() && !is_dead() {
            assert!(Instant::now() < until, "it lives on");
            std::thread::yield_now();
        }
    }
}
