//! The files on disk. Reading takes no lock, because a file is only ever replaced as a whole; a change reads the file
//! again inside the lock, and is durable when it returns.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::host::Timestamp;
use shared::state::{
    KEEP_DAYS, LOCK_DEADLINE, LockError, SharedMode, ensure_folder, ensure_private, file_key, read_regular,
    remove_durable, with_shared_lock, write_durable,
};

use super::mark::epoch_secs;
use super::{BranchMarks, Key};

/// What is written. Raised when a field is added, because an older writer would drop it.
const VERSION: u32 = 2;

/// A larger file is not read, and none is written; ten thousand satisfactions fit.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// So many files of a folder are looked at.
const MAX_LISTED: usize = 10_000;

/// A damaged file is set aside under a new name each time, so often.
const MAX_CORRUPT: u32 = 100;

/// A clean-up drops satisfactions of sessions this old.
const KEEP_SESSIONS_SECS: i64 = KEEP_DAYS.cast_signed() * 24 * 60 * 60;

/// The folder with the satisfactions of one repository, or of one project without git.
#[derive(Debug, Clone)]
pub struct MarkFolder {
    dir: PathBuf,
    project: String,
    mode: SharedMode,
    /// It lies in the state folder, and its parents may be made.
    is_ours: bool,
    patience: Duration,
}

/// What was found.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Read {
    /// The satisfactions; none if there is no file.
    pub(crate) marks: BranchMarks,
    /// A damaged file stood in their place and is here now.
    pub(crate) corrupt: Option<PathBuf>,
}

/// One file of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Whose satisfactions.
    pub key: Key,
    /// How many requirements are satisfied.
    pub requirements: usize,
    /// How many sessions have satisfactions of their own.
    pub sessions: usize,
    /// When the file was changed last, in seconds since the epoch.
    pub updated_at: i64,
}

