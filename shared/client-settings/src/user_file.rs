//! A file of the user, changed as a whole or not at all: links are followed, the file is locked, the new text is written beside it,
//! synced and renamed, and the old text can be kept as a backup. The caller decides about the change.
//!
//! Backups are one for each text: `<name>.barbless-backup-<time>`, with `-absent` where there was no file.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::NaiveDateTime;
use shared::host::Timestamp;
use shared::state::{LockError, with_lock};

const PATIENCE: Duration = Duration::from_secs(5);

/// A longer chain of links is a loop.
const MAX_LINKS: usize = 32;

/// The number of newest backups that are kept, beside the oldest, which is the text before us.
pub const KEEP_BACKUPS: usize = 5;

/// The part of a backup's name between the name of its file and the time.
const INFIX: &str = ".barbless-backup-";

const ABSENT: &str = "-absent";

/// The time in a name, to the millisecond.
const TIME: &str = "%Y%m%dT%H%M%S%.3fZ";

const TEMPORARY: &str = ".barbless-new";

/// Why a user's file was not changed: a sentence that names the file.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct FileError(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Private,
    Usual,
    /// A program: everybody may start it.
    Program,
}

#[derive(Debug, Clone)]
pub struct UserFile {
    /// As Claude Code names it.
    path: PathBuf,
    /// The end of a chain of links.
    target: PathBuf,
    /// The path of a backup, but for its end.
    backup: PathBuf,
    mode: Mode,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    pub path: PathBuf,
    /// The text; `None`: there was no file.
    pub text: Option<String>,
}

