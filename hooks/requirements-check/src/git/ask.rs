//! The `git` command, asked where the files of the repository cannot be read (reftable). It costs some milliseconds.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::git::Git;
use shared::host::Environment;

use super::GitError;
use super::worktree::{Worktree, branch_of, is_object_name};
use crate::satisfactions::Key;

/// For all questions together.
const PATIENCE: Duration = Duration::from_millis(900);

/// Asks git about the work tree around `folder`, which must exist, and what is out there.
pub(crate) fn ask_git(folder: &Path, environment: &Environment) -> Result<(Worktree, Key), GitError> {
    let none = || GitError::Other("no git command found in PATH".to_owned());
    let git = Git::new(folder, environment, PATIENCE).ok_or_else(none)?;
    let places = answer(&git, &["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"])?;
    let lines: Vec<&str> = places.lines().collect();
    let [root, git_dir, common_dir] = lines[..] else { return Err(unexpected(&places)) };
    // Git names the common folder relative to the folder it was started in.
    let common_dir = folder.join(common_dir).canonicalize().map_err(|_| unexpected(&places))?;
    let worktree = Worktree { root: PathBuf::from(root), git_dir: PathBuf::from(git_dir), common_dir };
    let head =
        answer(&git, &["symbolic-ref", "-q", "HEAD"]).or_else(|_| answer(&git, &["rev-parse", "HEAD"]))?;
    let commit = || is_object_name(&head).then(|| Key::Detached(head.clone()));
    let key = branch_of(&head).map(Key::Branch).or_else(commit);
    key.map(|key| (worktree, key)).ok_or_else(|| unexpected(&head))
}

/// The output of git, without the last line's end.
fn answer(git: &Git<'_>, words: &[&str]) -> Result<String, GitError> {
    let output = git.run(words).ok().filter(|output| output.code == Some(0));
    let text = output.and_then(|output| String::from_utf8(output.stdout).ok());
    let failed = || GitError::Other(format!("`git {}` gave no answer", words.join(" ")));
    Ok(text.ok_or_else(failed)?.trim_end_matches('\n').to_owned())
}

fn unexpected(answer: &str) -> GitError {
    let words: String = answer.chars().take(80).collect();
    GitError::Other(format!("git answered `{}`, which is not understood", words.escape_debug()))
}

#[cfg(test)]
mod tests;
