//! The repository's state, and the commit of a snapshot, by the user's own `git` as a child with a deadline. Never on a tool call.
//!
//! Nothing that the repository defines runs while it is looked at. A commit runs no hook, editor or signing. As with any `git add`,
//! a filter that is configured for our file names runs: without it a repository that keeps such files elsewhere would list them
//! as changed ever after.
//!
//! - `reading`: parses the output of git (pure)
//! - `committing`: adds, commits, and takes back

mod committing;
mod reading;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::git::{Failure, Git};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shared::host::{Environment, Host};

use reading::LOG_FORMAT;

/// The state of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GitContext {
    /// The project lies in a work tree that `git` could read.
    pub is_git_repo: bool,
    /// The branch; none on a detached head, and where there is no repository.
    pub branch: Option<String>,
    /// The last commits, newest first, at most five.
    pub recent_commits: Vec<Commit>,
    /// The differences from the last commit.
    pub status: Status,
}

/// A commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Commit {
    /// The id, shortened as git does.
    pub sha: String,
    /// The author.
    pub author: String,
    /// The time in UTC.
    pub timestamp: String,
    /// The first line of the message.
    pub message: String,
}

/// The differences from the last commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// There is no difference.
    pub clean: bool,
    /// Tracked files that differ, staged or not.
    pub modified_files: Vec<String>,
    /// Files that git neither tracks nor ignores, without our own folder of sessions.
    pub untracked_files: Vec<String>,
}

/// Reads the state of the repository around `root`. `None`: git did not answer in time. No repository, or no `git`, is an answer.
#[must_use]
pub(crate) fn look(host: &Host, root: &Path, patience: Duration) -> Option<GitContext> {
    let Some(mut git) = Git::new(root, &host.environment, patience) else {
        return Some(GitContext::default());
    };
    match tell(&mut git) {
        Ok(told) => Some(told.unwrap_or_default()),
        Err(Failure::NotStarted) => Some(GitContext::default()),
        Err(Failure::Late) => None,
    }
}

/// Commits exactly these files, whatever the user has staged, without hooks and signatures.
///
/// # Errors
/// The reason why they are not committed. Staged changes of the user stay as they were.
pub(crate) fn commit(
    root: &Path,
    files: &[PathBuf],
    message: &str,
    patience: Duration,
) -> Result<(), String> {
    committing::commit(&Environment::read(), root, files, message, patience)
}

/// `None`: git reports no work tree.
fn tell(git: &mut Git<'_>) -> Result<Option<GitContext>, Failure> {
    if !git.disable_repository_filters()? {
        return Ok(None);
    }
    let status = git.run([
        "status",
        "--porcelain=v2",
        "-z",
        "--branch",
        "--no-ahead-behind",
        "--untracked-files=normal",
        "--ignore-submodules=dirty",
        "--no-renames",
    ])?;
    if !status.is_answer() {
        return Ok(None);
    }
    let reported = reading::reported(&status.stdout);
    let recent_commits = if reported.has_commit { log(git)? } else { Vec::new() };
    Ok(Some(GitContext {
        is_git_repo: true,
        branch: reported.branch,
        recent_commits,
        status: reported.status,
    }))
}

fn log(git: &Git<'_>) -> Result<Vec<Commit>, Failure> {
    let said = git.run([
        "log",
        "-z",
        "-n",
        "5",
        "--no-show-signature",
        "--no-color",
        "--encoding=UTF-8",
        LOG_FORMAT,
    ])?;
    if !said.is_answer() {
        return Ok(Vec::new());
    }
    Ok(reading::commits(&said.stdout))
}
