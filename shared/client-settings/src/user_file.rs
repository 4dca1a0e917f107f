//! A file of the user, changed as a whole or not at all. The module follows links and replaces their target. It changes the file
//! under a lock, writes beside it and renames, and can keep the text before as a backup. The caller decides about the change.

mod atomic;
mod backups;

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shared::host::Timestamp;
use shared::state::{LockError, with_lock};

use atomic::{beside, create_folder, remove_abandoned, replace, sync_folder};
use backups::Backups;

pub use atomic::remove_abandoned_of;
pub use backups::{Backup, KEEP_BACKUPS};

/// How long to wait for another one of our commands.
const PATIENCE: Duration = Duration::from_secs(5);

/// A chain of links longer than this is a loop.
const MAX_LINKS: usize = 32;

/// Why a user's file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The text is not one we edit.
    #[error("{}, {refused}; the file was not changed", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// Place and reason.
        refused: String,
    },
    /// It cannot be read or written.
    #[error("{}: {source}; the file was not changed", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// It cannot be read, and nobody was about to change it.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The owner made the file read-only. The folder would let us replace it, against the owner's will.
    #[error("{} is read-only; make it writable and try again", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// A folder, a pipe, a device ... stands there.
    #[error("{} is not a regular file; move it away and try again", path.display())]
    NotAFile {
        /// Its path.
        path: PathBuf,
    },
    /// Another command is changing it.
    #[error(transparent)]
    Busy(#[from] LockError),
}

/// A file of the user's.
#[derive(Debug, Clone)]
pub struct UserFile {
    /// As the client names it.
    path: PathBuf,
    /// Path of the bytes, if `path` is a link.
    target: PathBuf,
    /// The folder of its backups; its own, unless others would see them there.
    backups: PathBuf,
    /// New files are for the user alone.
    is_private: bool,
}

