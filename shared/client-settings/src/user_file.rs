//! A file of the user, changed as a whole or not at all: links are followed, the file is locked, the new text is written beside it
//! and renamed, and the old text can be kept as a backup. The caller decides about the change.

mod backups;
mod beside;

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

const PATIENCE: Duration = Duration::from_secs(5);

/// A longer chain of links is a loop.
const MAX_LINKS: usize = 32;

/// Why a user's file was not changed: a sentence that names the file.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct FileError(String);

#[derive(Debug, Clone)]
pub struct UserFile {
    /// As Claude Code names it.
    path: PathBuf,
    /// The end of a chain of links.
    target: PathBuf,
    backups: PathBuf,
    mode: Mode,
}

impl UserFile {
    /// The file at `path`, whether it exists or not.
    pub fn at(path: &Path) -> Result<Self, FileError> {
        let target = follow(path)?;
        // A pipe would be waited for, and a device replaced.
        if fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(failed(path, "is not a regular file; move it away and try again"));
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
        if appended(&self.guarded(), ".lock").exists() {
            // A killed process left the lock unless somebody holds it.
            let _ = with_lock(&self.guarded(), Duration::ZERO, || self.clean_up());
        }
        self.text().map_err(|error| FileError(format!("{}: {error}", self.path.display())))
    }

    /// Changes the text under the file's lock: `edit` gets it and returns what shall be there. Returns whether it changed.
    pub fn change<E: From<FileError>>(
        &self,
        edit: impl FnOnce(Option<&str>) -> Result<Option<String>, E>,
    ) -> Result<bool, E> {
        let changed = self.edited(edit, |_, after| self.write(after))?;
        Ok(changed.is_some())
    }

    /// Like [`Self::change`], and keeps the text before the change as a backup, whose path it returns.
    pub fn change_with_backup<E: From<FileError>>(
        &self,
        now: Timestamp,
        edit: impl FnOnce(Option<&str>) -> Result<Option<String>, E>,
    ) -> Result<Option<PathBuf>, E> {
        self.edited(edit, |before, after| self.kept().with(before, now, || self.write(after)))
    }

    /// The backups, newest first. One that cannot be read is left out.
    pub fn backups(&self) -> Vec<Backup> {
        self.kept().read()
    }

    /// Refuses an edit of this file with its place.
    pub fn refused(&self, refused: impl Display) -> FileError {
        FileError(format!("{}, {refused}; the file was not changed", self.path.display()))
    }

    /// Under the lock: edits the text, and writes it if it changed.
    fn edited<T, E: From<FileError>>(
        &self,
        edit: impl FnOnce(Option<&str>) -> Result<Option<String>, E>,
        write: impl FnOnce(Option<&str>, Option<&str>) -> io::Result<T>,
    ) -> Result<Option<T>, E> {
        let io = |error: io::Error| E::from(unchanged(&self.path, &error));
        create_folder(&self.target, self.mode).map_err(io)?;
        let done = with_lock(&self.guarded(), PATIENCE, || {
            self.clean_up();
            let before = self.text().map_err(io)?;
            let after = edit(before.as_deref())?;
            if after == before {
                return Ok(None);
            }
            // The folder would let us replace a read-only file, against its owner's will.
            if fs::metadata(&self.target).is_ok_and(|metadata| metadata.permissions().readonly()) {
                return Err(failed(&self.path, "is read-only; make it writable and try again").into());
            }
            write(before.as_deref(), after.as_deref()).map(Some).map_err(io)
        });
        done.map_err(|error| match error {
            LockError::Unusable(_, error) => io(error),
            busy @ LockError::Busy(_) => E::from(FileError(busy.to_string())),
        })?
    }

    fn text(&self) -> io::Result<Option<String>> {
        match fs::read_to_string(&self.target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            text => text.map(Some),
        }
    }

    /// The lock's path. No such file exists, so the lock file goes with the lock.
    fn guarded(&self) -> PathBuf {
        appended(&self.target, ".barbless")
    }

    /// Removes what killed processes left. The caller holds the lock.
    fn clean_up(&self) {
        remove_abandoned(&self.target);
        remove_abandoned(&self.backups.join(self.path.file_name().unwrap_or_default()));
    }

    fn write(&self, text: Option<&str>) -> io::Result<()> {
        match text {
            Some(text) => {
                Beside::write(&self.target, &self.target, text.as_bytes(), self.mode)?.put_in_place()
            }
            // A link to nowhere was there before us, where there is a link.
            None => fs::remove_file(&self.target).map(|()| sync_folder(&self.target)),
        }
    }

    fn kept(&self) -> Backups<'_> {
        Backups { folder: &self.backups, name: self.path.file_name().unwrap_or_default() }
    }
}

fn failed(path: &Path, why: &str) -> FileError {
    FileError(format!("{} {why}", path.display()))
}

fn unchanged(path: &Path, error: &io::Error) -> FileError {
    FileError(format!("{}: {error}; the file was not changed", path.display()))
}

/// The file at the end of a chain of links, whether it exists or not.
fn follow(path: &Path) -> Result<PathBuf, FileError> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(to) => target = target.parent().unwrap_or_else(|| Path::new("")).join(to),
            Err(_) => return Ok(target),
        }
    }
    Err(unchanged(path, &io::Error::other("too many links, one to the next")))
}

#[cfg(test)]
mod tests;
