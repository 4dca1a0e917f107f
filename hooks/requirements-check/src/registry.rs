//! The live sessions: one small file each in `<state dir>/sessions`, whose time is the last sign of life.
//!
//! No process is looked for: the one that starts a hook is often a shell that is gone a moment later.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use shared::host::Timestamp;
use shared::state::{LOCK_DEADLINE, Store, ensure_private, file_key, read_regular, with_lock, write_private};

/// A session that gave no sign of life for longer is taken for ended.
const LIVE_FOR: Duration = Duration::from_secs(15 * 60);
/// A sign of life is noted so often.
const TOUCH_EVERY: Duration = Duration::from_secs(60);
/// An entry that nobody touched for so long is removed: who is live is looked for among all of them.
const KEEP_FOR: Duration = Duration::from_secs(2 * 24 * 60 * 60);
/// So many files are looked at; the rest is left alone.
const MAX_LOOKED_AT: usize = 20_000;
/// So many entries are removed at a session's start, which waits for it.
const MAX_SWEPT: usize = 500;
const MAX_BYTES: u64 = 64 * 1024;

#[derive(Debug, Clone)]
pub struct Registry {
    dir: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Full id.
    pub session: String,
    /// Root of the work tree. Another work tree of the same repository is another project.
    pub project: PathBuf,
    /// When it was registered last; `None` without one.
    pub branch: Option<String>,
    /// `CLAUDE_CODE_ENTRYPOINT`.
    pub entrypoint: Option<String>,
    /// In seconds since the epoch.
    pub started_at: i64,
    /// The last sign of life, to the minute. Not in the file: it is the file's time.
    #[serde(skip)]
    pub touched: Timestamp,
}

impl Registry {
    pub fn new(state_dir: &Path) -> Self {
        Self { dir: state_dir.join("sessions") }
    }

    /// Notes that a session is here now, in place of an earlier entry of it. A failure is of no consequence: the next sign of
    /// life tries again.
    pub(crate) fn register(&self, entry: &Entry, now: Timestamp) {
        let (path, bytes) = (self.path(&entry.session), serde_json::to_vec(entry).unwrap_or_default());
        if ensure_private(&self.dir).is_ok() {
            // One lock for all: one for each would double the files that `live` has to look through.
            let _ = with_lock(&self.dir.join("registry"), LOCK_DEADLINE, || write_private(&path, &bytes));
            set_time(&path, now);
        }
    }

    /// Notes a sign of life, unless one was noted lately; `false` if the session is not registered.
    #[must_use]
    pub(crate) fn touch(&self, session: &str, now: Timestamp) -> bool {
        let is_registered = !self.is_quiet(session, now) || self.entry(session).is_some();
        if is_registered && self.is_quiet(session, now) {
            set_time(&self.path(session), now);
        }
        is_registered
    }

    /// No sign of life for so long that one is due. A time in the future (the clock went back) is as stale as an old one.
    pub(crate) fn is_quiet(&self, session: &str, now: Timestamp) -> bool {
        touched(&self.path(session)).is_none_or(|last| last > now || now.since(last) >= TOUCH_EVERY)
    }

    pub(crate) fn forget(&self, session: &str) {
        self.remove(&self.path(session));
    }

    pub fn entry(&self, session: &str) -> Option<Entry> {
        read_entry(&self.path(session)).filter(|entry| entry.session == session)
    }

    /// The live sessions of a work tree, whoever asks among them, in order of their ids. Runs that nobody watches have an
    /// entry, so that their commands know their project, and are no sessions beside others.
    pub(crate) fn live(&self, project: &Path, now: Timestamp) -> Vec<Entry> {
        let is_headless = |entry: &Entry| entry.entrypoint.as_deref().is_some_and(|by| by.starts_with("sdk"));
        let mut live = self.entries(|last| now.since(last) <= LIVE_FOR);
        live.retain(|entry| entry.project == project && !is_headless(entry));
        live
    }

    pub(crate) fn all(&self) -> Vec<Entry> {
        self.entries(|_| true)
    }

    /// Removes entries nobody touched for days. A session that is back registers anew.
    pub(crate) fn sweep(&self, now: Timestamp) {
        let old = self.files().filter(|(_, last)| now.since(*last) > KEEP_FOR);
        old.take(MAX_SWEPT).for_each(|(path, _)| self.remove(&path));
    }

    /// Removes an entry, and no other file.
    fn remove(&self, path: &Path) {
        if read_entry(path).is_some() {
            Store::at(&self.dir).forget(path);
        }
    }

    fn path(&self, session: &str) -> PathBuf {
        self.dir.join(format!("{}.json", file_key(session)))
    }

    /// Only files of the wanted times are read: there may be thousands of sessions that ended long ago.
    fn entries(&self, is_wanted: impl Fn(Timestamp) -> bool) -> Vec<Entry> {
        let wanted = self.files().filter(|(_, last)| is_wanted(*last));
        let mut entries: Vec<Entry> = wanted.filter_map(|(path, _)| read_entry(&path)).collect();
        entries.sort_by(|one, other| one.session.cmp(&other.session));
        entries
    }

    fn files(&self) -> impl Iterator<Item = (PathBuf, Timestamp)> {
        let files = fs::read_dir(&self.dir).into_iter().flatten().flatten().take(MAX_LOOKED_AT);
        let files = files.map(|file| file.path()).filter(|path| path.extension() == Some(OsStr::new("json")));
        files.filter_map(|path| touched(&path).map(|last| (path, last)))
    }
}

/// `None` for what is no entry, or stands under a name that is not its own.
fn read_entry(path: &Path) -> Option<Entry> {
    let read: Entry = serde_json::from_slice(&read_regular(path, MAX_BYTES).ok()?).ok()?;
    let is_ours = path.file_stem() == Some(OsStr::new(&file_key(&read.session)));
    let touched = touched(path)?;
    is_ours.then_some(Entry { touched, ..read })
}

fn touched(path: &Path) -> Option<Timestamp> {
    let metadata = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    metadata.modified().ok().map(Timestamp::from)
}

fn set_time(path: &Path, now: Timestamp) {
    let file = OpenOptions::new().append(true).open(path);
    let _ = file.and_then(|file| file.set_modified(SystemTime::from(now)));
}

/// Fewer characters of an id are not looked up.
const MIN_PREFIX: usize = 8;

/// The full id that `prefix` stands for among those `known`, or why none is meant. A full id stands for itself though others
/// begin with it.
pub fn resolve_session<'a>(prefix: &str, known: impl Iterator<Item = &'a str>) -> Result<String, String> {
    const HOW: &str = "list the sessions with `req sessions`";
    let matching: BTreeSet<&str> = known.filter(|id| id.starts_with(prefix)).collect();
    if matching.contains(prefix) {
        return Ok(prefix.to_owned());
    }
    if prefix.chars().count() < MIN_PREFIX {
        return Err(format!("a session is named by at least {MIN_PREFIX} characters of its id; {HOW}"));
    }
    let matching: Vec<&str> = matching.into_iter().collect();
    match matching.as_slice() {
        [only] => Ok((*only).to_owned()),
        [] => Err(format!("no session's id begins with {prefix}; {HOW}")),
        several => {
            Err(format!("several sessions begin with {prefix}: {}; give more of the id", several.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests;
