//! The folder of a project's sessions: `<root>/.claude/sessions`, with a `.gitignore` of `*` where none is there. Where `<root>/.claude` is the
//! user's own configuration folder (a session in HOME), it is `<state>/pause-recorder/sessions`: the client keeps things of
//! its own in a folder of that name.

mod keeping;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use shared::host::{Places, Timestamp};
use shared::state::{
    LOCK_DEADLINE, LockError, MAX_NAME, SharedMode, ensure_folder, ensure_private, file_key, with_lock,
};

use super::file::Record;
use super::lines;

/// At most so many names of the folder are looked at.
const MAX_LOOKED_AT: usize = 10_000;

/// An id that is given must not be that of an active record: so many are looked into, those written to last.
const MAX_LOOKED_INTO: usize = 200;

/// At most so many records begin in one second.
const MAX_IN_A_SECOND: usize = 1_000;

/// Characters of the session's key in its record's name.
const SHORT_KEY: usize = 8;

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

    /// Makes the folder where it is missing, with its `.gitignore`; refuses links and what is no folder. A link in place of
    /// `.claude` is followed where it stays inside the project. A `.gitignore` that is there stays as it is, be it empty; one
    /// that is no regular file is refused, because whoever reads it could wait for ever.
    ///
    /// # Errors
    /// If it cannot be made or must not be used.
    pub fn open(&self) -> Result<(), FolderError> {
        let parent = self.dir.parent().unwrap_or(&self.dir);
        if self.is_in_project() {
            make_parent(parent)?;
            check_parent(parent, &self.root)?;
        } else {
            ensure_private(parent).map_err(|error| FolderError::unmade(parent, &error))?;
        }
        match fs::symlink_metadata(&self.dir) {
            Ok(there) if there.is_symlink() => return Err(FolderError::link(&self.dir)),
            Ok(there) if !there.is_dir() => return Err(FolderError::no_folder(&self.dir)),
            _ => ensure_folder(&self.dir, SharedMode::Private)
                .map_err(|error| FolderError::unmade(&self.dir, &error))?,
        }
        ignore_all(&self.ignored())
    }

    fn ignored(&self) -> PathBuf {
        self.dir.join(".gitignore")
    }

    /// It is there, and may be read: a real folder inside the project, with nothing in it that git would wait for.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        let is_folder = fs::symlink_metadata(&self.dir).is_ok_and(|there| there.is_dir());
        let parent = self.dir.parent().unwrap_or(&self.dir);
        let is_odd = || fs::symlink_metadata(self.ignored()).is_ok_and(|there| !there.is_file());
        is_folder && !is_odd() && (!self.is_in_project() || check_parent(parent, &self.root).is_ok())
    }

    /// Else it is in our own state folder, which nobody else prepares.
    fn is_in_project(&self) -> bool {
        self.dir == self.root.join(".claude/sessions")
    }

    /// The record of this session of the client's, if it has an active one. Costs two looks at the disk where it has none:
    /// the session that had the short name may be over.
    #[must_use]
    pub fn active(&self, session: &str) -> Option<Record> {
        let mut there = self.names(session).into_iter().filter_map(Record::at).peekable();
        there.peek()?;
        if !self.is_usable() {
            return None;
        }
        there.find(|record| is_of(record, session))
    }

    /// Where the record of this session of the client's is: the name that is tried first, and the one it has where another
    /// session has that.
    pub(super) fn names(&self, session: &str) -> [PathBuf; 2] {
        let key = file_key(session);
        let short = key.get(..SHORT_KEY).unwrap_or(&key);
        // What is no longer than the short name could be another's short name.
        let whole = if key.len() > SHORT_KEY { key.clone() } else { file_key(&format!("{session}/")) };
        [active_path(&self.dir, short), active_path(&self.dir, &whole)]
    }

    /// All active records, whosever they are, by name. Links and what is no file are left out.
    #[must_use]
    pub fn actives(&self) -> Vec<Record> {
        if self.is_usable() { actives(&self.dir) } else { Vec::new() }
    }

    /// The ids of all snapshots here, newest first.
    #[must_use]
    pub fn snapshot_ids(&self) -> Vec<String> {
        if !self.is_usable() {
            return Vec::new();
        }
        let mut ids: Vec<String> = regular_files(&self.dir)
            .into_iter()
            .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
            .filter(|id| is_record_id(id))
            .collect();
        ids.sort_by(|one, other| order_of(other).cmp(&order_of(one)));
        ids
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

    /// The folder as it is told: relative to the project where it lies in it.
    #[must_use]
    pub fn told(&self) -> String {
        self.told_of(&self.dir)
    }

    /// A file of it as it is told.
    #[must_use]
    pub fn told_of(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

impl FolderError {
    fn link(path: &Path) -> Self {
        Self(format!(
            "pause-recorder: {} is a link, and records are only kept in a real folder: remove the link",
            path.display()
        ))
    }

    fn no_folder(path: &Path) -> Self {
        Self(format!("pause-recorder: {} is no folder, and records need one: move it away", path.display()))
    }

    fn no_file(path: &Path) -> Self {
        Self(format!(
            "pause-recorder: {} is no regular file, and git reads it as one: remove it, and one of `*` is written",
            path.display()
        ))
    }

    fn leads_out(path: &Path) -> Self {
        Self(format!(
            "pause-recorder: {} leads out of the project, and records are only kept inside: put a folder in its place",
            path.display()
        ))
    }

    fn unmade(path: &Path, error: &io::Error) -> Self {
        Self(format!("pause-recorder: {} cannot be made: {error}", path.display()))
    }
}

/// `.claude` is the project's own folder, with the rights the user gives new ones.
fn make_parent(claude: &Path) -> Result<(), FolderError> {
    if fs::symlink_metadata(claude).is_ok() {
        return Ok(());
    }
    match fs::create_dir(claude) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(FolderError::unmade(claude, &error))
        }
        _ => Ok(()),
    }
}

