//! The size of a branch: inserted and deleted lines of the work tree against where the branch left its base, as
//! `git diff --numstat $(git merge-base BASE HEAD)` counts them, and the lines of files that are neither tracked nor ignored.
//!
//! Not counted: binary files, submodules, what tools keep for themselves, `exclude`, and generated files: those named in
//! `GENERATED`, and those with the attribute `linguist-generated` where the branch does not change the attributes itself.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use git2::{AttrCheckFlags, AttrValue, Delta, Diff, DiffFindOptions, DiffOptions, Oid, Patch, Repository};
use globset::GlobSet;
use serde::{Deserialize, Serialize};

use super::worktree::{Worktree, first_line};
use super::{GitError, base, is_own};
use crate::deadline::within;
use crate::satisfactions::Key;
use crate::settings::{Glob, glob_set};

/// Files that tools write and nobody reviews by the line: names, and endings of names.
const GENERATED: &str = "Cargo.lock package-lock.json yarn.lock pnpm-lock.yaml go.sum poetry.lock uv.lock composer.lock \
                         Gemfile.lock *.min.js *.min.css";

/// So many files may be compared with each other to find those that were moved.
const RENAME_LIMIT: usize = 200;

/// A branch's size against its base.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Lines inserted and deleted.
    pub lines: u64,
    /// For people: `main`, `origin/main`, or `HEAD` where there is no base.
    pub base: String,
    /// False for a count that ran out of time: a lower bound.
    pub is_complete: bool,
}

/// HEAD, and the commit of its branch: another stamp means another count.
pub(crate) fn stamp(worktree: &Worktree, head: &Key) -> String {
    let tip = match head {
        Key::Branch(name) => first_line(&worktree.common_dir.join("refs/heads").join(name)),
        _ => None,
    };
    format!("{} {}", head.label(), tip.unwrap_or_default())
}

/// The changed lines of each file against one base: several requirements count them, each without its `exclude`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    base: String,
    lines: Vec<(PathBuf, u64)>,
    is_complete: bool,
}

impl Changes {
    pub(crate) fn size(&self, exclude: &[Glob]) -> Size {
        let exclude = glob_set(exclude).unwrap_or_else(GlobSet::empty);
        let counted = self.lines.iter().filter(|(path, _)| !exclude.is_match(path));
        let lines = counted.map(|(_, lines)| lines).sum();
        Size { lines, base: self.base.clone(), is_complete: self.is_complete }
    }
}

/// Compares the work tree with the base. The files that are counted at the deadline are a lower bound.
pub(crate) fn changes(
    worktree: Worktree,
    base: Option<String>,
    deadline: Option<Instant>,
) -> Result<Changes, GitError> {
    let shared = Arc::new(Mutex::new(Changes::default()));
    let counted = Arc::clone(&shared);
    let ended = within(deadline, move || count(&worktree, base.as_deref(), &counted)).transpose()?;
    let changes = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Changes { is_complete: ended.is_some(), ..changes })
}

/// Adds to `changes`, which the caller reads when it waits no longer.
fn count(worktree: &Worktree, base: Option<&str>, changes: &Mutex<Changes>) -> Result<(), GitError> {
    let counted = || changes.lock().unwrap_or_else(PoisonError::into_inner);
    let repo = worktree.open()?;
    let base = base::choose(&repo, base)?;
    counted().base.clone_from(&base.name);
    let diff = compared(&repo, base.from)?;
    // A branch that calls its own work generated would be small whatever is in it.
    let is_of_attributes = |path: &Path| path.ends_with(".gitattributes");
    let trusts_attributes = !diff.deltas().any(|delta| delta.new_file().path().is_some_and(is_of_attributes));
    for (index, delta) in diff.deltas().enumerate() {
        let path = delta.new_file().path().unwrap_or(Path::new(""));
        // A folder among the files is a repository of its own.
        let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        if is_folder
            || is_own(path, || delta.status() != Delta::Untracked)
            || is_generated(&repo, path, trusts_attributes)?
        {
            continue;
        }
        if let Some(patch) = Patch::from_diff(&diff, index)? {
            let (_, inserted, deleted) = patch.line_stats()?;
            counted().lines.push((path.to_path_buf(), (inserted + deleted) as u64));
        }
    }
    Ok(())
}

fn compared(repo: &Repository, from: Option<Oid>) -> Result<Diff<'_>, GitError> {
    let tree = from.map(|commit| repo.find_commit(commit)?.tree()).transpose()?;
    let mut options = DiffOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).show_untracked_content(true);
    options.ignore_submodules(true).context_lines(0);
    let mut diff = repo.diff_tree_to_workdir_with_index(tree.as_ref(), Some(&mut options))?;
    if diff.deltas().any(|delta| delta.status() == Delta::Deleted) {
        diff.find_similar(Some(DiffFindOptions::new().renames(true).rename_limit(RENAME_LIMIT)))?;
    }
    Ok(diff)
}

fn is_generated(repo: &Repository, path: &Path, trusts_attributes: bool) -> Result<bool, GitError> {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_named = |known: &str| match known.strip_prefix('*') {
        Some(ending) => name.ends_with(ending),
        None => name == known,
    };
    let mark = repo.get_attr_bytes(path, "linguist-generated", AttrCheckFlags::FILE_THEN_INDEX)?;
    let is_marked = matches!(AttrValue::always_bytes(mark), AttrValue::True | AttrValue::Bytes(b"true"));
    Ok(GENERATED.split(' ').any(is_named) || (trusts_attributes && is_marked))
}

#[cfg(test)]
mod tests;
