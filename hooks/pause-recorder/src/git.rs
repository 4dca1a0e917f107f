//! What the repository says, and the commit of a snapshot: the user's own `git`, as a child with a deadline. On no tool call.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shared::host::Host;

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
}

/// What differs from the last commit. Names are whole, with whatever characters they have.
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
pub fn look(_host: &Host, _root: &Path, _patience: Duration) -> Option<GitContext> {
    Some(GitContext::default())
}

/// Commits exactly these files, whatever the user has staged; hooks of the repository do not run and nothing is signed.
///
/// # Errors
/// Why they are not committed; what the user had staged is as it was.
pub fn commit(_root: &Path, _files: &[PathBuf], _message: &str, _patience: Duration) -> Result<(), String> {
    Err("not committed".to_owned())
}
