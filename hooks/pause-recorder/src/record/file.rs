//! The file of a record. One write of whole lines to a file opened for appending, under the record's lock, after mending a
//! last line that was torn. A file that cannot be read in parts is read in the others.
//!
//! Where two locks are held, the record's was taken first and the folder's second. A record begins under the folder's alone:
//! whoever finds no line in it that can be read takes the folder's, too, before writing into it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use shared::host::Timestamp;
use shared::state::{LOCK_DEADLINE, LockError, with_lock};

use super::action::{Action, Draft, Kind};
use super::folder::{Sessions, folder_locked, free_id, sync_folder};
use super::lines;

/// A record that was finalized or discarded while it was about to be gone on with is begun anew, so many times.
const MAX_STARTS: usize = 3;

/// An active record's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Where it is.
    pub path: PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
    /// When it was last written to.
    pub modified: Timestamp,
}

/// A record that has just begun, or is gone on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Its id.
    pub id: String,
    /// Its file.
    pub record: Record,
}

/// What came of appending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It is written.
    Written,
    /// There is no such record any more: finalized or discarded meanwhile.
    Gone,
}

/// What stands where a record's archive is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InPlace {
    /// Nothing, or an empty file: a name that was taken before the move.
    Free,
    /// The record's content: a killed process has left it of archiving this very record.
    Same,
    /// Something else.
    Other,
}

/// What could be read of a record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded {
    /// The record's id, that of the first line that could be read; empty where none could.
    pub id: String,
    /// The client's session; empty where the first line could not be read.
    pub session: String,
    /// The lines that could be read, in their order.
    pub actions: Vec<Action>,
    /// So many could not, or are of another record; empty lines do not count.
    pub skipped_lines: u64,
}

/// Why a record cannot be written or read. The message names the file and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RecordError(pub String);

impl RecordError {
    fn of(path: &Path, what: &str, why: impl std::fmt::Display) -> Self {
        Self(format!("pause-recorder: {} cannot be {what}: {why}", path.display()))
    }

    fn unwritten(path: &Path, why: impl std::fmt::Display) -> Self {
        Self(format!("{}; what was recorded before stays", Self::of(path, "written", why)))
    }

    fn gone(path: &Path) -> Self {
        Self(format!("pause-recorder: {} is not there any more", path.display()))
    }
}

impl From<LockError> for RecordError {
    fn from(error: LockError) -> Self {
        let next = match &error {
            LockError::Busy(_) => "try again".to_owned(),
            LockError::Unusable(_, why) => why.to_string(),
        };
        Self(format!("pause-recorder: {error}: {next}"))
    }
}

impl Record {
    /// What lies at this path, if it is a regular file.
    pub(super) fn at(path: PathBuf) -> Option<Self> {
        let there = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        Some(Self::of(path, &there))
    }

    fn of(path: PathBuf, there: &fs::Metadata) -> Self {
        let modified = there.modified().map(Timestamp::from).unwrap_or_default();
        Self { path, bytes: there.len(), modified }
    }

    /// Begins a record of the client's session `session`, with an id that nothing in the folder has; `data` is that of its
    /// first line. One that the session already has is gone on with, and keeps its first line.
    ///
    /// # Errors
    /// If the folder or the file cannot be made.
    pub fn start(
        sessions: &Sessions,
        session: &str,
        at: Timestamp,
        data: Map<String, Value>,
        share: f64,
    ) -> Result<Started, RecordError> {
        sessions.open().map_err(|error| RecordError(error.0))?;
        let first = Draft { kind: Kind::PauseStarted, at, data, share };
        for _ in 0..MAX_STARTS {
            let begun = folder_locked(&sessions.dir, || match sessions.active(session) {
                Some(record) => Ok(Err(record)),
                None => Self::begin(sessions, session, &first).map(Ok),
            })??;
            let found = match begun {
                Ok(started) => return Ok(started),
                Err(found) => found,
            };
            if let Some(started) = found.go_on(&first)? {
                return Ok(started);
            }
        }
        Err(RecordError(format!(
            "pause-recorder: no record can be begun in {}: others remove it at once; try again",
            sessions.dir.display()
        )))
    }

