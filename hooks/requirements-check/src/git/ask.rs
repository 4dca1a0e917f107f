//! The `git` command, asked where reading the files or libgit2 fails.
//!
//! A process start costs milliseconds, so callers keep the [`Answer`] for the session. The program is never taken from
//! the repository itself, its environment is ours, and hooks and file watchers of the repository are switched off.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::{Deserialize, Serialize};

use super::GitError;
use super::worktree::{Head, Worktree, branch_of, is_object_name};

/// For all questions together.
const DEADLINE: Duration = Duration::from_secs(3);
/// Answers are a few paths; whatever is longer is not git.
const ANSWER_BYTES: usize = 64 * 1024;

/// What of the environment the command gets to see.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// The value of `PATH`. Relative folders and those inside the repository are left out.
    pub(crate) path: &'a OsStr,
    /// The user's home, for `safe.directory` and the like in their `.gitconfig`.
    pub(crate) home: Option<&'a Path>,
}

/// What git said about a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The work tree around the folder.
    pub(crate) worktree: Worktree,
    /// What is checked out there.
    pub(crate) head: Head,
}

/// Asks git about the work tree around `folder`, which must exist.
pub(crate) fn ask_git(folder: &Path, surroundings: Surroundings<'_>) -> Result<Answer, GitError> {
    let git = Git::new(folder, surroundings, Instant::now() + DEADLINE)?;
    let places = git.must("rev-parse", &["--show-toplevel", "--absolute-git-dir", "--git-common-dir"])?;
    let worktree = worktree_of(folder, &places).ok_or_else(|| unexpected("rev-parse", &places))?;
    Ok(Answer { worktree, head: git.head()? })
}

fn worktree_of(folder: &Path, places: &str) -> Option<Worktree> {
    let lines: Vec<&str> = places.lines().collect();
    let [root, git_dir, common_dir] = lines[..] else { return None };
    // The common folder is told relative to where git was started.
    let common_dir = folder.join(common_dir).canonicalize().ok()?;
    Some(Worktree { root: PathBuf::from(root), git_dir: PathBuf::from(git_dir), common_dir })
}

fn unexpected(subcommand: &str, said: &str) -> GitError {
    let words: String = said.chars().take(80).collect();
    GitError::Other(format!(
        "`git {subcommand}` answered `{}`, which is not understood",
        words.escape_debug()
    ))
}

struct Git<'a> {
    program: PathBuf,
    path: OsString,
    folder: &'a Path,
    home: Option<&'a Path>,
    deadline: Instant,
}

impl<'a> Git<'a> {
    fn new(folder: &'a Path, surroundings: Surroundings<'a>, deadline: Instant) -> Result<Self, GitError> {
        let folders = trusted_folders(surroundings.path, folder);
        let program = folders.iter().map(|bin| bin.join(PROGRAM)).find(|file| file.is_file());
        let program = program.ok_or_else(|| GitError::Other("no git command found in PATH".to_owned()))?;
        let path = std::env::join_paths(&folders).map_err(|error| GitError::Other(error.to_string()))?;
        Ok(Self { program, path, folder, home: surroundings.home, deadline })
    }

    fn head(&self) -> Result<Head, GitError> {
        if let Some(reference) = self.answer("symbolic-ref", &["-q", "HEAD"])? {
            return branch_of(&reference)
                .map(Head::Branch)
                .ok_or_else(|| unexpected("symbolic-ref", &reference));
        }
        let commit = self.must("rev-parse", &["HEAD"])?;
        if is_object_name(&commit) {
            Ok(Head::Detached(commit))
        } else {
            Err(unexpected("rev-parse", &commit))
        }
    }

    fn must(&self, subcommand: &str, arguments: &[&str]) -> Result<String, GitError> {
        let answer = self.answer(subcommand, arguments)?;
        answer
            .ok_or_else(|| GitError::Other(format!("`git {subcommand}` failed in {}", self.folder.display())))
    }

    /// What git printed, without the last line's end; `None` if it failed.
    fn answer(&self, subcommand: &str, arguments: &[&str]) -> Result<Option<String>, GitError> {
        let mut command = self.command();
        command.arg(subcommand).args(arguments);
        let mut child = command.spawn().map_err(|error| self.failed(&error))?;
        let said = self.listen(&mut child);
        if said.is_err() {
            // It may have ended by itself; both calls are for a process that is ours in any case.
            let _ = child.kill();
            let _ = child.wait();
        }
        said
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .env("PATH", &self.path)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0");
        if let Some(home) = self.home {
            command.env("HOME", home);
        }
        command.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C"]).arg(self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }

    fn listen(&self, child: &mut Child) -> Result<Option<String>, GitError> {
        let mut said = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            self.read_all(stdout, &mut said)?;
        }
        while child.try_wait().map_err(|error| self.failed(&error))?.is_none() {
            poll(&mut [], Some(&self.left(Duration::from_millis(1))?))
                .map_err(|error| self.failed(&error.into()))?;
        }
        let succeeded = child.wait().map_err(|error| self.failed(&error))?.success();
        let text =
            String::from_utf8(said).map_err(|_| unexpected("rev-parse", "a path that is not UTF-8"))?;
        Ok(succeeded.then(|| text.trim_end_matches('\n').to_owned()))
    }

    fn read_all(&self, mut stdout: ChildStdout, said: &mut Vec<u8>) -> Result<(), GitError> {
        let mut piece = [0; 4096];
        loop {
            let mut waiting = [PollFd::new(&stdout, PollFlags::IN)];
            let ready = poll(&mut waiting, Some(&self.left(DEADLINE)?))
                .map_err(|error| self.failed(&error.into()))?;
            if ready == 0 {
                continue; // `left` ends the loop
            }
            match stdout.read(&mut piece).map_err(|error| self.failed(&error))? {
                0 => return Ok(()),
                length => said.extend_from_slice(&piece[..length]),
            }
            if said.len() > ANSWER_BYTES {
                return Err(unexpected("rev-parse", "more than 64 KiB"));
            }
        }
    }

    /// The time left, at most `at_most`; an error when there is none.
    fn left(&self, at_most: Duration) -> Result<Timespec, GitError> {
        let left = self.deadline.saturating_duration_since(Instant::now()).min(at_most);
        match Timespec::try_from(left) {
            Ok(time) if !left.is_zero() => Ok(time),
            _ => Err(GitError::Timeout(DEADLINE.as_secs())),
        }
    }

    fn failed(&self, error: &std::io::Error) -> GitError {
        GitError::Other(format!("{}: {error}", self.program.display()))
    }
}

const PROGRAM: &str = if cfg!(windows) { "git.exe" } else { "git" };

/// The folders of `path` that a repository cannot have filled: absolute, and outside of it.
fn trusted_folders(path: &OsStr, folder: &Path) -> Vec<PathBuf> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let top = real.ancestors().filter(|ancestor| ancestor.join(".git").exists()).last().unwrap_or(&real);
    let trusted = |entry: &PathBuf| {
        entry.is_absolute() && entry.canonicalize().is_ok_and(|entry| !entry.starts_with(top))
    };
    std::env::split_paths(path).filter(trusted).collect()
}

#[cfg(test)]
mod tests;
