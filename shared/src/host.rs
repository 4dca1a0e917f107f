//! The only door to clock, environment, directories, stdin and stdout.
//!
//! A [`Host`] is a plain value: the real one is read once at the start of a process, a test builds one by hand.
//! Nothing here decides anything, and nothing else in the workspace reads the environment or the clock.

mod clock;
mod own_command;
mod places;
mod private;
mod programs;
mod stdin;

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

pub use clock::{Clock, DAY, HOUR, Timestamp, rfc3339};
pub use config::display_path;
pub use places::{Places, is_same_folder};
pub use private::ensure_private;
pub use programs::{TrustedPath, first_program, is_program};
pub use stdin::{MAX_INPUT_BYTES, READ_DEADLINE, read_first_value};

/// Lets a write past the user's file size limit (`ulimit -f`) return an error: its signal, SIGXFSZ, would end the process.
#[cfg(unix)]
pub fn survive_file_size_limit() {
    // A handler without effect: ignoring a signal would need unsafe code.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

/// Elsewhere there is no such signal.
#[cfg(not(unix))]
pub fn survive_file_size_limit() {}

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
    /// project defines them, see [`crate::project_env::is_misled`].
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

/// A longer path is taken by no system we run on, in bytes.
const MAX_PATH_BYTES: usize = 4096;

/// The path and the folders above it, from the inside out, as far as they can exist, so that the cost is bounded.
pub fn ancestors(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().skip_while(|path| path.as_os_str().len() > MAX_PATH_BYTES)
}

/// The path with links resolved as far as it exists, so that a link is no way in.
pub fn real(path: &Path) -> PathBuf {
    let resolved = |existing: &Path| {
        let (real, rest) = (existing.canonicalize().ok()?, path.strip_prefix(existing).ok()?);
        Some(if rest.as_os_str().is_empty() { real } else { flat(&real.join(rest)) })
    };
    ancestors(path).find_map(resolved).unwrap_or_else(|| flat(path))
}

/// The end of a path's links, whether something is there or not; `None` where that depends on what is made on the way.
pub fn end_of_links(path: &Path) -> Option<PathBuf> {
    let there = path.ancestors().find(|above| above.symlink_metadata().is_ok())?;
    let rest = path.strip_prefix(there).ok()?;
    let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
    let there = is_plain.then(|| there.canonicalize().ok()).flatten()?;
    Some(if rest.as_os_str().is_empty() { there } else { there.join(rest) })
}

/// The path without `.` and `..`, which are taken away as text: the file may not exist.
pub fn flat(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                flat.pop();
            }
            part => flat.push(part),
        }
    }
    flat
}
