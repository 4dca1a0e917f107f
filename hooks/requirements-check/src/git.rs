//! What the hook knows of git. Nothing in here knows the hook, its settings (but globs) or its state.
//!
//! - `worktree`: where a path belongs and which branch is out, by a few plain file reads: every tool call pays it.
//! - `ask`: the `git` command, where the files are beyond us (reftable) or libgit2 refuses (foreign owner).
//! - `size`: how many lines the work tree differs from the point where the branch left its base.
//! - `fingerprint`: what the files under some globs contain, cheap to take and to compare across commits.
//! - `remote`: where the repository was cloned from.
//! - `own`: what tools keep in a work tree for themselves, which neither of both looks at.
//!
//! Only `size` and `fingerprint` open the repository (libgit2). They write nothing, not even a refreshed index, and
//! start no program a repository's configuration or attributes name. `GIT_DIR` and its kin change nothing.
//!
//! libgit2 cannot read: SHA-256 repositories, reftable, split and sparse indexes. They end as [`GitError::Other`].

mod ask;
mod base;
mod fingerprint;
mod heads;
mod own;
mod remote;
mod repository;
mod size;
mod worktree;

#[cfg(test)]
mod tests;

pub(crate) use ask::{Answer, ask_git};
pub(crate) use fingerprint::{Fingerprint, Taken, differing, take, take_plain};
pub(crate) use heads::heads;
pub(crate) use own::Own;
pub use remote::{remote, remotes};
pub(crate) use size::{Count, SizeRequest, baseless, count, stamp};
pub(crate) use worktree::Head;
pub use worktree::Worktree;

/// Why git could not be asked, or had no answer. The texts stand alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// libgit2 and git refuse repositories of other users: their configuration could name programs.
    #[error(
        "the repository belongs to another user; `git config --global --add safe.directory FOLDER` trusts it"
    )]
    Owner,
    /// HEAD is none of the forms read by hand: reftable, a reference outside refs/heads, damage.
    #[error("{0} names no branch and no commit that could be read")]
    Head(std::path::PathBuf),
    /// A pipe, a device or a folder stands where git keeps a file; git itself would wait for it for ever.
    #[error("{0} is not a regular file, so the repository cannot be read; move it away or clone anew")]
    NotAFile(std::path::PathBuf),
    /// The base that the settings name is no branch, tag or commit here.
    #[error("`{0}` is no branch, tag or commit of this repository")]
    NoBase(String),
    /// More changed files than a fingerprint holds.
    #[error("more than {0} files to compare; narrow `paths` or ignore what is generated")]
    TooMany(usize),
    /// The `git` command did not answer in time.
    #[error("the git command gave no answer within {0} s")]
    Timeout(u64),
    /// Anything else, in the words of git, libgit2 or the system.
    #[error("{0}")]
    Other(String),
}

impl From<git2::Error> for GitError {
    fn from(error: git2::Error) -> Self {
        if error.code() == git2::ErrorCode::Owner {
            Self::Owner
        } else {
            Self::Other(error.message().to_owned())
        }
    }
}

/// The file is in the index.
pub(crate) fn is_tracked(worktree: &Worktree, file: &std::path::Path) -> bool {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let Ok(inside) = file.strip_prefix(&worktree.root) else { return false };
    let index = git2::Repository::open(&worktree.root).and_then(|repository| repository.index());
    index.is_ok_and(|index| index.get_path(inside, 0).is_some())
}
