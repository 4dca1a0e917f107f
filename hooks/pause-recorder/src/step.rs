//! The effects: the record is written, a snapshot is left, the registry is kept. The run carries them out under the session's lock.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::Duration;

use shared::hook::Effect;
use shared::host::{Environment, Places, Timestamp};
use shared::messages::not_yet_reported;
use shared::state::{MACHINE, Store};
use shared::switches::Turn;

use crate::git::{GitContext, commit, look};
use crate::record::{self, ARCHIVE, Action, JSON, Kind, MARKDOWN, Sessions, YAML, failed};
use crate::registry::{self, Entry, Registry, digest_of};
use crate::snapshot::{IncrementalPause, Snapshot, build, markdown, yaml};

/// The time for git where the user has asked, or a session starts.
const PATIENCE: Duration = Duration::from_secs(3);

/// At a compaction other calls wait for the session's lock, and at a session's end Claude Code waits for little more than a second
/// for all hooks together.
const PATIENCE_AT_END: Duration = Duration::from_millis(400);

const COMMIT_PATIENCE: Duration = Duration::from_secs(2);

/// One effect. Sessions are Claude Code's; ids are those of records.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// The session's record gets these lines. It begins if the first one is `PauseStarted`.
    Append {
        session: String,
        transcript: Option<PathBuf>,
        actions: Vec<Action>,
    },
    /// A snapshot is written, or the record archived, or both.
    Finish(End),
    /// Claude Code compacted this model by itself.
    Learn {
        model: String,
        tokens: u64,
    },
    /// A session has received this snapshot.
    MarkRead {
        id: String,
    },
    /// An active record is removed, and these snapshots and archives with their entries in the registry.
    Remove {
        record: Option<PathBuf>,
        ids: Vec<String>,
    },
    Turn(Turn),
}

/// The end of a record. A snapshot is written for all but `Minimal`, and the record is archived for all but `GoesOn`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The record goes on after a compaction.
    GoesOn,
    /// The session ends. If git takes too long, the next session's start finalizes the record.
    WithSession,
    Full,
    Minimal,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct End {
    pub(crate) path: PathBuf,
    pub(crate) ending: Ending,
    pub(crate) at: Timestamp,
    pub(crate) commit: bool,
}

impl From<Turn> for Step {
    fn from(turn: Turn) -> Self {
        Self::Turn(turn)
    }
}

impl Effect for Step {
    /// A failed append is reported once a session, because every call would fail the same way.
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String> {
        let session = match &self {
            Self::Append { session, actions, .. } if !record::begins(actions) => session.clone(),
            _ => return self.done(places, now),
        };
        let (Err(why), Some(store)) = (self.done(places, now), places.open_store()) else { return Ok(()) };
        not_yet_reported(&store, &session, &[why]).pop().map_or(Ok(()), Err)
    }
}

impl Step {
    fn done(self, places: &Places, now: Timestamp) -> Result<(), String> {
        if let Self::Turn(turn) = self {
            return turn.carry_out(places, now);
        }
        let sessions =
            Sessions::of(places).ok_or("pause-recorder: no project to keep records in".to_owned())?;
        let root = sessions.root.clone();
        let own = places.open_store().and_then(|store| registry::own_store(&store));
        let own = own.ok_or("pause-recorder: there is no writable state folder".to_owned())?;
        match self {
            Self::Turn(_) => Ok(()),
            Self::Append { session, transcript, actions } => {
                let (path, begins) = (sessions.active_path(&session), record::begins(&actions));
                if begins {
                    sessions.open()?;
                } else if !path.exists() {
                    return Ok(());
                }
                let new_id = || {
                    let (mut id, entry) =
                        (String::new(), Entry { project: root, session, transcript, ..Entry::default() });
                    registry::change(&own, |registry| id = registry.begin(entry, now)).map(|()| id)
                };
                record::locked(&path, || record::append(&path, actions, new_id))
            }
            Self::Finish(end) => finalize(&sessions, &own, &end),
            Self::Learn { model, tokens } => registry::change(&own, |registry| {
                registry.compacted_at.insert(model, tokens);
            }),
            Self::MarkRead { id } => registry::change(&own, |registry| {
                if let Some(entry) = registry.of_mut(&root, &id) {
                    entry.read_at = Some(now);
                }
            }),
            Self::Remove { record, ids } => {
                record.map_or(Ok(()), |path| record::locked(&path, || record::remove(&path)))?;
                ids.iter().try_for_each(|id| sessions.remove_snapshot(id))?;
                registry::change(&own, |registry| ids.iter().for_each(|id| registry.remove(&root, id)))
            }
        }
    }
}

