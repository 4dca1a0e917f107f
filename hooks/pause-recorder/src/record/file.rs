//! The file of a record. Each change is one write to a file opened for appending, under the record's lock, after a torn last
//! line is ended. Readers skip and count the lines that they cannot read.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use shared::host::Timestamp;
use shared::state::{LOCK_DEADLINE, with_lock};

use super::folder::{Sessions, sync_folder};
use super::line::{Action, Draft};
use super::lines;

/// An active record's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub path: PathBuf,
    /// Length in bytes.
    pub bytes: u64,
    /// The time of the last write.
    pub modified: Timestamp,
}

/// The content of a record.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Recorded {
    /// The record's id, that of the first readable line; empty where there is none.
    pub id: String,
    /// The readable lines in their order.
    pub actions: Vec<Action>,
    /// The number of other lines; empty lines do not count.
    pub skipped_lines: u64,
}

impl Record {
    /// The regular file at this path.
    pub(super) fn at(path: PathBuf) -> Option<Self> {
        let there = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
        let modified = there.modified().map(Timestamp::from).unwrap_or_default();
        Some(Self { path, bytes: there.len(), modified })
    }

    /// The id of the first readable line.
    pub(super) fn id(&self) -> Option<String> {
        lines::id(&lines::open(&self.path).ok()?).ok()?
    }

    /// The last readable line.
    pub(crate) fn last(&self) -> Option<Action> {
        lines::last(&lines::open(&self.path).ok()?).ok()?
    }
}

/// Begins the record of a session and returns its id. An existing record goes on and keeps its first line.
///
/// # Errors
/// If the folder or the file cannot be written.
pub(crate) fn start(sessions: &Sessions, session: &str, first: &Draft) -> Result<String, String> {
    sessions.open()?;
    let path = sessions.active_path(session);
    let created = sessions.locked(|| match lines::create(&path) {
        Ok(file) => {
            let id = sessions.free_id(first.at)?;
            let written =
                append_lines(&file, &id, std::slice::from_ref(first)).and_then(|()| file.sync_all());
            written.map_err(|error| {
                let _ = fs::remove_file(&path);
                failed(&path, "written", &error)
            })?;
            sync_folder(&sessions.dir);
            Ok(Some(id))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(failed(&path, "created", &error)),
    })?;
    let known = || Record::at(path.clone()).and_then(|record| record.id());
    if let Some(id) = created.or_else(known) {
        return Ok(id);
    }
    append(sessions, &path, std::slice::from_ref(first))?;
    Ok(known().unwrap_or_default())
}

/// Appends actions as whole lines in one write. A record that is gone was finalized or discarded meanwhile: nothing happens.
///
/// # Errors
/// If they cannot be written; the earlier lines stay.
pub(crate) fn append(sessions: &Sessions, path: &Path, drafts: &[Draft]) -> Result<(), String> {
    if drafts.is_empty() || !path.exists() {
        return Ok(());
    }
    locked(path, || append_locked(sessions, path, drafts))
}

/// Appends actions. The caller holds the record's lock.
pub(crate) fn append_locked(sessions: &Sessions, path: &Path, drafts: &[Draft]) -> Result<(), String> {
    let Some(first) = drafts.first() else { return Ok(()) };
    let unwritten = |error| format!("{}; the earlier lines stay", failed(path, "written", &error));
    let file = match lines::open_to_append(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(unwritten)?,
    };
    if let Some(id) = lines::id(&file).map_err(unwritten)? {
        return append_lines(&file, &id, drafts).map_err(unwritten);
    }
    sessions.locked(|| {
        let known = lines::id(&file).map_err(unwritten)?;
        let id = known.map_or_else(|| sessions.free_id(first.at), Ok)?;
        append_lines(&file, &id, drafts).map_err(unwritten)
    })
}

/// Takes back a line that could not be written whole. Where even that fails, the next call ends the line.
fn append_lines(mut file: &File, id: &str, drafts: &[Draft]) -> io::Result<()> {
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if lines::is_torn(file, length)? {
        bytes.push(b'\n');
    }
    for draft in drafts {
        bytes.extend(draft.line(id)?);
    }
    file.write_all(&bytes).inspect_err(|_| drop(file.set_len(length)))
}

/// Reads the readable lines; `None`: the file is gone.
///
/// # Errors
/// If the file cannot be read at all.
pub(crate) fn read(path: &Path) -> Result<Option<Recorded>, String> {
    match lines::open(path).and_then(|file| lines::read(&file)) {
        Ok(recorded) => Ok(Some(recorded)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, "read", &error)),
    }
}

/// Runs `work` while no other process changes this record.
///
/// # Errors
/// If the lock stays busy for a second.
pub(crate) fn locked<T>(path: &Path, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    with_lock(path, LOCK_DEADLINE, work).map_err(|error| format!("pause-recorder: {error}: try again"))?
}

/// Moves the record to its archive and never overwrites another one. The caller holds the record's lock.
///
/// # Errors
/// If it cannot be moved. It stays in its place then.
pub(crate) fn archive(path: &Path, to: &Path) -> Result<(), String> {
    if to.symlink_metadata().is_ok() {
        return Err(format!(
            "pause-recorder: {} exists already: move it away, then finalize again. The record stays as it was",
            to.display()
        ));
    }
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.and_then(|()| fs::rename(path, to)).map_err(|error| failed(to, "written", &error))?;
    sync_folder(to.parent().unwrap_or(Path::new("")));
    Ok(())
}

/// Removes the record, whatever it holds, even while another process writes to it.
///
/// # Errors
/// If it exists and cannot be removed.
pub(crate) fn discard(path: &Path) -> Result<(), String> {
    let remove = || match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path, "removed", &error)),
        _ => Ok(()),
    };
    locked(path, remove).or_else(|_| remove())
}

fn failed(path: &Path, what: &str, error: &io::Error) -> String {
    format!("pause-recorder: {} cannot be {what}: {error}", path.display())
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
