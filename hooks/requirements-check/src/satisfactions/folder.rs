//! The files on disk. Reading takes no lock, because a file is only ever replaced as a whole; a change reads it again
//! inside the lock, and is durable when it returns.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shared::host::Timestamp;
use shared::state::{
    KEEP_DAYS, LOCK_DEADLINE, LockError, SharedMode, ensure_folder, ensure_private, file_key, read_regular,
    remove_durable, with_shared_lock, write_durable,
};

use super::mark::epoch_secs;
use super::wire::{Parsed, parse, to_bytes};
use super::{BranchMarks, Key};

/// A larger file is not read, and none is written; ten thousand marks fit.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// So many files of a folder are looked at; the rest is left alone.
const MAX_LISTED: usize = 10_000;

/// A damaged file is set aside under a new name each time, so often.
const MAX_CORRUPT: u32 = 100;

/// Session marks this old are dropped when somebody clears up.
const KEEP_SESSIONS_SECS: i64 = KEEP_DAYS.cast_signed() * 24 * 60 * 60;

/// The folder with the marks of one repository, or of one project without git.
#[derive(Debug, Clone)]
pub struct MarkFolder {
    dir: PathBuf,
    project: String,
    home: Home,
    patience: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Home {
    Repository(SharedMode),
    StateDir,
}

/// What was found.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Read {
    /// The marks; none if there is no file.
    pub(crate) marks: BranchMarks,
    /// A damaged file stood in their place and is here now. The user is to be told: its marks are gone.
    pub(crate) corrupt: Option<PathBuf>,
}

/// What a change came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Changed<T> {
    /// What the change itself returned.
    pub(crate) value: T,
    /// As [`Read::corrupt`].
    pub(crate) corrupt: Option<PathBuf>,
}

/// One file of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Whose marks.
    pub key: Key,
    /// How many requirements are marked.
    pub requirements: usize,
    /// How many sessions have marks of their own.
    pub sessions: usize,
    /// When the file was changed last, in seconds since the epoch.
    pub updated_at: i64,
}

/// What clearing up came to.
#[derive(Debug, Default)]
pub(crate) struct Pruned {
    /// Whose files were removed.
    pub(crate) removed: Vec<Key>,
    /// What could not be done.
    pub(crate) failed: Vec<ChangeError>,
}

/// Why marks cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// Written by a newer version, in a way this one does not know.
    #[error("{0} was written by a newer version of Barbless; update this one")]
    Newer(PathBuf),
    /// The file cannot be read.
    #[error("{0} cannot be read; check its permissions")]
    Unreadable(PathBuf, #[source] io::Error),
}

/// Why marks were not changed. They are as they were.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChangeError {
    /// The lock was not had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file cannot be used.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Written by a newer version: read, but not ours to change.
    #[error("{0} was written by a newer version of Barbless and is only read; update this one")]
    Newer(PathBuf),
    /// More marks than fit.
    #[error("{0} would be larger than 4 MiB; remove marks with `req prune` or `req clear`")]
    TooLarge(PathBuf),
    /// The file, or its folder, cannot be written.
    #[error("{0} cannot be written; check its permissions")]
    Unwritable(PathBuf, #[source] io::Error),
}

/// Where marks are, or will be.
struct Found {
    place: PathBuf,
    marks: Option<BranchMarks>,
    is_newer: bool,
    is_damaged: bool,
}

impl MarkFolder {
    /// That of a repository: `<git common dir>/requirements`. `root` is the work tree the marks are changed from.
    #[must_use]
    pub(crate) fn of_repository(common_dir: &Path, root: &Path, mode: SharedMode) -> Self {
        Self::new(common_dir.join("requirements"), root, Home::Repository(mode))
    }

    /// That of a project without git, in the state folder.
    #[must_use]
    pub(crate) fn of_project(state_dir: &Path, root: &Path) -> Self {
        let name = file_key(&root.to_string_lossy());
        Self::new(state_dir.join("requirements").join(name), root, Home::StateDir)
    }