    /// Makes the file. The caller holds the folder's lock.
    fn begin(sessions: &Sessions, session: &str, first: &Draft) -> Result<Started, RecordError> {
        let id = free_id(&sessions.dir, first.at).map_err(|error| RecordError(error.0))?;
        for path in sessions.names(session) {
            let mut file = match lines::create(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(RecordError::of(&path, "made", error)),
            };
            let written =
                first.line(&id).and_then(|line| file.write_all(&line)).and_then(|()| file.sync_all());
            return match written.and_then(|()| file.metadata()) {
                Ok(there) => {
                    sync_folder(&sessions.dir);
                    Ok(Started { id, record: Self::of(path, &there) })
                }
                Err(error) => {
                    let _ = fs::remove_file(&path);
                    Err(RecordError::of(&path, "written", error))
                }
            };
        }
        let [_, path] = sessions.names(session);
        Err(RecordError::of(&path, "made", "something else is in its place; move that away"))
    }

    /// Its id; where no line of it can be read, it gets a first line now. `None`: it is gone.
    fn go_on(&self, first: &Draft) -> Result<Option<Started>, RecordError> {
        let id = self.locked(|| match self.opened()? {
            None => Ok(None),
            Some(file) => {
                match lines::id(&file).map_err(|error| RecordError::of(&self.path, "read", error))? {
                    Some(id) => Ok(Some(id)),
                    None => self.write(std::slice::from_ref(first), Sync::Now),
                }
            }
        })??;
        let there = Self::at(self.path.clone());
        Ok(id.zip(there).map(|(id, record)| Started { id, record }))
    }

    /// Appends actions as whole lines in one write. A record that is gone is not made again.
    ///
    /// # Errors
    /// If they cannot be written; what was there before stays.
    pub fn append(&self, drafts: &[Draft]) -> Result<Appended, RecordError> {
        if drafts.is_empty() {
            return Ok(Appended::Written);
        }
        let written = self.locked(|| self.write(drafts, Sync::Later));
        match written.and_then(|written| written) {
            Ok(Some(_)) => Ok(Appended::Written),
            Ok(None) => Ok(Appended::Gone),
            Err(_) if fs::symlink_metadata(&self.path).is_err() => Ok(Appended::Gone),
            Err(error) => Err(error),
        }
    }

    /// The file, to be written on; `None` if it is gone.
    fn opened(&self) -> Result<Option<File>, RecordError> {
        match lines::open_to_append(&self.path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(RecordError::of(&self.path, "opened", error)),
        }
    }

    /// Writes actions under the record's id and says what that is; `None` if the record is gone. The caller holds its lock.
    fn write(&self, drafts: &[Draft], sync: Sync) -> Result<Option<String>, RecordError> {
        let Some(file) = self.opened()? else { return Ok(None) };
        let unwritten = |error| RecordError::unwritten(&self.path, error);
        let write = |id: String| append_lines(&file, &id, drafts, sync).map(|()| id).map_err(unwritten);
        let known = || lines::id(&file).map_err(unwritten);
        if let Some(id) = known()? {
            return write(id).map(Some);
        }
        let dir = self.path.parent().unwrap_or(Path::new(""));
        folder_locked(dir, || match (known()?, drafts.first()) {
            (Some(id), _) => write(id).map(Some),
            (None, Some(first)) => {
                let id = free_id(dir, first.at).map_err(|error| RecordError(error.0))?;
                write(id).map(Some)
            }
            (None, None) => Ok(None),
        })?
    }