/// Why satisfactions are not read, or not changed: then they are as they were.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FolderError {
    /// The lock was not had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Written by a newer version.
    #[error("{0} was written by a newer version of Barbless; update this one")]
    Newer(PathBuf),
    /// Written by a newer version, in a way this one can read.
    #[error("{0} was written by a newer version of Barbless and is only read; update this one")]
    ReadOnly(PathBuf),
    /// The file cannot be read.
    #[error("{0} cannot be read; check its permissions")]
    Unreadable(PathBuf, #[source] io::Error),
    /// More satisfactions than fit.
    #[error("{0} would be larger than 4 MiB; remove satisfactions with `req prune` or `req clear`")]
    TooLarge(PathBuf),
    /// The file, or its folder, cannot be written.
    #[error("{0} cannot be written; check its permissions")]
    Unwritable(PathBuf, #[source] io::Error),
}

/// What a file turned out to be.
enum Loaded {
    Nothing,
    Marks(BranchMarks),
    Newer(BranchMarks),
    /// Nothing that can be read. What is no file, a link above all, is as damaged.
    Damaged,
}

#[derive(Deserialize)]
struct VersionOnly {
    version: String,
}

#[derive(Serialize, Deserialize)]
struct Versioned<M> {
    version: String,
    #[serde(flatten)]
    marks: M,
}

impl MarkFolder {
    /// That of a repository: `<git common dir>/requirements`. `root` is the work tree it is changed from.
    #[must_use]
    pub(crate) fn of_repository(common_dir: &Path, root: &Path, mode: SharedMode) -> Self {
        Self::new(common_dir.join("requirements"), root, mode, false)
    }

    /// That of a project without git, in the state folder.
    #[must_use]
    pub(crate) fn of_project(state_dir: &Path, root: &Path) -> Self {
        let name = file_key(&root.to_string_lossy());
        Self::new(state_dir.join("requirements").join(name), root, SharedMode::Private, true)
    }

    fn new(dir: PathBuf, root: &Path, mode: SharedMode, is_ours: bool) -> Self {
        let project = root.to_string_lossy().into_owned();
        Self { dir, project, mode, is_ours, patience: LOCK_DEADLINE }
    }

    /// The same, waiting so long for others.
    #[must_use]
    pub(crate) fn patient(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    #[must_use]
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The satisfactions as they are now. Nothing is locked or written, unless a damaged file is to be set aside.
    ///
    /// # Errors
    /// If there are satisfactions that cannot be read.
    pub(crate) fn read(&self, key: &Key) -> Result<Read, FolderError> {
        match self.load(key)? {
            Loaded::Marks(marks) | Loaded::Newer(marks) => Ok(Read { marks, corrupt: None }),
            Loaded::Nothing => Ok(Read { marks: BranchMarks::new(key), corrupt: None }),
            Loaded::Damaged => match self.locked(key, || self.settle(key)) {
                Ok(Ok((Loaded::Marks(marks) | Loaded::Newer(marks), corrupt))) => Ok(Read { marks, corrupt }),
                Ok(Ok((_, corrupt))) => Ok(Read { marks: BranchMarks::new(key), corrupt }),
                Ok(Err(_)) | Err(_) => {
                    Ok(Read { marks: BranchMarks::new(key), corrupt: Some(self.place(key)) })
                }
            },
        }
    }

    /// Changes the satisfactions. Where nothing changes, nothing is written.
    ///
    /// # Errors
    /// If the change cannot be made or kept.
    pub(crate) fn change(
        &self,
        key: &Key,
        now: Timestamp,
        change: impl FnOnce(&mut BranchMarks),
    ) -> Result<(), FolderError> {
        let made = if self.is_ours { ensure_private(&self.dir) } else { ensure_folder(&self.dir, self.mode) };
        made.map_err(|source| FolderError::Unwritable(self.dir.clone(), source))?;
        self.locked(key, || {
            let before = match self.settle(key)?.0 {
                Loaded::Newer(_) => return Err(FolderError::ReadOnly(self.place(key))),
                Loaded::Marks(marks) => marks,
                Loaded::Nothing | Loaded::Damaged => BranchMarks::new(key),
            };
            let mut marks = before.clone();
            change(&mut marks);
            if marks == before { Ok(()) } else { self.write(key, marks, now) }
        })?
    }

    /// Whose satisfactions there are, in order. Files that are not ours or not where they belong are left out.
    #[must_use]
    pub(crate) fn list(&self) -> Vec<Listed> {
        let files = std::fs::read_dir(&self.dir).into_iter().flatten().flatten().take(MAX_LISTED);
        let mut listed: Vec<Listed> = files.filter_map(|file| listed(&file.path())).collect();
        listed.sort_by(|one, other| one.key.cmp(&other.key));
        listed
    }

    /// Removes the satisfactions of branches that do not exist any more, and those of sessions that are a month old. Files
    /// of a newer version stay.
    ///
    /// # Errors
    /// The first, after all files were tried.
    pub(crate) fn prune(&self, now: Timestamp, exists: impl Fn(&Key) -> bool) -> Result<(), FolderError> {
        let keys: Vec<Key> = self.list().into_iter().map(|listed| listed.key).collect();
        let pruned: Vec<_> = keys.iter().map(|key| self.clean_up(key, now, &exists)).collect();
        pruned.into_iter().find(Result::is_err).unwrap_or(Ok(()))
    }

    /// Whether the branch exists is asked again inside the lock, as it may be back.
    fn clean_up(&self, key: &Key, now: Timestamp, exists: impl Fn(&Key) -> bool) -> Result<(), FolderError> {
        if exists(key) {
            return match self.change(key, now, |marks| marks.forget_sessions(KEEP_SESSIONS_SECS, now)) {
                Err(FolderError::ReadOnly(_)) => Ok(()),
                other => other,
            };
        }
        self.locked(key, || match self.load(key)? {
            Loaded::Marks(_) if !exists(key) => {
                let place = self.place(key);
                remove_durable(&place).map_err(|source| FolderError::Unwritable(place, source))
            }
            _ => Ok(()),
        })?
    }

    fn locked<T>(&self, key: &Key, critical: impl FnOnce() -> T) -> Result<T, LockError> {
        with_shared_lock(&self.place(key), self.patience, self.mode, critical)
    }

    fn place(&self, key: &Key) -> PathBuf {
        self.dir.join(key.file_name())
    }

    fn load(&self, key: &Key) -> Result<Loaded, FolderError> {
        load(&self.place(key))
    }

    /// What there is after a damaged file was set aside, and where that is. The caller holds the lock.
    fn settle(&self, key: &Key) -> Result<(Loaded, Option<PathBuf>), FolderError> {
        match self.load(key)? {
            Loaded::Damaged => {
                let place = self.place(key);
                let aside = set_aside(&place).map_err(|source| FolderError::Unreadable(place, source))?;
                Ok((Loaded::Nothing, Some(aside)))
            }
            loaded => Ok((loaded, None)),
        }
    }

    /// Satisfactions of sessions that are a month old make room before a change is denied.
    fn write(&self, key: &Key, mut marks: BranchMarks, now: Timestamp) -> Result<(), FolderError> {
        let place = self.place(key);
        marks.project.clone_from(&self.project);
        marks.updated_at = epoch_secs(now);
        if marks.created_at == 0 {
            marks.created_at = marks.updated_at;
        }
        let mut bytes = to_bytes(&marks);
        if is_too_large(&bytes) {
            marks.forget_sessions(KEEP_SESSIONS_SECS, now);
            bytes = to_bytes(&marks);
        }
        if is_too_large(&bytes) {
            return Err(FolderError::TooLarge(place));
        }
        write_durable(&place, &bytes, self.mode).map_err(|source| FolderError::Unwritable(place, source))
    }
}

fn load(place: &Path) -> Result<Loaded, FolderError> {
    let bytes = match read_regular(place, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            return match error.kind() {
                io::ErrorKind::NotFound => Ok(Loaded::Nothing),
                io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge => Ok(Loaded::Damaged),
                _ => Err(FolderError::Unreadable(place.to_path_buf(), error)),
            };
        }
    };
    let version =
        serde_json::from_slice(&bytes).map_or(0, |VersionOnly { version }| version.parse().unwrap_or(0));
    match serde_json::from_slice::<Versioned<BranchMarks>>(&bytes) {
        Ok(file) if version > VERSION => Ok(Loaded::Newer(file.marks)),
        Ok(file) => Ok(Loaded::Marks(file.marks)),
        Err(_) if version > VERSION => Err(FolderError::Newer(place.to_path_buf())),
        Err(_) => Ok(Loaded::Damaged),
    }
}

/// What is written for these satisfactions: every part of them has a form in JSON.
fn to_bytes(marks: &BranchMarks) -> Vec<u8> {
    serde_json::to_vec(&Versioned { version: VERSION.to_string(), marks }).unwrap_or_default()
}

fn is_too_large(bytes: &[u8]) -> bool {
    u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_BYTES)
}

fn listed(path: &Path) -> Option<Listed> {
    let name = path.file_name()?.to_str()?;
    if path.extension() != Some(OsStr::new("json")) {
        return None;
    }
    let (Loaded::Marks(marks) | Loaded::Newer(marks)) = load(path).ok()? else { return None };
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
        path.push(if number > 1 { format!(".corrupt-{number}") } else { ".corrupt".to_owned() });
        PathBuf::from(path)
    };
    let is_free = |path: &PathBuf| std::fs::symlink_metadata(path).is_err();
    let free = (1..=MAX_CORRUPT).map(aside).find(is_free).ok_or(io::ErrorKind::AlreadyExists)?;
    std::fs::rename(damaged, &free)?;
    Ok(free)
}

#[cfg(test)]
mod tests;
