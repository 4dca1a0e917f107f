//! What earlier sessions of the project have left, looked at when a session starts. Only what this machine has written counts:
//! the folder itself may hold what anybody has committed.

use std::time::Duration;

use shared::hook::Seen;
use shared::host::Timestamp;
use shared::messages::Texts;
use shared::state::read_regular;

use super::{Due, Left, Orphan, PATIENCE, ToTell};
use crate::brief::BRIEF;
use crate::git;
use crate::material;
use crate::record::{Record, Sessions, is_record_id};
use crate::settings::Settings;
use crate::shelf::{self, Entry, Shelf};
use crate::snapshot::{Snapshot, build, digest};

/// A session that was silent for less may simply be waiting for its user.
const SILENT: Duration = Duration::from_secs(30 * 60);

/// So many records are finalized at one start; the rest waits for the next.
const MAX_DUE: usize = 5;

/// A snapshot is a few thousand bytes.
const MAX_SNAPSHOT_BYTES: u64 = 1024 * 1024;

const HOUR: Duration = Duration::from_secs(60 * 60);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What they have left.
pub(super) fn left(
    seen: &Seen<'_, Settings>,
    session: &str,
    source: &str,
    sessions: Option<&Sessions>,
) -> Left {
    let own = seen.store.and_then(shelf::own_store);
    let (Some(sessions), Some(own)) = (sessions, own) else { return Left::default() };
    // The same session goes on.
    if source == "compact" || !sessions.is_usable() {
        return Left::default();
    }
    let look = Look { seen, session, sessions, shelf: shelf::read(&own), now: seen.host.now() };
    let (due, orphans) = look.records();
    let is_new = matches!(source, "startup" | "clear");
    let tell = (is_new && seen.settings.resume_context).then(|| look.snapshot(&due)).flatten();
    Left { due, orphans, tell, compress: seen.settings.compress_after_days.get() > 0 }
}

struct Look<'a> {
    seen: &'a Seen<'a, Settings>,
    session: &'a str,
    sessions: &'a Sessions,
    shelf: Shelf,
    now: Timestamp,
}

impl Look<'_> {
    /// Records of other sessions that are to be finalized now, and those that may be over.
    fn records(&self) -> (Vec<Due>, Vec<Orphan>) {
        let (mut due, mut orphans) = (Vec::new(), Vec::new());
        let mut repository = None;
        for entry in self.shelf.in_project(&self.sessions.root) {
            let Some(record) = self.active(entry) else { continue };
            let silent = self.now.since(record.modified);
            let is_over = entry.ended_at.is_some() || silent >= HOUR * self.orphan_hours();
            if is_over && due.len() < MAX_DUE {
                let git = repository
                    .get_or_insert_with(|| {
                        git::look(self.seen.host, &self.sessions.root, PATIENCE).unwrap_or_default()
                    })
                    .clone();
                let material = material::with(&self.sessions.root, git, entry.transcript.as_deref());
                let at = entry.ended_at.unwrap_or(record.modified);
                due.push(Due { id: entry.id.clone(), record, material, at, left_out: entry.left_out });
            } else if silent >= SILENT {
                let actions = record.read().map_or(0, |recorded| recorded.actions.len());
                orphans.push(Orphan { id: entry.id.clone(), silent_since: record.modified, actions });
            }
        }
        (due, orphans)
    }

    fn orphan_hours(&self) -> u32 {
        self.seen.settings.finalize_orphans_after_hours.get()
    }

    /// The active record of another session, if there is one still.
    fn active(&self, entry: &Entry) -> Option<Record> {
        let is_another = entry.finalized_at.is_none() && entry.session != self.session;
        let record = is_another.then(|| self.sessions.active(&entry.session)).flatten()?;
        (record.path == entry.file).then_some(record)
    }

    /// The latest snapshot that nobody was told of; one that is only about to be written is the latest.
    fn snapshot(&self, due: &[Due]) -> Option<ToTell> {
        let snapshot =
            due.iter().max_by_key(|due| due.at).and_then(Self::to_be).or_else(|| self.written())?;
        let path = self.sessions.files(&snapshot.session_id).json;
        let mut texts = Texts::new(&self.seen.settings.message_files, self.seen.host, self.seen.places);
        Some(ToTell { text: texts.read(BRIEF), path: self.sessions.told_of(&path), snapshot })
    }

    fn to_be(due: &Due) -> Option<Snapshot> {
        let recorded = due.record.read().ok()?;
        Some(build(&recorded, &due.material, due.left_out, due.at))
    }

    fn written(&self) -> Option<Snapshot> {
        let kept = DAY * self.seen.settings.resume_within_days.get();
        let is_fresh = |at: Timestamp| self.now.since(at) <= kept;
        let unread = self
            .shelf
            .in_project(&self.sessions.root)
            .filter(|entry| entry.read_at.is_none() && entry.session != self.session)
            .filter(|entry| entry.finalized_at.is_some_and(is_fresh))
            .max_by_key(|entry| entry.finalized_at)?;
        as_written(self.sessions, unread)
    }
}

/// The snapshot of this entry, if it is the one this machine has written, to the byte.
pub(crate) fn as_written(sessions: &Sessions, entry: &Entry) -> Option<Snapshot> {
    if !is_record_id(&entry.id) || entry.digest.is_empty() {
        return None;
    }
    let bytes = read_regular(&sessions.files(&entry.id).json, MAX_SNAPSHOT_BYTES).ok()?;
    if digest(&bytes) != entry.digest {
        return None;
    }
    serde_json::from_slice(&bytes).ok()
}
