//! The effects: the record is written, a snapshot is left, the registry is kept. The run carries them out under the session's lock.

use std::path::PathBuf;
use std::time::Duration;

use shared::hook::Effect;
use shared::host::{Places, Timestamp};
use shared::notices::not_yet_told;
use shared::state::Store;
use shared::switches::Turn;

use crate::git;
use crate::models::{self, Model};
use crate::record::{self, Draft, Sessions};
use crate::registry::{self, Entry};
use crate::snapshot::{End, Ending, commit_message, finish};

const COMMIT_PATIENCE: Duration = Duration::from_secs(2);

/// One effect.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The record of a session begins.
    Start(Box<Start>),
    /// The session's record gets more lines.
    Append {
        /// Claude Code's session.
        session: String,
        /// The actions.
        drafts: Vec<Draft>,
    },
    /// A snapshot is written, or the record archived, or both.
    Finish(Box<End>),
    /// A record is removed.
    Discard {
        /// Its file.
        path: PathBuf,
        /// Its id in the registry.
        id: Option<String>,
    },
    /// Something was learnt of a model.
    Learn {
        /// Its id.
        model: String,
        /// The news.
        learnt: Model,
    },
    /// A session has received this snapshot.
    MarkRead { id: String },
    /// Archives older than this are compressed.
    Compress {
        /// The time of the newest.
        before: Timestamp,
    },
    /// These snapshots and archives are removed.
    Remove {
        /// Their ids.
        ids: Vec<String>,
    },
    /// A switch is turned.
    Turn(Turn),
    /// Something has failed already.
    Fail {
        /// The message.
        why: String,
    },
}

/// How a record begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Claude Code's session.
    pub session: String,
    pub transcript: Option<PathBuf>,
    /// The first line.
    pub first: Draft,
    /// The lines that follow at once.
    pub then: Vec<Draft>,
}

impl From<Turn> for Step {
    fn from(turn: Turn) -> Self {
        Self::Turn(turn)
    }
}

impl Effect for Step {
    /// A failed append is reported once a session, because every call would fail the same way.
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String> {
        let session = if let Self::Append { session, .. } = &self { Some(session.clone()) } else { None };
        let done = self.done(places, now);
        let (Err(why), Some(session), Some(store)) = (&done, session, places.open_store()) else {
            return done;
        };
        if not_yet_told(&store, &session, std::slice::from_ref(why)).is_empty() { Ok(()) } else { done }
    }
}

impl Step {
    fn done(self, places: &Places, now: Timestamp) -> Result<(), String> {
        if let Self::Turn(turn) = self {
            return turn.carry_out(places, now);
        }
        let sessions = Sessions::of(places)
            .ok_or("pause-recorder: there is no project to keep records in".to_owned())?;
        let root = sessions.root.clone();
        let own = places.open_store().and_then(|store| registry::own_store(&store));
        let own = own.ok_or("pause-recorder: there is no writable state folder".to_owned())?;
        match self {
            Self::Turn(_) => Ok(()),
            Self::Fail { why } => Err(why),
            Self::Start(start) => begin(&sessions, &own, *start),
            Self::Append { session, drafts } => {
                record::append(&sessions, &sessions.active_path(&session), &drafts)
            }
            Self::Finish(end) => finalize(&sessions, &own, &end),
            Self::Discard { path, id } => {
                record::discard(&path)?;
                let Some(id) = id else { return Ok(()) };
                registry::change(&own, |registry| registry.remove(&root, &id))
            }
            // What is not learnt now is learnt the next time.
            Self::Learn { model, learnt } => {
                let _ = models::learn(&own, &model, learnt);
                Ok(())
            }
            Self::MarkRead { id } => registry::change(&own, |registry| {
                if let Some(entry) = registry.of_mut(&root, &id) {
                    entry.read_at = Some(now);
                }
            }),
            Self::Compress { before } => {
                let registry = registry::read(places.open_store().as_ref());
                sessions.compress_archives(before, |id| registry.of(&root, id).is_some())
            }
            Self::Remove { ids } => {
                for id in &ids {
                    sessions.remove_snapshot(id)?;
                }
                registry::change(&own, |registry| ids.iter().for_each(|id| registry.remove(&root, id)))
            }
        }
    }
}

fn begin(sessions: &Sessions, own: &Store, start: Start) -> Result<(), String> {
    let Start { session, transcript, first, then } = start;
    let id = record::start(sessions, &session, &first).map_err(|error| {
        format!("{error}. So this session is not recorded; `pause-recorder start` tries again")
    })?;
    record::append(sessions, &sessions.active_path(&session), &then)?;
    let project = sessions.root.clone();
    registry::change(own, |registry| {
        registry.begin(Entry { id, project, session, transcript, ..Entry::default() });
    })
}

/// Finishes a record, registers its snapshot and commits it where the settings say so.
///
/// # Errors
/// What could not be written or committed.
pub(crate) fn finalize(sessions: &Sessions, own: &Store, end: &End) -> Result<(), String> {
    let root = &sessions.root;
    let finished = finish(sessions, end, |finished| {
        registry::change(own, |registry| match registry.of_mut(root, &finished.id) {
            Some(_) if end.ending == Ending::Minimal => registry.remove(root, &finished.id),
            Some(entry) => {
                entry.digest.clone_from(&finished.digest);
                entry.finalized_at = (end.ending == Ending::Full).then_some(end.at);
            }
            // A stranger's record stays a stranger's.
            None => {}
        })
    })?;
    let Some(finished) = finished.filter(|_| end.commit && end.ending == Ending::Full) else { return Ok(()) };
    let message = commit_message(&finished.id);
    git::commit(root, &finished.files, &message, COMMIT_PATIENCE).map_err(|why| {
        let path = finished.path.display();
        format!("pause-recorder: the snapshot is written ({path}), but not committed: {why}")
    })
}