    fn new(dir: PathBuf, root: &Path, home: Home) -> Self {
        Self { dir, project: root.to_string_lossy().into_owned(), home, patience: LOCK_DEADLINE }
    }

    /// The same, waiting so long for others; a hook's second is meant for a tool call.
    #[must_use]
    pub(crate) fn patient(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The folder.
    #[must_use]
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The marks as they are now. Nothing is locked or written, unless a damaged file is to be set aside.
    ///
    /// # Errors
    /// If there are marks that cannot be read.
    pub(crate) fn read(&self, key: &Key) -> Result<Read, ReadError> {
        let mut found = self.find(key)?;
        let mut corrupt = found.is_damaged.then(|| found.place.clone());
        if corrupt.is_some()
            && let Ok(Ok((settled, aside))) = self.locked(key, || self.settle(key))
        {
            found = settled;
            corrupt = aside;
        }
        Ok(Read { marks: found.marks.unwrap_or_else(|| BranchMarks::new(key)), corrupt })
    }

    /// Changes the marks. Where nothing changes, nothing is written.
    ///
    /// # Errors
    /// If the change cannot be made or kept; the marks are as they were then.
    pub(crate) fn change<T>(
        &self,
        key: &Key,
        now: Timestamp,
        change: impl FnOnce(&mut BranchMarks) -> T,
    ) -> Result<Changed<T>, ChangeError> {
        self.ensure_dir()?;
        self.locked(key, || {
            let (found, corrupt) = self.settle(key)?;
            if found.is_newer {
                return Err(ChangeError::Newer(found.place));
            }
            let mut marks = found.marks.unwrap_or_else(|| BranchMarks::new(key));
            let before = marks.clone();
            let value = change(&mut marks);
            if marks != before {
                self.write(&found.place, &mut marks, now)?;
            }
            Ok(Changed { value, corrupt })
        })?
    }

    /// Whose marks there are, in order. Files that are not ours or not where they belong are left out.
    #[must_use]
    pub(crate) fn list(&self) -> Vec<Listed> {
        let files = std::fs::read_dir(&self.dir).into_iter().flatten().flatten().take(MAX_LISTED);
        let mut listed: Vec<Listed> = files.filter_map(|file| listed(&file.path())).collect();
        listed.sort_by(|one, other| one.key.cmp(&other.key));
        listed
    }

    /// Clears up: removes the marks of branches that do not exist any more, and in the other files session marks that are
    /// a month old. Files of a newer version stay.
    pub(crate) fn prune(&self, now: Timestamp, exists: impl Fn(&Key) -> bool) -> Pruned {
        let mut pruned = Pruned::default();
        for key in self.list().into_iter().map(|listed| listed.key) {
            match self.clear_up(&key, now, &exists) {
                Ok(true) => pruned.removed.push(key),
                Ok(false) | Err(ChangeError::Newer(_)) => {}
                Err(error) => pruned.failed.push(error),
            }
        }
        pruned
    }

    /// Whether the file was removed. Inside the lock it is asked again, as the branch may be back, and marked.
    fn clear_up(
        &self,
        key: &Key,
        now: Timestamp,
        exists: impl Fn(&Key) -> bool,
    ) -> Result<bool, ChangeError> {
        if exists(key) {
            self.change(key, now, |marks| marks.forget_sessions(KEEP_SESSIONS_SECS, now))?;
            return Ok(false);
        }
        self.locked(key, || {
            let found = self.find(key)?;
            if exists(key) || found.marks.is_none() || found.is_newer {
                return Ok(false);
            }
            remove_durable(&found.place).map_err(|source| ChangeError::Unwritable(found.place, source))?;
            Ok(true)
        })?
    }

    fn ensure_dir(&self) -> Result<(), ChangeError> {
        let made = match self.home {
            Home::Repository(mode) => ensure_folder(&self.dir, mode),
            Home::StateDir => ensure_private(&self.dir),
        };
        made.map_err(|source| ChangeError::Unwritable(self.dir.clone(), source))
    }

    fn locked<T>(&self, key: &Key, critical: impl FnOnce() -> T) -> Result<T, LockError> {
        with_shared_lock(&self.dir.join(key.file_name()), self.patience, self.mode(), critical)
    }

    fn mode(&self) -> SharedMode {
        match self.home {
            Home::Repository(mode) => mode,
            Home::StateDir => SharedMode::Private,
        }
    }

    fn find(&self, key: &Key) -> Result<Found, ReadError> {
        let place = self.dir.join(key.file_name());
        let found = |marks, is_newer, is_damaged| Found { place: place.clone(), marks, is_newer, is_damaged };
        match read_file(&place)? {
            None => Ok(found(None, false, false)),
            Some(Parsed::Damaged) => Ok(found(None, false, true)),
            Some(Parsed::Newer(None)) => Err(ReadError::Newer(place)),
            Some(Parsed::Newer(Some(marks))) => Ok(found(Some(marks), true, false)),
            Some(Parsed::Marks(marks)) => Ok(found(Some(marks), false, false)),
        }
    }

    /// As `find`, after a damaged file was set aside. The caller holds the lock.
    fn settle(&self, key: &Key) -> Result<(Found, Option<PathBuf>), ReadError> {
        let found = self.find(key)?;
        if !found.is_damaged {
            return Ok((found, None));
        }
        let aside = set_aside(&found.place).map_err(|source| ReadError::Unreadable(found.place, source))?;
        Ok((self.find(key)?, Some(aside)))
    }

    /// Session marks that have had their day make room before it is refused.
    fn write(&self, place: &Path, marks: &mut BranchMarks, now: Timestamp) -> Result<(), ChangeError> {
        let unwritable = |source| ChangeError::Unwritable(place.to_path_buf(), source);
        marks.project.clone_from(&self.project);
        marks.updated_at = epoch_secs(now);
        if marks.created_at == 0 {
            marks.created_at = marks.updated_at;
        }
        let mut bytes = to_bytes(marks).map_err(|source| unwritable(source.into()))?;
        if is_too_large(&bytes) {
            marks.forget_sessions(KEEP_SESSIONS_SECS, now);
            bytes = to_bytes(marks).map_err(|source| unwritable(source.into()))?;
        }
        if is_too_large(&bytes) {
            return Err(ChangeError::TooLarge(place.to_path_buf()));
        }
        write_durable(place, &bytes, self.mode()).map_err(unwritable)
    }
}

/// `None`: there is no file. What is no file, a link above all, is as damaged as one that makes no sense.
fn read_file(place: &Path) -> Result<Option<Parsed>, ReadError> {
    match read_regular(place, MAX_BYTES) {
        Ok(bytes) => Ok(Some(parse(&bytes))),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound => Ok(None),
            io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge => Ok(Some(Parsed::Damaged)),
            _ => Err(ReadError::Unreadable(place.to_path_buf(), error)),
        },
    }
}

