//! Which records and snapshots this machine has written: `<state>/pause-recorder/shelf.json`. What lies in a project's folder
//! may come from anybody who can commit to it; only what stands here is finalized by itself or handed to a new session.

use std::path::{Path, PathBuf};
use std::time::Duration;

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

/// What has become of a record that is not there any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was finalized, by somebody else or because its session seemed to be over.
    Ended,
    /// It was finalized by a word of its own session.
    Closed,
    /// It could not begin.
    Failed,
    /// It was removed.
    Dropped,
}

/// Whoever is to tell of a snapshot has done so after this time.
const CLAIM_HOLDS: Duration = Duration::from_secs(30);

/// A record, or the snapshot it has become.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Entry {
    /// The record's id; empty while it is only about to begin, and where it could not.
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
    /// Its own session has ended it by a word.
    pub(crate) by_own_word: bool,
    /// SHA-256 of the JSON that was written last, in hexadecimal digits; empty: none.
    pub(crate) digest: String,
    /// When a session was told of it.
    pub(crate) read_at: Option<Timestamp>,
    /// When a session that starts has taken it to be told of; one that has not told it soon after never will.
    pub(crate) claimed_at: Option<Timestamp>,
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

impl Entry {
    fn is_announced_by(&self, project: &Path, session: &str) -> bool {
        self.id.is_empty() && self.session == session && self.project == project
    }
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

    /// A record of the session is about to begin. Whatever happens next, it counts as one of this machine.
    pub(crate) fn announce(
        &mut self,
        project: &Path,
        session: &str,
        transcript: Option<&Path>,
        at: Timestamp,
    ) {
        self.entries.retain(|entry| !entry.is_announced_by(project, session));
        self.entries.push(Entry {
            project: project.to_path_buf(),
            session: session.to_owned(),
            transcript: transcript.map(Path::to_path_buf),
            started_at: at,
            ..Entry::default()
        });
    }

    /// The record that a session was about to begin is this one.
    pub(crate) fn begun(&mut self, project: &Path, session: &str, id: &str, file: &Path) {
        let Some(at) = self.entries.iter().position(|entry| entry.is_announced_by(project, session)) else {
            return;
        };
        let announced = self.entries.remove(at);
        let entry = self.entry(project, id);
        *entry = Entry {
            id: id.to_owned(),
            file: file.to_path_buf(),
            left_out: announced.left_out.max(entry.left_out),
            digest: entry.digest.clone(),
            ..announced
        };
    }

    /// What has become of the record that the session began at this time, and that is not there any more.
    #[must_use]
    pub(crate) fn fate(&self, project: &Path, session: &str, begun: Timestamp) -> Fate {
        let is_it = |entry: &&Entry| entry.session == session && entry.started_at == begun;
        match self.in_project(project).find(is_it) {
            Some(entry) if entry.id.is_empty() => Fate::Failed,
            Some(entry) if entry.finalized_at.is_some() && entry.by_own_word => Fate::Closed,
            Some(entry) if entry.finalized_at.is_some() => Fate::Ended,
            _ => Fate::Dropped,
        }
    }

    /// When the record that the session has now was begun.
    #[must_use]
    pub(crate) fn begun_at(&self, project: &Path, session: &str) -> Option<Timestamp> {
        let is_its = |entry: &&Entry| entry.session == session && entry.finalized_at.is_none();
        self.in_project(project).find(is_its).map(|entry| entry.started_at)
    }

