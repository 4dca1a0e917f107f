//! Running one process to its end and seeing everything it did: status, both outputs, wall time. Every run has a hard
//! deadline, after which the whole process group is ended. It knows nothing about hooks but the shape of an answer.

use crate::sandbox::{Environment, Sandbox};
use serde_json::Value;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{Read, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// How long a process may take unless a test says otherwise: far above any promise, so that only a hang meets it.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// Between SIGTERM and SIGKILL: time for the client to end its hooks, which live in process groups of their own.
const GRACE: Duration = Duration::from_secs(2);

/// One process to run: describe it, then [`Self::run`] it or [`Self::start`] it.
#[must_use]
pub struct Invocation {
    program: PathBuf,
    args: Vec<OsString>,
    env: Environment,
    cwd: PathBuf,
    input: Input,
    output: Output,
    deadline: Duration,
}

enum Input {
    Closed(Vec<u8>),
    HeldOpen(Vec<u8>),
}

#[derive(Clone, Copy)]
enum Output {
    Read,
    ReaderGone,
    DiskFull,
    Closed,
}

impl Invocation {
    /// A run of `program` in the sandbox's project and environment, with empty stdin.
    pub fn new(program: impl Into<PathBuf>, sandbox: &Sandbox) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: sandbox.env(),
            cwd: sandbox.project(),
            input: Input::Closed(Vec::new()),
            output: Output::Read,
            deadline: DEADLINE,
        }
    }

    /// Adds arguments.
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable.
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.insert(name.to_owned(), value.into());
        self
    }

    /// Sets several variables, such as [`crate::sandbox::toolchain_env`].
    pub fn envs(mut self, variables: Environment) -> Self {
        self.env.extend(variables);
        self
    }

    /// Takes a variable away.
    pub fn unset(mut self, name: &str) -> Self {
        self.env.remove(name);
        self
    }

    /// Starts in another folder than the project.
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cwd = folder.into();
        self
    }

    /// Gives these bytes on stdin, then end of file.
    pub fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.input = Input::Closed(bytes.as_ref().to_vec());
        self
    }

    /// Gives these bytes on stdin and never an end of file.
    pub fn stdin_held_open(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.input = Input::HeldOpen(bytes.as_ref().to_vec());
        self
    }

    /// Makes stdout a pipe whose reader is gone: writing to it fails with EPIPE.
    pub fn stdout_without_reader(mut self) -> Self {
        self.output = Output::ReaderGone;
        self
    }

    /// Makes stdout a full disk: writing to it fails with ENOSPC. Linux only.
    pub fn stdout_on_full_disk(mut self) -> Self {
        self.output = Output::DiskFull;
        self
    }

    /// Starts with file descriptor 1 closed, through `/bin/sh`. Unix only.
    pub fn stdout_closed(mut self) -> Self {
        self.output = Output::Closed;
        self
    }

    /// Ends the process group after this time instead of [`DEADLINE`].
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Runs to the end, or to the deadline.
    pub fn run(self) -> Outcome {
        self.start().wait()
    }

    /// Starts and returns at once: for parallel copies and for killing at a chosen moment.
    pub fn start(self) -> Running {
        let mut command = self.command();
        let started = Instant::now();
        let mut child = command.spawn().unwrap_or_else(|error| panic!("starting {command:?}: {error}"));
        let input_held_by = feed(child.stdin.take().expect("stdin is a pipe"), self.input);
        let stdout = child.stdout.take().map(collect);
        let stderr = child.stderr.take().map(collect);
        let deadline = started + self.deadline;
        Running { child, stdout, stderr, started, deadline, killed: false, _input_held_by: input_held_by }
    }

    fn command(&self) -> Command {
        let mut command = match self.output {
            Output::Closed => {
                let mut shell = Command::new("/bin/sh");
                shell.args(["-c", r#"exec "$0" "$@" >&-"#]).arg(&self.program);
                shell
            }
            Output::Read | Output::ReaderGone | Output::DiskFull => Command::new(&self.program),
        };
        command.args(&self.args).env_clear().envs(&self.env).current_dir(&self.cwd);
        command.stdin(Stdio::piped()).stdout(stdout(self.output)).stderr(Stdio::piped());
        lead_own_group(&mut command);
        command
    }
}

fn stdout(output: Output) -> Stdio {
    match output {
        Output::Read => Stdio::piped(),
        Output::Closed => Stdio::null(),
        Output::ReaderGone => {
            let (_reader, writer) = std::io::pipe().expect("a pipe");
            writer.into()
        }
        Output::DiskFull => OpenOptions::new().write(true).open("/dev/full").expect("/dev/full").into(),
    }
}

/// Writes the input from a thread, because a process that does not read would block us. Dropping the returned sender
/// lets go of an input that is held open.
fn feed(mut stdin: ChildStdin, input: Input) -> Sender<()> {
    let (sender, released) = mpsc::channel::<()>();
    thread::spawn(move || match input {
        // A process may end without reading: a broken pipe is its right.
        Input::Closed(bytes) => drop(stdin.write_all(&bytes)),
        Input::HeldOpen(bytes) => {
            drop(stdin.write_all(&bytes));
            let _ = released.recv();
        }
    });
    sender
}

fn collect(mut source: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(source.read_to_end(&mut bytes));
        drop(sender.send(bytes));
    });
    receiver
}

