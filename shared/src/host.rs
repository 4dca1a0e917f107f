//! The only door to clock, environment, directories, stdin and stdout.
//!
//! A [`Host`] is a plain value: the real one is read once at the start of a process, a test builds one by hand.
//! Nothing here decides anything, and nothing else in the workspace reads the environment or the clock.
//!
//! `places`: the folders of a call.

mod places;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::text::quoted;

pub use config::display_path;
pub(crate) use places::HEARTBEATS;
pub use places::{Places, ancestors, ensure_private, flat, is_same_folder, outermost_root, real};

/// Lets a write past the user's file size limit (`ulimit -f`) return an error: its signal, SIGXFSZ, would end the process.
pub fn survive_file_size_limit() {
    // A handler without effect: ignoring a signal would need unsafe code. Elsewhere there is no such signal.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

#[derive(Debug, Clone)]
pub struct Host {
    /// When this process began. A stop that our own block caused cannot have begun before that block.
    pub started: Timestamp,
    pub clock: Clock,
    pub environment: Environment,
}

impl Host {
    pub fn real() -> Self {
        let clock = Clock::System;
        Self { started: clock.now(), clock, environment: Environment::read() }
    }

    pub fn cwd(&self) -> Option<PathBuf> {
        std::env::current_dir().ok()
    }

    /// A variable that one command line alone looks at, or one that a request needs (a key, a login, an address, a proxy), where it
    /// is set and not empty. Those of a request are shown to nobody, handed to no child but on stdin, and count only where no
    /// project defines them, see [`crate::courier::is_misled`].
    pub fn variable(&self, name: &str) -> Option<String> {
        text(name)
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// The environment variables a hook may look at; see [`Host::variable`] for the others.
///
/// A repository's settings may define `env`, so none of these may loosen anything on its own:
/// see [`Places::resolve`] for the state folder and [`crate::state::Store::nonce_is_fresh`] for the recursion guard.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `HOME` (`USERPROFILE` on Windows), when set and not empty.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`: where the user's git and others look beside the home folder. A project cannot set it, as it cannot
    /// set `HOME` (tests/client-facts.md, section 10).
    pub xdg_config_home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`: replaces `~/.claude`.
    pub claude_config_dir: Option<PathBuf>,
    /// `CLAUDE_PROJECT_DIR`: set by the client for every hook.
    pub project_dir: Option<PathBuf>,
    /// `CLAUDE_HOOK_STATE_DIR`: replaces the state folder if it is private to the user.
    pub state_dir: Option<PathBuf>,
    /// `CLAUDE_CODE_ENTRYPOINT`: `cli` in the terminal, `sdk-cli` for `-p`.
    pub entrypoint: Option<String>,
    /// `CLAUDE_CODE_SESSION_ID`: used by command lines only; a hook takes the session from its input.
    pub session_id: Option<String>,
    /// `CLAUDECODE` is set: the process runs inside Claude's shell.
    pub inside_claude: bool,
    pub search_path: Option<OsString>,
    /// `BARBLESS_NONCE`: set for the children of a judge, see [`crate::state::Store::nonce_is_fresh`].
    pub nonce: Option<String>,
    /// `AI_AGENT`: what the client calls itself, see [`crate::proved::version_of_agent`]; a project can set it.
    pub agent: Option<String>,
}

impl Environment {
    pub fn read() -> Self {
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        Self {
            home: path(home),
            xdg_config_home: path("XDG_CONFIG_HOME"),
            claude_config_dir: path("CLAUDE_CONFIG_DIR"),
            project_dir: path("CLAUDE_PROJECT_DIR"),
            state_dir: path("CLAUDE_HOOK_STATE_DIR"),
            entrypoint: text("CLAUDE_CODE_ENTRYPOINT"),
            session_id: text("CLAUDE_CODE_SESSION_ID"),
            inside_claude: std::env::var_os("CLAUDECODE").is_some(),
            search_path: std::env::var_os("PATH"),
            nonce: text("BARBLESS_NONCE"),
            agent: text("AI_AGENT"),
        }
    }

    /// No person is watching: the client was started by a script (`claude -p`, an SDK).
    pub fn is_headless(&self) -> bool {
        self.entrypoint.as_deref().is_some_and(|entrypoint| entrypoint.starts_with("sdk"))
    }
}

fn path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Variables that a child needs without an environment: the folder of Windows.
pub fn least_environment() -> impl Iterator<Item = (&'static str, OsString)> {
    let needed: &[&'static str] = if cfg!(windows) { &["SystemRoot"] } else { &[] };
    needed.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)))
}

/// The variables of this process with such a name, for a child that may have them.
pub fn inherited(is_wanted: impl Fn(&str) -> bool) -> Vec<(OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(&is_wanted)).collect()
}

pub fn first_program(folders: impl Iterator<Item = PathBuf>, name: &Path) -> Option<PathBuf> {
    let endings: &[&str] = if cfg!(windows) { &["", ".exe", ".cmd"] } else { &[""] };
    let mut files = folders.flat_map(|folder| {
        let file = folder.join(name);
        endings.iter().map(move |ending| {
            let mut file = file.clone().into_os_string();
            file.push(ending);
            PathBuf::from(file)
        })
    });
    files.find(|file| is_program(file))
}

/// The file is one that may be executed; on Windows it has an ending, as programs have there.
pub fn is_program(file: &Path) -> bool {
    #[cfg(unix)]
    let may_run = |metadata: &std::fs::Metadata| {
        use std::os::unix::fs::PermissionsExt;
        metadata.permissions().mode() & 0o111 != 0
    };
    #[cfg(not(unix))]
    let may_run = |_: &std::fs::Metadata| file.extension().is_some();
    file.metadata().is_ok_and(|metadata| metadata.is_file() && may_run(&metadata))
}

impl Host {
    /// How `name` is called: what a text may tell somebody to type in a shell.
    pub fn own_command(&self, name: &str, places: &Places) -> String {
        let files = places.program_folders().into_iter().map(|folder| folder.join(name));
        let ours: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
        as_typed(name, &ours, self.environment.search_path.as_deref())
    }
}

/// The bare name where the first program of that name on the search path is one of `ours`; else the first of ours.
fn as_typed(name: &str, ours: &[PathBuf], search_path: Option<&OsStr>) -> String {
    let folders = search_path.map(std::env::split_paths).into_iter().flatten();
    let found = first_program(folders, Path::new(name)).and_then(|file| file.canonicalize().ok());
    let is_ours = |file: &PathBuf| file.canonicalize().ok() == found;
    match ours.first() {
        Some(first) if found.is_none() || !ours.iter().any(is_ours) => quoted(&first.display().to_string()),
        _ => name.to_owned(),
    }
}

pub const HOUR: Duration = Duration::from_secs(60 * 60);

pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Microseconds since 1970-01-01 UTC. Microseconds, because two processes of one tool call start within one millisecond.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(1_000_000))
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    pub const fn secs(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// How long after `earlier` this is; zero if the clock went back in between.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(micros(duration)))
    }

    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(micros(duration)))
    }

    /// `2026-11-21T07:46:38.681Z`.
    pub fn rfc3339(self) -> String {
        chrono::DateTime::from_timestamp_micros(self.0)
            .map(|time| time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true))
            .unwrap_or_default()
    }

    /// Reads what [`Self::rfc3339`] writes; `None` if it is no such time.
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        let time = chrono::DateTime::parse_from_rfc3339(text).ok()?;
        Some(Self(time.timestamp_micros()))
    }

    /// `2026-11-21 08:46:38`, where the reader's clock hangs: for people.
    pub fn local(self) -> String {
        let time = chrono::DateTime::from_timestamp_micros(self.0);
        time.map(|time| time.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M:%S").to_string())
            .unwrap_or_default()
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        Self(time.duration_since(UNIX_EPOCH).map_or(0, micros))
    }
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> Self {
        UNIX_EPOCH + Duration::from_micros(u64::try_from(time.0).unwrap_or(0))
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// For `#[serde(with)]`: a time as RFC 3339.
pub mod rfc3339 {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Timestamp;

    pub fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&at.rfc3339())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(deserializer)?;
        Timestamp::from_rfc3339(&text).ok_or_else(|| D::Error::custom("no time"))
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Clock {
    System,
    /// A test's own time, which stands still.
    Fixed(Timestamp),
}

impl Clock {
    pub fn now(self) -> Timestamp {
        match self {
            Self::System => SystemTime::now().into(),
            Self::Fixed(time) => time,
        }
    }
}

/// More input than this is refused: no tool call is that large, and a hook must not be made to swap.
pub const MAX_INPUT_BYTES: usize = 16 * 1024 * 1024;

/// How long a started but unfinished value may take.
pub const READ_DEADLINE: Duration = Duration::from_secs(2);

/// stdin ended, or stayed silent until the deadline, before a value was complete.
const INCOMPLETE: &str = "stdin held no complete JSON value";

const UNREADABLE: &str = "stdin cannot be read";

/// Reads from stdin until the first complete JSON value, its end, or the deadline. After an error the hook passes.
///
/// Some clients never close a hook's stdin, so waiting for its end would hang the session; the value itself says where it ends.
pub fn read_first_value() -> Result<Vec<u8>, &'static str> {
    let deadline = Instant::now() + READ_DEADLINE;
    let mut bytes = Vec::with_capacity(8 * 1024);
    let mut scanner = Scanner::default();
    loop {
        let seen = bytes.len();
        if !source::read_more(&mut bytes, deadline.saturating_duration_since(Instant::now()))? {
            return if bytes.is_empty() { Err(INCOMPLETE) } else { Ok(bytes) };
        }
        match scanner.advance(&bytes, seen) {
            Some(end) if end <= MAX_INPUT_BYTES => {
                bytes.truncate(end);
                return Ok(bytes);
            }
            None if bytes.len() <= MAX_INPUT_BYTES => {}
            _ => return Err("stdin held more than 16 MiB"),
        }
    }
}

/// Follows brackets and strings from byte to byte, so that each byte is looked at once however slowly it arrives.
#[derive(Default)]
struct Scanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Scanner {
    fn advance(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        for (offset, &byte) in bytes.iter().enumerate().skip(from) {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth <= 1 => return Some(offset + 1),
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
        }
        None
    }
}

#[cfg(unix)]
mod source {
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::{Errno, read};
    use rustix::stdio::stdin;

    use super::{INCOMPLETE, UNREADABLE};

    /// Waits for stdin to become readable, at most `patience`, and appends what is there. False: it has ended.
    pub(super) fn read_more(bytes: &mut Vec<u8>, patience: Duration) -> Result<bool, &'static str> {
        let stdin = stdin();
        let timeout = Timespec::try_from(patience).map_err(|_| INCOMPLETE)?;
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return Err(INCOMPLETE),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return Err(UNREADABLE),
        }
        bytes.reserve(64 * 1024);
        match read(stdin, rustix::buffer::spare_capacity(bytes)) {
            Ok(0) => Ok(false),
            Ok(_) | Err(Errno::INTR | Errno::AGAIN) => Ok(true),
            Err(_) => Err(UNREADABLE),
        }
    }
}

