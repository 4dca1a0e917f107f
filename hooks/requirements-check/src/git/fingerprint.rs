//! Fingerprints of the files under some globs, so that two moments can be compared.
//!
//! A fingerprint is a digest of what the index holds once every file is staged, in memory: mode, content and path. Committing
//! exactly what was there keeps it the same; any other content, by whatever program, does not. A submodule counts by the commit
//! that is out in it. Ignored files and what tools keep for themselves are no part of it.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use git2::{Delta, DiffOptions, StatusOptions};
use globset::GlobSet;
use shared::digest;
use shared::host::Timestamp;

use super::worktree::Worktree;
use super::{GitError, is_own};

/// Larger files are compared by size and time.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Folders of tools, left out where no `.gitignore` says so.
const OF_TOOLS: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];

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
        // A folder may stand where a file was.
        let file = fs::symlink_metadata(worktree.root.join(&path)).ok();
        let Some(metadata) = file.filter(|_| delta.status() != Delta::Deleted) else {
            index.remove_path(&path)?;
            continue;
        };
        if metadata.is_file() && metadata.len() > MAX_BYTES {
            bytes.extend(by_time(&path, &metadata));
        } else {
            index.add_path(&path)?;
        }
        changed.push(dated(&path, &metadata));
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
pub(crate) fn take_plain(root: &Path, paths: Option<&GlobSet>) -> Taken {
    let mut files = files_below(root);
    files.retain(|file| is_about(paths, file, || false));
    files.sort();
    let (mut bytes, mut changed) = (Vec::new(), Vec::new());
    for file in files {
        let Ok(metadata) = fs::symlink_metadata(root.join(&file)) else { continue };
        bytes.extend(by_time(&file, &metadata));
        changed.push(dated(&file, &metadata));
    }
    Taken { digest: digest::hex(bytes, 16), changed }
}

/// The files under `paths` whose staged version is neither the committed one nor the one in the work tree.
pub(crate) fn staged_otherwise(
    worktree: &Worktree,
    paths: Option<&GlobSet>,
) -> Result<Vec<String>, GitError> {
    let repo = worktree.open()?;
    let mut options = StatusOptions::new();
    let statuses = repo.statuses(Some(options.include_untracked(true).recurse_untracked_dirs(true)))?;
    let both =
        statuses.iter().filter(|entry| entry.head_to_index().is_some() && entry.index_to_workdir().is_some());
    let files = both.map(|entry| native(entry.path_bytes()));
    let files = files.filter(|path| is_about(paths, path, || true));
    Ok(files.map(|path| path.to_string_lossy().into_owned()).collect())
}

/// The files below `root`, by their paths from there. Links are not followed: they may lead round in a circle, or out of the
/// project.
pub(crate) fn files_below(root: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![PathBuf::new()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let (name, path) = (entry.file_name(), folder.join(entry.file_name()));
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                files.push(path);
            } else if !OF_TOOLS.iter().any(|of_tools| name == *of_tools) {
                folders.push(path);
            }
        }
    }
    files
}

fn is_about(paths: Option<&GlobSet>, path: &Path, is_tracked: impl FnOnce() -> bool) -> bool {
    paths.is_none_or(|paths| paths.is_match(path)) && !is_own(path, is_tracked)
}

fn native(path: &[u8]) -> PathBuf {
    String::from_utf8_lossy(path).into_owned().into()
}

fn by_time(path: &Path, metadata: &Metadata) -> Vec<u8> {
    let (path, time) = dated(path, metadata);
    format!("{} {} {path}\n", metadata.len(), time.micros()).into_bytes()
}

fn dated(path: &Path, metadata: &Metadata) -> (String, Timestamp) {
    let time = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    (path.to_string_lossy().into_owned(), time.into())
}

#[cfg(test)]
mod tests;
