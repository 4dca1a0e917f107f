//! The state folder: private files that survive any kill, versioned, written beside and renamed, changed only under a lock with
//! a deadline. One file per hook and session.
//!
//! A killed writer leaves the old file or the new one. A power cut may take counters, buckets and tokens, which are not
//! fsynced; satisfactions are ([`write_durable`]).
//!
//! Beside state the folder holds `OFF`, heartbeats, nonces and the mark of the daily sweep. `files`: whole files, and locks. `digest`:
//! short names of long texts.

mod files;

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rand::RngExt;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::host::{DAY, HEARTBEATS, Places, Timestamp};
use files::{beside, remove};

pub use crate::host::ensure_private;
pub use files::{
    LOCK_DEADLINE, LockError, ensure_folder, open_regular, read_regular, remove_durable, with_lock,
    write_durable, write_private,
};

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
    /// The state file's name, with `*` for the session's id made safe. Without `*` it is one memory for all sessions of the
    /// machine; without a name nothing is remembered.
    const FILE: &'static str;

    /// Reads a file of the original tool, which had no envelope; `None`: not one.
    fn from_original(_bytes: &[u8]) -> Option<Self> {
        None
    }
}

impl Remembered for () {
    const FILE: &'static str = "";
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
        let name = match T::FILE.split_once('*') {
            Some((before, after)) => format!("{before}{}{after}", file_key(session)),
            None => T::FILE.to_owned(),
        };
        (!name.is_empty()).then(|| self.dir.join(name))
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

/// Short names of long texts: the beginning of a SHA-256.
pub mod digest {
    use std::fmt::Write as _;

    use sha2::{Digest, Sha256};

    /// The first so many bytes of the digest, at most 32, in hexadecimal digits.
    pub fn hex(bytes: impl AsRef<[u8]>, length: usize) -> String {
        Sha256::digest(bytes).iter().take(length).fold(String::new(), |mut digits, byte| {
            let _ = write!(digits, "{byte:02x}");
            digits
        })
    }

    /// The first eight bytes of the digest as a number.
    pub fn number(bytes: impl AsRef<[u8]>) -> u64 {
        Sha256::digest(bytes).iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
    }
}

const OFF: &str = "OFF";

/// Every hook is switched off: the file `OFF` stands in a state folder, and its end time, if it names one, has not passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Off {
    Until(Timestamp),
    ForGood,
}

impl Off {
    /// The file that keeps the hooks off longest, in the state folder in use or in our own.
    pub fn in_force(places: &Places, now: Timestamp) -> Option<(PathBuf, Self)> {
        let folders = [&places.state_dir, &places.default_state_dir].into_iter().flatten();
        let found = folders.filter_map(|dir| Some((dir.join(OFF), Self::read(dir, now)?)));
        found.max_by_key(|(_, off)| *off)
    }

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
        let write = || write_private(&file, format!("{}\n", end.secs()).as_bytes());
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

/// A heartbeat is the only thing a pass writes, and it is written this often.
const BEAT_EVERY: Duration = Duration::from_secs(60);

impl Store {
    /// Notes that `hook` fired, so that `doctor` can tell a hook that is silent from one that never fires. A failure is of no
    /// consequence, and a link is not followed.
    pub fn beat(&self, hook: &str, now: SystemTime) {
        let dir = self.dir().join(HEARTBEATS);
        let file = dir.join(hook);
        let (folder, there) = (fs::symlink_metadata(&dir), fs::symlink_metadata(&file));
        if folder.is_ok_and(|folder| folder.is_symlink()) {
            return;
        }
        // A time in the future (the clock went back) is as stale as an old one. A link is opened by nobody.
        let last = there.and_then(|there| there.modified());
        if last.is_ok_and(|last| now.duration_since(last).is_ok_and(|age| age < BEAT_EVERY)) {
            return;
        }
        if ensure_private(&dir).is_ok()
            && let Ok((file, _)) = open_regular(&file, OpenOptions::new().create(true).append(true))
        {
            let _ = file.set_modified(now);
        }
    }

