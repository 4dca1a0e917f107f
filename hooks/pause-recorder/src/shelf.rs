//! Which records and snapshots this machine has written: `<state>/pause-recorder/shelf.json`. What lies in a project's folder
//! may come from anybody who can commit to it; only what stands here is finalized by itself or handed to a new session.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::Timestamp;
use shared::state::Store;

/// So many entries are kept, the newest.
pub const MAX_ENTRIES: usize = 500;

/// What was written here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shelf {
    /// Oldest first.
    pub entries: Vec<Entry>,
}

/// A record, or the snapshot it has become.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// The record's id.
    pub id: String,
    /// The project.
    pub project: PathBuf,
    /// The record's file.
    pub file: PathBuf,
    /// The client's session.
    pub session: String,
    /// Its transcript.
    pub transcript: Option<PathBuf>,
    /// When it began.
    pub started_at: Timestamp,
    /// When its session ended, if the record was left to be finalized later.
    pub ended_at: Option<Timestamp>,
    /// Actions of it that were only counted.
    pub left_out: u64,
    /// When it was finalized.
    pub finalized_at: Option<Timestamp>,
    /// SHA-256 of the JSON that was written last, in hexadecimal digits; empty: none.
    pub digest: String,
    /// When a session was told of it.
    pub read_at: Option<Timestamp>,
}

impl Remembered for Shelf {
    const MACHINE_WIDE: bool = true;

    fn file_name(_session: &str) -> Option<String> {
        Some("shelf.json".to_owned())
    }
}

/// Our own folder in the state folder.
#[must_use]
pub fn own_store(store: &Store) -> Option<Store> {
    Store::open(&store.dir().join("pause-recorder")).ok()
}

/// What is on the shelf; nothing where it cannot be read.
#[must_use]
pub fn read(own: &Store) -> Shelf {
    let file = own.session_file::<Shelf>("");
    file.and_then(|file| own.peek(&file, "")).unwrap_or_default()
}

/// Changes it, under its lock.
///
/// # Errors
/// If it cannot be kept.
pub fn change(own: &Store, edit: impl FnOnce(&mut Shelf)) -> Result<(), String> {
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
    pub fn of(&self, project: &Path, id: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.id == id && entry.project == project)
    }

    /// The entry of a record, to be changed; made where there is none.
    pub fn entry(&mut self, project: &Path, id: &str) -> &mut Entry {
        let is_it = |entry: &Entry| entry.id == id && entry.project == project;
        let at = self.entries.iter().rposition(is_it).unwrap_or_else(|| {
            let new = Entry { id: id.to_owned(), project: project.to_path_buf(), ..Entry::default() };
            self.entries.push(new);
            self.entries.len() - 1
        });
        &mut self.entries[at]
    }

    /// A session that had ended goes on.
    pub fn go_on(&mut self, project: &Path, session: &str) {
        let is_its = |entry: &&mut Entry| entry.session == session && entry.project == project;
        for entry in self.entries.iter_mut().filter(is_its) {
            entry.ended_at = None;
        }
    }

    /// Takes a record off.
    pub fn remove(&mut self, project: &Path, id: &str) {
        self.entries.retain(|entry| entry.id != id || entry.project != project);
    }

    /// The entries of a project, newest first.
    pub fn in_project<'a>(&'a self, project: &'a Path) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().rev().filter(move |entry| entry.project == project)
    }
}
