//! One `git` command as a child: never a program of the project's, a small environment of ours, an end at the deadline.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use shared::host::{Environment, TrustedPath};

/// So much of what it says is read, in bytes.
pub(super) const MAX_BYTES: u64 = 1024 * 1024;

/// So long between two looks at whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// What a repository's configuration must not start, whatever it says: a watcher, hooks, a clean-up in the background.
const SETTINGS: [&str; 8] = [
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
];

/// Nothing is asked of a terminal or a server, also not for objects that a partial clone has left there; a path is a path.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("LC_ALL", "C"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_LITERAL_PATHSPECS", "1"),
];

/// The user's `git` in a folder, until a deadline.
pub(super) struct Git<'a> {
    program: PathBuf,
    environment: Vec<(OsString, OsString)>,
    folder: &'a Path,
    /// More settings, as they stand on the command line.
    pub(super) settings: Vec<String>,
    /// For all commands together.
    pub(super) deadline: Instant,
    /// So long it has to end by itself when the deadline is over; then it is killed.
    pub(super) grace: Duration,
}

/// What it said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Its status; none where a signal has ended it.
    pub(super) code: Option<i32>,
    /// On stdout, at most [`MAX_BYTES`].
    pub(super) out: Vec<u8>,
    /// On stderr, at most that.
    pub(super) err: Vec<u8>,
}

impl Said {
    /// It has done what was asked, or said so much that nobody heard the end.
    pub(super) fn is_answer(&self) -> bool {
        self.code == Some(0) || self.is_cut()
    }

    /// There was more.
    pub(super) fn is_cut(&self) -> bool {
        u64::try_from(self.out.len()).is_ok_and(|length| length >= MAX_BYTES)
    }
}

/// Why it said nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It could not be started.
    NotStarted,
    /// The deadline has passed.
    Late,
}

impl<'a> Git<'a> {
    /// The first `git` of `PATH` that does not lie in the project; `None`: there is none.
    pub(super) fn new(folder: &'a Path, surroundings: &Environment, patience: Duration) -> Option<Self> {
        let trusted = TrustedPath::new(surroundings.search_path.as_deref(), folder);
        let xdg = surroundings.xdg_config_home.iter().filter(|folder| folder.is_absolute());
        let home = surroundings.home.iter().map(|home| ("HOME".into(), home.into()));
        let home = home.chain(xdg.map(|folder| ("XDG_CONFIG_HOME".into(), folder.into())));
        let ours = ENVIRONMENT.iter().map(|(name, value)| (name.into(), value.into()));
        Some(Self {
            program: trusted.find("git")?,
            environment: trusted.environment().into_iter().chain(home).chain(ours).collect(),
            folder,
            settings: Vec::new(),
            deadline: Instant::now() + patience,
            grace: Duration::ZERO,
        })
    }

    /// Runs one command.
    pub(super) fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Result<Said, Ended> {
        let mut command = Command::new(&self.program);
        command.env_clear().envs(self.environment.iter().cloned()).current_dir(self.folder);
        command.arg("--no-pager").args(SETTINGS).args(&self.settings).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        in_a_group_of_its_own(&mut command);
        let mut child = command.spawn().map_err(|_| Ended::NotStarted)?;
        let said = self.listen(&mut child);
        if said.is_none() {
            self.end(&mut child);
        }
        said.ok_or(Ended::Late)
    }

    fn listen(&self, child: &mut Child) -> Option<Said> {
        let (out, err) = (read(child.stdout.take()), read(child.stderr.take()));
        let out = out.recv_timeout(self.left()).ok()?;
        let err = err.recv_timeout(self.left()).ok()?;
        let code = has_ended(child, self.deadline)?;
        Some(Said { code, out, err })
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Asked first, it takes its lock files along.
    fn end(&self, child: &mut Child) {
        if !self.grace.is_zero() {
            signal(child, Urgency::Asked);
            has_ended(child, Instant::now() + self.grace);
        }
        signal(child, Urgency::Killed);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Its status, once it has ended.
#[expect(clippy::option_option, reason = "ended or not, and then by a signal or not")]
fn has_ended(child: &mut Child, deadline: Instant) -> Option<Option<i32>> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.code()),
            Ok(None) if Instant::now() < deadline => thread::sleep(LOOK_EVERY),
            _ => return None,
        }
    }
}

/// Reads in a thread, because a pipe may stay open for ever. What is not read ends whoever writes it.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut said = Vec::new();
        let _: io::Result<usize> = pipe.map_or(Ok(0), |pipe| pipe.take(MAX_BYTES).read_to_end(&mut said));
        let _ = sender.send(said);
    });
    receiver
}

#[derive(Clone, Copy)]
enum Urgency {
    Asked,
    Killed,
}

#[cfg(unix)]
fn in_a_group_of_its_own(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn in_a_group_of_its_own(_command: &mut Command) {}

#[cfg(unix)]
fn signal(child: &Child, urgency: Urgency) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = match urgency {
        Urgency::Asked => Signal::TERM,
        Urgency::Killed => Signal::KILL,
    };
    let _ = kill_process_group(Pid::from_child(child), signal);
}

#[cfg(not(unix))]
fn signal(_child: &Child, _ending: Urgency) {}
