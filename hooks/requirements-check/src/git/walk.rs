//! One pass over the work tree: what may have changed since the index was written, and what is not tracked.
//!
//! libgit2 has such a pass, but through git2 it cannot be stopped in the middle.

use std::fs::{self, DirEntry};
use std::path::Path;
use std::time::Instant;

use super::GitError;
use super::index::Tracked;
use super::own::OwnPaths;
use super::repository::{Opened, SUBMODULE, native};

/// What the pass came across. Files that look unchanged are not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A tracked file whose size, time or mode is not what the index says.
    Touched,
    /// A file or link that is neither tracked nor ignored.
    Untracked,
    /// A tracked file that is not on disk.
    Gone,
    /// The folder of a submodule. What is in it is its own matter.
    Submodule,
}

/// Whether the pass goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Continue,
    Stop,
}

type Visit<'a> = dyn FnMut(&[u8], Found) -> Result<Next, GitError> + 'a;

/// Clocks are read once for so many files.
const FILES_PER_LOOK: u32 = 32;

/// Walks the work tree, except what is `own`. False: stopped, by the deadline or by the visitor.
pub(super) fn walk(
    opened: &Opened,
    tracked: &Tracked,
    own: &OwnPaths,
    deadline: Option<Instant>,
    visit: &mut Visit<'_>,
) -> Result<bool, GitError> {
    let mut pass = Pass { opened, tracked, own, deadline, files: 0, visit };
    let complete = pass.folder(&opened.root, &mut Vec::new(), true)? == Next::Continue;
    Ok(complete && pass.missing()? == Next::Continue)
}

struct Pass<'a, 'v> {
    opened: &'a Opened,
    tracked: &'a Tracked,
    own: &'a OwnPaths,
    deadline: Option<Instant>,
    files: u32,
    visit: &'a mut Visit<'v>,
}

impl Pass<'_, '_> {
    /// `path` is the folder's own, and the same again on return. `known`: it holds tracked files.
    fn folder(&mut self, folder: &Path, path: &mut Vec<u8>, known: bool) -> Result<Next, GitError> {
        // A folder that cannot be read has nothing that could be counted; git skips it with a warning.
        let Ok(entries) = fs::read_dir(folder) else { return Ok(Next::Continue) };
        for entry in entries.flatten() {
            let length = path.len();
            if length > 0 {
                path.push(b'/');
            }
            path.extend_from_slice(entry.file_name().as_encoded_bytes());
            let next = self.entry(&entry, path, known)?;
            path.truncate(length);
            if next == Next::Stop {
                return Ok(Next::Stop);
            }
        }
        Ok(Next::Continue)
    }

    fn entry(&mut self, entry: &DirEntry, path: &mut Vec<u8>, known: bool) -> Result<Next, GitError> {
        if self.out_of_time() {
            return Ok(Next::Stop);
        }
        let Ok(kind) = entry.file_type() else { return Ok(Next::Continue) };
        if kind.is_dir() {
            return self.sub_folder(entry, path);
        }
        if !kind.is_file() && !kind.is_symlink() {
            return Ok(Next::Continue); // pipes and sockets: reading one could wait for ever
        }
        if known && let Some(listed) = self.tracked.get(path) {
            listed.seen.set(true);
            let unchanged =
                || entry.metadata().is_ok_and(|disk| listed.looks_unchanged(&disk, self.opened.file_mode));
            let skip = listed.kept || listed.stored.mode == SUBMODULE || unchanged();
            return if skip { Ok(Next::Continue) } else { (self.visit)(path, Found::Touched) };
        }
        let counts = !self.own.is_left_out(path) && !self.is_ignored(path)?;
        if counts { (self.visit)(path, Found::Untracked) } else { Ok(Next::Continue) }
    }

    fn sub_folder(&mut self, entry: &DirEntry, path: &mut Vec<u8>) -> Result<Next, GitError> {
        if entry.file_name() == ".git" {
            return Ok(Next::Continue);
        }
        if self.is_submodule(path) {
            return (self.visit)(path, Found::Submodule);
        }
        let known = self.tracked.holds_folder(path);
        let folder = entry.path();
        // A repository inside the repository is nobody's change here.
        if !known && (self.own.is_left_out(path) || folder.join(".git").exists() || self.is_ignored(path)?) {
            return Ok(Next::Continue);
        }
        self.folder(&folder, path, known)
    }

    fn is_submodule(&self, path: &[u8]) -> bool {
        self.tracked.get(path).is_some_and(|listed| listed.stored.mode == SUBMODULE)
    }

    fn is_ignored(&self, path: &[u8]) -> Result<bool, GitError> {
        Ok(self.opened.repo.is_path_ignored(native(path))?)
    }

    fn missing(&mut self) -> Result<Next, GitError> {
        for (path, listed) in self.tracked.iter() {
            let expected = !listed.kept && listed.stored.mode != SUBMODULE;
            if expected && !listed.seen.get() && (self.visit)(path, Found::Gone)? == Next::Stop {
                return Ok(Next::Stop);
            }
        }
        Ok(Next::Continue)
    }

    fn out_of_time(&mut self) -> bool {
        self.files = self.files.wrapping_add(1);
        self.files.is_multiple_of(FILES_PER_LOOK)
            && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests;
