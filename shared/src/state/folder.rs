//! Files of the state folder that are no state of a session: `OFF`, the heartbeats, the nonces, and the mark of the last sweep.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rand::RngExt;

use super::files::{open_regular, read_regular, remove, with_lock, write_private};
use super::{LOCK_DEADLINE, MAX_BYTES, Store, belongs_to_a_session, file_key};
use crate::host::{DAY, Places, Timestamp, ensure_private};

const OFF: &str = "OFF";

/// Every hook is switched off: `OFF` stands in the state folder `dir`, and its end time, if it names one, has not passed.
pub fn is_off(dir: &Path, now: Timestamp) -> bool {
    Off::read(dir, now).is_some()
}

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

const HEARTBEATS: &str = "heartbeat";

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

    /// Something can be written here: the folder of the heartbeats, which every call needs, is there or can be made.
    pub fn is_writable(&self) -> bool {
        ensure_private(&self.dir().join(HEARTBEATS)).is_ok()
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
    /// A new nonce, which nobody can know.
    pub fn nonce(&self) -> io::Result<Nonce> {
        let text = format!("{:032x}", rand::rng().random::<u128>());
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

/// State has our envelope and names a session, a lock is empty, and a writer that was killed leaves a `.tmp` or `.corrupt` file.
/// Everything else stays, and so does the file of a newer version.
fn is_session_state(path: &Path, length: u64) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("lock") => length == 0,
        Some("tmp" | "corrupt") => true,
        _ => belongs_to_a_session(path),
    }
}

#[cfg(test)]
mod tests;