#[cfg(not(unix))]
mod source {
    use std::io::Read;
    use std::time::Duration;

    use super::UNREADABLE;

    /// Appends the next block of stdin. A pipe cannot be polled here: a value that never ends waits for Claude Code's own timeout.
    pub(super) fn read_more(bytes: &mut Vec<u8>, _patience: Duration) -> Result<bool, &'static str> {
        let mut block = vec![0; 64 * 1024];
        let count = std::io::stdin().lock().read(&mut block).map_err(|_| UNREADABLE)?;
        bytes.extend_from_slice(&block[..count]);
        Ok(count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Scanner;

    #[test]
    fn finds_the_end_of_the_first_value_and_none_of_an_unfinished_one() {
        for (text, end) in [
            ("{}", Some(2)),
            (" {\"a\": [1, {}]} trailing {", Some(15)),
            ("{\"a\": \"}\"}", Some(10)),
            (r#"{"a": "\"}"}"#, Some(12)),
            (r#"{"a": "\\"}"#, Some(11)),
            ("[{}]{", Some(4)),
            ("{\"a\": 1", None),
            ("{\"a\": \"}", None),
            ("text only", None),
        ] {
            assert_eq!(Scanner::default().advance(text.as_bytes(), 0), end, "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_bare_name_only_where_it_leads_to_ours() {
        use std::fs;
        use std::os::unix::fs::{PermissionsExt, symlink};
        let scratch = tempfile::tempdir().unwrap();
        let at = |path: &str| scratch.path().join(path);
        let ours = at("my hooks/req");
        for program in [ours.as_path(), &at("other/req")] {
            fs::create_dir(program.parent().unwrap()).unwrap();
            fs::write(program, "").unwrap();
            fs::set_permissions(program, fs::Permissions::from_mode(0o700)).unwrap();
        }
        fs::create_dir(at("bin")).unwrap();
        symlink(&ours, at("bin/req")).unwrap();
        let quoted = format!("'{}'", ours.display());
        for (folders, expected) in [
            (&["nowhere"][..], quoted.as_str()),
            (&["nowhere", "my hooks"], "req"),
            (&["other", "my hooks"], &quoted),
            (&["bin", "other"], "req"),
        ] {
            let path = std::env::join_paths(folders.iter().map(|folder| at(folder))).unwrap();
            let as_typed = super::as_typed("req", std::slice::from_ref(&ours), Some(&path));
            assert_eq!(as_typed, expected, "{folders:?}");
        }
        assert_eq!(super::as_typed("req", &[], None), "req");
    }
}
