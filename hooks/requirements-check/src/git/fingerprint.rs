//! Fingerprints of the files under some globs, so that two moments can be compared.
//!
//! A fingerprint is a digest of what the index holds once every file is staged, in memory: mode, content and path. Committing
//! exactly what was there keeps it the same; any other content, by whatever program, does not. A submodule counts by the commit
//! that is out in it. Ignored files and what tools keep for themselves are no part of it.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use git2::{Delta, DiffOptions, Status, StatusOptions};
use globset::GlobSet;
use shared::digest;
use shared::host::Timestamp;

use super::worktree::Worktree;
use super::{GitError, is_own};
use crate::paths::{MAX_FILES, files_below};

/// More changed files are an import or a missing `.gitignore`.
const MAX_CHANGED: usize = 5_000;
/// Larger files are compared by size and time.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The files of one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) digest: String,
    /// Files that are not as in the index, and when they were changed last.
    pub(crate) changed: Vec<(String, Timestamp)>,
}

/// Takes the fingerprint of the files under `paths`; `None` means all.
pub(crate) fn take(worktree: &Worktree, paths: Option<&GlobSet>) -> Result<Taken, GitError> {
    let repo = worktree.open()?;
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
        let Some(path) = delta.new_file().path_bytes().map(native) else { continue };
        // A folder among the files is a repository of its own.
        let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        if is_folder || !is_about(paths, &path, || delta.status() != Delta::Untracked) {
            continue;
        }
        if changed.len() == MAX_CHANGED {
            return Err(GitError::TooMany(MAX_CHANGED));
        }
        // A folder may stand where a file was.
        let file = fs::symlink_metadata(worktree.root.join(&path)).ok();
        let Some(metadata) = file.filter(|_| delta.status() != Delta::Deleted) else {
            index.remove_path(&path)?;
            continue;
        };
        changed.push((spelled(&path), time_of(&metadata)));
        if metadata.is_file() && metadata.len() > MAX_BYTES {
            bytes.extend(by_time(&path, &metadata));
        } else {
            index.add_path(&path)?;
        }
    }
    for entry in index.iter() {
        if is_about(paths, &native(&entry.path), || true) {
            bytes.extend(entry.mode.to_be_bytes());
            bytes.extend(entry.id.as_bytes());
            bytes.extend(&entry.path);
            bytes.push(0);
        }
    }
    Ok(Taken { digest: digest::hex(bytes, 16), changed })
}

/// The same without a repository: sizes and times instead of contents.
pub(crate) fn take_plain(root: &Path, paths: Option<&GlobSet>) -> Result<Taken, GitError> {
    let (mut files, is_complete) = files_below(root, |path| is_own(path, || false));
    if !is_complete {
        return Err(GitError::TooMany(MAX_FILES));
    }
    files.retain(|file| is_about(paths, file, || true));
    files.sort();
    let (mut bytes, mut changed) = (Vec::new(), Vec::new());
    for file in files {
        let Ok(metadata) = fs::symlink_metadata(root.join(&file)) else { continue };
        bytes.extend(by_time(&file, &metadata));
        changed.push((spelled(&file), time_of(&metadata)));
    }
    Ok(Taken { digest: digest::hex(bytes, 16), changed })
}

/// The files under `paths` whose staged version is neither the committed one nor the one in the work tree.
pub(crate) fn staged_otherwise(
    worktree: &Worktree,
    paths: Option<&GlobSet>,
) -> Result<Vec<String>, GitError> {
    const STAGED: Status = Status::INDEX_NEW
        .union(Status::INDEX_MODIFIED)
        .union(Status::INDEX_DELETED)
        .union(Status::INDEX_TYPECHANGE);
    const IN_WORK_TREE: Status =
        Status::WT_NEW.union(Status::WT_MODIFIED).union(Status::WT_DELETED).union(Status::WT_TYPECHANGE);
    let repo = worktree.open()?;
    let mut options = StatusOptions::new();
    let statuses = repo.statuses(Some(options.include_untracked(true).recurse_untracked_dirs(true)))?;
    let both = statuses
        .iter()
        .filter(|entry| entry.status().intersects(STAGED) && entry.status().intersects(IN_WORK_TREE));
    let names = both.map(|entry| native(entry.path_bytes()));
    Ok(names.filter(|path| is_about(paths, path, || true)).map(|path| spelled(&path)).collect())
}

fn is_about(paths: Option<&GlobSet>, path: &Path, is_tracked: impl FnOnce() -> bool) -> bool {
    paths.is_none_or(|paths| paths.is_match(path)) && !is_own(path, is_tracked)
}

fn native(path: &[u8]) -> PathBuf {
    String::from_utf8_lossy(path).into_owned().into()
}

fn spelled(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn time_of(metadata: &Metadata) -> Timestamp {
    Timestamp::from(metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH))
}

fn by_time(path: &Path, metadata: &Metadata) -> Vec<u8> {
    let time = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    format!("{} {time:?} {}\n", metadata.len(), path.display()).into_bytes()
}

#[cfg(test)]
mod tests;
