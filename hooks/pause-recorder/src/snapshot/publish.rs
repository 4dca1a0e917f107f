//! The files of a snapshot: written beside and renamed, synced, repeatable after a kill at any point.

use std::path::PathBuf;

use shared::host::Timestamp;

use crate::material::Material;
use crate::record::{Record, Sessions};

/// What becomes of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A snapshot is written, and the record goes on.
    GoesOn,
    /// A snapshot is written, and the record archived.
    Full,
    /// The record is archived, and nothing else.
    Minimal,
}

/// What is to be finished.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    /// The record.
    pub record: Record,
    /// The folder it lies in.
    pub sessions: Sessions,
    /// What becomes of it.
    pub ending: Ending,
    /// What the snapshot is made from beside it.
    pub material: Material,
    /// When it ends.
    pub at: Timestamp,
    /// Actions that were only counted.
    pub left_out: u64,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The record's id.
    pub id: String,
    /// The JSON, or with [`Ending::Minimal`] the archive.
    pub path: PathBuf,
    /// SHA-256 of the JSON, in hexadecimal digits; empty with [`Ending::Minimal`].
    pub digest: String,
    /// Every file that was written.
    pub files: Vec<PathBuf>,
}

/// Writes the snapshot and ends the record. `before_archiving` is given what was written, before the record is moved away: a
/// process that is killed in between does all of it again, with the same result.
///
/// # Errors
/// What could not be written, and what is left as it was.
pub fn finish(
    _finish: &Finish,
    _before_archiving: impl FnOnce(&Finished) -> Result<(), String>,
) -> Result<Finished, String> {
    Err(String::new())
}