/// A folder inside the project, or a link to one.
fn check_parent(claude: &Path, root: &Path) -> Result<(), FolderError> {
    match fs::symlink_metadata(claude) {
        Ok(there) if there.is_dir() => Ok(()),
        Ok(there) if there.is_symlink() => match (claude.canonicalize(), root.canonicalize()) {
            (Ok(real), Ok(root)) if !real.starts_with(&root) => Err(FolderError::leads_out(claude)),
            (Ok(real), Ok(_)) if real.is_dir() => Ok(()),
            _ => Err(FolderError::no_folder(claude)),
        },
        _ => Err(FolderError::no_folder(claude)),
    }
}

/// What is recorded is nobody's business but the user's: git is told so, unless the project has told it something else.
fn ignore_all(path: &Path) -> Result<(), FolderError> {
    match fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() => return Err(FolderError::no_file(path)),
        Ok(_) => return Ok(()),
        Err(_) => {}
    }
    let written = lines::create(path)
        .and_then(|mut file| file.write_all(b"*\n").inspect_err(|_| drop(fs::remove_file(path))));
    match written {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(FolderError::unmade(path, &error)),
        _ => Ok(()),
    }
}

/// Its first line names the session; where that cannot be read, the name of the file has to do.
fn is_of(record: &Record, session: &str) -> bool {
    let named = lines::open(&record.path).ok().and_then(|file| lines::session(&file));
    named.is_none_or(|named| named == session)
}

fn actives(dir: &Path) -> Vec<Record> {
    let names = regular_files(dir).into_iter().filter(|name| is_active_name(name));
    let mut paths: Vec<PathBuf> = names.map(|name| dir.join(name)).collect();
    paths.sort();
    paths.into_iter().filter_map(Record::at).collect()
}

fn is_active_name(name: &str) -> bool {
    let key = name.strip_prefix(ACTIVE_PREFIX).and_then(|rest| rest.strip_suffix(".jsonl"));
    let is_harmless = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    key.is_some_and(|key| !key.is_empty() && key.len() <= MAX_NAME && key.bytes().all(is_harmless))
}

