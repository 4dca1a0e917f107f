//! What earlier sessions of the project have left, when a session starts. Only what this machine has written counts: the folder
//! itself may hold what anybody has committed.
//!
//! Records of sessions that are over are looked for first and finalized (`prepare`), before the snapshot to be told of is.

use std::time::Duration;

use shared::cli::Asker;
use shared::hook::Context;
use shared::host::Timestamp;
use shared::messages::Texts;
use shared::operator::typed::caller;
use shared::state::Store;

use super::{Left, Orphan, PATIENCE, ToTell};
use crate::PauseRecorder;
use crate::brief::BRIEF;
use crate::git;
use crate::material;
use crate::prepare;
use crate::record::{Record, Sessions};
use crate::settings::Settings;
use crate::shelf::{self, Entry, Shelf};
use crate::snapshot::{Ending, as_written};
use crate::step::{End, Which};

/// A session that was silent for less may simply be waiting for its user.
const SILENT: Duration = Duration::from_secs(30 * 60);

/// So many records are finalized at one start; the rest waits for the next.
pub(super) const MAX_DUE: usize = 5;

const HOUR: Duration = Duration::from_secs(60 * 60);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What they have left.
pub(super) fn left(
    context: &Context<'_, Settings>,
    session: &str,
    source: &str,
    sessions: Option<&Sessions>,
) -> Left {
    let own = context.store.and_then(shelf::own_store);
    let (Some(sessions), Some(own)) = (sessions, own) else { return Left::default() };
    // The same session goes on.
    if source == "compact" || !sessions.is_usable() {
        return Left::default();
    }
    let look = Look { context, session, sessions, shelf: shelf::read(&own), now: context.host.now() };
    let (due, orphans) = look.records();
    let faults = prepare::finalized(context.places, due, look.now);
    let is_new = matches!(source, "startup" | "clear");
    let is_told = is_new && context.settings.resume_context && is_watched(context);
    let tell = is_told.then(|| look.snapshot(&own)).flatten();
    Left { faults, orphans, tell, compress: context.settings.compress_after_days.get() > 0 }
}

/// A session that nobody watches is told of nothing, and leaves it to the next one.
fn is_watched(context: &Context<'_, Settings>) -> bool {
    if !context.host.environment.is_headless() {
        return true;
    }
    let asker = Asker {
        host: context.host,
        places: context.places,
        store: context.store,
        session: context.request.call.session_id.as_deref(),
        caller: caller(context.host, context.store, "", None),
    };
    asker.section::<PauseRecorder>(&asker.switches()).is_some_and(|section| section.headless)
}

struct Look<'a> {
    context: &'a Context<'a, Settings>,
    session: &'a str,
    sessions: &'a Sessions,
    shelf: Shelf,
    now: Timestamp,
}

impl Look<'_> {
    /// Records of other sessions that are to be finalized now, and those that may be over. What is over and one too many for
    /// this start is neither.
    fn records(&self) -> (Vec<End>, Vec<Orphan>) {
        let (mut over, mut orphans) = (Vec::new(), Vec::new());
        for entry in self.shelf.in_project(&self.sessions.root) {
            let Some(record) = self.active(entry) else { continue };
            let silent = self.now.since(record.modified);
            if entry.ended_at.is_some() || silent >= HOUR * self.orphan_hours() {
                over.push((entry, record));
            } else if silent >= SILENT {
                orphans.extend(orphan(entry, &record));
            }
        }
        over.truncate(MAX_DUE);
        (self.due(over), orphans)
    }

    /// How they end. The repository is asked once for all of them.
    fn due(&self, over: Vec<(&Entry, Record)>) -> Vec<End> {
        if over.is_empty() {
            return Vec::new();
        }
        let root = &self.sessions.root;
        let git = git::look(self.context.host, root, PATIENCE).unwrap_or_default();
        let end = |(entry, record): (&Entry, Record)| End {
            at: entry.ended_at.unwrap_or(record.modified),
            which: Which::Record(record),
            ending: Ending::Full,
            material: material::with(root, git.clone(), entry.transcript.as_deref()),
            left_out: entry.left_out,
            commit: self.context.settings.git_commit,
            by_own_word: false,
        };
        over.into_iter().map(end).collect()
    }

    fn orphan_hours(&self) -> u32 {
        self.context.settings.finalize_orphans_after_hours.get()
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
        let snapshot = as_written(self.sessions, &id, &digest)?;
        let to_tell = |shelf: &Shelf| self.to_tell(shelf).map(|entry| entry.id.clone());
        let it = (&*self.sessions.root, &*id);
        if !prepare::is_taken(own, it, self.now, to_tell) {
            return None;
        }
        let path = self.sessions.files(&id).json;
        let mut texts =
            Texts::new(&self.context.settings.message_files, self.context.host, self.context.places);
        Some(ToTell { id, text: texts.read(BRIEF), path: self.sessions.told_of(&path), snapshot })
    }

    fn to_tell<'a>(&'a self, on: &'a Shelf) -> Option<&'a Entry> {
        let kept = DAY * self.context.settings.resume_within_days.get();
        on.to_tell(&self.sessions.root, self.session, self.now, kept)
    }
}

/// One that may be over. Where no line of it can be read and nobody knows what it is called, nothing could be done with it by a
/// word: it waits for its day.
fn orphan(entry: &Entry, record: &Record) -> Option<Orphan> {
    let recorded = record.read().unwrap_or_default();
    let actions = recorded.actions.len();
    let id = if entry.id.is_empty() { recorded.id } else { entry.id.clone() };
    (!id.is_empty()).then_some(Orphan { id, silent_since: record.modified, actions })
}