/// A started process; ended with its whole group when dropped before [`Self::wait`].
pub struct Running {
    child: Child,
    stdout: Option<Receiver<Vec<u8>>>,
    stderr: Option<Receiver<Vec<u8>>>,
    started: Instant,
    deadline: Instant,
    killed: bool,
    _input_held_by: Sender<()>,
}

impl Running {
    /// The process id, which is also the id of its process group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the process at once, as `kill -9` would.
    pub fn kill(&mut self) {
        self.killed = true;
        // An error says that it has ended by itself, which is as good.
        drop(self.child.kill());
    }

    /// Asks the process and its group to end, as the client does at a hook's timeout.
    pub fn terminate(&mut self) {
        ask_group_to_end(&mut self.child);
    }

    /// Waits for the end or the deadline, then for the end of what was printed.
    pub fn wait(mut self) -> Outcome {
        let status = self.wait_for_status();
        let wall = self.started.elapsed();
        let stdout = self.rest_of(|running| running.stdout.take());
        let stderr = self.rest_of(|running| running.stderr.take());
        Outcome { status, stdout, stderr, wall, killed: self.killed }
    }

    fn wait_for_status(&mut self) -> ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().expect("the child's status") {
                return status;
            }
            if Instant::now() >= self.deadline {
                return self.end();
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn end(&mut self) -> ExitStatus {
        self.killed = true;
        ask_group_to_end(&mut self.child);
        let until = Instant::now() + GRACE;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().expect("the child's status") {
                return status;
            }
            thread::sleep(Duration::from_millis(5));
        }
        end_group(&mut self.child);
        self.child.wait().expect("the child's status")
    }

    /// A child of the child may keep the output open: the group is ended then, and what was printed counts.
    fn rest_of(&mut self, output: fn(&mut Self) -> Option<Receiver<Vec<u8>>>) -> Vec<u8> {
        let Some(receiver) = output(self) else { return Vec::new() };
        let left = self.deadline.saturating_duration_since(Instant::now()).max(Duration::from_secs(1));
        receiver.recv_timeout(left).unwrap_or_else(|_| {
            self.killed = true;
            end_group(&mut self.child);
            receiver.recv_timeout(GRACE).unwrap_or_default()
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            end_group(&mut self.child);
            drop(self.child.wait());
        }
    }
}

#[cfg(unix)]
fn lead_own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
fn lead_own_group(_command: &mut Command) {}

#[cfg(unix)]
fn ask_group_to_end(child: &mut Child) {
    signal_group(child, rustix::process::Signal::TERM);
}

#[cfg(not(unix))]
fn ask_group_to_end(child: &mut Child) {
    drop(child.kill());
}

#[cfg(unix)]
fn end_group(child: &mut Child) {
    signal_group(child, rustix::process::Signal::KILL);
}

#[cfg(not(unix))]
fn end_group(child: &mut Child) {
    drop(child.kill());
}

#[cfg(unix)]
fn signal_group(child: &Child, signal: rustix::process::Signal) {
    // An error says that nobody of the group is left.
    let _ = rustix::process::kill_process_group(rustix::process::Pid::from_child(child), signal);
}

/// What a process did.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub status: ExitStatus,
    /// Everything on stdout; empty where stdout was not a pipe to us.
    pub stdout: Vec<u8>,
    /// Everything on stderr.
    pub stderr: Vec<u8>,
    /// From just before the start until the end was seen, to about a millisecond.
    pub wall: Duration,
    /// It was ended by us: at the deadline, by [`Running::kill`], or because something kept its output open.
    pub killed: bool,
}

impl Outcome {
    /// Stdout as text.
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Stderr as text.
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Fails unless the process ended by itself with this exit code.
    #[track_caller]
    pub fn assert_exit(&self, code: i32) {
        assert!(!self.killed && self.status.code() == Some(code), "expected exit {code}: {self}");
    }

    /// The answer of a hook: `None` for silence. Fails unless it kept the promise every hook gives: it ends by itself,
    /// the exit status is 0, and stdout is empty or exactly one JSON object (anything else the client drops silently).
    #[track_caller]
    pub fn answer(&self) -> Option<Value> {
        self.assert_exit(0);
        if self.stdout.is_empty() {
            return None;
        }
        let answer: Value = serde_json::from_slice(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is not one JSON value ({error}): {self}"));
        assert!(answer.is_object(), "stdout is JSON but no object: {self}");
        Some(answer)
    }

    /// Fails unless a hook ended well and said nothing.
    #[track_caller]
    pub fn assert_silent(&self) {
        assert!(self.answer().is_none(), "expected no answer: {self}");
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ended = if self.killed { " (ended by the harness)" } else { "" };
        writeln!(f, "{}{ended} after {:?}", self.status, self.wall)?;
        writeln!(f, "stdout: {}", self.stdout_text())?;
        write!(f, "stderr: {}", self.stderr_text())
    }
}