impl UserFile {
    /// The file at `path`, whether it exists or not.
    pub fn at(path: &Path) -> Result<Self, FileError> {
        let target = follow(path)?;
        // A pipe would be waited for, and a device replaced.
        if fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(failed(path, "is not a regular file; move it away and try again"));
        }
        Ok(Self { path: path.to_owned(), target, backup: path.to_owned(), mode: Mode::Private })
    }

    /// The same file in a project. A new one gets the usual mode, because others read it. Backups are kept in `folder`: beside the
    /// file somebody would commit them.
    #[must_use]
    pub fn of_a_project(self, folder: &Path) -> Self {
        let backup = folder.join(self.path.file_name().unwrap_or_default());
        Self { backup, mode: Mode::Usual, ..self }
    }

    /// The file that holds the bytes.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The text; `None`: there is no such file.
    pub fn read(&self) -> Result<Option<String>, FileError> {
        if appended(&self.guarded(), ".lock").exists() {
            // A killed process left the lock unless somebody holds it.
            let _ = with_lock(&self.guarded(), Duration::ZERO, || self.clean_up());
        }
        self.text().map_err(|error| FileError(format!("{}: {error}", self.path.display())))
    }

    /// Changes the text under the file's lock: `edit` gets it and returns what shall be there. Returns whether it changed.
    pub fn change<E: From<FileError>>(
        &self,
        edit: impl FnOnce(Option<&str>) -> Result<Option<String>, E>,
    ) -> Result<bool, E> {
        let changed = self.edited(edit, |_, after| self.write(after))?;
        Ok(changed.is_some())
    }

    /// Like [`Self::change`], and keeps the text before the change as a backup, whose path it returns.
    pub fn change_with_backup(
        &self,
        now: Timestamp,
        edit: impl FnOnce(Option<&str>) -> Result<Option<String>, FileError>,
    ) -> Result<Option<PathBuf>, FileError> {
        self.edited(edit, |before, after| self.write_with_backup(before, after, now))
    }

    /// Refuses an edit of this file with its place.
    pub fn refused(&self, refused: impl Display) -> FileError {
        FileError(format!("{}, {refused}; the file was not changed", self.path.display()))
    }

    /// Under the lock: edits the text, and writes it if it changed.
    fn edited<T, E: From<FileError>>(
        &self,
        edit: impl FnOnce(Option<&str>) -> Result<Option<String>, E>,
        write: impl FnOnce(Option<&str>, Option<&str>) -> io::Result<T>,
    ) -> Result<Option<T>, E> {
        let io = |error: io::Error| E::from(unchanged(&self.path, &error));
        create_folder(&self.target, self.mode).map_err(io)?;
        let done = with_lock(&self.guarded(), PATIENCE, || {
            self.clean_up();
            let before = self.text().map_err(io)?;
            let after = edit(before.as_deref())?;
            if after == before {
                return Ok(None);
            }
            // The folder would let us replace a read-only file, against its owner's will.
            if fs::metadata(&self.target).is_ok_and(|metadata| metadata.permissions().readonly()) {
                return Err(failed(&self.path, "is read-only; make it writable and try again").into());
            }
            write(before.as_deref(), after.as_deref()).map(Some).map_err(io)
        });
        done.map_err(|error| match error {
            LockError::Unusable(_, error) => io(error),
            busy @ LockError::Busy(_) => FileError(busy.to_string()).into(),
        })?
    }

    fn text(&self) -> io::Result<Option<String>> {
        match fs::read_to_string(&self.target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            text => text.map(Some),
        }
    }

    /// The lock's path. No such file exists, so the lock file goes with the lock.
    fn guarded(&self) -> PathBuf {
        appended(&self.target, ".barbless")
    }

    /// Removes what killed processes left. The caller holds the lock.
    fn clean_up(&self) {
        remove_abandoned(&self.target);
        remove_abandoned(&self.backup);
    }

    fn write(&self, text: Option<&str>) -> io::Result<()> {
        match text {
            Some(text) => {
                Beside::write(&self.target, &self.target, text.as_bytes(), self.mode)?.put_in_place()
            }
            // A link to nowhere was there before us, where there is a link.
            None => fs::remove_file(&self.target).map(|()| sync_folder(&self.target)),
        }
    }

    /// Keeps the text before a write and writes. Returns the backup, which goes again if the write fails.
    fn write_with_backup(
        &self,
        before: Option<&str>,
        after: Option<&str>,
        now: Timestamp,
    ) -> io::Result<PathBuf> {
        let newest = self.backup_paths().into_iter().next().and_then(|(_, path)| read_backup(path));
        // A killed change left a backup of the same text.
        let there = newest.filter(|backup| backup.text.as_deref() == before).map(|backup| backup.path);
        let is_new = there.is_none();
        let backup = there.map_or_else(|| self.add_backup(before, now), Ok)?;
        if let Err(error) = self.write(after) {
            if is_new {
                let _ = fs::remove_file(backup);
            }
            return Err(error);
        }
        let mut paths = self.backup_paths();
        // The oldest stays for good.
        paths.pop();
        for (_, path) in paths.iter().skip(KEEP_BACKUPS) {
            let _ = fs::remove_file(path);
        }
        Ok(backup)
    }

    /// Keeps this text. Its name is later than all others even where the clock went back.
    fn add_backup(&self, text: Option<&str>, now: Timestamp) -> io::Result<PathBuf> {
        let newest = self.backup_paths().first().map(|(time, _)| time.plus(Duration::from_millis(1)));
        let time = newest.map_or(now, |newest| newest.max(now)).rfc3339().replace(['-', ':'], "");
        let absent = if text.is_none() { ABSENT } else { "" };
        let path = appended(&self.backup, &format!("{INFIX}{time}{absent}"));
        create_folder(&path, Mode::Private)?;
        let bytes = text.unwrap_or_default().as_bytes();
        Beside::write(&self.backup, &path, bytes, Mode::Private)?.put_in_place()?;
        Ok(path)
    }

    /// The backups, newest first. One that cannot be read is left out.
    pub fn backups(&self) -> Vec<Backup> {
        self.backup_paths().into_iter().filter_map(|(_, path)| read_backup(path)).collect()
    }

    /// Newest first.
    fn backup_paths(&self) -> Vec<(Timestamp, PathBuf)> {
        let folder = self.backup.parent().unwrap_or_else(|| Path::new(""));
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let backup = |entry: fs::DirEntry| Some((self.time_of(&entry.file_name())?, entry.path()));
        let mut paths: Vec<_> = entries.filter_map(backup).collect();
        paths.sort();
        paths.reverse();
        paths
    }

    fn time_of(&self, name: &OsStr) -> Option<Timestamp> {
        let name = name.to_str()?.strip_prefix(self.backup.file_name()?.to_str()?)?.strip_prefix(INFIX)?;
        let time = NaiveDateTime::parse_from_str(name.strip_suffix(ABSENT).unwrap_or(name), TIME).ok()?;
        Some(Timestamp::from_micros(time.and_utc().timestamp_micros()))
    }
}

