//! The `git` command, asked where reading the files or libgit2 fails. A process start costs milliseconds, so callers keep the
//! [`Answer`] for the session.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::git::{Failure, Git};
use serde::{Deserialize, Serialize};
use shared::host::Environment;

use super::GitError;
use super::worktree::{Head, Worktree, branch_of, is_object_name};

/// For all questions together.
const PATIENCE: Duration = Duration::from_secs(3);

/// What git said about a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The work tree around the folder.
    pub(crate) worktree: Worktree,
    /// What is checked out there.
    pub(crate) head: Head,
}

/// Asks git about the work tree around `folder`, which must exist.
pub(crate) fn ask_git(folder: &Path, environment: &Environment) -> Result<Answer, GitError> {
    let none = || GitError::Other("no git command found in PATH".to_owned());
    let git = Git::new(folder, environment, PATIENCE).ok_or_else(none)?;
    let places = must(&git, &["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"])?;
    let worktree = worktree_of(folder, &places).ok_or_else(|| unexpected(&places))?;
    Ok(Answer { worktree, head: head(&git)? })
}

fn worktree_of(folder: &Path, places: &str) -> Option<Worktree> {
    let lines: Vec<&str> = places.lines().collect();
    let [root, git_dir, common_dir] = lines[..] else { return None };
    // The common folder is told relative to where git was started.
    let common_dir = folder.join(common_dir).canonicalize().ok()?;
    Some(Worktree { root: PathBuf::from(root), git_dir: PathBuf::from(git_dir), common_dir })
}

fn head(git: &Git<'_>) -> Result<Head, GitError> {
    if let Some(reference) = answer(git, &["symbolic-ref", "-q", "HEAD"])? {
        return branch_of(&reference).map(Head::Branch).ok_or_else(|| unexpected(&reference));
    }
    let commit = must(git, &["rev-parse", "HEAD"])?;
    if is_object_name(&commit) { Ok(Head::Detached(commit)) } else { Err(unexpected(&commit)) }
}

fn must(git: &Git<'_>, words: &[&str]) -> Result<String, GitError> {
    answer(git, words)?.ok_or_else(|| GitError::Other(format!("`git {}` failed", words.join(" "))))
}

/// What git printed, without the last line's end; `None` if it failed.
fn answer(git: &Git<'_>, words: &[&str]) -> Result<Option<String>, GitError> {
    let output = git.run(words).map_err(|failure| match failure {
        Failure::Late => GitError::Timeout(PATIENCE.as_secs()),
        Failure::NotStarted => GitError::Other("the git command could not be started".to_owned()),
    })?;
    if output.code != Some(0) {
        return Ok(None);
    }
    let text = String::from_utf8(output.stdout).map_err(|_| unexpected("a path that is not UTF-8"))?;
    Ok(Some(text.trim_end_matches('\n').to_owned()))
}

fn unexpected(said: &str) -> GitError {
    let words: String = said.chars().take(80).collect();
    GitError::Other(format!("git answered `{}`, which is not understood", words.escape_debug()))
}

#[cfg(test)]
mod tests;
