//! What is done: the record is written on, a snapshot is left, the shelf is kept. Done under the session's lock, before
//! anything is said. What fails is told once a session, because every call would fail the same way.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use shared::hook::Effect;
use shared::host::{Places, Timestamp};
use shared::notices::not_yet_told;
use shared::state::Store;
use shared::switches::Turn;

use crate::git;
use crate::material::Material;
use crate::models::{self, Model};
use crate::record::{Draft, Record, Sessions};
use crate::shelf::{self, Shelf};
use crate::snapshot::{Ending, Finish, Finished, commit_message, finish};

/// A commit may take so long.
const COMMIT_PATIENCE: Duration = Duration::from_secs(2);

/// Why a record begins, where somebody has typed it.
pub(crate) const COMMAND: &str = "command";

/// One thing that is done.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The record of a session begins.
    Start(Box<Start>),
    /// Actions are appended to the session's record.
    Append {
        /// The client's session.
        session: String,
        /// The actions.
        drafts: Vec<Draft>,
    },
    /// A snapshot is written, or the record archived, or both.
    Finish(Box<End>),
    /// The session has ended, and there was no time to finalize its record.
    LeaveForLater {
        /// The client's session.
        session: String,
        /// Actions that were only counted.
        left_out: u64,
    },
    /// A session that had ended goes on with its record.
    GoOn {
        /// The client's session.
        session: String,
    },
    /// The record is removed, and nothing is left of it.
    Discard {
        /// It.
        record: Record,
        /// Its id, where it could be read.
        id: String,
    },
    /// Something was learnt of a model.
    Learn {
        /// Its id.
        model: String,
        /// What.
        learnt: Model,
    },
    /// A session is told of this snapshot.
    MarkRead {
        /// Its id.
        id: String,
    },
    /// Archives older than this are compressed.
    Compress {
        /// The newest that is.
        before: Timestamp,
    },
    /// These snapshots are removed, with their archives.
    Remove {
        /// Their ids.
        ids: Vec<String>,
    },
    /// A switch is turned.
    Turn(Turn),
    /// Something could not be done, as was found before.
    Fail {
        /// The session that is told so once; none: it is told each time.
        session: Option<String>,
        /// What, and what follows from it.
        why: String,
    },
}

/// How a record begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The client's session.
    pub session: String,
    /// Its transcript.
    pub transcript: Option<PathBuf>,
    /// When.
    pub at: Timestamp,
    /// The data of the first line.
    pub data: Map<String, Value>,
    /// How full the context is, 0 to 1.
    pub share: f64,
    /// What is recorded at once.
    pub then: Vec<Draft>,
}

/// How a record ends.
#[derive(Debug, Clone, PartialEq)]
pub struct End {
    /// Which one.
    pub which: Which,
    /// What becomes of it.
    pub ending: Ending,
    /// What the snapshot is made from beside it.
    pub material: Material,
    /// When it ends.
    pub at: Timestamp,
    /// Actions that were only counted.
    pub left_out: u64,
    /// The snapshot is committed.
    pub commit: bool,
    /// Its own session has asked for it by a word.
    pub by_own_word: bool,
}

/// Which record.
#[derive(Debug, Clone, PartialEq)]
pub enum Which {
    /// That of this session of the client's, which may only just have begun.
    Session(String),
    /// This one.
    Record(Record),
}

impl From<Turn> for Step {
    fn from(turn: Turn) -> Self {
        Self::Turn(turn)
    }
}

impl Effect for Step {
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String> {
        let session = match &self {
            // Who asks for it by a word is told each time.
            Self::Start(start) if start.data.get("reason").is_none_or(|reason| reason != COMMAND) => {
                Some(start.session.clone())
            }
            Self::Append { session, .. } => Some(session.clone()),
            Self::Fail { session, .. } => session.clone(),
            Self::Finish(end) => match &end.which {
                Which::Session(session) => Some(session.clone()),
                Which::Record(_) => None,
            },
            _ => None,
        };
        let done = self.done(places, now);
        let (Err(why), Some(session), Some(store)) = (&done, session, places.open_store()) else {
            return done;
        };
        let fresh = not_yet_told(&store, &session, std::slice::from_ref(why));
        if fresh.is_empty() { Ok(()) } else { done }
    }
}

impl Step {
    fn done(self, places: &Places, now: Timestamp) -> Result<(), String> {
        match self {
            Self::Turn(turn) => turn.carry_out(places, now),
            Self::Start(start) => begin(&sessions(places)?, &own(places)?, *start),
            Self::Append { session, drafts } => append(&sessions(places)?, &session, &drafts),
            Self::Finish(end) => finalize(sessions(places)?, &own(places)?, *end),
            Self::LeaveForLater { session, left_out } => {
                let sessions = sessions(places)?;
                shelf::change(&own(places)?, |shelf| shelf.leave(&sessions.root, &session, now, left_out))
            }
            Self::GoOn { session } => {
                let sessions = sessions(places)?;
                shelf::change(&own(places)?, |shelf| shelf.go_on(&sessions.root, &session))
            }
            Self::Discard { record, id } => {
                record.discard().map_err(|error| error.to_string())?;
                let sessions = sessions(places)?;
                if id.is_empty() {
                    return Ok(());
                }
                shelf::change(&own(places)?, |shelf| shelf.remove(&sessions.root, &id))
            }
            // What is not learnt now is learnt the next time.
            Self::Learn { model, learnt } => {
                let _ = models::learn(&own(places)?, &model, learnt);
                Ok(())
            }
            Self::MarkRead { id } => {
                let sessions = sessions(places)?;
                shelf::change(&own(places)?, |shelf| shelf.entry(&sessions.root, &id).read_at = Some(now))
            }
            Self::Fail { why, .. } => Err(why),
            Self::Compress { before } => compress(&sessions(places)?, &own(places)?, before),
            Self::Remove { ids } => {
                let sessions = sessions(places)?;
                for id in &ids {
                    sessions.remove_snapshot(id)?;
                }
                shelf::change(&own(places)?, |shelf| {
                    for id in &ids {
                        shelf.remove(&sessions.root, id);
                    }
                })
            }
        }
    }
}

