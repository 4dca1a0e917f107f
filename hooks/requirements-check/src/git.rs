//! The repository, as far as requirements ask. libgit2 and the `git` command do the work.
//!
//! - `worktree`: where a path belongs and which branch is out, by a few plain file reads: every tool call pays it.
//! - `ask`: the `git` command, where libgit2 cannot read the references (reftable).
//! - `base`, `size`: how many lines the work tree differs from the point where the branch left its base.
//! - `fingerprint`: what the files under some globs contain, comparable across commits.
//! - `remote`: where the repository was cloned from.
//! - `own`: what tools keep in a work tree for themselves, which neither size nor fingerprint counts.
//!
//! Nothing is written, not even a refreshed index, and no program is started that a repository's configuration or attributes
//! name. `GIT_DIR` and its kin change nothing.

mod ask;
mod base;
mod fingerprint;
mod own;
mod remote;
mod size;
mod worktree;

#[cfg(test)]
mod tests;

pub(crate) use ask::ask_git;
pub(crate) use base::baseless;
pub(crate) use fingerprint::{Fingerprint, Taken, differing, take, take_plain};
pub(crate) use own::Own;
pub(crate) use remote::has_remote;
pub use remote::remotes;
pub use size::Size;
pub(crate) use size::{SizeRequest, count, stamp};
pub use worktree::Worktree;

/// Why git could not be asked, or had no answer, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// Another way to the same answer must not be tried: it would wait for a pipe, or take as long.
    #[error("{0}")]
    Final(String),
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
pub(crate) fn is_tracked(worktree: &Worktree, file: &std::path::Path) -> bool {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let Ok(inside) = file.strip_prefix(&worktree.root) else { return false };
    let index = git2::Repository::open(&worktree.root).and_then(|repository| repository.index());
    index.is_ok_and(|index| index.get_path(inside, 0).is_some())
}
