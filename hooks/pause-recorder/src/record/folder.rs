//! The folder of a project's records and snapshots: `<root>/.claude/sessions`, with a `.gitignore` of `*`. Where `<root>/.claude`
//! is the user's own configuration folder, it is `<state>/pause-recorder/sessions`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use shared::host::{Places, Timestamp};
use shared::state::{LOCK_DEADLINE, SharedMode, ensure_folder, with_lock};

use super::file::Record;
use super::lines;

/// The names of the folder that are listed.
const MAX_LISTED: usize = 10_000;

/// The records that may begin in one second.
const MAX_IN_A_SECOND: usize = 1_000;

const ACTIVE_PREFIX: &str = "ACTIVE-PAUSE-";

/// The folder, whether it exists or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sessions {
    pub dir: PathBuf,
    /// The project.
    pub root: PathBuf,
}

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

    /// Creates the folder with its `.gitignore` where they are missing. An existing `.gitignore` stays as it is.
    ///
    /// # Errors
    /// If the folder cannot be created, or leads out of the project.
    pub fn open(&self) -> Result<(), String> {
        let parent = self.dir.parent().unwrap_or(&self.dir);
        if self.is_in_project() && parent.symlink_metadata().is_err() {
            // Claude Code's own folder gets the rights that the user gives new folders.
            let _ = fs::create_dir(parent);
        }
        let unusable = |folder: &Path| {
            format!(
                "pause-recorder: {} is a link out of the project, or no folder: put a folder in its place",
                folder.display()
            )
        };
        if self.is_in_project() && !self.is_inside(parent) {
            return Err(unusable(parent));
        }
        if self.dir.symlink_metadata().is_ok() && !self.is_usable() {
            return Err(unusable(&self.dir));
        }
        let unmade = |error| format!("pause-recorder: {} cannot be created: {error}", self.dir.display());
        ensure_folder(&self.dir, SharedMode::Private).map_err(unmade)?;
        match lines::create(&self.dir.join(".gitignore")).and_then(|mut file| file.write_all(b"*\n")) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(unmade(error)),
            _ => Ok(()),
        }
    }

    /// The folder exists, is no link, and lies inside the project.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        let is_folder = self.dir.symlink_metadata().is_ok_and(|there| there.is_dir());
        is_folder && (!self.is_in_project() || self.is_inside(&self.dir))
    }

    fn is_in_project(&self) -> bool {
        self.dir == self.root.join(".claude/sessions")
    }

    fn is_inside(&self, folder: &Path) -> bool {
        let (Ok(folder), Ok(root)) = (folder.canonicalize(), self.root.canonicalize()) else { return false };
        folder.is_dir() && folder.starts_with(root)
    }

    /// The record's file of a session, whether it exists or not. Nobody can guess the name, because session ids are random.
    #[must_use]
    pub fn active_path(&self, session: &str) -> PathBuf {
        let digest = Sha256::digest(session.as_bytes());
        let key = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
        self.dir.join(format!("{ACTIVE_PREFIX}{key:08x}.jsonl"))
    }

    #[must_use]
    pub fn active(&self, session: &str) -> Option<Record> {
        Record::at(self.active_path(session)).filter(|_| self.is_usable())
    }

    /// All active records by name, including those of strangers.
    #[must_use]
    pub fn actives(&self) -> Vec<Record> {
        let is_active = |name: &str| name.strip_prefix(ACTIVE_PREFIX)?.strip_suffix(".jsonl").map(drop);
        let names = self.names().into_iter().filter(|name| is_active(name).is_some());
        names.filter_map(|name| Record::at(self.dir.join(name))).collect()
    }

    /// The ids of all snapshots, newest first.
    #[must_use]
    pub fn snapshot_ids(&self) -> Vec<String> {
        self.ids(&[".json"])
    }

    /// The ids of records without a name ending of these, newest first.
    pub(super) fn ids(&self, ends: &[&str]) -> Vec<String> {
        let names = self.names();
        let ids: BTreeSet<&str> =
            names.iter().filter_map(|name| ends.iter().find_map(|end| name.strip_suffix(end))).collect();
        let mut ids: Vec<String> = ids.into_iter().filter(|id| is_record_id(id)).map(str::to_owned).collect();
        ids.sort_by(|one, other| order_of(other).cmp(&order_of(one)));
        ids
    }

    /// The names of regular files, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        if !self.is_usable() {
            return Vec::new();
        }
        let entries = fs::read_dir(&self.dir).into_iter().flatten().take(MAX_LISTED).flatten();
        let regular = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let mut names: Vec<String> =
            regular.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

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

    /// The folder as messages name it: relative to the project where it lies in it.
    #[must_use]
    pub fn told(&self) -> String {
        self.told_of(&self.dir)
    }

    /// A file as messages name it.
    #[must_use]
    pub fn told_of(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// Runs `work` while no other process begins a record or changes `LATEST-SESSION.txt`.
    ///
    /// # Errors
    /// If the lock stays busy for a second.
    pub(crate) fn locked<T>(&self, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        let done = with_lock(&self.dir.join("ACTIVE-PAUSE"), LOCK_DEADLINE, work);
        done.map_err(|error| format!("pause-recorder: {error}: try again"))?
    }

    /// An unused id for a record that begins now. The caller holds the folder's lock.
    pub(super) fn free_id(&self, at: Timestamp) -> Result<String, String> {
        let active: Vec<String> = self.actives().iter().filter_map(Record::id).collect();
        let names = self.names();
        let has_file = |start: &str| names.iter().any(|name| name.starts_with(start));
        let is_used = |id: &String| {
            active.contains(id) || has_file(&format!("{id}.")) || has_file(&format!("{id}-incremental"))
        };
        let digits: String = at.rfc3339().chars().filter(char::is_ascii_digit).take(14).collect();
        let first = format!("session-{}-{}", &digits[..8], &digits[8..]);
        let numbered = (2..=MAX_IN_A_SECOND).map(|number| format!("{first}-{number}"));
        std::iter::once(first.clone())
            .chain(numbered)
            .find(|id| !is_used(id))
            .ok_or_else(|| format!("pause-recorder: {} has no free id: prune it", self.dir.display()))
    }
}

/// Makes renames in a folder durable.
pub(super) fn sync_folder(dir: &Path) {
    if let Ok(dir) = File::open(dir) {
        let _ = dir.sync_all();
    }
}

/// The text is `session-YYYYMMDD-HHMMSS`, with a number behind it where two records began in one second.
#[must_use]
pub(crate) fn is_record_id(id: &str) -> bool {
    let parts: Vec<&str> = id.split('-').collect();
    let digits = |text: &str, count: std::ops::RangeInclusive<usize>| {
        count.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (["session", date, time] | ["session", date, time, _]) = parts[..] else { return false };
    digits(date, 8..=8) && digits(time, 6..=6) && parts.get(3).is_none_or(|number| digits(number, 1..=9))
}

/// The second and the number in it: `-10` comes after `-2`.
fn order_of(id: &str) -> (&str, u32) {
    let (second, number) = id.split_at("session-YYYYMMDD-HHMMSS".len().min(id.len()));
    (second, number.trim_start_matches('-').parse().unwrap_or(1))
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
