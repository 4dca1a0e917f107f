//! What the repository says, and the commit of a snapshot: the user's own `git`, as a child with a deadline. On no tool call.
//!
//! A repository's configuration starts nothing while it is looked at: no watcher, no hook, no pager, no filter it defines
//! itself, no check of signatures, no submodule's git, and nothing is fetched. A commit starts no hook, no editor and no
//! signing; but as with any `git add`, a filter that is configured for the names of our files runs on them: without it a
//! repository that keeps such files elsewhere would have them as changed ever after.
//!
//! - `reading`: what it says (pure)
//! - `committing`: adding and committing, and taking back

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
use shared::host::{Environment, Host, Timestamp};

use reading::{LOG_FORMAT, as_name};

/// The repository at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GitContext {
    /// The project lies in a repository, and `git` could tell of it.
    pub is_git_repo: bool,
    /// The branch; none on a detached head, and where there is no repository.
    pub branch: Option<String>,
    /// The last commits, newest first, at most five.
    pub recent_commits: Vec<Commit>,
    /// What differs from the last commit.
    pub status: Status,
}

/// A commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Commit {
    /// Its id, shortened as git does.
    pub sha: String,
    /// Who wrote it.
    pub author: String,
    /// When, in UTC.
    pub timestamp: String,
    /// Its first line.
    pub message: String,
    /// Somebody else has committed it, or its time is still to come: it was not made here in the session. Is not written.
    #[serde(skip)]
    #[schemars(skip)]
    pub is_foreign: bool,
}

/// What differs from the last commit. Names are whole, on one line each: what would break it stands as an escape.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// Nothing differs.
    pub clean: bool,
    /// Tracked files that differ, staged or not.
    pub modified_files: Vec<String>,
    /// Files git does not know and does not ignore; our own folder of sessions does not count.
    pub untracked_files: Vec<String>,
}

/// Looks at the repository `root` lies in. `None`: it did not answer in time. No repository, or no `git`, is an answer.
#[must_use]
pub(crate) fn look(host: &Host, root: &Path, patience: Duration) -> Option<GitContext> {
    let Some(mut git) = Git::new(root, &host.environment, patience) else {
        return Some(GitContext::default());
    };
    match tell(&mut git, host.now()) {
        Ok(told) => Some(told.unwrap_or_default()),
        Err(Failure::NotStarted) => Some(GitContext::default()),
        Err(Failure::Late) => None,
    }
}

/// Commits exactly these files, whatever the user has staged; hooks of the repository do not run and nothing is signed.
///
/// # Errors
/// Why they are not committed; what the user had staged is as it was.
pub(crate) fn commit(
    root: &Path,
    files: &[PathBuf],
    message: &str,
    patience: Duration,
) -> Result<(), String> {
    committing::commit(&Environment::read(), root, files, message, patience)
}

/// Which of these files git keeps. `None`: it could not tell; no repository, or no `git`, keeps none.
#[must_use]
pub(crate) fn tracked(root: &Path, files: &[PathBuf], patience: Duration) -> Option<Vec<PathBuf>> {
    committing::tracked(&Environment::read(), root, files, patience)
}

/// `None`: it is no repository, or none that can be looked at.
fn tell(git: &mut Git<'_>, now: Timestamp) -> Result<Option<GitContext>, Failure> {
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
        return bare(git, now);
    }
    let reported = reading::reported(&status.stdout);
    let recent_commits = if reported.has_commit { log(git, now)? } else { Vec::new() };
    Ok(Some(GitContext {
        is_git_repo: true,
        branch: reported.branch,
        recent_commits,
        status: reported.status,
    }))
}

fn log(git: &Git<'_>, now: Timestamp) -> Result<Vec<Commit>, Failure> {
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
    let email = git.run(["config", "-z", "--get", "user.email"])?;
    let email = String::from_utf8_lossy(&email.stdout);
    let email = Some(email.trim_end_matches('\0')).filter(|email| !email.is_empty());
    Ok(reading::commits(&said.stdout, email, now))
}

/// A repository without files has commits all the same.
fn bare(git: &Git<'_>, now: Timestamp) -> Result<Option<GitContext>, Failure> {
    if git.run(["rev-parse", "--is-bare-repository"])?.stdout != b"true\n" {
        return Ok(None);
    }
    let head = git.run(["symbolic-ref", "--quiet", "--short", "HEAD"])?;
    let branch = Some(as_name(String::from_utf8_lossy(&head.stdout).trim())).filter(|name| !name.is_empty());
    let status = Status { clean: true, ..Status::default() };
    Ok(Some(GitContext { is_git_repo: true, branch, recent_commits: log(git, now)?, status }))
}