fn sessions(places: &Places) -> Result<Sessions, String> {
    Sessions::of(places).ok_or_else(|| "pause-recorder: there is no project to keep records in".to_owned())
}

fn own(places: &Places) -> Result<Store, String> {
    let store = places.open_store().and_then(|store| shelf::own_store(&store));
    store.ok_or_else(|| "pause-recorder: there is no state folder that can be written to".to_owned())
}

/// What follows where no record can begin.
pub(crate) fn unrecorded(error: &str) -> String {
    format!("{error}. So this session is not recorded; `pause-recorder start` tries again")
}

/// The shelf knows of a record before it is there: one that it does not know counts as somebody else's. What could not begin
/// stays announced, and is tried again.
fn begin(sessions: &Sessions, own: &Store, start: Start) -> Result<(), String> {
    let (root, session, transcript) = (&sessions.root, &start.session, start.transcript.as_deref());
    let announced = shelf::change(own, |shelf| shelf.announce(root, session, transcript, start.at));
    let started = Record::start(sessions, session, start.at, start.data, start.share)
        .map_err(|error| unrecorded(&error.to_string()))?;
    let kept = announced.and_then(|()| {
        shelf::change(own, |shelf| shelf.begun(root, session, &started.id, &started.record.path))
    });
    if !start.then.is_empty() {
        started.record.append(&start.then).map_err(|error| error.to_string())?;
    }
    kept
}

/// A record that is gone was finalized or discarded meanwhile: nothing is appended, and nothing is wrong.
fn append(sessions: &Sessions, session: &str, drafts: &[Draft]) -> Result<(), String> {
    let Some(record) = sessions.active(session) else { return Ok(()) };
    record.append(drafts).map(drop).map_err(|error| error.to_string())
}

/// A record that is gone was finalized or discarded meanwhile.
fn finalize(sessions: Sessions, own: &Store, end: End) -> Result<(), String> {
    let End { which, ending, material, at, left_out, commit, by_own_word } = end;
    let record = match &which {
        Which::Record(record) => record.clone(),
        Which::Session(session) => match sessions.active(session) {
            Some(record) => record,
            None => return Ok(()),
        },
    };
    let root = sessions.root.clone();
    let (place, file) = (sessions.clone(), record.path.clone());
    let finished = finish(&Finish { record, sessions, ending, material, at, left_out }, |finished| {
        shelf::change(own, |shelf| {
            recognize(shelf, &place, &file, &finished.id);
            shelve(shelf, &root, finished, ending, at, by_own_word);
        })
    });
    if let (Err(_), Which::Session(session), Ending::Full) = (&finished, &which, ending) {
        // The session is over, and nobody else knows of it: the next one's start tries again.
        let _ = shelf::change(own, |shelf| shelf.leave(&root, session, at, left_out));
    }
    let finished = finished?;
    let Some(finished) = finished.filter(|_| commit && ending == Ending::Full) else { return Ok(()) };
    let message = commit_message(&finished.id);
    git::commit(&root, &finished.files, &message, COMMIT_PATIENCE).map_err(|why| {
        let path = finished.path.display();
        format!("pause-recorder: the snapshot is written ({path}), but not committed: {why}")
    })
}

/// Only what was written here, and is not kept by git: a committed archive would count as removed.
fn compress(sessions: &Sessions, own: &Store, before: Timestamp) -> Result<(), String> {
    let shelf = shelf::read(own);
    let ours: HashSet<PathBuf> =
        shelf.in_project(&sessions.root).map(|entry| sessions.files(&entry.id).archive).collect();
    sessions.compress_archives(before, |mut old| {
        old.retain(|archive| ours.contains(archive));
        match git::tracked(&sessions.root, &old, COMMIT_PATIENCE) {
            Some(tracked) => old.retain(|archive| !tracked.contains(archive)),
            None => old.clear(),
        }
        old
    })
}

/// A process was killed between beginning this record and saying so.
fn recognize(shelf: &mut Shelf, sessions: &Sessions, file: &Path, id: &str) {
    let is_of = |session: &str| sessions.active(session).is_some_and(|record| record.path == file);
    let announced = shelf.in_project(&sessions.root).filter(|entry| entry.id.is_empty());
    let session = announced.map(|entry| entry.session.clone()).find(|session| is_of(session));
    if let Some(session) = session {
        shelf.begun(&sessions.root, &session, id, file);
    }
}

/// Somebody else's record stays somebody else's.
fn shelve(
    shelf: &mut Shelf,
    root: &Path,
    finished: &Finished,
    ending: Ending,
    at: Timestamp,
    by_own_word: bool,
) {
    if ending == Ending::Minimal {
        shelf.remove(root, &finished.id);
    } else if shelf.of(root, &finished.id).is_some() {
        let entry = shelf.entry(root, &finished.id);
        entry.digest.clone_from(&finished.digest);
        entry.finalized_at = (ending == Ending::Full).then_some(at);
        entry.by_own_word = by_own_word;
    }
}
