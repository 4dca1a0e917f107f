//! The repository, as far as requirements ask. libgit2 and the `git` command do the work.
//!
//! - `worktree`: the work tree of a path and the branch that is out, by a few plain file reads: every tool call pays for them.
//!   Where they cannot be read (reftable), the `git` command is asked.
//! - `base`, `size`: how many lines the work tree differs from the point where the branch left its base.
//! - `fingerprint`: what the files under some globs contain, comparable across commits.
//!
//! Nothing is written, not even a refreshed index, and no program is started that a repository's configuration or attributes
//! name. `GIT_DIR` and its kin change nothing.

mod base;
mod fingerprint;
mod size;
mod worktree;

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::paths;
pub(crate) use base::baseless;
pub(crate) use fingerprint::{Taken, staged_otherwise, take, take_plain};
pub use size::Size;
pub(crate) use size::{SizeRequest, count, stamp};
pub use worktree::Worktree;
pub(crate) use worktree::ask_git;

/// Why git could not be asked, or had no answer, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    #[error("more than {0} files to compare; narrow `paths` or ignore what is generated")]
    TooMany(usize),
    #[error("{0}")]
    Other(String),
}

impl From<git2::Error> for GitError {
    fn from(error: git2::Error) -> Self {
        Self::Other(match error.code() {
            git2::ErrorCode::Owner => {
                "the repository belongs to another user; `git config --global --add safe.directory FOLDER` \
                 trusts it"
                    .to_owned()
            }
            _ => error.message().to_owned(),
        })
    }
}

/// The file is in the index.
pub(crate) fn is_tracked(worktree: &Worktree, file: &Path) -> bool {
    let file = paths::real(file);
    let Ok(inside) = file.strip_prefix(&worktree.root) else { return false };
    let index = git2::Repository::open(&worktree.root).and_then(|repository| repository.index());
    index.is_ok_and(|index| index.get_path(inside, 0).is_some())
}

/// The remotes of the repository's configuration that have a URL.
pub(crate) fn named_remotes(common_dir: &Path) -> Vec<String> {
    let names = git2::Repository::open(common_dir).and_then(|repository| repository.remotes());
    names.map(|names| names.iter().flatten().flatten().map(ToOwned::to_owned).collect()).unwrap_or_default()
}

/// The same and `origin`, which a checkout without any is called by.
pub fn remotes(common_dir: &Path) -> Vec<String> {
    std::iter::once("origin".to_owned()).chain(named_remotes(common_dir)).collect()
}

/// Files that Barbless and Claude Code keep for themselves change on every call and are nobody's work on the project: what lies in
/// `.claude` and beside `.claude.json`, unless git tracks it; state and backups in any case.
fn is_own(path: &Path, is_tracked: impl FnOnce() -> bool) -> bool {
    let is_state = [".claude/hook-state", ".claude/hook-backups"].iter().any(|own| path.starts_with(own));
    let rest = path.to_str().and_then(|path| path.strip_prefix(".claude.json"));
    let is_clients =
        path.starts_with(".claude") || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    is_state || (is_clients && !is_tracked())
}
