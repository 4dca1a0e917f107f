//! Backups of one file, one for each of its texts: `<name>.barbless-backup-<time>`, with `-absent` where there was no file.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::NaiveDateTime;
use shared::host::Timestamp;

use super::beside::{Beside, Mode, appended, create_folder};

/// The number of newest backups that are kept, beside the oldest, which is the text before us.
pub const KEEP_BACKUPS: usize = 5;

/// The part of a backup's name between the name of its file and the time.
const INFIX: &str = ".barbless-backup-";

const ABSENT: &str = "-absent";

/// The time in a name, to the millisecond.
const TIME: &str = "%Y%m%dT%H%M%S%.3fZ";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    pub path: PathBuf,
    /// The text; `None`: there was no file.
    pub text: Option<String>,
}

pub(super) struct Backups<'a> {
    pub(super) folder: &'a Path,
    pub(super) name: &'a OsStr,
}

impl Backups<'_> {
    /// Newest first. One that cannot be read is left out.
    pub(super) fn read(&self) -> Vec<Backup> {
        self.paths().into_iter().filter_map(|(_, path)| read(path)).collect()
    }

    /// Keeps the text before a write and writes. Returns the backup, which goes again if the write fails.
    pub(super) fn with(
        &self,
        text: Option<&str>,
        now: Timestamp,
        write: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<PathBuf> {
        let newest = self.paths().into_iter().next().and_then(|(_, path)| read(path));
        // A killed change left a backup of the same text.
        let there = newest.filter(|backup| backup.text.as_deref() == text).map(|backup| backup.path);
        let is_new = there.is_none();
        let backup = there.map_or_else(|| self.add(text, now), Ok)?;
        if let Err(error) = write() {
            if is_new {
                let _ = fs::remove_file(backup);
            }
            return Err(error);
        }
        self.prune();
        Ok(backup)
    }

    /// Keeps this text. Its name is later than all others even where the clock went back.
    fn add(&self, text: Option<&str>, now: Timestamp) -> io::Result<PathBuf> {
        let newest = self.paths().first().map(|(time, _)| time.plus(Duration::from_millis(1)));
        let time = newest.map_or(now, |newest| newest.max(now)).rfc3339().replace(['-', ':'], "");
        let absent = if text.is_none() { ABSENT } else { "" };
        let owner = self.folder.join(self.name);
        let path = appended(&owner, &format!("{INFIX}{time}{absent}"));
        create_folder(&path, Mode::Private)?;
        Beside::write(&owner, &path, text.unwrap_or_default().as_bytes(), Mode::Private)?.put_in_place()?;
        Ok(path)
    }

    /// Removes those between the newest ones and the oldest.
    fn prune(&self) {
        let mut paths = self.paths();
        paths.pop();
        for (_, path) in paths.iter().skip(KEEP_BACKUPS) {
            let _ = fs::remove_file(path);
        }
    }

    /// Newest first.
    fn paths(&self) -> Vec<(Timestamp, PathBuf)> {
        let entries = fs::read_dir(self.folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> =
            entries.filter_map(|entry| Some((self.time_of(&entry.file_name())?, entry.path()))).collect();
        paths.sort();
        paths.reverse();
        paths
    }

    fn time_of(&self, name: &OsStr) -> Option<Timestamp> {
        let name = name.to_str()?.strip_prefix(self.name.to_str()?)?.strip_prefix(INFIX)?;
        let time = NaiveDateTime::parse_from_str(name.strip_suffix(ABSENT).unwrap_or(name), TIME).ok()?;
        Some(Timestamp::from_micros(time.and_utc().timestamp_micros()))
    }
}

/// `None`: it cannot be read.
fn read(path: PathBuf) -> Option<Backup> {
    if path.to_string_lossy().ends_with(ABSENT) {
        return Some(Backup { path, text: None });
    }
    let is_file = fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
    let text = is_file.then(|| fs::read_to_string(&path).ok()).flatten()?;
    Some(Backup { path, text: Some(text) })
}
