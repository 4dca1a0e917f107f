//! The repository, as far as requirements ask. libgit2 and the `git` command do the work.
//!
//! - `worktree`: the work tree of a path and the branch that is out, by a few plain file reads, because every tool call pays for
//!   them. The `git` command answers where they cannot be read (reftable).
//! - `base`, `size`: how many lines the work tree differs from the point where the branch left its base.
//! - `fingerprint`: what the files under some globs contain, comparable across commits.
//!
//! Nothing is written, not even a refreshed index, and no program is started that a repository's configuration or attributes
//! name. `GIT_DIR` and its kin change nothing: libgit2 opens the work tree's folder, without a search.

mod base;
mod fingerprint;
mod size;
mod worktree;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use git2::{Delta, DiffDelta, Repository};
use shared::host::{Timestamp, real};

pub(crate) use fingerprint::{Taken, files_below, staged_otherwise, take, take_plain};
pub use size::Size;
pub(crate) use size::measure;
pub use worktree::Worktree;
pub(crate) use worktree::ask_git;

/// Why git could not be asked, or had no answer, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GitError(String);

impl From<git2::Error> for GitError {
    fn from(error: git2::Error) -> Self {
        let not_own = "the repository belongs to another user; `git config --global --add safe.directory FOLDER` \
                       trusts it";
        Self(if error.code() == git2::ErrorCode::Owner { not_own } else { error.message() }.to_owned())
    }
}

pub(crate) fn is_tracked(worktree: &Worktree, file: &Path) -> bool {
    let file = real(file);
    let Ok(inside) = file.strip_prefix(&worktree.root) else { return false };
    let index = Repository::open(&worktree.root).and_then(|repository| repository.index());
    index.is_ok_and(|index| index.get_path(inside, 0).is_some())
}

/// The repository has a remote with a URL.
pub(crate) fn has_remote(common_dir: &Path) -> bool {
    let names = Repository::open(common_dir).and_then(|repository| repository.remotes());
    names.is_ok_and(|names| !names.is_empty())
}

/// The time of the commit that is out at `root`.
pub(crate) fn time_of_head(root: &Path) -> Option<Timestamp> {
    let commit = Repository::open(root).ok()?.head().ok()?.peel_to_commit().ok()?.time();
    Some(Timestamp::from_secs(commit.seconds()))
}

/// Folders that tools fill while tests run, and that hold no source, whether or not `.gitignore` names them.
const OF_TOOLS: [&str; 3] = ["node_modules", ".venv", "__pycache__"];

/// The path of a file that a diff names, if it is work on the project.
fn path_of(delta: &DiffDelta<'_>) -> Option<PathBuf> {
    let path = native(delta.new_file().path_bytes()?);
    // A folder among the files is a repository of its own.
    let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    (!is_folder && !is_of_tools(&path, delta.status() != Delta::Untracked)).then_some(path)
}

fn native(path: &[u8]) -> PathBuf {
    String::from_utf8_lossy(path).into_owned().into()
}

/// Files that Barbless, Claude Code and other tools keep for themselves are nobody's work on the project, and may change on every call:
/// what lies in `.claude`, beside `.claude.json` and in folders of tools, unless git tracks it.
fn is_of_tools(path: &Path, is_tracked: bool) -> bool {
    let is_of_claude = path.starts_with(".claude") || path.to_string_lossy().starts_with(".claude.json");
    let is_in_folder = || OF_TOOLS.iter().any(|folder| path.iter().any(|part| part == *folder));
    !is_tracked && (is_of_claude || is_in_folder())
}
