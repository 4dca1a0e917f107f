//! Fingerprints of the files under some globs, so that two moments can be compared.
//!
//! A fingerprint is HEAD's tree and what differs from it once every file is staged, in memory: changed, new and missing files
//! by mode and content. Committing exactly what was there keeps it the same; any other content, by whatever program, does not.
//! A submodule counts by the commit that is out in it. Ignored files and what tools keep for themselves are no part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::path::Path;
use std::time::UNIX_EPOCH;

use git2::{DiffFile, IndexAddOption, Oid, Repository, Tree};
use globset::GlobSet;
use serde::{Deserialize, Serialize};

use super::GitError;
use super::own::Own;
use super::worktree::Worktree;
use crate::paths::{MAX_FILES, files_below};

/// More changed files are an import or a missing `.gitignore`, and a record too large to keep.
const MAX_CHANGED: usize = 5_000;
/// Larger files are compared by size and time.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// The content of a file that one side has and the other has not.
const GONE: &str = "gone";

/// The files of one moment. Two of them are compared by [`differing`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fingerprint {
    /// The object name of HEAD's tree; empty before the first commit and without a repository.
    pub(crate) tree: String,
    /// Mode and content by path, of the files that are not as in the tree.
    pub(crate) changed: BTreeMap<String, String>,
}

/// A fingerprint, and how the index relates to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) fingerprint: Fingerprint,
    /// Files whose staged version differs from the one in the work tree.
    pub(crate) staged_otherwise: Vec<String>,
}

/// Takes the fingerprint of the files under `paths`; `None` means all but what is `own`.
pub(crate) fn take(worktree: &Worktree, paths: Option<&GlobSet>, own: &Own) -> Result<Taken, GitError> {
    let repo = worktree.open()?;
    // Objects that are hashed on the way through git's filters stay in memory.
    let odb = repo.odb()?;
    odb.add_new_mempack_backend(1_000)?;
    let tree = head_tree(&repo)?;
    let (mut index, known) = (repo.index()?, repo.index()?);
    let (mut changed, mut staged_otherwise, mut files) = (BTreeMap::new(), Vec::new(), 0);
    let is_about = |path: &Path| {
        let is_tracked = || known.get_path(path, 0).is_some();
        // A folder among the files is a repository of its own.
        let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        paths.is_none_or(|paths| paths.is_match(path)) && !is_folder && !own.leaves_out(path, is_tracked)
    };
    let mut begin = |path: &Path, _: &[u8]| -> i32 {
        let (add, skip, stop) = (0, 1, -1);
        if !is_about(path) {
            return skip;
        }
        files += 1;
        if files > MAX_CHANGED {
            return stop;
        }
        let name = spelled(path.as_os_str().as_encoded_bytes());
        let staged = known.get_path(path, 0).map(|entry| (entry.id, entry.mode));
        let committed = tree.as_ref().and_then(|tree| tree.get_path(path).ok());
        let committed = committed.map(|entry| (entry.id(), entry.filemode().unsigned_abs()));
        staged_otherwise.extend((staged != committed).then(|| name.clone()));
        match fs::symlink_metadata(worktree.root.join(path)) {
            Ok(metadata) if metadata.is_file() && metadata.len() > MAX_BYTES => {
                changed.insert(name, by_time(&metadata));
                skip
            }
            _ => add,
        }
    };
    let added = index.add_all(["*"], IndexAddOption::DEFAULT, Some(&mut begin));
    if files <= MAX_CHANGED {
        added?;
        for delta in repo.diff_tree_to_index(tree.as_ref(), Some(&index), None)?.deltas() {
            let file = delta.new_file();
            if file.path().is_some_and(&is_about) {
                changed.entry(name_of(&file)).or_insert_with(|| content(&file));
            }
        }
    }
    if files.max(changed.len()) > MAX_CHANGED {
        return Err(GitError::TooMany(MAX_CHANGED));
    }
    let tree = tree.map(|tree| tree.id().to_string()).unwrap_or_default();
    Ok(Taken { fingerprint: Fingerprint { tree, changed }, staged_otherwise })
}

/// The tree of HEAD's commit; `None` before the first commit.
fn head_tree(repo: &Repository) -> Result<Option<Tree<'_>>, GitError> {
    match repo.head() {
        Ok(head) => Ok(Some(head.peel_to_tree()?)),
        Err(error) if error.code() == git2::ErrorCode::UnbornBranch => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn content(file: &DiffFile<'_>) -> String {
    if file.id().is_zero() { GONE.to_owned() } else { format!("{:o} {}", u32::from(file.mode()), file.id()) }
}

fn name_of(file: &DiffFile<'_>) -> String {
    spelled(file.path_bytes().unwrap_or_default())
}

/// A path as text. Where it is no UTF-8 its bytes are spelled out, so that different paths stay different.
fn spelled(path: &[u8]) -> String {
    std::str::from_utf8(path).map_or_else(|_| path.escape_ascii().to_string(), ToOwned::to_owned)
}

fn by_time(metadata: &Metadata) -> String {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let since = since.unwrap_or_default();
    format!("{}@{}.{:09}", metadata.len(), since.as_secs(), since.subsec_nanos())
}

/// The paths under `paths` that differ between two moments, sorted.
pub(crate) fn differing(
    worktree: Option<&Worktree>,
    one: &Fingerprint,
    other: &Fingerprint,
    paths: Option<&GlobSet>,
) -> Result<Vec<String>, GitError> {
    let (mut then, mut now) = (one.changed.clone(), other.changed.clone());
    if one.tree != other.tree {
        let gone = || GitError::Other("there is no repository any more".to_owned());
        let repo = worktree.ok_or_else(gone)?.open()?;
        let (old, new) = (tree(&repo, one)?, tree(&repo, other)?);
        for delta in repo.diff_tree_to_tree(old.as_ref(), new.as_ref(), None)?.deltas() {
            let (old, new) = (delta.old_file(), delta.new_file());
            then.entry(name_of(&new)).or_insert_with(|| content(&old));
            now.entry(name_of(&new)).or_insert_with(|| content(&new));
        }
    }
    let names: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let is_about = |name: &str| paths.is_none_or(|paths| paths.is_match(name));
    let differs = names.into_iter().filter(|name| is_about(name) && then.get(*name) != now.get(*name));
    Ok(differs.cloned().collect())
}

fn tree<'r>(repo: &'r Repository, fingerprint: &Fingerprint) -> Result<Option<Tree<'r>>, GitError> {
    if fingerprint.tree.is_empty() {
        return Ok(None);
    }
    Ok(Some(repo.find_tree(Oid::from_str(&fingerprint.tree)?)?))
}

/// The fingerprint of a folder without a repository: sizes and times instead of contents.
pub(crate) fn take_plain(root: &Path, paths: Option<&GlobSet>, own: &Own) -> Result<Fingerprint, GitError> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let (files, is_complete) = files_below(&root, |path| own.leaves_out(path, || false));
    if !is_complete {
        return Err(GitError::TooMany(MAX_FILES));
    }
    let about = files.iter().filter(|file| paths.is_none_or(|paths| paths.is_match(file)));
    let changed = about.filter_map(|file| {
        let metadata = fs::symlink_metadata(root.join(file)).ok()?;
        Some((spelled(file.as_os_str().as_encoded_bytes()), by_time(&metadata)))
    });
    Ok(Fingerprint { tree: String::new(), changed: changed.collect() })
}

#[cfg(test)]
mod tests;
