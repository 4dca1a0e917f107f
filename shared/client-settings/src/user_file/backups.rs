//! Backups of one file, one for each text it had: `<name>.barbless-backup-<time>`, and `-absent` where there was no file.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::NaiveDateTime;

use super::atomic::{beside, create_folder, replace};
use shared::host::Timestamp;

/// How many of the newest backups of a file are kept, beside the oldest, which is the text before us.
pub const KEEP_BACKUPS: usize = 5;

/// Part of a backup's name between the name of the file and the time.
pub(super) const INFIX: &str = ".barbless-backup-";

/// End of a backup's name that stands for a missing file.
const ABSENT: &str = "-absent";

/// The time in a name, to the millisecond.
const TIME: &str = "%Y%m%dT%H%M%S%.3fZ";

/// The text of a file as it once was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// The backup.
    pub path: PathBuf,
    /// Text; `None` for a missing file.
    pub text: Option<String>,
}

/// The backups of the file of this name, in their folder.
pub(super) struct Backups<'a> {
    pub(super) folder: &'a Path,
    pub(super) name: &'a OsStr,
}

impl Backups<'_> {
    /// Newest first. One that cannot be read is left out.
    pub(super) fn read(&self) -> Vec<Backup> {
        let paths = self.paths().into_iter().map(|(_, path)| path);
        paths.filter_map(read).collect()
    }

    /// The newest backup, if it is of this text.
    pub(super) fn newest_of(&self, text: Option<&str>) -> Option<PathBuf> {
        let (_, path) = self.paths().into_iter().next()?;
        let backup = read(path)?;
        (backup.text.as_deref() == text).then_some(backup.path)
    }

    /// Keeps this text. Where the clock went back, or stood still, its name is later all the same.
    pub(super) fn add(&self, text: Option<&str>, now: Timestamp) -> io::Result<PathBuf> {
        let newest = self.paths().first().map(|(time, _)| time.plus(Duration::from_millis(1)));
        let time = newest.map_or(now, |newest| newest.max(now)).rfc3339();
        let time: String = time.chars().filter(|letter| !matches!(letter, '-' | ':')).collect();
        let absent = if text.is_none() { ABSENT } else { "" };
        let path = beside(&self.folder.join(self.name), &format!("{INFIX}{time}{absent}"));
        create_folder(&path, true)?;
        replace(&path, text.unwrap_or_default().as_bytes(), true)?;
        Ok(path)
    }

    /// Removes those between the newest ones and the oldest; which one cannot be removed is of no consequence.
    pub(super) fn prune(&self) {
        let mut paths = self.paths();
        paths.pop();
        for (_, path) in paths.iter().skip(KEEP_BACKUPS) {
            let _ = fs::remove_file(path);
        }
    }

    fn paths(&self) -> Vec<(Timestamp, PathBuf)> {
        let entries = fs::read_dir(self.folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> =
            entries.filter_map(|entry| Some((self.time_of(&entry.file_name())?, entry.path()))).collect();
        paths.sort();
        paths.reverse();
        paths
    }

    /// When the backup of this name was made; `None` if it is none, or is not yet whole.
    fn time_of(&self, name: &OsStr) -> Option<Timestamp> {
        let name = name.to_str()?.strip_prefix(self.name.to_str()?)?.strip_prefix(INFIX)?;
        let time = NaiveDateTime::parse_from_str(name.strip_suffix(ABSENT).unwrap_or(name), TIME).ok()?;
        Some(Timestamp::from_micros(time.and_utc().timestamp_micros()))
    }
}

/// `None` if it cannot be read.
fn read(path: PathBuf) -> Option<Backup> {
    if path.to_string_lossy().ends_with(ABSENT) {
        return Some(Backup { path, text: None });
    }
    let is_file = fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
    is_file.then(|| fs::read_to_string(&path).ok()).flatten().map(|text| Backup { path, text: Some(text) })
}
