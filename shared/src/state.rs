//! The state folder: private files that survive any kill, versioned, written beside and renamed, changed only under a lock with
//! a deadline. One file per hook and session.
//!
//! A killed writer leaves the old file or the new one. A power cut may take counters, buckets and tokens, which are not
//! fsynced; satisfactions are ([`write_durable`]).
//!
//! - `files`: whole files and their locks
//! - `folder`: the files of the folder that are no state: `OFF`, heartbeats, nonces, the daily sweep

mod files;
mod folder;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::digest;
use crate::host::Places;
use files::{beside, remove};

pub use crate::host::ensure_private;
pub use files::{
    LOCK_DEADLINE, LockError, SharedMode, ensure_folder, open_regular, read_regular, remove_durable,
    with_lock, with_shared_lock, write_durable, write_private,
};
pub use folder::{KEEP_DAYS, Nonce, Off, is_off};

/// The session in the envelope of a file that belongs to the whole machine.
pub const MACHINE: &str = "";

/// The version of state files. Raised when a field is added, because an older writer would drop that field.
const OF_STATE: u32 = 1;

/// A longer state file is none of ours, in bytes: a hook has little memory and less time.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Longer ids are hashed; leaves room for a prefix, a suffix and `.lock` in the 255 bytes a name may have.
pub const MAX_NAME: usize = 100;

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

    /// The same folders with the open state folder. Our own one takes the place of a named one that cannot be written to.
    pub fn with_writable(self, store: Option<Store>) -> (Self, Option<Store>) {
        let is_named = self.state_dir != self.default_state_dir;
        if !is_named || store.as_ref().is_some_and(Store::is_writable) {
            return (self, store);
        }
        let places = self.without_named_state_dir();
        let store = places.open_store();
        (places, store)
    }
}

/// This is a state file of ours: it has our envelope, not that of a newer version, and names a session.
fn belongs_to_a_session(file: &Path) -> bool {
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
    let _ = fs::rename(file, beside(file, ".corrupt"));
    T::default()
}

/// The part of a file name that stands for `id`: the id itself if it is short and harmless, else a hash of it.
pub fn file_key(id: &str) -> String {
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !id.is_empty() && id.len() <= MAX_NAME && id.bytes().all(harmless) {
        return id.to_owned();
    }
    format!("h.{}", digest::hex(id, 16))
}

#[cfg(test)]
mod tests;