/// Writes the snapshot of a record, registers it, archives the record and commits the snapshot, as far as `end` says so. The
/// record's last line comes first: it says when the record ended, so that a process can repeat the rest after a kill at any point.
pub(crate) fn finalize(sessions: &Sessions, own: &Store, end: &End) -> Result<(), String> {
    let environment = Environment::read();
    let git = match end.ending {
        Ending::WithSession => look(&environment, &sessions.root, PATIENCE_AT_END),
        // This snapshot may be the only one: what git cannot answer in time is missing in it.
        Ending::GoesOn => Some(look(&environment, &sessions.root, PATIENCE_AT_END).unwrap_or_default()),
        Ending::Full => Some(look(&environment, &sessions.root, PATIENCE).unwrap_or_default()),
        Ending::Minimal => Some(GitContext::default()),
    };
    let Some(git) = git.filter(|_| sessions.is_usable()) else { return Ok(()) };
    let goes_on = end.ending == Ending::GoesOn;
    let files = record::locked(&end.path, || {
        // The record may have been finalized or discarded meanwhile.
        let mut recorded = record::read(&end.path)?;
        if recorded.id.is_empty() {
            return Ok(None);
        }
        let is_ended = recorded.actions.last().is_some_and(|last| last.kind == Kind::PauseFinalized);
        if !goes_on && !is_ended {
            let last = IncrementalPause::of(&recorded, end.at).last_line(end.at);
            record::append(&end.path, vec![last.clone()], || Ok(recorded.id.clone()))?;
            recorded.actions.push(last);
        }
        let (files, digest) = if end.ending == Ending::Minimal {
            Default::default()
        } else {
            let registry: Registry = own.read(MACHINE).unwrap_or_default();
            let entry = registry.of(&sessions.root, &recorded.id);
            let transcript = entry.and_then(|entry| entry.transcript.as_deref());
            write(sessions, &build(&recorded, &sessions.root, git, transcript, end.at))?
        };
        registry::change(own, |registry| {
            // A stranger's record stays a stranger's.
            if let Some(entry) = registry.of_mut(&sessions.root, &recorded.id) {
                entry.digest = digest;
                entry.finalized_at = (!goes_on).then_some(end.at);
            }
        })?;
        if !goes_on {
            let archive = sessions.file(&recorded.id, ARCHIVE);
            let synced = File::open(&end.path).and_then(|record| record.sync_all());
            let moved = synced.and_then(|()| fs::rename(&end.path, &archive));
            moved.map_err(|error| failed(&archive, "written", &error))?;
        }
        Ok(Some((recorded.id, files)))
    })?;
    let Some((id, files)) = files.filter(|(_, files)| end.commit && !goes_on && !files.is_empty()) else {
        return Ok(());
    };
    let done = commit(&environment, &sessions.root, &files, &format!("Pause snapshot {id}"), COMMIT_PATIENCE);
    done.map_err(|why| format!("pause-recorder: the snapshot {id} is written, but not committed: {why}"))
}

/// Writes the snapshot in its three forms and the pointer to it. Returns the files, and the digest of the JSON.
fn write(sessions: &Sessions, snapshot: &Snapshot) -> Result<(Vec<PathBuf>, String), String> {
    let id = &snapshot.session_id;
    let value = serde_json::to_value(snapshot).map_err(|error| error.to_string())?;
    let json = format!("{value:#}\n");
    let (mut files, digest) = (Vec::new(), digest_of(json.as_bytes()));
    for (ending, text) in [(JSON, json), (YAML, yaml(&value)), (MARKDOWN, markdown(snapshot))] {
        let file = sessions.file(id, ending);
        record::write(&file, &text)?;
        files.push(file);
    }
    sessions.point_to(id)?;
    files.push(sessions.latest());
    Ok((files, digest))
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
