//! The state folder: one versioned file per hook and session, and the OFF file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::folder::{read_head, read_private, remove, write_private};
use super::lock::{LOCK_DEADLINE, LockError, with_lock};
use super::names::file_key;
use super::remembered::Remembered;
use crate::host::{Places, Timestamp, ensure_private};
use crate::version::OF_STATE;

/// The state folder.
#[derive(Debug, Clone)]
pub struct Store {
    dir: PathBuf,
}

/// Why state cannot be used. The hook passes in each case.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Written by a newer version: not ours to change.
    #[error("{0} was written by a newer version of Barbless")]
    Newer(PathBuf),
    /// The file belongs to another session of the same name.
    #[error("{0} belongs to another session")]
    Foreign(PathBuf),
    /// The file cannot be read.
    #[error("{0} cannot be read")]
    Unreadable(PathBuf, #[source] io::Error),
}

/// Why state was not kept.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// Written by a newer version: not ours to change.
    #[error("{0} was written by a newer version of Barbless")]
    Newer(PathBuf),
    /// The file cannot be written.
    #[error("{0} cannot be written")]
    Unwritable(PathBuf, #[source] io::Error),
    /// The state cannot be put into words; a bug.
    #[error("the state of {0} cannot be serialized")]
    Unserializable(PathBuf, #[source] serde_json::Error),
}

/// An envelope of every version begins with its number.
#[derive(Serialize)]
struct Written<'a, T> {
    version: u32,
    session: &'a str,
    state: &'a T,
}

#[derive(Deserialize)]
struct Read<T> {
    session: String,
    state: T,
}

#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

#[derive(Deserialize)]
struct Envelope {
    version: u32,
    session: String,
    #[serde(rename = "state")]
    _state: serde::de::IgnoredAny,
}

impl Store {
    /// Opens the state folder, creating it private to the user.
    pub fn open(dir: &Path) -> io::Result<Self> {
        ensure_private(dir)?;
        Ok(Self { dir: dir.to_path_buf() })
    }

    /// A folder that is there, as it is.
    pub fn at(dir: &Path) -> Self {
        Self { dir: dir.to_path_buf() }
    }

    /// Something can be written here: the folder of the heartbeats, which every call needs, is there or can be made.
    pub fn is_writable(&self) -> bool {
        ensure_private(&self.dir.join("heartbeat")).is_ok()
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// File of `T` for this session; `None` for no state.
    pub fn session_file<T: Remembered>(&self, session: &str) -> Option<PathBuf> {
        T::file_name(&file_key(session)).map(|name| self.dir.join(name))
    }

    /// Runs `critical` while no other process changes `file`.
    pub fn locked<T>(&self, file: &Path, critical: impl FnOnce() -> T) -> Result<T, LockError> {
        with_lock(file, LOCK_DEADLINE, critical)
    }

    /// Reads what is remembered. A missing file is the default; a damaged one is set aside as `<name>.corrupt`.
    pub fn load<T: Remembered>(&self, file: &Path, session: &str) -> Result<T, LoadError> {
        let bytes = match read_private(file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(T::default()),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge && !is_newer(file) => {
                return Ok(set_aside(file));
            }
            Err(error) => return Err(LoadError::Unreadable(file.to_path_buf(), error)),
        };
        if version_of(&bytes).is_some_and(|version| version > OF_STATE) {
            return Err(LoadError::Newer(file.to_path_buf()));
        }
        match serde_json::from_slice::<Read<T>>(&bytes) {
            Ok(read) if read.session == session => Ok(read.state),
            Ok(_) => Err(LoadError::Foreign(file.to_path_buf())),
            Err(_) => Ok(T::from_original(&bytes).unwrap_or_else(|| set_aside(file))),
        }
    }

    /// Reads the state without setting anything aside. Without the lock it may be out of date at once.
    pub fn peek<T: Remembered>(&self, file: &Path, session: &str) -> Option<T> {
        let read: Read<T> = serde_json::from_slice(&read_private(file).ok()?).ok()?;
        (read.session == session).then_some(read.state)
    }

    /// Replaces what is remembered. The caller holds the lock.
    pub fn save<T: Remembered>(&self, file: &Path, session: &str, state: &T) -> Result<(), SaveError> {
        if is_newer(file) {
            return Err(SaveError::Newer(file.to_path_buf()));
        }
        let bytes = serde_json::to_vec(&Written { version: OF_STATE, session, state })
            .map_err(|source| SaveError::Unserializable(file.to_path_buf(), source))?;
        write_private(file, &bytes).map_err(|source| SaveError::Unwritable(file.to_path_buf(), source))
    }

    /// Forgets what is remembered, unless a newer version wrote it. The caller holds the lock.
    pub fn forget(&self, file: &Path) {
        if !is_newer(file) {
            remove(file);
        }
    }

    /// Every hook is switched off, see [`is_off`].
    pub fn is_off(&self, now: Timestamp) -> bool {
        is_off(&self.dir, now)
    }
}

impl Places {
    /// The state folder, open. One the environment names is used as it is; our own is kept private.
    pub fn open_store(&self) -> Option<Store> {
        let dir = self.state_dir.as_deref()?;
        if self.state_dir == self.default_state_dir { Store::open(dir).ok() } else { Some(Store::at(dir)) }
    }
}

/// Every hook is switched off: `OFF` stands in the state folder `dir`, and its end time, if it names one, has not passed.
pub fn is_off(dir: &Path, now: Timestamp) -> bool {
    Off::read(dir, now).is_some()
}

/// For how long every hook is switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    /// Until the file is removed.
    ForGood,
    /// Until then.
    Until(Timestamp),
}