fn listed(path: &Path) -> Option<Listed> {
    let name = path.file_name()?.to_str()?;
    if path.extension() != Some(OsStr::new("json")) {
        return None;
    }
    let (Parsed::Marks(marks) | Parsed::Newer(Some(marks))) = read_file(path).ok()?? else { return None };
    let key = Key::of_label(&marks.branch);
    (name == key.file_name()).then(|| Listed {
        key,
        requirements: marks.requirements.len(),
        sessions: marks.sessions().len(),
        updated_at: marks.updated_at,
    })
}

/// Nothing that was set aside before is overwritten.
fn set_aside(damaged: &Path) -> io::Result<PathBuf> {
    let aside = |number: u32| {
        let mut path = damaged.as_os_str().to_owned();
        path.push(".corrupt");
        if number > 1 {
            path.push(format!("-{number}"));
        }
        PathBuf::from(path)
    };
    let is_free = |path: &PathBuf| std::fs::symlink_metadata(path).is_err();
    let free = (1..=MAX_CORRUPT).map(aside).find(is_free).ok_or(io::ErrorKind::AlreadyExists)?;
    std::fs::rename(damaged, &free)?;
    Ok(free)
}

fn is_too_large(bytes: &[u8]) -> bool {
    u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_BYTES)
}

#[cfg(test)]
mod tests;
