//! Running one process to its end and seeing everything it did: status, both outputs, wall time. Every run has a hard
//! deadline, after which the whole process group is ended. It knows nothing about hooks but the shape of an answer.

mod outcome;

pub use outcome::Outcome;

use crate::sandbox::{Environment, Sandbox};
use rustix::process::{Pid, Signal, geteuid, kill_process_group, test_kill_process};
use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Read, Write as _};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
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
    input: Vec<u8>,
    is_held_open: bool,
    reader_is_gone: bool,
    // Commands and redirections of `/bin/sh` before it becomes the program; both empty: no shell.
    prelude: &'static str,
    redirects: String,
    unprivileged: bool,
    deadline: Duration,
}

impl Invocation {
    /// A run of `program` in the sandbox's project and environment, with empty stdin.
    pub fn new(program: impl Into<PathBuf>, sandbox: &Sandbox) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: sandbox.env(),
            cwd: sandbox.project(),
            input: Vec::new(),
            is_held_open: false,
            reader_is_gone: false,
            prelude: "",
            redirects: String::new(),
            unprivileged: false,
            deadline: DEADLINE,
        }
    }

    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.insert(name.to_owned(), value.into());
        self
    }

    pub fn envs(mut self, variables: Environment) -> Self {
        self.env.extend(variables);
        self
    }

    pub fn only_env(mut self, variables: Environment) -> Self {
        self.env = variables;
        self
    }

    pub fn unset(mut self, name: &str) -> Self {
        self.env.remove(name);
        self
    }

    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cwd = folder.into();
        self
    }

    pub fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.input = bytes.as_ref().to_vec();
        self
    }

    /// Gives these bytes on stdin and no end of file; [`Running::give`] gives more.
    pub fn stdin_held_open(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.is_held_open = true;
        self.stdin(bytes)
    }

    pub fn stdin_closed(mut self) -> Self {
        self.redirects.push_str(" <&-");
        self
    }

    pub fn stdout_closed(mut self) -> Self {
        self.redirects.push_str(" >&-");
        self
    }

    /// Makes stdout a pipe whose reader is gone: writing to it fails with EPIPE.
    pub fn stdout_without_reader(mut self) -> Self {
        self.reader_is_gone = true;
        self
    }

    /// Makes stdout a full disk: writing to it fails with ENOSPC. Linux only.
    pub fn stdout_on_full_disk(mut self) -> Self {
        self.redirects.push_str(" >/dev/full");
        self
    }

    /// Makes every write to a file fail, as on a full disk; pipes are not concerned.
    pub fn files_cannot_grow(mut self) -> Self {
        self.prelude = "ulimit -f 0; ";
        self
    }

    /// Runs as a user whom file permissions bind, which is not the superuser a container's tests may run as.
    pub fn unprivileged(mut self) -> Self {
        self.unprivileged = true;
        self
    }

    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    pub fn run(self) -> Outcome {
        self.start().wait()
    }

    /// Starts and returns at once: for parallel copies and for killing at a chosen moment.
    pub fn start(self) -> Running {
        let mut command = self.command();
        let started = Instant::now();
        // A copy of a program, just written, is busy while another test's fork still holds it open for writing.
        let is_busy = |error: &std::io::Error| error.kind() == ErrorKind::ExecutableFileBusy;
        let spawned = loop {
            match command.spawn() {
                Err(error) if is_busy(&error) && started.elapsed() < self.deadline => thread::yield_now(),
                spawned => break spawned,
            }
        };
        let mut child = spawned.unwrap_or_else(|error| panic!("starting {command:?}: {error}"));
        let input = feed(child.stdin.take().expect("stdin is a pipe"), self.input, self.is_held_open);
        let stdout = child.stdout.take().map(collect);
        let stderr = child.stderr.take().map(collect);
        Running { child, stdout, stderr, started, deadline: started + self.deadline, killed: false, input }
    }

    fn command(&self) -> Command {
        let mut command = if self.prelude.is_empty() && self.redirects.is_empty() {
            Command::new(&self.program)
        } else {
            let script = format!(r#"{}exec "$0" "$@"{}"#, self.prelude, self.redirects);
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(script).arg(&self.program);
            shell
        };
        command.args(&self.args).env_clear().envs(&self.env).current_dir(&self.cwd);
        let gone = || Stdio::from(std::io::pipe().expect("a pipe").1);
        let stdout = if self.reader_is_gone { gone() } else { Stdio::piped() };
        command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped());
        command.process_group(0);
        if self.unprivileged && geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }
}