    /// The snapshot that a new session is to be told of: the latest one of others, if nobody was told of it or is about to
    /// be, and if it is no older than `kept`. What is older than the latest is over.
    #[must_use]
    pub(crate) fn to_tell<'a>(
        &'a self,
        project: &'a Path,
        session: &str,
        now: Timestamp,
        kept: Duration,
    ) -> Option<&'a Entry> {
        let of_others = self.in_project(project).filter(|entry| entry.session != session);
        let finalized = of_others.filter(|entry| entry.finalized_at.is_some() && !entry.id.is_empty());
        let latest = finalized.max_by_key(|entry| (entry.finalized_at, entry.started_at))?;
        let is_fresh = latest.finalized_at.is_some_and(|at| now.since(at) <= kept);
        let is_claimed = latest.claimed_at.is_some_and(|at| now.since(at) < CLAIM_HOLDS);
        (is_fresh && latest.read_at.is_none() && !is_claimed).then_some(latest)
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
    use std::time::Duration;

    use shared::host::Timestamp;

    use super::{Entry, Fate, Shelf};

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
    const P: &str = "/p";

    fn told(entries: &[Entry]) -> Option<String> {
        let shelf = Shelf { entries: entries.to_vec() };
        let (now, kept) = (Timestamp::from_secs(1_000), Duration::from_secs(500));
        shelf.to_tell(Path::new(P), "new", now, kept).map(|entry| entry.id.clone())
    }

    fn ended(id: &str, at: i64) -> Entry {
        entry(id, id, Some(Timestamp::from_secs(at)))
    }

    #[test]
    fn the_latest_snapshot_is_told_once_or_none() {
        let secs = |at| Some(Timestamp::from_secs(at));
        let read = Entry { read_at: secs(950), ..ended("c", 900) };
        let claimed = |at| Entry { claimed_at: secs(at), ..ended("c", 900) };
        let own = Entry { session: "new".into(), ..ended("c", 900) };
        for (entries, expected) in [
            (vec![ended("a", 600), ended("b", 800)], Some("b")),
            // Whichever was written first: the one that ended last.
            (vec![ended("b", 800), ended("a", 600)], Some("b")),
            (vec![ended("a", 600), read], None),
            (vec![ended("a", 600), claimed(990)], None),
            (vec![ended("a", 600), claimed(970)], Some("c")),
            (vec![ended("a", 600), own], Some("a")),
            (vec![ended("a", 499)], None),
            (vec![ended("a", 500)], Some("a")),
            (vec![ended("a", 600), entry("open", "open", None)], Some("a")),
            (vec![ended("", 600)], None),
        ] {
            assert_eq!(told(&entries).as_deref(), expected, "{entries:?}");
        }
    }

    #[test]
    fn what_has_become_of_a_record() {
        let project = Path::new(P);
        let at = Timestamp::from_secs(7);
        let fate = |shelf: &Shelf| shelf.fate(project, "s", at);
        let mut shelf = Shelf::default();
        assert_eq!(fate(&shelf), Fate::Dropped);
        shelf.announce(project, "s", None, at);
        assert_eq!(fate(&shelf), Fate::Failed);
        shelf.begun(project, "s", "id", Path::new("/p/x.jsonl"));
        assert_eq!((fate(&shelf), shelf.entries.len()), (Fate::Dropped, 1));
        assert_eq!(shelf.entries[0].file, Path::new("/p/x.jsonl"));
        assert_eq!((shelf.begun_at(project, "s"), shelf.begun_at(project, "t")), (Some(at), None));
        shelf.entry(project, "id").finalized_at = Some(at);
        assert_eq!((fate(&shelf), shelf.begun_at(project, "s")), (Fate::Ended, None));
        shelf.entry(project, "id").by_own_word = true;
        assert_eq!(fate(&shelf), Fate::Closed);
        assert_eq!(shelf.fate(project, "s", Timestamp::from_secs(8)), Fate::Dropped);
        assert_eq!(shelf.fate(project, "t", at), Fate::Dropped);
    }

    #[test]
    fn a_session_announces_one_record_at_a_time() {
        let mut shelf = Shelf::default();
        for at in [1, 2] {
            shelf.announce(Path::new(P), "s", None, Timestamp::from_secs(at));
        }
        assert_eq!(shelf.entries.len(), 1);
        shelf.begun(Path::new(P), "t", "id", Path::new("x"));
        assert!(shelf.entries[0].id.is_empty());
    }
}
