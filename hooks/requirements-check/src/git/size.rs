//! The size of a branch: inserted and deleted lines of the work tree against where the branch left its base, as
//! `git diff --numstat $(git merge-base BASE HEAD)` counts them, and the lines of files that are neither tracked nor ignored.
//!
//! Not counted: binary files, submodules, what tools keep for themselves, what a filter of somebody else's would turn into
//! something else (git-lfs), `exclude`, and generated files: those named in `GENERATED`, and those with the attribute
//! `linguist-generated` where the branch does not change the attributes itself.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use git2::{
    AttrCheckFlags, AttrValue, Delta, Diff, DiffFindOptions, DiffOptions, Oid, Patch, Repository, Tree,
};
use globset::GlobSet;
use serde::{Deserialize, Serialize};

use super::GitError;
use super::base::{self, Base, Baseless};
use super::own::{Own, OwnPaths};
use super::repository::{native, open};
use super::worktree::{Head, Worktree, first_line};
use crate::deadline::within;
use crate::evidence::glob_set;
use crate::settings::Glob;

/// Files that tools write and nobody reviews by the line: names, and endings of names.
const GENERATED: [&str; 11] = [
    "Cargo.lock",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "go.sum",
    "poetry.lock",
    "uv.lock",
    "composer.lock",
    "Gemfile.lock",
    "*.min.js",
    "*.min.css",
];

/// So many files may be compared with each other to find those that were moved.
const RENAME_LIMIT: usize = 200;

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct SizeRequest {
    /// The branch, tag or commit to measure against; `None`: upstream, the remote's default, main, master.
    pub(crate) base: Option<String>,
    /// Paths, relative to the work tree's folder, that do not count.
    pub(crate) exclude: Vec<Glob>,
    /// What tools keep for themselves, which does not count either.
    pub(crate) own: Own,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Count {
    /// What it was measured against, for people: `main`, `origin/main`, or `HEAD` where there is no base.
    pub(crate) base: String,
    /// Inserted plus deleted lines.
    pub(crate) lines: u64,
    /// False: the time was up, and the lines are a lower bound.
    pub(crate) is_complete: bool,
}

/// What HEAD says, and the commit of its branch: different means another count.
pub(crate) fn stamp(worktree: &Worktree) -> String {
    let tip = match worktree.head() {
        Ok(Head::Branch(name)) => first_line(&worktree.common_dir.join("refs/heads").join(name)),
        _ => None,
    };
    let head = first_line(&worktree.git_dir.join("HEAD"));
    format!("{} {}", head.unwrap_or_default(), tip.unwrap_or_default())
}

/// Why the branch cannot be measured in this clone as it would be in a whole one; `None` if it can.
pub(crate) fn baseless(worktree: &Worktree, base: Option<&str>) -> Result<Option<Baseless>, GitError> {
    base::baseless(&open(worktree)?, base)
}

/// Measures the branch. What is counted at the deadline is a lower bound.
pub(crate) fn count(
    worktree: &Worktree,
    request: SizeRequest,
    deadline: Option<Instant>,
) -> Result<Count, GitError> {
    let shared = Arc::new(Mutex::new(Count::default()));
    let (worktree, counted) = (worktree.clone(), Arc::clone(&shared));
    let add = move |change: &dyn Fn(&mut Count)| {
        change(&mut counted.lock().unwrap_or_else(PoisonError::into_inner));
    };
    let ended = within(deadline, move || all(&worktree, &request, &add));
    let count = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match ended {
        Some(Err(error)) => Err(error),
        Some(Ok(())) => Ok(Count { is_complete: true, ..count }),
        None => Ok(count),
    }
}

/// Adds to what is counted so far.
type Add = dyn Fn(&dyn Fn(&mut Count));

fn all(worktree: &Worktree, request: &SizeRequest, add: &Add) -> Result<(), GitError> {
    let repo = open(worktree)?;
    let base = base::choose(&repo, request.base.as_deref())?;
    add(&|count| count.base.clone_from(&base.name));
    let diff = compared(&repo, &base)?;
    let counting = Counting {
        exclude: glob_set(&request.exclude).unwrap_or_else(GlobSet::empty),
        repo: &repo,
        own: request.own.within(&worktree.root),
        trusts_attributes: !diff.deltas().any(|delta| changes_attributes(delta.new_file().path())),
    };
    for index in 0..diff.deltas().len() {
        let lines = counting.lines(&diff, index)?;
        add(&|count| count.lines += lines);
    }
    Ok(())
}

fn compared<'r>(repo: &'r Repository, base: &Base) -> Result<Diff<'r>, GitError> {
    let tree = base_tree(repo, base.from)?;
    let mut options = DiffOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).show_untracked_content(true);
    options.ignore_submodules(true).context_lines(0);
    let mut diff = repo.diff_tree_to_workdir_with_index(tree.as_ref(), Some(&mut options))?;
    let is_moved = diff.deltas().any(|delta| delta.status() == Delta::Deleted);
    if is_moved {
        diff.find_similar(Some(DiffFindOptions::new().renames(true).rename_limit(RENAME_LIMIT)))?;
    }
    Ok(diff)
}

fn base_tree(repo: &Repository, from: Option<Oid>) -> Result<Option<Tree<'_>>, GitError> {
    Ok(from.map(|commit| repo.find_commit(commit)?.tree()).transpose()?)
}

fn changes_attributes(path: Option<&Path>) -> bool {
    path.and_then(Path::file_name).is_some_and(|name| name == ".gitattributes")
}

struct Counting<'a> {
    exclude: GlobSet,
    repo: &'a Repository,
    own: OwnPaths,
    /// The branch leaves the attributes as they are: one that calls its own work generated would be small whatever is in it.
    trusts_attributes: bool,
}

impl Counting<'_> {
    fn lines(&self, diff: &Diff<'_>, index: usize) -> Result<u64, GitError> {
        let Some(delta) = diff.get_delta(index) else { return Ok(0) };
        let path =
            delta.new_file().path_bytes().or(delta.old_file().path_bytes()).unwrap_or_default().to_owned();
        let is_untracked = delta.status() == Delta::Untracked;
        let is_own = self.own.is_never_counted(&path) || (is_untracked && self.own.is_left_out(&path));
        // A folder among the files is a repository of its own.
        if is_own || path.ends_with(b"/") || self.is_left_out(&path)? {
            return Ok(0);
        }
        let Some(compared) = Patch::from_diff(diff, index)? else { return Ok(0) };
        let (_, inserted, deleted) = compared.line_stats()?;
        Ok((inserted + deleted) as u64)
    }

    fn is_left_out(&self, path: &[u8]) -> Result<bool, GitError> {
        let file = native(path);
        if is_generated(path) || self.exclude.is_match(&file) {
            return Ok(true);
        }
        let filter = self.attribute(&file, "filter")?;
        let generated = self.attribute(&file, "linguist-generated")?;
        let is_marked = matches!(generated, AttrValue::True | AttrValue::Bytes(b"true"));
        Ok(matches!(filter, AttrValue::Bytes(_)) || (self.trusts_attributes && is_marked))
    }

    fn attribute(&self, file: &Path, name: &str) -> Result<AttrValue<'_>, GitError> {
        let value = self.repo.get_attr_bytes(file, name, AttrCheckFlags::FILE_THEN_INDEX)?;
        Ok(AttrValue::always_bytes(value))
    }
}

fn is_generated(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    GENERATED.iter().any(|known| match known.strip_prefix('*') {
        Some(ending) => name.ends_with(ending.as_bytes()),
        None => name == known.as_bytes(),
    })
}

#[cfg(test)]
mod tests;
