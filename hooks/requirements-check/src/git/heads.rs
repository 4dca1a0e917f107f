//! What satisfactions can belong to: the local branches, and what every work tree of the repository has out.

use std::collections::BTreeSet;
use std::fs;

use git2::BranchType;

use super::GitError;
use super::repository::open;
use super::worktree::{Head, Worktree};

/// All local branches, and the HEAD of every work tree, which may be a commit or a branch without one. A branch whose name
/// is not UTF-8 is left out: HEAD cannot name it here either.
pub(crate) fn heads(worktree: &Worktree) -> Result<BTreeSet<Head>, GitError> {
    let mut heads = out(worktree)?;
    for branch in open(worktree)?.branches(Some(BranchType::Local))? {
        let (branch, _) = branch?;
        heads.extend(branch.name()?.map(|name| Head::Branch(name.to_owned())));
    }
    Ok(heads)
}

/// What is out. One that cannot be read may be anything, so that nothing can be said of the others either.
fn out(worktree: &Worktree) -> Result<BTreeSet<Head>, GitError> {
    let linked = fs::read_dir(worktree.common_dir.join("worktrees")).into_iter().flatten().flatten();
    let git_dirs = linked.map(|entry| entry.path()).chain([worktree.common_dir.clone()]);
    let git_dirs = git_dirs.filter(|git_dir| fs::symlink_metadata(git_dir.join("HEAD")).is_ok());
    git_dirs.map(|git_dir| Worktree { git_dir, ..worktree.clone() }.head()).collect()
}

#[cfg(test)]
mod tests;