/// `None`: it cannot be read.
fn read_backup(path: PathBuf) -> Option<Backup> {
    if path.to_string_lossy().ends_with(ABSENT) {
        return Some(Backup { path, text: None });
    }
    let is_file = fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
    let text = is_file.then(|| fs::read_to_string(&path).ok()).flatten()?;
    Some(Backup { path, text: Some(text) })
}

fn failed(path: &Path, why: &str) -> FileError {
    FileError(format!("{} {why}", path.display()))
}

fn unchanged(path: &Path, error: &io::Error) -> FileError {
    FileError(format!("{}: {error}; the file was not changed", path.display()))
}

/// The file at the end of a chain of links, whether it exists or not.
fn follow(path: &Path) -> Result<PathBuf, FileError> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(to) => target = target.parent().unwrap_or_else(|| Path::new("")).join(to),
            Err(_) => return Ok(target),
        }
    }
    Err(unchanged(path, &io::Error::other("too many links, one to the next")))
}

/// A file beside its target. It goes again unless it takes the target's place.
#[derive(Debug)]
pub struct Beside {
    temporary: PathBuf,
    target: PathBuf,
}

impl Beside {
    pub fn program(target: &Path, bytes: &[u8]) -> io::Result<Self> {
        create_folder(target, Mode::Private)?;
        remove_abandoned(target);
        Self::write(target, target, bytes, Mode::Program)
    }

    /// Writes the temporary file of `owner`, whose lock the caller holds and which has none yet. An existing target keeps its mode.
    fn write(owner: &Path, target: &Path, bytes: &[u8], mode: Mode) -> io::Result<Self> {
        let temporary = appended(owner, TEMPORARY);
        let mut file = create(&temporary, mode)?;
        let beside = Self { temporary, target: target.to_owned() };
        file.write_all(bytes)?;
        if let (true, Ok(before)) = (mode != Mode::Program, fs::metadata(target)) {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        Ok(beside)
    }

    /// The file as long as it lies beside its target.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    pub fn put_in_place(&self) -> io::Result<()> {
        rename_over(&self.temporary, &self.target)?;
        sync_folder(&self.target);
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Removes the temporary file of `path`, which a killed process left. The caller holds the lock under which it is written.
pub fn remove_abandoned(path: &Path) {
    let _ = fs::remove_file(appended(path, TEMPORARY));
}

fn appended(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Creates the missing folders above `path`. Existing ones stay as they are.
fn create_folder(path: &Path, mode: Mode) -> io::Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, if mode == Mode::Usual { 0o777 } else { 0o700 });
    builder.recursive(true).create(folder)
}

/// Never opens an existing file, which could be a link.
fn create(path: &Path, mode: Mode) -> io::Result<File> {
    let bits = match mode {
        Mode::Private => 0o600,
        Mode::Usual => 0o666,
        Mode::Program => 0o777,
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, bits);
    #[cfg(not(unix))]
    let _ = bits;
    options.open(path)
}

#[cfg(unix)]
fn rename_over(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// A running program cannot be replaced here, but it can be moved aside.
#[cfg(not(unix))]
fn rename_over(from: &Path, to: &Path) -> io::Result<()> {
    let aside = to.with_extension("old");
    let _ = fs::remove_file(&aside);
    if to.exists() {
        fs::rename(to, &aside)?;
    }
    let renamed = fs::rename(from, to);
    let _ = fs::remove_file(&aside);
    renamed
}

/// Makes a change in the folder of `path` durable, where folders can be synced.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().filter(|_| cfg!(unix)).and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests;
