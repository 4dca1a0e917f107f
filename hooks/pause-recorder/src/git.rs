//! The repository's state, and the commit of a snapshot, by the user's own `git` as a child with a deadline. Never on a tool call.
//!
//! Nothing that the repository defines runs while it is looked at. A commit runs no hook, editor or signing. As with any `git add`,
//! a filter that is configured for our file names runs: without it a repository that keeps such files elsewhere would list them
//! as changed ever after.
//!
//! - `reading`: parses the output of git (pure)
//! - `committing`: adds, commits, and takes back

pub(crate) mod committing;
mod reading;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::path::Path;
use std::time::Duration;

use ::git::{Failure, Git};
use serde::{Deserialize, Serialize};
use shared::host::Host;

/// The state of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitContext {
    /// The project lies in a work tree that `git` could read.
    pub is_git_repo: bool,
    /// None on a detached head.
    pub branch: Option<String>,
    /// At most five, newest first.
    pub recent_commits: Vec<Commit>,
    /// The differences from the last commit.
    pub status: Status,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The id, shortened as git does.
    pub sha: String,
    pub author: String,
    /// The time in UTC.
    pub timestamp: String,
    pub message: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    pub clean: bool,
    /// Tracked files that differ, staged or not.
    pub modified_files: Vec<String>,
    /// Files that git neither tracks nor ignores, without our own folder of sessions.
    pub untracked_files: Vec<String>,
}

impl Status {
    /// The count of files that differ: `2 files`; none where nothing differs.
    pub(crate) fn uncommitted(&self) -> Option<String> {
        match self.modified_files.len() + self.untracked_files.len() {
            _ if self.clean => None,
            1 => Some("1 file".to_owned()),
            files => Some(format!("{files} files")),
        }
    }
}

/// Reads the state of the repository around `root`. `None`: git did not answer in time. No repository, or no `git`, is an answer.
pub(crate) fn look(host: &Host, root: &Path, patience: Duration) -> Option<GitContext> {
    let look = || {
        let mut git = Git::new(root, &host.environment, patience).ok_or(Failure::NotStarted)?;
        if !git.disable_repository_filters()? {
            return Ok(GitContext::default());
        }
        let (status, log) = (git.run(reading::STATUS)?, git.run(reading::LOG)?);
        if !status.is_answer() {
            return Ok(GitContext::default());
        }
        // Without a commit there is no log.
        let recent_commits = if log.is_answer() { reading::commits(&log.stdout) } else { Vec::new() };
        Ok(GitContext { recent_commits, ..reading::context(&status.stdout) })
    };
    match look() {
        Err(Failure::Late) => None,
        told => Some(told.unwrap_or_default()),
    }
}