    /// Reads what can be read; an archive, too.
    ///
    /// # Errors
    /// If the file cannot be read at all, or is not there.
    pub fn read(&self) -> Result<Recorded, RecordError> {
        let read = lines::open(&self.path).and_then(|file| lines::read(&file));
        read.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => RecordError::gone(&self.path),
            _ => RecordError::of(&self.path, "read", error),
        })
    }

    /// Runs `work` while no other process changes this record.
    ///
    /// # Errors
    /// If the lock is not had within a second.
    pub fn locked<T>(&self, work: impl FnOnce() -> T) -> Result<T, RecordError> {
        Ok(with_lock(&self.path, LOCK_DEADLINE, work)?)
    }

    /// Ends the record with a `pause_finalized` line of these data, if it does not end so already, and syncs it. Afterwards it
    /// has an id, even if no line could be read before. For callers that hold the lock.
    ///
    /// # Errors
    /// If it is gone or cannot be written.
    pub fn end(&self, last: &Draft) -> Result<(), RecordError> {
        let Some(file) = self.opened()? else { return Err(RecordError::gone(&self.path)) };
        let there = lines::last(&file).map_err(|error| RecordError::of(&self.path, "read", error))?;
        if there.is_some_and(|there| there.kind == Kind::PauseFinalized) {
            return file.sync_all().map_err(|error| RecordError::unwritten(&self.path, error));
        }
        match self.write(std::slice::from_ref(last), Sync::Now)? {
            Some(_) => Ok(()),
            None => Err(RecordError::gone(&self.path)),
        }
    }

    /// Moves the record to its archive; an archive that is there is never overwritten, unless nothing is in it. One with the
    /// same content is what a killed process has left of this very step. For callers that hold the lock.
    ///
    /// # Errors
    /// If it cannot be moved; it stays where it is then.
    pub fn archive(&self, to: &Path) -> Result<(), RecordError> {
        if Self::at(self.path.clone()).is_none() {
            return Err(RecordError::gone(&self.path));
        }
        let moved = match fs::hard_link(&self.path, to) {
            Ok(()) => fs::remove_file(&self.path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.archive_again(to),
            Err(_) => self.archive_without_links(to),
        };
        moved.map_err(|error| RecordError::of(to, "written", error))?;
        if let Some(dir) = to.parent() {
            sync_folder(dir);
        }
        Ok(())
    }

    /// What stands where its archive is to be.
    ///
    /// # Errors
    /// If it cannot be compared with the record.
    pub fn in_place(&self, archive: &Path) -> io::Result<InPlace> {
        let there = match lines::open(archive) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(InPlace::Free),
            there => there?,
        };
        if there.metadata()?.len() == 0 {
            return Ok(InPlace::Free);
        }
        let is_same = lines::are_same(&there, &lines::open(&self.path)?)?;
        Ok(if is_same { InPlace::Same } else { InPlace::Other })
    }

    fn archive_again(&self, to: &Path) -> io::Result<()> {
        match self.in_place(to)? {
            InPlace::Free => fs::rename(&self.path, to),
            InPlace::Same => fs::remove_file(&self.path),
            InPlace::Other => {
                Err(io::Error::new(io::ErrorKind::AlreadyExists, "another archive is there; move it away"))
            }
        }
    }

    /// Takes the name with an empty file first, so that nothing can be there that is overwritten.
    fn archive_without_links(&self, to: &Path) -> io::Result<()> {
        drop(lines::create(to)?);
        fs::rename(&self.path, to).inspect_err(|_| drop(fs::remove_file(to)))
    }

    /// Removes it, whatever it holds, also while another process writes into it. False: it was not there.
    ///
    /// # Errors
    /// If it is there and cannot be removed.
    pub fn discard(&self) -> Result<bool, RecordError> {
        let remove = || fs::remove_file(&self.path);
        match self.locked(remove).unwrap_or_else(|_| remove()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(RecordError::of(&self.path, "removed", error)),
        }
    }
}

/// When what is written must be on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sync {
    /// Before anything else.
    Now,
    /// When the system thinks fit: a killed process loses nothing, a loss of power the last actions.
    Later,
}

/// What could not be written whole is taken back; where not even that works, the next call ends the line.
fn append_lines(mut file: &File, id: &str, drafts: &[Draft], sync: Sync) -> io::Result<()> {
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if lines::is_torn(file, length)? {
        bytes.push(b'\n');
    }
    for draft in drafts {
        bytes.extend(draft.line(id)?);
    }
    file.write_all(&bytes).inspect_err(|_| drop(file.set_len(length)))?;
    if sync == Sync::Now { file.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests;
