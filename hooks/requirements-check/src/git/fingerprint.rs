//! Fingerprints of the files under some globs, so that two moments can be compared.
//!
//! A fingerprint is a digest of what the index holds once every file is staged, in memory: mode, content and path. Committing
//! exactly what was there keeps it the same; any other content, by whatever program, does not. A submodule counts by the commit
//! that is out in it. Ignored files and what tools keep for themselves are no part of it.

use std::fs;
use std::path::{Path, PathBuf};

use git2::{Delta, DiffOptions, Repository, StatusOptions};
use globset::GlobSet;
use shared::digest;
use shared::host::Timestamp;

use super::worktree::Worktree;
use super::{GitError, OF_TOOLS, is_of_tools, native, path_of};

/// Larger files are compared by size and time.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) digest: String,
    /// Files that are not as in the index, and when they were changed last.
    pub(crate) changed: Vec<(String, Timestamp)>,
}

/// Takes the fingerprint of the files under `paths`; `None` means all.
pub(crate) fn take(worktree: &Worktree, paths: Option<&GlobSet>) -> Result<Taken, GitError> {
    let repo = Repository::open(&worktree.root)?;
    // Objects that are hashed on the way through git's filters stay in memory.
    let odb = repo.odb()?;
    odb.add_new_mempack_backend(1_000)?;
    let mut index = repo.index()?;
    let mut options = DiffOptions::new();
    options.include_typechange(true).include_untracked(true).recurse_untracked_dirs(true);
    // The diff compares sizes and times, no lines.
    let diff = repo.diff_index_to_workdir(Some(&index), Some(&mut options))?;
    let (mut bytes, mut changed) = (Vec::new(), Vec::new());
    for delta in diff.deltas() {
        let Some(path) = path_of(&delta).filter(|path| is_under(paths, path)) else { continue };
        let (size, dated) = look_at(&worktree.root, &path);
        match delta.status() {
            Delta::Deleted => index.remove_path(&path)?,
            _ if size > MAX_BYTES => bytes.extend(format!("{size} {dated:?}").bytes()),
            _ => index.add_path(&path)?,
        }
        changed.push(dated);
    }
    for entry in index.iter() {
        let path = native(&entry.path);
        if is_under(paths, &path) {
            bytes.extend([&entry.mode.to_be_bytes(), entry.id.as_bytes(), &entry.path, b"\0"].concat());
        }
    }
    Ok(Taken { digest: digest::hex(bytes, 16), changed })
}

/// The same without a repository: sizes and times instead of contents.
pub(crate) fn take_plain(root: &Path, paths: Option<&GlobSet>) -> Taken {
    let mut files = files_below(root);
    files.retain(|file| is_under(paths, file) && !is_of_tools(file, false));
    files.sort();
    let seen: Vec<_> = files.iter().map(|file| look_at(root, file)).collect();
    let digest = digest::hex(format!("{seen:?}"), 16);
    Taken { digest, changed: seen.into_iter().map(|(_, dated)| dated).collect() }
}

/// The files under `paths` whose staged version is neither the committed one nor the one in the work tree.
pub(crate) fn staged_otherwise(
    worktree: &Worktree,
    paths: Option<&GlobSet>,
) -> Result<Vec<String>, GitError> {
    let repo = Repository::open(&worktree.root)?;
    let mut options = StatusOptions::new();
    let statuses = repo.statuses(Some(options.include_untracked(true).recurse_untracked_dirs(true)))?;
    let both =
        statuses.iter().filter(|one| one.head_to_index().is_some() && one.index_to_workdir().is_some());
    let files = both.map(|one| String::from_utf8_lossy(one.path_bytes()).into_owned());
    Ok(files.filter(|file| is_under(paths, file.as_ref())).collect())
}

/// The files below `root`, by their paths from there, without those in folders of tools. Links are not followed: they may lead
/// round in a circle, or out of the project.
pub(crate) fn files_below(root: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![PathBuf::new()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let (name, path) = (entry.file_name(), folder.join(entry.file_name()));
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                files.push(path);
            } else if ![".git", "target"].iter().chain(&OF_TOOLS).any(|of_tools| name == *of_tools) {
                folders.push(path);
            }
        }
    }
    files
}

/// Files in `.claude` are never part of it: else `git add` of one would change the digest.
fn is_under(paths: Option<&GlobSet>, path: &Path) -> bool {
    !path.starts_with(".claude") && paths.is_none_or(|paths| paths.is_match(path))
}

/// The size of a file in bytes; its path, and when it was changed last.
fn look_at(root: &Path, path: &Path) -> (u64, (String, Timestamp)) {
    let found = fs::symlink_metadata(root.join(path));
    let size = found.as_ref().map_or(0, fs::Metadata::len);
    let changed = found.and_then(|metadata| metadata.modified()).map(Timestamp::from);
    (size, (path.to_string_lossy().into_owned(), changed.unwrap_or_default()))
}

#[cfg(test)]
mod tests;
