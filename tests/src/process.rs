//! Running one process to its end and seeing everything it did: status, both outputs, wall time. Every run has a hard
//! deadline, after which the whole process group is ended. It knows nothing about hooks but the shape of an answer.

mod outcome;

pub use outcome::Outcome;

use crate::sandbox::{Environment, Sandbox};
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

/// The user and group that own nothing.
#[cfg(unix)]
const NOBODY: u32 = 65534;

/// One process to run: describe it, then [`Self::run`] it or [`Self::start`] it.
#[must_use]
pub struct Invocation {
    program: PathBuf,
    args: Vec<OsString>,
    env: Environment,
    cwd: PathBuf,
    input: Input,
    output: Output,
    // Commands and redirections of `/bin/sh` before it becomes the program; both empty: no shell.
    prelude: String,
    redirects: String,
    unprivileged: bool,
    deadline: Duration,
}

enum Input {
    Ended(Vec<u8>),
    HeldOpen(Vec<u8>),
}

#[derive(Clone, Copy)]
enum Output {
    Read,
    ReaderGone,
    DiskFull,
}

impl Invocation {
    /// A run of `program` in the sandbox's project and environment, with empty stdin.
    pub fn new(program: impl Into<PathBuf>, sandbox: &Sandbox) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: sandbox.env(),
            cwd: sandbox.project(),
            input: Input::Ended(Vec::new()),
            output: Output::Read,
            prelude: String::new(),
            redirects: String::new(),
            unprivileged: false,
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

    /// These variables and no others.
    pub fn only_env(mut self, variables: Environment) -> Self {
        self.env = variables;
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
        self.input = Input::Ended(bytes.as_ref().to_vec());
        self
    }

    /// Gives these bytes on stdin and no end of file; [`Running::give`] gives more.
    pub fn stdin_held_open(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.input = Input::HeldOpen(bytes.as_ref().to_vec());
        self
    }

    /// Starts with file descriptor 0 closed. Unix only.
    pub fn stdin_closed(mut self) -> Self {
        self.redirects.push_str(" <&-");
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

    /// Starts with file descriptor 1 closed. Unix only.
    pub fn stdout_closed(mut self) -> Self {
        self.redirects.push_str(" >&-");
        self
    }

    /// Makes every write to a file fail, as on a full disk; pipes are not concerned. Unix only.
    pub fn files_cannot_grow(mut self) -> Self {
        self.prelude.push_str("ulimit -f 0; ");
        self
    }

    /// Runs as a user whom file permissions bind, which is not the superuser a container's tests may run as. Unix only.
    pub fn unprivileged(mut self) -> Self {
        self.unprivileged = true;
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
        // A copy of a program, just written, is busy while another test's fork still holds it open for writing.
        let is_busy = |error: &std::io::Error| error.kind() == std::io::ErrorKind::ExecutableFileBusy;
        let spawned = loop {
            match command.spawn() {
                Err(error) if is_busy(&error) && started.elapsed() < self.deadline => {
                    std::thread::yield_now();
                }
                spawned => break spawned,
            }
        };
        let mut child = spawned.unwrap_or_else(|error| panic!("starting {command:?}: {error}"));
        let input = feed(child.stdin.take().expect("stdin is a pipe"), self.input);
        let stdout = child.stdout.take().map(collect);
        let stderr = child.stderr.take().map(collect);
        let deadline = started + self.deadline;
        Running { child, stdout, stderr, started, deadline, killed: false, input }
    }

    fn command(&self) -> Command {
        let mut command = self.program();
        command.args(&self.args).env_clear().envs(&self.env).current_dir(&self.cwd);
        command.stdin(Stdio::piped()).stdout(stdout(self.output)).stderr(Stdio::piped());
        lead_own_group(&mut command);
        if self.unprivileged {
            lose_privileges(&mut command);
        }
        command
    }

    fn program(&self) -> Command {
        if self.prelude.is_empty() && self.redirects.is_empty() {
            return Command::new(&self.program);
        }
        let mut shell = Command::new("/bin/sh");
        let script = format!(r#"{}exec "$0" "$@"{}"#, self.prelude, self.redirects);
        shell.arg("-c").arg(script).arg(&self.program);
        shell
    }
}

fn stdout(output: Output) -> Stdio {
    match output {
        Output::Read => Stdio::piped(),
        Output::ReaderGone => {
            let (_reader, writer) = std::io::pipe().expect("a pipe");
            writer.into()
        }
        Output::DiskFull => OpenOptions::new().write(true).open("/dev/full").expect("/dev/full").into(),
    }
}

/// Writes the input from a thread, because a process that does not read would block us. Dropping the returned sender
/// ends an input that is held open.
fn feed(mut stdin: ChildStdin, input: Input) -> Sender<Vec<u8>> {
    let (sender, given) = mpsc::channel::<Vec<u8>>();
    thread::spawn(move || {
        let (bytes, is_ended) = match input {
            Input::Ended(bytes) => (bytes, true),
            Input::HeldOpen(bytes) => (bytes, false),
        };
        // A process may end without reading: a broken pipe is its right.
        drop(stdin.write_all(&bytes));
        if !is_ended {
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

    /// Gives more bytes on an input that is held open.
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
            thread::sleep(Duration::from_micros(200));
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

/// Makes the user of [`Invocation::unprivileged`] the owner of a file or folder.
#[cfg(unix)]
pub fn give_to_unprivileged(path: &std::path::Path) {
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).expect("another owner");
    }
}

#[cfg(unix)]
fn lose_privileges(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
}

#[cfg(not(unix))]
fn lose_privileges(_command: &mut Command) {}

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

/// The ids of the processes of a program of that name that were started in a sandbox, by whomever: those that have its
/// state folder in their environment.
#[cfg(target_os = "linux")]
pub fn started_in(sandbox: &Sandbox, name: &str) -> Vec<u32> {
    let mark = format!("CLAUDE_HOOK_STATE_DIR={}", sandbox.state_dir().display());
    let is_meant = |folder: &std::path::Path| {
        let program = std::fs::read_link(folder.join("exe")).unwrap_or_default();
        let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
        program.file_name().is_some_and(|file| file == name)
            && environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    let folders = std::fs::read_dir("/proc").expect("the table of processes").filter_map(Result::ok);
    let folders = folders.map(|folder| folder.path()).filter(|folder| is_meant(folder));
    folders.filter_map(|folder| folder.file_name()?.to_str()?.parse().ok()).collect()
}

/// Unknown on other systems.
#[cfg(not(target_os = "linux"))]
pub fn started_in(_sandbox: &Sandbox, _name: &str) -> Vec<u32> {
    Vec::new()
}

/// Is there still a process of that id? One that has ended counts until its parent has asked for its status.
#[cfg(unix)]
pub fn is_running(id: u32) -> bool {
    let process = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    process.is_some_and(|process| rustix::process::test_kill_process(process).is_ok())
}

/// On other systems every process counts as ended.
#[cfg(not(unix))]
pub fn is_running(_id: u32) -> bool {
    false
}
