//! A file that belongs to the user, changed as a whole or not at all: links are followed and their target replaced, the
//! change is made under a lock, written beside and renamed, and the text before it can be kept as a backup.
//! What the change is, is somebody else's business.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::host::Timestamp;
use crate::state::{LockError, with_lock};

use super::Refused;

/// How many backups of a file are kept.
pub const KEEP_BACKUPS: usize = 5;

/// How long to wait for another one of our commands.
const PATIENCE: Duration = Duration::from_secs(5);

/// A chain of links longer than this is a loop.
const MAX_LINKS: usize = 32;

const BACKUP: &str = "barbless-backup-";

/// What a backup of a file that was not there ends with.
const ABSENT: &str = "-absent";

/// Why a user's file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The text is not one we edit.
    #[error("{}, {refused}; the file was not changed", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// Where and why.
        refused: Refused,
    },
    /// It cannot be read or written.
    #[error("{}: {source}; the file was not changed", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
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
    /// Where the bytes are, when `path` is a link.
    target: PathBuf,
    /// The folder of its backups; its own, unless others would see them there.
    backups: PathBuf,
    /// What is new is for the user alone.
    is_private: bool,
}

/// The text of a file as it once was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// The backup.
    pub path: PathBuf,
    /// What was there; `None`: nothing.
    pub text: Option<String>,
}

impl UserFile {
    /// The file at `path`, whether it exists or not.
    ///
    /// # Errors
    /// If a link cannot be followed.
    pub fn at(path: &Path) -> Result<Self, FileError> {
        let target = follow(path).map_err(|source| FileError::Io { path: path.to_owned(), source })?;
        let backups = path.parent().unwrap_or_else(|| Path::new("")).to_owned();
        Ok(Self { path: path.to_owned(), target, backups, is_private: true })
    }

    /// The same file, if it is one of a project's: others read it, so a new one has the mode every new file has, and
    /// backups are kept in `folder` instead of beside it, where they would end up in somebody's commit.
    #[must_use]
    pub fn of_a_project(self, folder: &Path) -> Self {
        Self { backups: folder.to_owned(), is_private: false, ..self }
    }

    /// Where it is, as the client names it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where its bytes are, or would be.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Its text; `None` if there is no such file.
    ///
    /// # Errors
    /// If it cannot be read, or is no text.
    pub fn read(&self) -> Result<Option<String>, FileError> {
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
            let before = self.read()?;
            let after = edit(before.as_deref())?;
            if after == before {
                return Ok(false);
            }
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
            let before = self.read()?;
            let after = edit(before.as_deref())?;
            if after == before {
                return Ok(None);
            }
            let backup = self.back_up(before.as_deref(), now)?;
            self.write(after.as_deref())?;
            self.prune();
            Ok(Some(backup))
        })
    }

    /// The backups, newest first. One that cannot be read is left out.
    #[must_use]
    pub fn backups(&self) -> Vec<Backup> {
        self.backup_paths().into_iter().filter_map(read_backup).collect()
    }

    /// Refuses an edit of this file with its place.
    #[must_use]
    pub fn refused(&self, refused: Refused) -> FileError {
        FileError::Refused { path: self.path.clone(), refused }
    }

    fn locked<T, E: From<FileError>>(&self, critical: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        create_folder(&self.target, self.is_private).map_err(|error| self.io(error))?;
        let guarded = beside(&self.target, ".barbless");
        // There is no such file, so its lock file goes with the lock and nothing is left in the user's folder.
        let done = with_lock(&guarded, PATIENCE, critical);
        done.map_err(FileError::from)?
    }

    fn write(&self, text: Option<&str>) -> Result<(), FileError> {
        let written = match text {
            Some(text) => replace(&self.target, text.as_bytes(), self.is_private),
            // A link to nowhere is what was there before us, where there is a link.
            None => fs::remove_file(&self.target),
        };
        written.and_then(|()| sync_folder(&self.target)).map_err(|error| self.io(error))
    }

    fn back_up(&self, text: Option<&str>, now: Timestamp) -> Result<PathBuf, FileError> {
        let stamp: String = now.rfc3339().chars().filter(|letter| !matches!(letter, '-' | ':')).collect();
        let absent = if text.is_none() { ABSENT } else { "" };
        let name = self.path.file_name().unwrap_or_default();
        let backup = beside(&self.backups.join(name), &format!(".{BACKUP}{stamp}{absent}"));
        create_folder(&backup, true)
            .and_then(|()| replace(&backup, text.unwrap_or_default().as_bytes(), true))
            .map_err(|source| FileError::Io { path: backup.clone(), source })?;
        Ok(backup)
    }

    /// Removes the oldest backups; which one cannot be removed is of no consequence.
    fn prune(&self) {
        for path in self.backup_paths().iter().skip(KEEP_BACKUPS) {
            let _ = fs::remove_file(path);
        }
    }

    fn backup_paths(&self) -> Vec<PathBuf> {
        let prefix = beside(Path::new(self.path.file_name().unwrap_or_default()), &format!(".{BACKUP}"));
        let is_backup = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&*prefix.to_string_lossy())
        };
        let entries = fs::read_dir(&self.backups).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> = entries.filter(is_backup).collect();
        paths.sort();
        paths.reverse();
        paths
    }

    fn io(&self, source: io::Error) -> FileError {
        FileError::Io { path: self.path.clone(), source }
    }
}

/// `None` if it cannot be read.
fn read_backup(path: PathBuf) -> Option<Backup> {
    if path.to_string_lossy().ends_with(ABSENT) {
        return Some(Backup { path, text: None });
    }
    fs::read_to_string(&path).ok().map(|text| Backup { path, text: Some(text) })
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

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Creates the folder of `path`, a private one with each missing one above it for the user alone; what exists is left as it is.
fn create_folder(path: &Path, is_private: bool) -> io::Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, if is_private { 0o700 } else { 0o777 });
    builder.recursive(true).create(folder)
}

/// Written beside, synced, renamed. The mode stays what it was; a new private file is its user's alone.
fn replace(path: &Path, bytes: &[u8], is_private: bool) -> io::Result<()> {
    let temporary = beside(path, &format!(".barbless-{}", std::process::id()));
    // One that a process of the same number left behind; never written through, as it could be a link.
    let _ = fs::remove_file(&temporary);
    let written = create(&temporary, is_private).and_then(|mut file| {
        file.write_all(bytes)?;
        if let Ok(metadata) = fs::metadata(path) {
            file.set_permissions(metadata.permissions())?;
        }
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    replaced
}

fn create(path: &Path, is_private: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if is_private { 0o600 } else { 0o666 });
    options.open(path)
}

/// Makes the rename itself durable.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// A folder cannot be opened for syncing here.
#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
