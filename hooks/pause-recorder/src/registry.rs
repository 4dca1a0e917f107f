//! The session registry: the records and snapshots that this machine has written, and where it saw compactions, in
//! `<state>/pause-recorder/registry.json`. Anybody who can commit to a project can put files into its folder. Only what stands here
//! is finalized by itself or handed over.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::digest;
use shared::hook::Remembered;
use shared::host::Timestamp;
use shared::state::{MACHINE, Store, read_regular};

use crate::record::{JSON, Sessions, id_at};
use crate::snapshot::Snapshot;

/// The bytes of the longest snapshot that is read.
const MAX_SNAPSHOT_BYTES: u64 = 4 * 1024 * 1024;

/// The newest entries that are kept.
const MAX_ENTRIES: usize = 500;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Registry {
    /// Oldest first.
    pub(crate) entries: Vec<Entry>,
    /// The tokens at which Claude Code last compacted each model by itself.
    pub(crate) compacted_at: BTreeMap<String, u64>,
}

/// A record, or the snapshot it has become.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) project: PathBuf,
    pub(crate) session: String,
    pub(crate) transcript: Option<PathBuf>,
    /// The end of the record; none while it is active.
    pub(crate) finalized_at: Option<Timestamp>,
    /// SHA-256 of the snapshot's JSON in hexadecimal digits; empty where there is none.
    pub(crate) digest: String,
    /// The time at which a session received the snapshot.
    pub(crate) read_at: Option<Timestamp>,
}

impl Remembered for Registry {
    const FILE: &'static str = "registry.json";
}

/// A snapshot in the folder.
pub(crate) struct Kept {
    pub(crate) id: String,
    /// `unread` and `read`: this machine wrote it as it stands, and a session has received it or none.
    pub(crate) provenance: &'static str,
    /// `None`: the file is no snapshot.
    pub(crate) snapshot: Option<Snapshot>,
}

impl Kept {
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self.provenance, "unread" | "read")
    }
}

/// This hook's folder in the state folder.
pub(crate) fn own_store(store: &Store) -> Option<Store> {
    Store::open(&store.dir().join("pause-recorder")).ok()
}

pub(crate) fn read(store: Option<&Store>) -> Registry {
    store.and_then(own_store).and_then(|own| own.read(MACHINE)).unwrap_or_default()
}

pub(crate) fn change(own: &Store, edit: impl FnOnce(&mut Registry)) -> Result<(), String> {
    let changed = own.change::<Registry>(MACHINE, |registry| {
        edit(registry);
        let surplus = registry.entries.len().saturating_sub(MAX_ENTRIES);
        registry.entries.drain(..surplus);
        true
    });
    changed.map_err(|error| error.to_string())
}

impl Registry {
    /// The entry of a record. Two projects may each have a record of the same id.
    pub(crate) fn of(&self, project: &Path, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id && entry.project == project)
    }

    pub(crate) fn of_mut(&mut self, project: &Path, id: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.id == id && entry.project == project)
    }

    /// Adds a record that begins now. Returns its id, which no other record of the project has.
    pub(crate) fn begin(&mut self, entry: Entry, at: Timestamp) -> String {
        let first = id_at(at);
        let is_same = |known: &&Entry| known.project == entry.project && known.id.starts_with(&first);
        let same = self.entries.iter().filter(is_same).count();
        let id = if same == 0 { first } else { format!("{first}-{}", same + 1) };
        self.entries.push(Entry { id: id.clone(), ..entry });
        id
    }

    pub(crate) fn remove(&mut self, project: &Path, id: &str) {
        self.entries.retain(|entry| entry.id != id || entry.project != project);
    }

    /// The snapshot with this id as it stands in the folder.
    pub(crate) fn kept(&self, sessions: &Sessions, id: &str) -> Kept {
        let bytes = read_regular(&sessions.file(id, JSON), MAX_SNAPSHOT_BYTES).unwrap_or_default();
        let entry = self.of(&sessions.root, id).filter(|entry| !entry.digest.is_empty());
        let provenance = match entry {
            None => "not written on this machine",
            Some(entry) if digest_of(&bytes) != entry.digest => "changed since it was written",
            Some(entry) if entry.read_at.is_some() => "read",
            Some(_) => "unread",
        };
        let snapshot = serde_json::from_slice::<Snapshot>(&bytes).ok();
        Kept {
            id: id.to_owned(),
            provenance,
            snapshot: snapshot.filter(|snapshot| snapshot.session_id == id),
        }
    }

    /// The snapshot that a new session receives: the latest of other sessions, if no session has received it and it is no
    /// older than `kept`.
    pub(crate) fn unread(
        &self,
        project: &Path,
        session: &str,
        now: Timestamp,
        kept: Duration,
    ) -> Option<&Entry> {
        let is_others =
            |entry: &&Entry| entry.project == project && entry.session != session && !entry.digest.is_empty();
        let latest = self.entries.iter().filter(is_others).max_by_key(|entry| entry.finalized_at)?;
        let is_fresh = latest.finalized_at.is_some_and(|at| now.since(at) <= kept);
        (is_fresh && latest.read_at.is_none()).then_some(latest)
    }
}

pub(crate) fn digest_of(bytes: &[u8]) -> String {
    digest::hex(bytes, 32)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use shared::host::Timestamp;

    use super::{Entry, Registry};

    fn entry(id: &str, finalized_at: Option<i64>) -> Entry {
        let finalized_at = finalized_at.map(Timestamp::from_secs);
        let (id, session, digest) = (id.to_owned(), id.to_owned(), id.to_owned());
        Entry { id, project: "/p".into(), session, finalized_at, digest, ..Entry::default() }
    }

    #[test]
    fn hands_over_the_latest_snapshot_once_or_none() {
        let ended = |id, at| entry(id, Some(at));
        let read = Entry { read_at: Some(Timestamp::from_secs(950)), ..ended("c", 900) };
        let own = Entry { session: "new".into(), ..ended("c", 900) };
        let minimal = Entry { digest: String::new(), ..ended("c", 900) };
        for (entries, expected) in [
            (vec![ended("a", 600), ended("b", 800)], Some("b")),
            (vec![ended("a", 600), read], None),
            (vec![ended("a", 600), own], Some("a")),
            (vec![ended("a", 600), minimal], Some("a")),
            (vec![ended("a", 499)], None),
            (vec![ended("a", 500)], Some("a")),
            (vec![ended("a", 600), entry("open", None)], Some("a")),
        ] {
            let registry = Registry { entries: entries.clone(), ..Registry::default() };
            let (now, kept) = (Timestamp::from_secs(1_000), Duration::from_secs(500));
            let unread = registry.unread(Path::new("/p"), "new", now, kept).map(|entry| entry.id.as_str());
            assert_eq!(unread, expected, "{entries:?}");
        }
    }

    #[test]
    fn keeps_records_of_two_projects_apart() {
        let mut registry = Registry::default();
        let at = Timestamp::from_rfc3339("2026-01-06T12:00:00Z").unwrap();
        let other = Entry { project: "/q".into(), ..entry("", None) };
        let ids = [entry("", None), other, entry("", None)].map(|new| registry.begin(new, at));
        let id = "session-20260106-120000";
        assert_eq!(ids, [id, id, "session-20260106-120000-2"]);
        registry.remove(Path::new("/p"), id);
        assert!(registry.of(Path::new("/p"), id).is_none() && registry.of(Path::new("/q"), id).is_some());
    }
}
