//! The files of a snapshot: written beside and renamed, synced, repeatable after a kill at any point. The record's last line
//! comes first, because it says when the record ended: whoever does the rest again writes the same bytes.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};
use shared::host::Timestamp;
use shared::state::{SharedMode, read_regular, write_durable};

use super::yaml::to_yaml;
use super::{SCHEMA_VERSION, Snapshot, build, finalized_data, markdown};
use crate::material::Material;
use crate::record::{Draft, InPlace, Kind, Record, Recorded, Sessions, SnapshotFiles, is_record_id};

#[derive(Deserialize)]
struct VersionOnly {
    schema_version: u32,
}

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
pub(crate) struct Finish {
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
pub(crate) struct Finished {
    /// The record's id.
    pub id: String,
    /// The JSON, or with [`Ending::Minimal`] the archive.
    pub path: PathBuf,
    /// SHA-256 of the JSON, in hexadecimal digits; empty with [`Ending::Minimal`].
    pub digest: String,
    /// Every file that was written, the archive included.
    pub files: Vec<PathBuf>,
}

/// Writes the snapshot and ends the record; `None`: it is gone, finalized or discarded meanwhile. `before_archiving` is given
/// what was written, before the record is moved away: a process that is killed in between does all of it again, with the same
/// result.
///
/// # Errors
/// What could not be written, and what is left as it was.
pub(crate) fn finish(
    finish: &Finish,
    before_archiving: impl FnOnce(&Finished) -> Result<(), String>,
) -> Result<Option<Finished>, String> {
    finish.sessions.open().map_err(|error| error.to_string())?;
    let done = finish.record.locked(|| finish.under_lock(before_archiving));
    done.map_err(|error| error.to_string())?
}

/// SHA-256 in hexadecimal digits.
#[must_use]
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

impl Finish {
    fn under_lock(
        &self,
        before_archiving: impl FnOnce(&Finished) -> Result<(), String>,
    ) -> Result<Option<Finished>, String> {
        if self.record.path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Ok(None);
        }
        let recorded = self.ended(self.read()?)?;
        let files = self.sessions.files(&recorded.id);
        let finished = match self.ending {
            Ending::Minimal => Finished {
                id: recorded.id,
                path: files.archive.clone(),
                digest: String::new(),
                files: vec![files.archive.clone()],
            },
            Ending::Full | Ending::GoesOn => self.write(&recorded, &files)?,
        };
        before_archiving(&finished)?;
        if self.ending != Ending::GoesOn {
            self.record.archive(&files.archive).map_err(|error| error.to_string())?;
        }
        Ok(Some(finished))
    }

    fn read(&self) -> Result<Recorded, String> {
        self.record.read().map_err(|error| error.to_string())
    }

    /// The record with its last line, if it is to have one. Nothing is written, not even that line, where something that comes
    /// after it cannot be.
    fn ended(&self, recorded: Recorded) -> Result<Recorded, String> {
        // A record of which no line can be read gets a free id with its last line.
        let files = is_record_id(&recorded.id).then(|| self.sessions.files(&recorded.id));
        if let Some(files) = &files {
            self.may_be_written(files)?;
        }
        if self.ending != Ending::GoesOn {
            self.end(&recorded)?;
            return self.read();
        }
        let path = self.sessions.told_of(&self.record.path);
        files.map(|_| recorded).ok_or_else(|| {
            format!(
                "pause-recorder: no line of {path} can be read, so there is nothing to make a snapshot of"
            )
        })
    }

    fn may_be_written(&self, files: &SnapshotFiles) -> Result<(), String> {
        let SnapshotFiles { json, yaml, markdown, latest, archive } = files;
        if self.ending != Ending::Minimal {
            for path in [json, yaml, markdown, latest] {
                self.may_be_replaced(path)?;
            }
            self.is_of_this_version(json)?;
        }
        if self.ending == Ending::GoesOn {
            return Ok(());
        }
        match self.record.in_place(archive) {
            Ok(InPlace::Free | InPlace::Same) => Ok(()),
            Ok(InPlace::Other) | Err(_) => Err(self.in_the_way(archive)),
        }
    }

