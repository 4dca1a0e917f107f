//! What earlier sessions of the project have left, when a session starts. Only what this machine has written counts: the folder
//! itself may hold what anybody has committed.
//!
//! Records of sessions that are over are finalized here, before anything is decided: a session is only told of what was
//! written, and only one session is told of it.

use std::time::Duration;

use shared::cli::Asker;
use shared::hook::{Effect, Seen};
use shared::host::Timestamp;
use shared::messages::Texts;
use shared::operator::typed::caller;
use shared::state::{Store, read_regular};

use super::{Left, Orphan, PATIENCE, ToTell};
use crate::PauseRecorder;
use crate::brief::BRIEF;
use crate::git;
use crate::material;
use crate::record::{Record, Sessions, is_record_id};
use crate::settings::Settings;
use crate::shelf::{self, Entry, Shelf};
use crate::snapshot::{Ending, Snapshot, digest};
use crate::step::{End, Step, Whose};

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
    let faults = look.finalize(due);
    let is_new = matches!(source, "startup" | "clear");
    let is_told = is_new && seen.settings.resume_context && is_watched(seen);
    let tell = is_told.then(|| look.snapshot(&own)).flatten();
    Left { faults, orphans, tell, compress: seen.settings.compress_after_days.get() > 0 }
}

/// A session that nobody watches is told of nothing, and leaves it to the next one.
fn is_watched(seen: &Seen<'_, Settings>) -> bool {
    if !seen.host.environment.is_headless() {
        return true;
    }
    let asker = Asker {
        host: seen.host,
        places: seen.places,
        store: seen.store,
        session: seen.input.call.session_id.as_deref(),
        caller: caller(seen.host, seen.store, "", None),
    };
    asker.section::<PauseRecorder>(&asker.switches()).is_some_and(|section| section.headless)
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
    fn records(&self) -> (Vec<End>, Vec<Orphan>) {
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
                let commit = self.seen.settings.git_commit;
                let (whose, ending, left_out) = (Whose::Record(record), Ending::Full, entry.left_out);
                due.push(End { whose, ending, material, at, left_out, commit });
            } else if silent >= SILENT {
                let recorded = record.read().unwrap_or_default();
                let id = if entry.id.is_empty() { recorded.id } else { entry.id.clone() };
                let actions = recorded.actions.len();
                orphans.push(Orphan { id, silent_since: record.modified, actions });
            }
        }
        (due, orphans)
    }

    /// Writes what is due; what could not be. A past session that is replayed changes nothing.
    fn finalize(&self, due: Vec<End>) -> Vec<String> {
        if self.seen.host.is_replay() {
            return Vec::new();
        }
        let finish = |end| Step::Finish(Box::new(end)).carry_out(self.seen.places, self.now);
        due.into_iter().filter_map(|end| finish(end).err()).collect()
    }

    fn orphan_hours(&self) -> u32 {
        self.seen.settings.finalize_orphans_after_hours.get()
    }

    /// The active record of another session, if there is one still.
    fn active(&self, entry: &Entry) -> Option<Record> {
        let is_another = entry.finalized_at.is_none() && entry.session != self.session;
        let record = is_another.then(|| self.sessions.active(&entry.session)).flatten()?;
        // One that was announced, whose process was killed before it could say where the record is.
        (record.path == entry.file || entry.id.is_empty()).then_some(record)
    }

    /// The latest snapshot, if nobody was told of it; from now on it is this session that tells it.
    fn snapshot(&self, own: &Store) -> Option<ToTell> {
        let (id, digest) =
            self.to_tell(&shelf::read(own)).map(|entry| (entry.id.clone(), entry.digest.clone()))?;
        let snapshot = as_written(self.sessions, &Entry { id: id.clone(), digest, ..Entry::default() })?;
        if !self.seen.host.is_replay() && !self.claims(own, &id) {
            return None;
        }
        let path = self.sessions.files(&id).json;
        let mut texts = Texts::new(&self.seen.settings.message_files, self.seen.host, self.seen.places);
        Some(ToTell { id, text: texts.read(BRIEF), path: self.sessions.told_of(&path), snapshot })
    }

    fn to_tell<'a>(&'a self, on: &'a Shelf) -> Option<&'a Entry> {
        let kept = DAY * self.seen.settings.resume_within_days.get();
        on.to_tell(&self.sessions.root, self.session, self.now, kept)
    }

    /// False: another session that starts was faster.
    fn claims(&self, own: &Store, id: &str) -> bool {
        let mut is_ours = false;
        let kept = shelf::change(own, |shelf| {
            is_ours = self.to_tell(shelf).is_some_and(|entry| entry.id == id);
            if is_ours {
                shelf.entry(&self.sessions.root, id).claimed_at = Some(self.now);
            }
        });
        is_ours && kept.is_ok()
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