impl UserFile {
    /// The file at `path`, whether it exists or not.
    ///
    /// # Errors
    /// If a link cannot be followed.
    pub fn at(path: &Path) -> Result<Self, FileError> {
        let target = follow(path).map_err(|source| FileError::Io { path: path.to_owned(), source })?;
        // A pipe would be waited for, and a device replaced.
        if fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(FileError::NotAFile { path: path.to_owned() });
        }
        let backups = path.parent().unwrap_or_else(|| Path::new("")).to_owned();
        Ok(Self { path: path.to_owned(), target, backups, is_private: true })
    }

    /// The same file, if it is one of a project's: others read it, so a new one has the mode every new file has, and
    /// backups are kept in `folder` instead of beside it, where they would end up in somebody's commit.
    #[must_use]
    pub fn of_a_project(self, folder: &Path) -> Self {
        Self { backups: folder.to_owned(), is_private: false, ..self }
    }

    /// Path as Claude Code names it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of its bytes.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Text; `None` if there is no such file.
    ///
    /// # Errors
    /// If it cannot be read, or is no text.
    pub fn read(&self) -> Result<Option<String>, FileError> {
        let guarded = self.guarded();
        if beside(&guarded, ".lock").exists() {
            // A lock that somebody holds is not what a killed process left.
            let _ = with_lock(&guarded, Duration::ZERO, || self.remove_abandoned());
        }
        self.text().map_err(|error| match error {
            FileError::Io { path, source } => FileError::Unreadable { path, source },
            other => other,
        })
    }

    fn text(&self) -> Result<Option<String>, FileError> {
        match fs::read_to_string(&self.target) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io(error)),
        }
    }

    /// Changes the text under the file's lock. `edit` is given the text, or nothing, and returns what shall be there.
    /// Nothing is written when that is the same. Returns whether the file was changed.
    ///
    /// # Errors
    /// If `edit` refuses, or the file cannot be read or written: it is as it was then.
    pub fn change<E>(&self, edit: impl FnOnce(Option<&str>) -> Result<Option<String>, E>) -> Result<bool, E>
    where
        E: From<FileError>,
    {
        self.locked(|| {
            let before = self.text()?;
            let after = edit(before.as_deref())?;
            if after == before {
                return Ok(false);
            }
            self.check_writable()?;
            self.write(after.as_deref())?;
            Ok(true)
        })
    }

    /// Like [`Self::change`], and keeps the text before the change as a backup, whose path it returns.
    ///
    /// # Errors
    /// If `edit` refuses, or the file or its backup cannot be written: the file is as it was then.
    pub fn change_with_backup<E>(
        &self,
        now: Timestamp,
        edit: impl FnOnce(Option<&str>) -> Result<Option<String>, E>,
    ) -> Result<Option<PathBuf>, E>
    where
        E: From<FileError>,
    {
        self.locked(|| {
            let before = self.text()?;
            let after = edit(before.as_deref())?;
            if after == before {
                return Ok(None);
            }
            self.check_writable()?;
            self.write_and_keep(before.as_deref(), after.as_deref(), now).map(Some).map_err(E::from)
        })
    }

    /// The backups, newest first. One that cannot be read is left out.
    #[must_use]
    pub fn backups(&self) -> Vec<Backup> {
        self.kept().read()
    }

    /// Refuses an edit of this file with its place.
    #[must_use]
    pub fn refused(&self, refused: impl Display) -> FileError {
        FileError::Refused { path: self.path.clone(), refused: refused.to_string() }
    }

    /// Under the lock nobody else of us writes this file.
    fn locked<T, E: From<FileError>>(&self, critical: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        create_folder(&self.target, self.is_private).map_err(|error| E::from(self.io(error)))?;
        let done = with_lock(&self.guarded(), PATIENCE, || {
            self.remove_abandoned();
            critical()
        });
        done.map_err(|error| match error {
            LockError::Unusable(_, error) => E::from(self.io(error)),
            busy @ LockError::Busy(_) => E::from(FileError::from(busy)),
        })?
    }

    /// Path for the lock. No such file exists, so the lock file goes with the lock and leaves nothing in the user's folder.
    fn guarded(&self) -> PathBuf {
        beside(&self.target, ".barbless")
    }

    fn remove_abandoned(&self) {
        if let (Some(folder), Some(name)) = (self.target.parent(), self.target.file_name()) {
            remove_abandoned(folder, name);
        }
        remove_abandoned(&self.backups, self.name());
    }

    fn check_writable(&self) -> Result<(), FileError> {
        let is_read_only = fs::metadata(&self.target).is_ok_and(|metadata| metadata.permissions().readonly());
        if is_read_only { Err(FileError::ReadOnly { path: self.path.clone() }) } else { Ok(()) }
    }

    fn write(&self, text: Option<&str>) -> Result<(), FileError> {
        let written = match text {
            Some(text) => replace(&self.target, text.as_bytes(), self.is_private),
            // A link to nowhere is what was there before us, where there is a link.
            None => fs::remove_file(&self.target),
        };
        written.map_err(|error| self.io(error))?;
        sync_folder(&self.target);
        Ok(())
    }

    /// Returns where the text before is kept.
    fn write_and_keep(
        &self,
        before: Option<&str>,
        after: Option<&str>,
        now: Timestamp,
    ) -> Result<PathBuf, FileError> {
        let backups = self.kept();
        // A backup of a change that never came: its process was killed, or the user took it back.
        let kept = backups.newest_of(before);
        let is_new = kept.is_none();
        let backup = kept.map_or_else(|| backups.add(before, now), Ok).map_err(|error| self.io(error))?;
        // Within one folder renames become durable in their order.
        if self.target.parent() != Some(self.backups.as_path()) {
            sync_folder(&backup);
        }
        match self.write(after) {
            Ok(()) => backups.prune(),
            Err(error) => {
                if is_new {
                    let _ = fs::remove_file(backup);
                }
                return Err(error);
            }
        }
        Ok(backup)
    }

    fn kept(&self) -> Backups<'_> {
        Backups { folder: &self.backups, name: self.name() }
    }

    fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    fn io(&self, source: io::Error) -> FileError {
        FileError::Io { path: self.path.clone(), source }
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
