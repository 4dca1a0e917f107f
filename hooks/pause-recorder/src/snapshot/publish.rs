//! Writes the files of a snapshot and archives its record. The record's last line comes first: it says when the record ended, so
//! that a process can repeat the rest after a kill at any point.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use shared::host::Timestamp;
use shared::state::{SharedMode, read_regular, write_durable};

use super::yaml::yaml;
use super::{Snapshot, build, finalized_data, markdown};
use crate::material::Material;
use crate::record::{self, Draft, Kind, Recorded, Sessions, SnapshotFiles, is_record_id};

/// The bytes of the longest snapshot that is read.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// What becomes of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A snapshot is written, and the record goes on.
    GoesOn,
    /// A snapshot is written, and the record is archived.
    Full,
    /// The record is archived.
    Minimal,
}

/// How a record ends.
#[derive(Debug, Clone, PartialEq)]
pub struct End {
    /// The record's file.
    pub path: PathBuf,
    /// What becomes of it.
    pub ending: Ending,
    /// What the snapshot is made from beside the record.
    pub material: Material,
    /// The end.
    pub at: Timestamp,
    /// The actions that were only counted.
    pub left_out: u64,
    pub commit: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finished {
    /// The record's id.
    pub id: String,
    /// The JSON, or with [`Ending::Minimal`] the archive.
    pub path: PathBuf,
    /// SHA-256 of the JSON in hexadecimal digits; empty with [`Ending::Minimal`].
    pub digest: String,
    pub files: Vec<PathBuf>,
}

/// Writes the snapshot, registers it and archives the record. `None`: the record was finalized or discarded meanwhile.
///
/// # Errors
/// If something cannot be written. The record stays then.
pub(crate) fn finish(
    sessions: &Sessions,
    end: &End,
    register: impl FnOnce(&Finished) -> Result<(), String>,
) -> Result<Option<Finished>, String> {
    sessions.open()?;
    record::locked(&end.path, || {
        let Some(recorded) = ended(sessions, end)? else { return Ok(None) };
        let files = sessions.files(&recorded.id);
        let finished = match end.ending {
            Ending::Minimal => Finished {
                path: files.archive.clone(),
                digest: String::new(),
                files: Vec::new(),
                id: recorded.id,
            },
            Ending::Full | Ending::GoesOn => write(sessions, end, &recorded, &files)?,
        };
        register(&finished)?;
        if end.ending != Ending::GoesOn {
            record::archive(&end.path, &files.archive)?;
        }
        Ok(Some(finished))
    })
}

/// The record with its last line, if it is to end.
fn ended(sessions: &Sessions, end: &End) -> Result<Option<Recorded>, String> {
    let Some(recorded) = record::read(&end.path)? else { return Ok(None) };
    let is_ended = recorded.actions.last().is_some_and(|last| last.kind == Kind::PauseFinalized);
    if end.ending == Ending::GoesOn || is_ended {
        let path = sessions.told_of(&end.path);
        let nothing =
            || format!("pause-recorder: no line of {path} can be read, so there is no snapshot of it");
        return is_record_id(&recorded.id).then_some(Some(recorded)).ok_or_else(nothing);
    }
    let share = recorded.actions.last().map_or(0.0, |action| action.context_percentage);
    let data = finalized_data(&recorded, end.left_out, end.at);
    let last = Draft { kind: Kind::PauseFinalized, at: end.at, data, share };
    record::append_locked(sessions, &end.path, &[last])?;
    record::read(&end.path)
}

fn write(
    sessions: &Sessions,
    end: &End,
    recorded: &Recorded,
    files: &SnapshotFiles,
) -> Result<Finished, String> {
    let snapshot = build(recorded, &end.material, end.left_out, end.at);
    let value = serde_json::to_value(&snapshot).map_err(|error| error.to_string())?;
    let json = serde_json::to_string_pretty(&value).map_err(|error| error.to_string())? + "\n";
    let record = if end.ending == Ending::GoesOn { &end.path } else { &files.archive };
    let latest = latest(&snapshot, &sessions.told_of(&files.json), &sessions.told_of(record));
    let put = |path: &Path, text: &str| {
        write_durable(path, text.as_bytes(), SharedMode::Private).map_err(|error| {
            let told = sessions.told_of(path);
            format!("pause-recorder: {told} cannot be written ({error}). The record stays, and can be finalized again")
        })
    };
    put(&files.json, &json)?;
    put(&files.yaml, &yaml(&value))?;
    put(&files.markdown, &markdown(&snapshot))?;
    sessions.locked(|| put(&files.latest, &latest))?;
    let SnapshotFiles { json: path, yaml, markdown, latest, .. } = files.clone();
    let files = vec![path.clone(), yaml, markdown, latest];
    Ok(Finished { id: snapshot.session_id, path, digest: digest(json.as_bytes()), files })
}

/// The first line is for programs.
fn latest(snapshot: &Snapshot, json: &str, record: &str) -> String {
    let Snapshot { session_id: id, paused_at, .. } = snapshot;
    format!(
        "{id}\n\nPaused at {paused_at}: {json}, and the same as .yaml and .md beside it.\n\
         Each action: {record}\n\
         `pause-recorder show {id}` prints it; `pause-recorder resume {id}`, typed as a prompt, gives it to Claude.\n"
    )
}

/// SHA-256 in hexadecimal digits.
#[must_use]
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"))
}

/// The bytes of a snapshot's JSON; none where they cannot be read.
#[must_use]
pub(crate) fn json_of(sessions: &Sessions, id: &str) -> Option<Vec<u8>> {
    is_record_id(id).then(|| read_regular(&sessions.files(id).json, MAX_BYTES).ok())?
}

/// The bytes are the JSON that was written with this digest.
#[must_use]
pub(crate) fn is_as_written(json: &[u8], written: &str) -> bool {
    digest(json) == written
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
