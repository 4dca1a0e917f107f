//! A file of the user, changed as a whole or not at all: links are followed, the file is locked, the new text is written beside it
//! and renamed, and the old text can be kept as a backup. The caller decides about the change.

mod backups;
mod beside;

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shared::host::Timestamp;
use shared::state::{LockError, with_lock};

use backups::Backups;
use beside::{Mode, appended, create_folder, sync_folder};

pub use backups::{Backup, KEEP_BACKUPS};
pub use beside::{Beside, remove_abandoned};

/// The wait for another command of ours.
const PATIENCE: Duration = Duration::from_secs(5);

/// A longer chain of links is a loop.
const MAX_LINKS: usize = 32;

/// Why a user's file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// We do not edit this text.
    #[error("{}, {refused}; the file was not changed", path.display())]
    Refused {
        path: PathBuf,
        /// Place and reason.
        refused: String,
    },
    /// It cannot be changed.
    #[error("{}: {source}; the file was not changed", path.display())]
    Io {
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The owner made the file read-only. The folder would let us replace it, against the owner's will.
    #[error("{} is read-only; make it writable and try again", path.display())]
    ReadOnly { path: PathBuf },
    /// It is a folder, a pipe or a device.
    #[error("{} is not a regular file; move it away and try again", path.display())]
    NotAFile { path: PathBuf },
    /// Another command is changing it.
    #[error(transparent)]
    Busy(#[from] LockError),
}

#[derive(Debug, Clone)]
pub struct UserFile {
    /// As Claude Code names it.
    path: PathBuf,
    /// The end of a chain of links.
    target: PathBuf,
    /// The folder of its backups.
    backups: PathBuf,
    mode: Mode,
}

impl UserFile {
    /// The file at `path`, whether it exists or not.
    pub fn at(path: &Path) -> Result<Self, FileError> {
        let target = follow(path).map_err(|source| FileError::Io { path: path.to_owned(), source })?;
        // A pipe would be waited for, and a device replaced.
        if fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(FileError::NotAFile { path: path.to_owned() });
        }
        let backups = path.parent().unwrap_or_else(|| Path::new("")).to_owned();
        Ok(Self { path: path.to_owned(), target, backups, mode: Mode::Private })
    }

    /// The same file in a project. A new one gets the usual mode, because others read it. Backups are kept in `folder`: beside the
    /// file somebody would commit them.
    #[must_use]
    pub fn of_a_project(self, folder: &Path) -> Self {
        Self { backups: folder.to_owned(), mode: Mode::Usual, ..self }
    }

    /// The file that holds the bytes.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The text; `None`: there is no such file.
    pub fn read(&self) -> Result<Option<String>, FileError> {
        let guarded = self.guarded();
        if appended(&guarded, ".lock").exists() {
            // A killed process left the lock unless somebody holds it.
            let _ = with_lock(&guarded, Duration::ZERO, || self.clean_up());
        }
        self.text().map_err(|source| FileError::Unreadable { path: self.path.clone(), source })
    }

    fn text(&self) -> io::Result<Option<String>> {
        match fs::read_to_string(&self.target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            text => text.map(Some),
        }
    }

    /// Changes the text under the file's lock. `edit` gets the text, or nothing, and returns what shall be there. Returns whether
    /// the file was changed.
    pub fn change<E: From<FileError>>(
        &self,
        edit: impl FnOnce(Option<&str>) -> Result<Option<String>, E>,
    ) -> Result<bool, E> {
        self.edited(edit, |before, after| {
            self.write(after)?;
            Ok(before != after)
        })
        .map(|changed| changed.unwrap_or(false))
    }

    /// Like [`Self::change`], and keeps the text before the change as a backup, whose path it returns.
    pub fn change_with_backup<E: From<FileError>>(
        &self,
        now: Timestamp,
        edit: impl FnOnce(Option<&str>) -> Result<Option<String>, E>,
    ) -> Result<Option<PathBuf>, E> {
        self.edited(edit, |before, after| self.write_and_keep(before, after, now))
    }

    /// The backups, newest first. One that cannot be read is left out.
    pub fn backups(&self) -> Vec<Backup> {
        self.kept().read()
    }

    /// Refuses an edit of this file with its place.
    pub fn refused(&self, refused: impl Display) -> FileError {
        FileError::Refused { path: self.path.clone(), refused: refused.to_string() }
    }

    /// Under the lock: edits the text, and writes it if it changed.
    fn edited<T, E: From<FileError>>(
        &self,
        edit: impl FnOnce(Option<&str>) -> Result<Option<String>, E>,
        write: impl FnOnce(Option<&str>, Option<&str>) -> io::Result<T>,
    ) -> Result<Option<T>, E> {
        let io = |source| E::from(FileError::Io { path: self.path.clone(), source });
        create_folder(&self.target, self.mode).map_err(io)?;
        let done = with_lock(&self.guarded(), PATIENCE, || {
            self.clean_up();
            let before = self.text().map_err(io)?;
            let after = edit(before.as_deref())?;
            if after == before {
                return Ok(None);
            }
            if fs::metadata(&self.target).is_ok_and(|metadata| metadata.permissions().readonly()) {
                return Err(E::from(FileError::ReadOnly { path: self.path.clone() }));
            }
            write(before.as_deref(), after.as_deref()).map(Some).map_err(io)
        });
        done.map_err(|error| match error {
            LockError::Unusable(_, error) => io(error),
            busy @ LockError::Busy(_) => E::from(FileError::from(busy)),
        })?
    }

    /// The lock's path. No such file exists, so the lock file goes with the lock.
    fn guarded(&self) -> PathBuf {
        appended(&self.target, ".barbless")
    }

    /// Removes what killed processes left. The caller holds the lock.
    fn clean_up(&self) {
        remove_abandoned(&self.target);
        remove_abandoned(&self.backups.join(self.name()));
    }

    fn write(&self, text: Option<&str>) -> io::Result<()> {
        match text {
            Some(text) => Beside::write(&self.target, text.as_bytes(), self.mode)?.put_in_place(),
            // A link to nowhere was there before us, where there is a link.
            None => fs::remove_file(&self.target).map(|()| sync_folder(&self.target)),
        }
    }

    /// Returns the backup of the text before.
    fn write_and_keep(
        &self,
        before: Option<&str>,
        after: Option<&str>,
        now: Timestamp,
    ) -> io::Result<PathBuf> {
        let backups = self.kept();
        // A killed change left a backup of the same text.
        let kept = backups.newest_of(before);
        let is_new = kept.is_none();
        let backup = kept.map_or_else(|| backups.add(before, now), Ok)?;
        if let Err(error) = self.write(after) {
            if is_new {
                let _ = fs::remove_file(backup);
            }
            return Err(error);
        }
        backups.prune();
        Ok(backup)
    }

    fn kept(&self) -> Backups<'_> {
        Backups { folder: &self.backups, name: self.name() }
    }

    fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }
}

/// The file at the end of a chain of links, whether it exists or not.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or_else(|| Path::new("")).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links, one to the next"))
}

#[cfg(test)]
mod tests;
