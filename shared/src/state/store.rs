//! The state folder: one versioned file per hook and session, and the OFF file.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::files::{read_regular, remove, write_private};
use super::lock::{LOCK_DEADLINE, LockError, with_lock};
use super::names::file_key;
use crate::host::{Places, Timestamp, ensure_private};

/// The session in the envelope of a file that belongs to the whole machine.
pub const MACHINE: &str = "";

/// The version of state files. Raised when a field is added, because an older writer would drop that field.
const OF_STATE: u32 = 1;

/// A longer state file is none of ours, in bytes: a hook has little memory and less time.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// State of a hook between the calls of one session.
pub trait Remembered: Serialize + DeserializeOwned + Default {
    /// A hook's one memory for all sessions of the machine instead of one for each.
    const MACHINE_WIDE: bool = false;

    /// The state file's name for a session (its id made safe); `None`: nothing is remembered.
    fn file_name(session: &str) -> Option<String>;

    /// Reads a file of the original tool, which had no envelope; `None`: not one.
    fn from_original(_bytes: &[u8]) -> Option<Self> {
        None
    }
}

impl Remembered for () {
    fn file_name(_session: &str) -> Option<String> {
        None
    }
}

#[derive(Debug, Clone)]
pub struct Store {
    dir: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Not ours to change.
    #[error("{0} was written by a newer version of Barbless")]
    Newer(PathBuf),
    #[error("{0} cannot be read")]
    Unreadable(PathBuf, #[source] io::Error),
    #[error("{0} cannot be written")]
    Unwritable(PathBuf, #[source] io::Error),
    #[error(transparent)]
    Lock(#[from] LockError),
}

impl StateError {
    /// Nothing failed where the file is another process's to write now, or another version's.
    pub fn unless_anothers(self) -> Result<(), Self> {
        match self {
            Self::Newer(_) | Self::Lock(LockError::Busy(_)) => Ok(()),
            failure => Err(failure),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Envelope<S, T> {
    #[serde(default)]
    version: u32,
    session: S,
    state: T,
}

impl Store {
    /// Opens the state folder, creating it private to the user.
    pub fn open(dir: &Path) -> io::Result<Self> {
        ensure_private(dir)?;
        Ok(Self::at(dir))
    }

    /// A folder that is there, as it is.
    pub fn at(dir: &Path) -> Self {
        Self { dir: dir.to_path_buf() }
    }

    /// Something can be written here: the folder of the heartbeats, which every call needs, is there or can be made.
    pub fn is_writable(&self) -> bool {
        ensure_private(&self.dir.join("heartbeat")).is_ok()
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn session_file<T: Remembered>(&self, session: &str) -> Option<PathBuf> {
        T::file_name(&file_key(session)).map(|name| self.dir.join(name))
    }

    /// Runs `critical` while no other process changes `file`. After an error `critical` has not run.
    pub fn locked<T>(&self, file: &Path, critical: impl FnOnce() -> T) -> Result<T, LockError> {
        with_lock(file, LOCK_DEADLINE, critical)
    }

    /// State of a session, or of [`MACHINE`]. Without the lock it may be out of date at once.
    pub fn read<T: Remembered>(&self, session: &str) -> Option<T> {
        self.peek(&self.session_file::<T>(session)?)
    }

    /// Changes what is remembered, under its lock. It is kept where `change` says so.
    pub fn change<T: Remembered>(
        &self,
        session: &str,
        change: impl FnOnce(&mut T) -> bool,
    ) -> Result<(), StateError> {
        let Some(file) = self.session_file::<T>(session) else { return Ok(()) };
        self.locked(&file, || {
            let mut state = self.load(&file)?;
            if change(&mut state) { self.save(&file, session, &state) } else { Ok(()) }
        })?
    }

    pub fn drop_state<T: Remembered>(&self, session: &str) {
        if let Some(file) = self.session_file::<T>(session) {
            let _ = self.locked(&file, || self.load::<T>(&file).map(|_| self.forget(&file)));
        }
    }

    /// Reads what is remembered. A missing file is the default; a damaged one is set aside as `<name>.corrupt`.
    pub fn load<T: Remembered>(&self, file: &Path) -> Result<T, StateError> {
        let bytes = match read_regular(file, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(T::default()),
            Err(error) if error.kind() == ErrorKind::FileTooLarge => return Ok(set_aside(file)),
            Err(error) => return Err(StateError::Unreadable(file.to_path_buf(), error)),
        };
        match serde_json::from_slice::<Envelope<String, T>>(&bytes) {
            Ok(read) if read.version > OF_STATE => Err(StateError::Newer(file.to_path_buf())),
            Ok(read) => Ok(read.state),
            Err(_) if is_of_newer(&bytes) => Err(StateError::Newer(file.to_path_buf())),
            Err(_) => Ok(T::from_original(&bytes).unwrap_or_else(|| set_aside(file))),
        }
    }

    /// Reads the state without setting anything aside. Without the lock it may be out of date at once.
    pub fn peek<T: Remembered>(&self, file: &Path) -> Option<T> {
        let bytes = read_regular(file, MAX_BYTES).ok()?;
        serde_json::from_slice::<Envelope<String, T>>(&bytes).ok().map(|read| read.state)
    }

    /// Replaces what was loaded. The caller holds the lock.
    pub fn save<T: Remembered>(&self, file: &Path, session: &str, state: &T) -> Result<(), StateError> {
        let envelope = Envelope { version: OF_STATE, session, state };
        let bytes = serde_json::to_vec(&envelope).map_err(io::Error::from);
        let written = bytes.and_then(|bytes| write_private(file, &bytes));
        written.map_err(|source| StateError::Unwritable(file.to_path_buf(), source))
    }

    /// Forgets what was loaded. The caller holds the lock.
    pub fn forget(&self, file: &Path) {
        remove(file);
    }
}

impl Places {
    /// The state folder, open. One the environment names is used as it is; our own is kept private.
    pub fn open_store(&self) -> Option<Store> {
        let dir = self.state_dir.as_deref()?;
        if self.state_dir == self.default_state_dir { Store::open(dir).ok() } else { Some(Store::at(dir)) }
    }
}

/// This is a state file of ours: it has our envelope, not that of a newer version, and names a session.
pub(super) fn belongs_to_a_session(file: &Path) -> bool {
    let Ok(bytes) = read_regular(file, MAX_BYTES) else { return false };
    serde_json::from_slice::<Envelope<String, IgnoredAny>>(&bytes)
        .is_ok_and(|read| (1..=OF_STATE).contains(&read.version) && !read.session.is_empty())
}

fn is_of_newer(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    serde_json::from_slice::<Versioned>(bytes).is_ok_and(|read| read.version > OF_STATE)
}

fn set_aside<T: Default>(file: &Path) -> T {
    let mut aside = file.as_os_str().to_owned();
    aside.push(".corrupt");
    let _ = fs::rename(file, aside);
    T::default()
}

const OFF: &str = "OFF";

/// Every hook is switched off: `OFF` stands in the state folder `dir`, and its end time, if it names one, has not passed.
pub fn is_off(dir: &Path, now: Timestamp) -> bool {
    Off::read(dir, now).is_some()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    ForGood,
    Until(Timestamp),
}

impl Off {
    /// Reads the file `OFF` of the state folder `dir`; `None` if there is none, or its end has passed.
    ///
    /// The file holds either nothing (for good) or the end in whole seconds since the epoch.
    pub fn read(dir: &Path, now: Timestamp) -> Option<Self> {
        let text = match read_regular(&dir.join(OFF), MAX_BYTES) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return None;
            }
            read => read.unwrap_or_default(),
        };
        match std::str::from_utf8(&text).ok().and_then(|text| text.trim().parse().ok()) {
            Some(end) => (now < Timestamp::from_secs(end)).then_some(Self::Until(Timestamp::from_secs(end))),
            None => Some(Self::ForGood),
        }
    }

    pub fn until(dir: &Path, end: Timestamp) -> io::Result<()> {
        let file = dir.join(OFF);
        let end = end.micros().div_euclid(1_000_000);
        let write = || write_private(&file, format!("{end}\n").as_bytes());
        with_lock(&file, LOCK_DEADLINE, write).map_err(io::Error::other)?
    }

    /// Removes the file of the state folder `dir`, if there is one.
    pub fn end(dir: &Path) -> io::Result<()> {
        let file = dir.join(OFF);
        let is_there = || fs::symlink_metadata(&file).is_ok();
        if is_there() {
            with_lock(&file, LOCK_DEADLINE, || remove(&file)).map_err(io::Error::other)?;
        }
        // A file that is not ours stays, and holds all the same.
        if is_there() { Err(ErrorKind::PermissionDenied.into()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