impl Off {
    /// Reads the file `OFF` of the state folder `dir`; `None` if there is none, or its end has passed.
    ///
    /// The file holds either nothing (for good) or the end in whole seconds since the epoch.
    pub fn read(dir: &Path, now: Timestamp) -> Option<Self> {
        match read_private(&dir.join(OFF)) {
            Ok(text) => {
                let end = std::str::from_utf8(&text).ok().and_then(|text| text.trim().parse().ok());
                match end.map(Timestamp::from_secs) {
                    Some(end) => (now < end).then_some(Self::Until(end)),
                    None => Some(Self::ForGood),
                }
            }
            Err(error) => {
                let is_missing =
                    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
                (!is_missing).then_some(Self::ForGood)
            }
        }
    }

    /// Switches every hook off until `end`, by a file in the state folder `dir`.
    pub fn until(dir: &Path, end: Timestamp) -> io::Result<()> {
        let end = end.micros().div_euclid(1_000_000);
        let file = dir.join(OFF);
        with_lock(&file, LOCK_DEADLINE, || write_private(&file, format!("{end}\n").as_bytes()))
            .map_err(io::Error::other)?
    }

    /// Removes the file of the state folder `dir`, if there is one.
    pub fn end(dir: &Path) -> io::Result<()> {
        let file = dir.join(OFF);
        if fs::symlink_metadata(&file).is_err() {
            return Ok(());
        }
        with_lock(&file, LOCK_DEADLINE, || remove(&file)).map_err(io::Error::other)?;
        // A file that is not ours stays, and holds all the same.
        if fs::symlink_metadata(&file).is_ok() {
            Err(io::Error::from(io::ErrorKind::PermissionDenied))
        } else {
            Ok(())
        }
    }
}

/// The file that switches every hook off.
const OFF: &str = "OFF";

/// This is a state file of ours: it has our envelope, not that of a newer version, and names a session.
pub(super) fn belongs_to_a_session(file: &Path) -> bool {
    let is_ours = |read: Envelope| (1..=OF_STATE).contains(&read.version) && !read.session.is_empty();
    let ours = |bytes: Vec<u8>| serde_json::from_slice::<Envelope>(&bytes).is_ok_and(is_ours);
    read_private(file).is_ok_and(ours)
}

/// Written by a newer version: not ours to change, to set aside or to remove. What cannot be read is not newer.
pub fn is_newer(file: &Path) -> bool {
    let Ok(head) = read_head(file) else { return false };
    let version = version_of_head(&head).or_else(|| version_of(&read_private(file).ok()?));
    version.is_some_and(|version| version > OF_STATE)
}

fn version_of(bytes: &[u8]) -> Option<u32> {
    serde_json::from_slice::<VersionOnly>(bytes).ok().map(|read| read.version)
}

/// The number an envelope begins with. Every save asks for it, so the rest of the file is not looked at.
fn version_of_head(head: &[u8]) -> Option<u32> {
    let digits = head.strip_prefix(br#"{"version":"#)?;
    let (number, _) = digits.split_at(digits.iter().position(|byte| !byte.is_ascii_digit())?);
    std::str::from_utf8(number).ok()?.parse().ok()
}

fn set_aside<T: Default>(file: &Path) -> T {
    let mut aside = file.as_os_str().to_owned();
    aside.push(".corrupt");
    let _ = fs::rename(file, aside);
    T::default()
}

#[cfg(test)]
mod tests;