    fn may_be_replaced(&self, path: &Path) -> Result<(), String> {
        let is_odd = path.symlink_metadata().is_ok_and(|there| !there.is_file());
        if is_odd { Err(self.in_the_way(path)) } else { Ok(()) }
    }

    /// A snapshot of a newer version says more than this one could.
    fn is_of_this_version(&self, json: &Path) -> Result<(), String> {
        let there = read_regular(json, u64::MAX).unwrap_or_default();
        let version = serde_json::from_slice::<VersionOnly>(&there).map_or(0, |there| there.schema_version);
        if version <= SCHEMA_VERSION {
            return Ok(());
        }
        let told = self.sessions.told_of(json);
        Err(format!(
            "pause-recorder: {told} was written by a newer version of Barbless and stays: finalize with that version. The record stays as it was"
        ))
    }

    fn in_the_way(&self, path: &Path) -> String {
        let told = self.sessions.told_of(path);
        format!(
            "pause-recorder: {told} is there already and is no file of this record: move it away, then finalize again. The record stays as it was"
        )
    }

    fn end(&self, recorded: &Recorded) -> Result<(), String> {
        let share = recorded.actions.last().map_or(0.0, |action| action.context_percentage.clamp(0.0, 1.0));
        let data = finalized_data(recorded, self.left_out, self.at);
        let last = Draft { kind: Kind::PauseFinalized, at: self.at, data, share };
        self.record.end(&last).map_err(|error| error.to_string())
    }

    fn write(&self, recorded: &Recorded, files: &SnapshotFiles) -> Result<Finished, String> {
        let snapshot = build(recorded, &self.material, self.left_out, self.at);
        let json = text_of(&snapshot)?;
        let record = if self.ending == Ending::GoesOn { &self.record.path } else { &files.archive };
        let told = |path: &Path| self.sessions.told_of(path);
        let latest = latest(&snapshot, &told(&files.json), &told(record));
        self.put(&files.json, json.as_bytes())?;
        self.put(&files.yaml, to_yaml(&snapshot)?.as_bytes())?;
        self.put(&files.markdown, markdown(&snapshot).as_bytes())?;
        // All sessions of the project write this one.
        let pointed = self.sessions.locked(|| self.put(&files.latest, latest.as_bytes()));
        pointed.map_err(|error| error.to_string())??;
        let SnapshotFiles { json: path, yaml, markdown, latest, archive } = files.clone();
        let mut written = vec![path.clone(), yaml, markdown, latest];
        written.extend((self.ending == Ending::Full).then_some(archive));
        Ok(Finished { id: snapshot.session_id, path, digest: digest(json.as_bytes()), files: written })
    }

    fn put(&self, path: &Path, bytes: &[u8]) -> Result<(), String> {
        write_durable(path, bytes, SharedMode::Private).map_err(|error| {
            let told = self.sessions.told_of(path);
            format!(
                "pause-recorder: {told} cannot be written ({error}). The record is kept, and can be finalized again"
            )
        })
    }
}

fn text_of(snapshot: &Snapshot) -> Result<String, String> {
    let text = serde_json::to_string_pretty(snapshot).map_err(|error| error.to_string())?;
    Ok(text + "\n")
}

/// The first line is for programs.
fn latest(snapshot: &Snapshot, json: &str, record: &str) -> String {
    let Snapshot { session_id: id, paused_at, .. } = snapshot;
    format!(
        "{id}\n\nPaused at {paused_at}: {json}, and the same as .yaml and .md beside it.\n\
         Each action: {record}\n\
         `pause-recorder show {id}` prints it; `pause-recorder resume {id}`, typed as a prompt, hands it to Claude.\n"
    )
}

#[cfg(test)]
mod tests;
