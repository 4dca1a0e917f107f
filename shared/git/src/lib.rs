//! Runs the user's `git` command as a child process with a deadline.
//!
//! The repository's configuration starts nothing: no hook, file watcher, pager, external diff or background clean-up, and git
//! asks neither a terminal nor a server. A filter still runs where git compares file contents, unless the caller has switched
//! off the repository's own filters with [`Git::disable_repository_filters`]. Git never comes from inside the repository.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use shared::child::{self, ChildError, Limits, Output};
use shared::host::{Environment, first_program, least_environment, outermost_root};

/// The bytes that are read of each output stream.
const MAX_BYTES: u64 = 1024 * 1024;

const SETTINGS: [&str; 4] =
    ["core.fsmonitor=false", "core.hooksPath=/dev/null", "gc.auto=0", "maintenance.auto=false"];

/// English answers, no locks for reading, no prompts, no network, no lazy fetch of missing objects, and paths without wildcards.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("LC_ALL", "C"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_LITERAL_PATHSPECS", "1"),
];

/// The `git` command in a folder. The deadline holds for all its runs together.
#[derive(Debug)]
pub struct Git<'a> {
    program: PathBuf,
    environment: Vec<(OsString, OsString)>,
    folder: &'a Path,
    settings: Vec<String>,
    deadline: Instant,
    grace: Duration,
}

/// Git succeeded, or printed more than was read.
pub fn is_answer(output: &Output) -> bool {
    output.status.success() || output.stdout.len() as u64 >= MAX_BYTES
}

impl<'a> Git<'a> {
    /// The first `git` of `PATH` outside of the repository. `None`: there is none.
    pub fn new(folder: &'a Path, environment: &Environment, patience: Duration) -> Option<Self> {
        let trusted = TrustedPath::new(environment.search_path.as_deref(), folder);
        let xdg = environment.xdg_config_home.iter().filter(|folder| folder.is_absolute());
        let home = environment.home.iter().map(|home| ("HOME".into(), home.into()));
        let home = home.chain(xdg.map(|folder| ("XDG_CONFIG_HOME".into(), folder.into())));
        let fixed = ENVIRONMENT.iter().map(|(name, value)| (name.into(), value.into()));
        Some(Self {
            program: trusted.find("git")?,
            environment: trusted.environment().into_iter().chain(home).chain(fixed).collect(),
            folder,
            settings: SETTINGS.map(ToOwned::to_owned).to_vec(),
            deadline: Instant::now() + patience,
            grace: Duration::ZERO,
        })
    }

    /// The time that git gets after its deadline to remove its lock files, before it is killed.
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    pub fn extend(&mut self, patience: Duration) {
        self.deadline = Instant::now() + patience;
    }

    /// One run of git. Of each output stream at most 1 MiB is read.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Result<Output, ChildError> {
        let mut command = Command::new(&self.program);
        command.env_clear().envs(self.environment.iter().cloned()).current_dir(self.folder);
        command.arg("--no-pager").args(self.settings.iter().flat_map(|setting| ["-c", setting]));
        command.args(arguments).stderr(Stdio::piped());
        let limits = Limits { deadline: self.deadline, grace: self.grace, max_bytes: MAX_BYTES };
        child::run(&mut command, b"", limits)
    }

    /// Switches off the filters that the repository itself defines, for all later runs. The user's own filters stay. False: git
    /// does not list them, or one has a name that no command line can hold.
    pub fn disable_repository_filters(&mut self) -> Result<bool, ChildError> {
        let listed =
            self.run(["config", "-z", "--show-scope", "--name-only", "--get-regexp", "^filter[.]"])?;
        // 1: none is defined.
        let is_answer = matches!(listed.status.code(), Some(0 | 1));
        let Some(filters) = repository_filters(&listed.stdout).filter(|_| is_answer) else {
            return Ok(false);
        };
        let off = |name: &String| {
            ["clean=", "smudge=", "process=", "required=false"].map(|key| format!("filter.{name}.{key}"))
        };
        self.settings.extend(filters.iter().flat_map(off));
        Ok(true)
    }
}

/// The folders of `PATH` that a project cannot have filled: absolute, and outside of the outermost repository around it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TrustedPath(Vec<PathBuf>);

impl TrustedPath {
    /// Those of this `PATH`, for work in the folder `project`.
    fn new(search_path: Option<&OsStr>, project: &Path) -> Self {
        let top = outermost_root(project);
        let is_trusted = |entry: &PathBuf| {
            entry.is_absolute() && entry.canonicalize().is_ok_and(|entry| !entry.starts_with(&top))
        };
        Self(search_path.map(std::env::split_paths).into_iter().flatten().filter(is_trusted).collect())
    }

    /// The first program of this name.
    fn find(&self, name: &str) -> Option<PathBuf> {
        first_program(self.0.iter().cloned(), Path::new(name))
    }

    /// The least environment of a child that starts programs: these folders as its `PATH`, and what the system needs.
    fn environment(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::join_paths(&self.0).ok().map(|path| ("PATH".into(), path));
        path.into_iter().chain(least_environment().map(|(name, value)| (name.into(), value))).collect()
    }
}

/// The names of the filters of scope `local` and `worktree` in the output of `config --show-scope --name-only`.
fn repository_filters(listed: &[u8]) -> Option<Vec<String>> {
    let mut fields = listed.split(|byte| *byte == 0);
    let mut names = Vec::new();
    while let (Some(scope), Some(key)) = (fields.next(), fields.next()) {
        if !matches!(scope, b"local" | b"worktree") {
            continue;
        }
        let key = std::str::from_utf8(key).ok().filter(|key| !key.contains('='))?;
        let name = key.strip_prefix("filter.").and_then(|key| Some(key.rsplit_once('.')?.0))?.to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Some(names)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