    /// When `hook` last fired, to the minute.
    pub fn last_beat(&self, hook: &str) -> Option<SystemTime> {
        modified(fs::metadata(self.dir().join(HEARTBEATS).join(hook)))
    }
}

fn modified(file: io::Result<Metadata>) -> Option<SystemTime> {
    file.and_then(|file| file.modified()).ok()
}

/// A nonce older than this guards nothing: a judge lives less than a minute.
const NONCE_LIFETIME: Duration = Duration::from_secs(120);

/// The recursion guard: a judge's child carries a nonce, and our hooks in it end first thing. A nonce is a file that lives as
/// long as this value.
#[derive(Debug)]
pub struct Nonce {
    text: String,
    file: PathBuf,
}

impl Nonce {
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Drop for Nonce {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
    }
}

impl Store {
    /// A new nonce, which nobody can know. It begins with its purpose, so that one for another purpose is none.
    pub fn nonce(&self, purpose: &str) -> io::Result<Nonce> {
        let text = format!("{purpose}-{:032x}", rand::rng().random::<u128>());
        let file = self.nonce_file(&text);
        ensure_private(&self.dir().join("nonce"))?;
        open_regular(&file, OpenOptions::new().write(true).create_new(true))?;
        Ok(Nonce { text, file })
    }

    /// This process was started by a judge of ours: its nonce names a fresh file in our own folder.
    /// A variable alone would let any repository switch the hooks off.
    pub fn nonce_is_fresh(&self, nonce: &str, now: Timestamp) -> bool {
        let file = fs::symlink_metadata(self.nonce_file(nonce));
        let is_fresh = |modified| now.since(Timestamp::from(modified)) < NONCE_LIFETIME;
        file.as_ref().is_ok_and(Metadata::is_file) && modified(file).is_some_and(is_fresh)
    }

    /// The same for a nonce that counts once.
    pub fn take_nonce(&self, nonce: &str, now: Timestamp) -> bool {
        let is_fresh = self.nonce_is_fresh(nonce, now);
        let _ = fs::remove_file(self.nonce_file(nonce));
        is_fresh
    }

    fn nonce_file(&self, nonce: &str) -> PathBuf {
        self.dir().join("nonce").join(file_key(nonce))
    }
}

/// Session state that nobody touched for so long is removed.
pub const KEEP_DAYS: u64 = 30;

impl Store {
    /// Removes what ended sessions left behind, at most once a day, and never anything that is not session state. Memory of the
    /// whole machine, whose session is empty, stays. Failures are of no consequence: the next day tries again.
    pub fn sweep_once_a_day(&self, now: SystemTime) {
        let marker = self.dir().join("swept");
        let age = |modified| now.duration_since(modified).unwrap_or_default();
        if modified(fs::metadata(&marker)).is_some_and(|last| age(last) < DAY)
            || write_private(&marker, b"").is_err()
        {
            return;
        }
        let keep = Duration::from_secs(KEEP_DAYS * DAY.as_secs());
        for file in fs::read_dir(self.dir()).into_iter().flatten().flatten() {
            let file = file.path();
            // Another process may have removed the file meanwhile.
            let Ok(metadata) = fs::symlink_metadata(&file) else { continue };
            let is_old = metadata.modified().is_ok_and(|modified| age(modified) > keep);
            if metadata.is_file() && is_old && is_session_state(&file, metadata.len()) {
                let _ = fs::remove_file(file);
            }
        }
    }
}

/// A state file has our envelope, not a newer version's, and names a session. A lock is empty, and a writer that was killed
/// leaves a `.tmp` or `.corrupt` file. Everything else stays.
fn is_session_state(path: &Path, length: u64) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("lock") => length == 0,
        Some("tmp" | "corrupt") => true,
        _ => read_regular(path, MAX_BYTES).is_ok_and(|bytes| {
            serde_json::from_slice::<Envelope<String, IgnoredAny>>(&bytes)
                .is_ok_and(|read| (1..=OF_STATE).contains(&read.version) && !read.session.is_empty())
        }),
    }
}

#[cfg(test)]
mod tests;
