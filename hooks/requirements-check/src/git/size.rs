//! The size of a branch: inserted and deleted lines of the work tree against where the branch left its base, as
//! `git diff --numstat $(git merge-base BASE HEAD)` counts them, and the lines of files that are neither tracked nor ignored.
//!
//! Not counted: binary files, submodules, what tools keep for themselves, `exclude`, and what `GENERATED` names.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use git2::{DiffFindOptions, DiffOptions, Patch, Repository};
use globset::GlobSet;
use serde::{Deserialize, Serialize};
use shared::hook::Remembered;

use super::worktree::Worktree;
use super::{GitError, base, path_of};
use crate::deadline::within;
use crate::settings::{Glob, glob_set};

/// Endings of files that tools write and nobody reviews by the line.
const GENERATED: &str = "Cargo.lock package-lock.json yarn.lock pnpm-lock.yaml go.sum poetry.lock uv.lock composer.lock \
                         Gemfile.lock .min.js .min.css";

/// A branch's size against its base. Each count is kept: made at leisure and after calls that may have changed files, read before
/// calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Lines inserted and deleted.
    pub lines: u64,
    /// For people: `main`, `origin/main`, or `HEAD` where there is no base.
    pub base: String,
    /// False for a count that ran out of time: a lower bound.
    pub is_complete: bool,
}

impl Remembered for Size {
    const FILE: &'static str = "*-size.json";
}

/// Compares the work tree with the base. What is counted at the deadline is a lower bound.
pub(crate) fn measure(
    worktree: Worktree,
    base: Option<String>,
    exclude: &[Glob],
    deadline: Option<Instant>,
) -> Result<Size, GitError> {
    let (size, exclude) = (Arc::new(Mutex::new(Size::default())), glob_set(exclude));
    let counted = Arc::clone(&size);
    let work = move || count(&worktree, base.as_deref(), exclude.as_ref(), &counted);
    let ended = within(deadline, work).transpose()?;
    let size = size.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Size { is_complete: ended.is_some(), ..size })
}

/// Adds to `size`, which the caller reads when it waits no longer.
fn count(
    worktree: &Worktree,
    base: Option<&str>,
    exclude: Option<&GlobSet>,
    size: &Mutex<Size>,
) -> Result<(), GitError> {
    let size = || size.lock().unwrap_or_else(PoisonError::into_inner);
    let repo = Repository::open(&worktree.root)?;
    let base = base::choose(&repo, base)?;
    size().base.clone_from(&base.name);
    let tree = base.from.map(|commit| repo.find_commit(commit)?.tree()).transpose()?;
    let mut options = DiffOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).show_untracked_content(true);
    options.ignore_submodules(true).context_lines(0);
    let mut diff = repo.diff_tree_to_workdir_with_index(tree.as_ref(), Some(&mut options))?;
    // More files are not compared with each other to find those that were moved.
    diff.find_similar(Some(DiffFindOptions::new().renames(true).rename_limit(200)))?;
    for (index, delta) in diff.deltas().enumerate() {
        let Some(path) = path_of(&delta) else { continue };
        let is_generated = GENERATED.split(' ').any(|ending| path.to_string_lossy().ends_with(ending));
        if is_generated || exclude.is_some_and(|exclude| exclude.is_match(&path)) {
            continue;
        }
        if let Some(patch) = Patch::from_diff(&diff, index)? {
            let (_, inserted, deleted) = patch.line_stats()?;
            size().lines += (inserted + deleted) as u64;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