/// Writes the input from a thread, because a process that does not read would block us. Dropping the returned sender
/// ends an input that is held open.
fn feed(mut stdin: ChildStdin, first: Vec<u8>, is_held_open: bool) -> Sender<Vec<u8>> {
    let (sender, given) = mpsc::channel::<Vec<u8>>();
    thread::spawn(move || {
        // A process may end without reading: a broken pipe is its right.
        drop(stdin.write_all(&first));
        if is_held_open {
            for bytes in given {
                drop(stdin.write_all(&bytes));
            }
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
    // Also holds the input open.
    input: Sender<Vec<u8>>,
}

impl Running {
    /// The process id, which is also the id of its process group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn give(&self, bytes: impl AsRef<[u8]>) {
        // Nobody takes them once the input has ended: that is as good as a process that does not read.
        drop(self.input.send(bytes.as_ref().to_vec()));
    }

    /// Ends the process at once, as `kill -9` would.
    pub fn kill(&mut self) {
        self.killed = true;
        // An error says that it has ended by itself, which is as good.
        drop(self.child.kill());
    }

    /// Asks the process and its group to end, as the client does at a hook's timeout.
    pub fn terminate(&mut self) {
        end_group(&mut self.child, false);
    }

    /// Waits for the end or the deadline, then for the end of what was printed.
    pub fn wait(mut self) -> Outcome {
        let status = self.ended_until(self.deadline).unwrap_or_else(|| self.end());
        let wall = self.started.elapsed();
        let (stdout, stderr) = (self.stdout.take(), self.stderr.take());
        let (stdout, stderr) = (self.rest_of(stdout), self.rest_of(stderr));
        Outcome { status, stdout, stderr, wall, killed: self.killed }
    }

    fn ended_until(&mut self, until: Instant) -> Option<ExitStatus> {
        loop {
            let status = self.child.try_wait().expect("the child's status");
            if status.is_some() || Instant::now() >= until {
                return status;
            }
            thread::sleep(Duration::from_micros(200));
        }
    }

    fn end(&mut self) -> ExitStatus {
        self.killed = true;
        self.terminate();
        self.ended_until(Instant::now() + GRACE).unwrap_or_else(|| {
            end_group(&mut self.child, true);
            self.child.wait().expect("the child's status")
        })
    }

    /// A child of the child may keep the output open: the group is ended then, and what was printed counts.
    fn rest_of(&mut self, output: Option<Receiver<Vec<u8>>>) -> Vec<u8> {
        let Some(receiver) = output else { return Vec::new() };
        let left = self.deadline.saturating_duration_since(Instant::now()).max(Duration::from_secs(1));
        receiver.recv_timeout(left).unwrap_or_else(|_| {
            self.killed = true;
            end_group(&mut self.child, true);
            receiver.recv_timeout(GRACE).unwrap_or_default()
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            end_group(&mut self.child, true);
            drop(self.child.wait());
        }
    }
}

/// The ids of the processes of a program of that name that were started in a sandbox, by whomever: those that have its
/// home in their environment. Linux only.
pub fn started_in(sandbox: &Sandbox, name: &str) -> Vec<u32> {
    let mark = format!("HOME={}", sandbox.home().display());
    let is_meant = |folder: &PathBuf| {
        let program = fs::read_link(folder.join("exe")).unwrap_or_default();
        let environment = fs::read(folder.join("environ")).unwrap_or_default();
        program.file_name().is_some_and(|file| file == name)
            && environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten().map(|folder| folder.path());
    let ids = folders.filter(is_meant).filter_map(|folder| folder.file_name()?.to_str()?.parse().ok());
    ids.collect()
}

/// The user and group that own nothing.
const NOBODY: u32 = 65534;

fn end_group(child: &mut Child, at_once: bool) {
    let signal = if at_once { Signal::KILL } else { Signal::TERM };
    // An error says that nobody of the group is left.
    let _ = kill_process_group(Pid::from_child(child), signal);
}

/// Makes the user of [`Invocation::unprivileged`] the owner of a file or folder.
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
