//! The repository as libgit2 opens it, and how its paths are spelled.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use git2::{Repository, RepositoryOpenFlags, Tree};

use super::GitError;
use super::worktree::Worktree;
use crate::paths::real;

/// Opens what lies in the work tree's folder: no search, and without `FROM_ENV` no `GIT_DIR`.
pub(super) fn open(worktree: &Worktree) -> Result<Repository, GitError> {
    worktree.check_rules()?;
    let none: [&OsStr; 0] = [];
    let repo = Repository::open_ext(&worktree.root, RepositoryOpenFlags::NO_SEARCH, none)?;
    if repo.workdir().and_then(|folder| folder.canonicalize().ok()).as_ref() != Some(&worktree.root) {
        let root = worktree.root.display();
        return Err(GitError::Other(format!(
            "core.worktree of the repository in {root} names another folder"
        )));
    }
    Ok(repo)
}

/// The tree of HEAD's commit; `None` before the first commit.
pub(super) fn head_tree(repo: &Repository) -> Result<Option<Tree<'_>>, GitError> {
    match repo.head() {
        Ok(head) => Ok(Some(head.peel_to_tree()?)),
        Err(error) if error.code() == git2::ErrorCode::UnbornBranch => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A path of git's as the system spells it.
#[cfg(unix)]
pub(super) fn native(path: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(OsStr::from_bytes(path)).to_owned()
}

/// A path of git's as the system spells it.
#[cfg(not(unix))]
pub(super) fn native(path: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(path).into_owned())
}

/// A path of git's as text. Bytes that are no UTF-8 are spelled out, so that different paths stay different.
pub(super) fn spelled(path: &[u8]) -> String {
    path.utf8_chunks().fold(String::new(), |mut text, chunk| {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.extend(["\\x", &format!("{byte:02x}")]);
        }
        text
    })
}

/// `path` relative to the work tree's folder, spelled as git does; `None` outside of it.
pub(super) fn relative(root: &Path, path: &Path) -> Option<Vec<u8>> {
    let inside = if path.is_relative() {
        path.to_owned()
    } else {
        resolved(path)?.strip_prefix(root).ok()?.to_owned()
    };
    let parts: Option<Vec<&[u8]>> = inside
        .components()
        .map(|part| match part {
            std::path::Component::Normal(name) => Some(name.as_encoded_bytes()),
            _ => None,
        })
        .collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join(&b'/'))
}

/// `path` with its folder's links resolved; its own name is kept.
fn resolved(path: &Path) -> Option<PathBuf> {
    Some(real(path.parent()?).join(path.file_name()?))
}
