//! The size of a branch: inserted and deleted lines of the work tree against where the branch left its base.
//!
//! Per file it is what `git diff --numstat $(git merge-base BASE HEAD)` prints, and for files that are neither tracked
//! nor ignored the number of their lines. So committed, staged and unstaged work counts alike, and a file that was moved
//! counts with what was changed in it.
//!
//! Files too large to be compared in the time there is count with the lines they have more or less than before, and the
//! total is a lower bound. New files are counted as a whole.
//!
//! Not counted: binary files, submodules, what tools keep for themselves, what a filter of somebody else's would turn into something
//! else (git-lfs), `exclude`, and generated files: those that have the attribute `linguist-generated` now and had it at the base,
//! and those named in `GENERATED`.

mod compare;
mod generated;
mod tally;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use git2::Oid;
use globset::GlobSet;
use serde::{Deserialize, Serialize};

use self::compare::{Change, Limits, New, changed_lines};
use self::generated::Marks;
use self::tally::{Tally, base_tree, is_left_out};
use super::GitError;
use super::base::{self, Baseless};
use super::content::{OnDisk, read};
use super::index::times;
use super::own::Own;
use super::repository::{SUBMODULE, native, open, relative, spelled, stored};
use super::worktree::{Head, Worktree, first_line};

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizeRequest<'a> {
    /// The branch, tag or commit to measure against; `None`: upstream, the remote's default, main, master.
    pub(crate) base: Option<&'a str>,
    /// Paths, relative to the work tree's folder, that do not count.
    pub(crate) exclude: &'a GlobSet,
    /// What tools keep for themselves, which does not count either.
    pub(crate) own: &'a Own,
    /// Count generated files too.
    pub(crate) include_generated: bool,
}

/// What was measured, small enough to be kept between tool calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// What it was measured against, for people: `main`, `origin/main`, or `HEAD` where there is no base.
    pub(crate) base: String,
    /// Inserted and deleted lines by path; files without either are left out.
    pub(crate) files: BTreeMap<String, (u32, u32)>,
    /// False: the time was up, or a file too large, and the total is a lower bound.
    pub(crate) complete: bool,
    /// HEAD and index when counting began.
    pub(crate) stamp: Stamp,
    /// The commit compared with; `None` before the first one.
    from: Option<String>,
    /// The base's reference and what it said, to see it move.
    base_tip: Option<(String, Option<String>)>,
    /// Where moved files came from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    renames: BTreeMap<String, String>,
}

/// HEAD, the branch's tip and the index, as plain file reads show them: different means "look again".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    head: Option<String>,
    tip: Option<String>,
    packed: Option<FileMark>,
    index: Option<FileMark>,
}

/// Seconds and nanoseconds of the last change, and the size in bytes.
type FileMark = (u32, u32, u64);

impl Counts {
    /// Inserted plus deleted lines of all files.
    pub(crate) fn total(&self) -> u64 {
        self.files.values().map(|(inserted, deleted)| u64::from(*inserted) + u64::from(*deleted)).sum()
    }

    /// Whether HEAD, index and base are as they were. Changes of files are not seen here.
    pub(crate) fn is_current(&self, worktree: &Worktree) -> bool {
        let same_base = |(name, tip): &(String, Option<String>)| loose(worktree, name) == *tip;
        self.stamp == stamp(worktree) && self.base_tip.as_ref().is_none_or(same_base)
    }
}

/// The present stamp: a few microseconds, no library.
pub(crate) fn stamp(worktree: &Worktree) -> Stamp {
    let tip = match worktree.head() {
        Ok(Head::Branch(name)) => loose(worktree, &format!("refs/heads/{name}")),
        _ => None,
    };
    Stamp {
        head: first_line(&worktree.git_dir.join("HEAD")),
        tip,
        packed: mark(&worktree.common_dir.join("packed-refs")),
        index: mark(&worktree.git_dir.join("index")),
    }
}

fn loose(worktree: &Worktree, reference: &str) -> Option<String> {
    first_line(&worktree.common_dir.join(reference))
}

fn mark(file: &Path) -> Option<FileMark> {
    let metadata = fs::metadata(file).ok()?;
    let (secs, nanos) = times(&metadata).0;
    Some((secs, nanos, metadata.len()))
}

/// Why the branch cannot be measured in this clone as it would be in a whole one; `None` if it can.
pub(crate) fn baseless(worktree: &Worktree, base: Option<&str>) -> Result<Option<Baseless>, GitError> {
    base::baseless(&open(worktree)?.repo, base)
}

/// Measures the branch. At the deadline it stops, and what is counted till then is a lower bound.
pub(crate) fn scan(
    worktree: &Worktree,
    request: &SizeRequest<'_>,
    deadline: Option<Instant>,
) -> Result<Counts, GitError> {
    let stamp = stamp(worktree);
    let opened = open(worktree)?;
    let base = base::choose(&opened.repo, request.base)?;
    let tally = Tally::count(&opened, request, &base, deadline)?;
    let base_tip = base.reference.map(|name| {
        let tip = loose(worktree, &name);
        (name, tip)
    });
    Ok(Counts {
        base: base.name,
        files: tally.files,
        complete: tally.complete,
        stamp,
        from: base.from.map(|id| id.to_string()),
        base_tip,
        renames: tally.renames,
    })
}

/// Counts one file again, with the lines that can be counted in time. Others, and what was moved, stay as the last scan saw
/// them.
pub(crate) fn recount(
    worktree: &Worktree,
    request: &SizeRequest<'_>,
    counts: &mut Counts,
    file: &Path,
    deadline: Option<Instant>,
) -> Result<(), GitError> {
    let Some(path) = relative(&worktree.root, file) else { return Ok(()) };
    let name = spelled(&path);
    let own = request.own.within(&worktree.root);
    if is_left_out(request, &path) || own.is_never_counted(&path) {
        return Ok(());
    }
    let opened = open(worktree)?;
    let from = counts.from.as_deref().map(Oid::from_str).transpose()?;
    let tree = base_tree(&opened, from)?;
    let came_from = counts.renames.get(&name).map_or(path.as_slice(), |old| old.as_bytes());
    let old = stored(tree.as_ref(), came_from).filter(|old| old.mode != SUBMODULE);
    let is_new = old.is_none() && !counts.files.contains_key(&name);
    let is_nobodys = is_new && (own.is_left_out(&path) || opened.repo.is_path_ignored(native(&path))?);
    if is_nobodys || Marks::default().is_generated(&opened, request, tree.as_ref(), &path)? {
        return Ok(());
    }
    let moved_away = counts.renames.values().any(|old| *old == name);
    let limits = Limits::until(deadline);
    let change = match read(&opened, &path, old, limits.read)? {
        OnDisk::Nothing if moved_away => return Ok(()),
        found => changed_lines(&opened, &path, old, New::of(&found), limits)?,
    };
    counts.replace(name, change);
    Ok(())
}

impl Counts {
    fn replace(&mut self, name: String, change: Change) {
        self.complete &= matches!(change, Change::Lines(_));
        match change {
            // What was counted earlier says more.
            Change::AtLeast((0, 0)) => {}
            Change::Lines((0, 0)) => drop(self.files.remove(&name)),
            Change::Lines(lines) | Change::AtLeast(lines) => drop(self.files.insert(name, lines)),
        }
    }
}

#[cfg(test)]
mod tests;