/// Names of regular files, in no order; links are none.
fn regular_files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().take(MAX_LOOKED_AT).flatten();
    let regular = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    regular.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

impl Sessions {
    /// Runs `work` while no record begins in this folder and nobody changes what all its records share.
    ///
    /// # Errors
    /// If the lock is not had; `work` has not run then.
    pub fn locked<T>(&self, work: impl FnOnce() -> T) -> Result<T, FolderError> {
        folder_locked(&self.dir, work)
            .map_err(|error| FolderError(format!("pause-recorder: {error}: try again")))
    }
}

/// Runs `work` while no record begins in this folder.
pub(super) fn folder_locked<T>(dir: &Path, work: impl FnOnce() -> T) -> Result<T, LockError> {
    with_lock(&dir.join("ACTIVE-PAUSE"), LOCK_DEADLINE, work)
}

/// An id for a record that begins now, which no snapshot, archive or active record here has. The caller holds the folder's
/// lock.
pub(super) fn free_id(dir: &Path, at: Timestamp) -> Result<String, FolderError> {
    let mut active = actives(dir);
    active.sort_by_key(|record| Reverse(record.modified));
    let active: BTreeSet<String> = active.iter().take(MAX_LOOKED_INTO).filter_map(id_of).collect();
    let first = id_at(&at.rfc3339());
    let numbered = (2..=MAX_IN_A_SECOND).map(|number| format!("{first}-{number}"));
    std::iter::once(first.clone())
        .chain(numbered)
        .find(|id| !active.contains(id) && !is_left(dir, id))
        .ok_or_else(|| FolderError(format!("pause-recorder: {} has no more room: prune it", dir.display())))
}

fn id_of(record: &Record) -> Option<String> {
    lines::id(&lines::open(&record.path).ok()?).ok()?
}

/// Something of a record of this id is here, be it no file.
fn is_left(dir: &Path, id: &str) -> bool {
    [".json", ".yaml", ".md", "-incremental.jsonl", "-incremental.jsonl.gz"]
        .iter()
        .any(|end| fs::symlink_metadata(dir.join(format!("{id}{end}"))).is_ok())
}

/// Makes durable what happened to names in a folder, where folders can be synced.
pub(super) fn sync_folder(dir: &Path) {
    if let Ok(dir) = File::open(dir) {
        let _ = dir.sync_all();
    }
}

/// An id of ours: `session-YYYYMMDD-HHMMSS`, with a number behind it where two began in one second.
#[must_use]
pub(crate) fn is_record_id(id: &str) -> bool {
    let parts: Vec<&str> = id.split('-').collect();
    let digits = |text: &str, count: std::ops::RangeInclusive<usize>| {
        count.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (["session", date, time] | ["session", date, time, _]) = parts[..] else { return false };
    digits(date, 8..=8) && digits(time, 6..=6) && parts.get(3).is_none_or(|number| digits(number, 1..=9))
}

/// Its second, and its number in it: `-10` comes after `-2`.
fn order_of(id: &str) -> (&str, u32) {
    let (second, number) = id.split_at("session-YYYYMMDD-HHMMSS".len().min(id.len()));
    (second, number.trim_start_matches('-').parse().unwrap_or(1))
}

/// The id of a record that begins now, before it is known whether it is free.
#[must_use]
fn id_at(rfc3339: &str) -> String {
    let digits: String = rfc3339.chars().filter(char::is_ascii_digit).take(14).collect();
    format!("session-{}-{}", digits.get(..8).unwrap_or_default(), digits.get(8..).unwrap_or_default())
}

/// So it is called before the session's own id.
const ACTIVE_PREFIX: &str = "ACTIVE-PAUSE-";

/// The file of an active record.
#[must_use]
fn active_path(dir: &Path, key: &str) -> PathBuf {
    dir.join(format!("{ACTIVE_PREFIX}{key}.jsonl"))
}

#[cfg(test)]
mod tests;
