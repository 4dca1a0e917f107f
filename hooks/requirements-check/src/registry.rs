//! The live sessions: one state file each, whose time is the last sign of life.
//!
//! No process is looked for: the one that starts a hook is often a shell that is gone a moment later.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::Timestamp;
use shared::state::Store;

/// A session that gave no sign of life for longer is taken for ended.
const LIVE_FOR: Duration = Duration::from_secs(15 * 60);
/// Before tool calls a sign of life is noted so often.
const TOUCH_EVERY: Duration = Duration::from_secs(60);

#[derive(Debug, Clone)]
pub struct Registry {
    store: Store,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// Full id.
    pub session: String,
    /// Root of the work tree. Another work tree of the same repository is another project.
    pub project: PathBuf,
    /// At the last sign of life; `None` without one.
    pub branch: Option<String>,
    /// Nobody watches.
    pub is_headless: bool,
    /// In seconds since the epoch.
    pub started_at: i64,
    /// The last sign of life, to the minute. Not in the file: it is the file's time.
    #[serde(skip)]
    pub touched: Timestamp,
}

impl Remembered for Entry {
    const FILE: &'static str = "*-session.json";
}

impl Registry {
    pub fn new(state_dir: &Path) -> Self {
        Self { store: Store::at(state_dir) }
    }

    /// Notes a sign of life of a session, and where it is now. A failure is of no consequence: the next one tries again.
    pub(crate) fn note(&self, entry: &Entry) {
        let _ = self.store.change(&entry.session, |known: &mut Entry| {
            let is_new = known.session.is_empty();
            let started_at = if is_new { entry.started_at } else { known.started_at };
            *known = Entry { started_at, ..entry.clone() };
            true
        });
    }

    /// No sign of life for so long that one is due. A time in the future (the clock went back) is as stale as an old one.
    pub(crate) fn is_quiet(&self, session: &str, now: Timestamp) -> bool {
        let last = self.store.session_file::<Entry>(session).and_then(|file| modified(&file));
        last.is_none_or(|last| last > now || now.since(last) >= TOUCH_EVERY)
    }

    pub(crate) fn forget(&self, session: &str) {
        self.store.drop_state::<Entry>(session);
    }

    pub fn entry(&self, session: &str) -> Option<Entry> {
        self.store.read(session)
    }

    /// The live sessions of a work tree, whoever asks among them, in order of their ids. Runs that nobody watches have an
    /// entry, so that their commands know their project, and are no sessions beside others.
    pub fn live(&self, project: &Path, now: Timestamp) -> Vec<Entry> {
        let mut live = self.entries(|last| now.since(last) <= LIVE_FOR);
        live.retain(|entry| entry.project == project && !entry.is_headless);
        live
    }

    pub fn all(&self) -> Vec<Entry> {
        self.entries(|_| true)
    }

    /// Only files of the wanted times are read: there may be thousands of sessions that ended long ago.
    fn entries(&self, is_wanted: impl Fn(Timestamp) -> bool) -> Vec<Entry> {
        let files = fs::read_dir(self.store.dir()).into_iter().flatten().flatten();
        let ending = Entry::FILE.trim_start_matches('*');
        let files = files.filter(|file| file.file_name().to_str().is_some_and(|name| name.ends_with(ending)));
        let read = |file: fs::DirEntry| {
            let touched = modified(&file.path()).filter(|last| is_wanted(*last))?;
            Some(Entry { touched, ..self.store.peek(&file.path())? })
        };
        let mut entries: Vec<Entry> = files.filter_map(read).collect();
        entries.sort_by(|one, other| one.session.cmp(&other.session));
        entries
    }
}

/// When the file was changed last.
fn modified(file: &Path) -> Option<Timestamp> {
    let metadata = fs::symlink_metadata(file).ok().filter(fs::Metadata::is_file)?;
    metadata.modified().ok().map(Timestamp::from)
}

#[cfg(test)]
mod tests;
