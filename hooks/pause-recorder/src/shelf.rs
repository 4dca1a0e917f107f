//! Which records and snapshots this machine has written: `<state>/pause-recorder/shelf.json`. What lies in a project's folder
//! may come from anybody who can commit to it; only what stands here is finalized by itself or handed to a new session.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::Timestamp;
use shared::state::Store;

/// So many entries are kept, the newest.
pub(crate) const MAX_ENTRIES: usize = 500;

/// What was written here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Shelf {
    /// Oldest first.
    pub(crate) entries: Vec<Entry>,
}

/// A record, or the snapshot it has become.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Entry {
    /// The record's id.
    pub(crate) id: String,
    /// The project.
    pub(crate) project: PathBuf,
    /// The record's file.
    pub(crate) file: PathBuf,
    /// The client's session.
    pub(crate) session: String,
    /// Its transcript.
    pub(crate) transcript: Option<PathBuf>,
    /// When it began.
    pub(crate) started_at: Timestamp,
    /// When its session ended, if the record was left to be finalized later.
    pub(crate) ended_at: Option<Timestamp>,
    /// Actions of it that were only counted.
    pub(crate) left_out: u64,
    /// When it was finalized.
    pub(crate) finalized_at: Option<Timestamp>,
    /// SHA-256 of the JSON that was written last, in hexadecimal digits; empty: none.
    pub(crate) digest: String,
    /// When a session was told of it.
    pub(crate) read_at: Option<Timestamp>,
}

impl Remembered for Shelf {
    const MACHINE_WIDE: bool = true;

    fn file_name(_session: &str) -> Option<String> {
        Some("shelf.json".to_owned())
    }
}

/// Our own folder in the state folder.
#[must_use]
pub(crate) fn own_store(store: &Store) -> Option<Store> {
    Store::open(&store.dir().join("pause-recorder")).ok()
}

/// What is on the shelf; nothing where it cannot be read.
#[must_use]
pub(crate) fn read(own: &Store) -> Shelf {
    let file = own.session_file::<Shelf>("");
    file.and_then(|file| own.peek(&file, "")).unwrap_or_default()
}

/// Changes it, under its lock.
///
/// # Errors
/// If it cannot be kept.
pub(crate) fn change(own: &Store, edit: impl FnOnce(&mut Shelf)) -> Result<(), String> {
    let Some(file) = own.session_file::<Shelf>("") else { return Ok(()) };
    let changed = own.locked(&file, || {
        let mut shelf = own.load::<Shelf>(&file, "").map_err(|error| error.to_string())?;
        edit(&mut shelf);
        let surplus = shelf.entries.len().saturating_sub(MAX_ENTRIES);
        shelf.entries.drain(..surplus);
        own.save(&file, "", &shelf).map_err(|error| error.to_string())
    });
    changed.map_err(|error| error.to_string())?
}

impl Shelf {
    /// The entry of a record. Two projects may each have one of that id.
    #[must_use]
    pub(crate) fn of(&self, project: &Path, id: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.id == id && entry.project == project)
    }

    /// The entry of a record, to be changed; made where there is none.
    pub(crate) fn entry(&mut self, project: &Path, id: &str) -> &mut Entry {
        let is_it = |entry: &Entry| entry.id == id && entry.project == project;
        let at = self.entries.iter().rposition(is_it).unwrap_or_else(|| {
            let new = Entry { id: id.to_owned(), project: project.to_path_buf(), ..Entry::default() };
            self.entries.push(new);
            self.entries.len() - 1
        });
        &mut self.entries[at]
    }

    /// A session that had ended goes on.
    pub(crate) fn go_on(&mut self, project: &Path, session: &str) {
        let is_its = |entry: &&mut Entry| entry.session == session && entry.project == project;
        for entry in self.entries.iter_mut().filter(is_its) {
            entry.ended_at = None;
        }
    }

    /// A session has ended, and its record with it could not be finalized.
    pub(crate) fn leave(&mut self, project: &Path, session: &str, at: Timestamp, left_out: u64) {
        let is_its = |entry: &&mut Entry| entry.session == session && entry.project == project;
        for entry in self.entries.iter_mut().filter(is_its).filter(|entry| entry.finalized_at.is_none()) {
            (entry.ended_at, entry.left_out) = (Some(at), left_out);
        }
    }

    /// Takes a record off.
    pub(crate) fn remove(&mut self, project: &Path, id: &str) {
        self.entries.retain(|entry| entry.id != id || entry.project != project);
    }

    /// The entries of a project, newest first.
    pub(crate) fn in_project<'a>(&'a self, project: &'a Path) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().rev().filter(move |entry| entry.project == project)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use shared::host::Timestamp;

    use super::{Entry, Shelf};

    fn entry(id: &str, session: &str, finalized_at: Option<Timestamp>) -> Entry {
        Entry {
            id: id.into(),
            project: "/p".into(),
            session: session.into(),
            finalized_at,
            ..Entry::default()
        }
    }

    #[test]
    fn what_a_session_could_not_finalize_is_left_and_nothing_else() {
        let at = Timestamp::from_secs(9);
        let entries = vec![entry("done", "s", Some(at)), entry("open", "s", None), entry("other", "t", None)];
        let mut shelf = Shelf { entries };
        shelf.leave(Path::new("/p"), "s", at, 3);
        shelf.leave(Path::new("/q"), "t", at, 3);
        let left: Vec<_> = shelf.entries.iter().filter(|entry| entry.ended_at.is_some()).collect();
        assert_eq!(
            left.iter().map(|entry| (entry.id.as_str(), entry.left_out)).collect::<Vec<_>>(),
            [("open", 3)]
        );
        shelf.go_on(Path::new("/p"), "s");
        assert!(shelf.entries.iter().all(|entry| entry.ended_at.is_none()));
    }
}
