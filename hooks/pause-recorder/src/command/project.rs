//! The facts of one request: the project's folder, its records and snapshots, and what this machine knows of them.

use shared::cli::Asker;
use shared::hook::Context;

use crate::record::{ACTIVE_PREFIX, JSON, Record, Recorded, Sessions, read};
use crate::registry::Registry;
use crate::settings::Settings;
use crate::snapshot::Snapshot;
use crate::step::{is_as_written, json_of};

/// The context of one request.
pub(super) struct Project<'a> {
    pub(super) asker: Asker<'a>,
    pub(super) context: &'a Context<'a, Settings>,
    /// The request is a prompt, not a shell's.
    pub(super) is_prompt: bool,
    pub(super) sessions: Sessions,
    pub(super) registry: Registry,
}

/// An active record.
pub(super) struct Active {
    pub(super) record: Record,
    pub(super) recorded: Recorded,
    /// The id, or the end of the file's name if no line is readable.
    pub(super) name: String,
    /// It belongs to the asking session.
    pub(super) is_own: bool,
    /// This machine has begun it.
    pub(super) is_known: bool,
}

/// A snapshot in the folder.
pub(super) struct Kept {
    pub(super) id: String,
    /// `unread` and `read`: this machine wrote it as it stands, and a session has received it or none.
    pub(super) provenance: &'static str,
    /// `None`: the file is no snapshot.
    pub(super) snapshot: Option<Snapshot>,
}

impl Kept {
    /// The snapshot may be handed over.
    pub(super) fn is_ours(&self) -> bool {
        matches!(self.provenance, "unread" | "read")
    }
}

impl Project<'_> {
    /// The active records, the asking session's first.
    pub(super) fn actives(&self) -> Vec<Active> {
        let own = self.asker.session.map(|session| self.sessions.active_path(session));
        let active = |record: Record| {
            let recorded = read(&record.path).unwrap_or_default();
            let entry = self.registry.of(&self.sessions.root, &recorded.id);
            let key = record.path.file_stem().unwrap_or_default().to_string_lossy();
            let key = key.trim_start_matches(ACTIVE_PREFIX).to_owned();
            Active {
                is_own: own.as_ref() == Some(&record.path),
                is_known: entry.is_some_and(|entry| entry.finalized_at.is_none()),
                name: if recorded.id.is_empty() { key } else { recorded.id.clone() },
                recorded,
                record,
            }
        };
        let mut actives: Vec<Active> = self.sessions.actives().into_iter().map(active).collect();
        actives.sort_by_key(|active| (!active.is_own, active.name.clone()));
        actives
    }

    /// The record with this id. Without an id: the asking session's, or outside of sessions the only one, because another session
    /// may still be at work.
    pub(super) fn the_active(&self, id: Option<&str>) -> Result<Active, String> {
        let mut actives = self.actives();
        actives.retain(|active| match id {
            Some(id) => active.name == id,
            None => active.is_own || self.asker.session.is_none(),
        });
        match (id, actives.len()) {
            (Some(id), 0) => Err(unknown(id)),
            (None, 0) => {
                Err("nothing is being recorded here; `pause-recorder list` shows all records".to_owned())
            }
            (None, 2..) => {
                Err("there are several records; give the ID of one that `pause-recorder list` shows"
                    .to_owned())
            }
            _ => Ok(actives.swap_remove(0)),
        }
    }

    /// The snapshots, newest first.
    pub(super) fn all_kept(&self) -> Vec<Kept> {
        self.sessions.ids(&[JSON]).into_iter().map(|id| self.kept(id)).collect()
    }

    /// The snapshot with this id.
    pub(super) fn the_kept(&self, id: &str) -> Result<Kept, String> {
        let mut ids = self.sessions.ids(&[JSON]).into_iter();
        ids.find(|known| known == id).map(|id| self.kept(id)).ok_or_else(|| unknown(id))
    }

    fn kept(&self, id: String) -> Kept {
        let bytes = json_of(&self.sessions, &id).unwrap_or_default();
        let entry = self.registry.of(&self.sessions.root, &id).filter(|entry| !entry.digest.is_empty());
        let provenance = match entry {
            None => "not written on this machine",
            Some(entry) if !is_as_written(&bytes, &entry.digest) => "changed since it was written",
            Some(entry) if entry.read_at.is_some() => "read",
            Some(_) => "unread",
        };
        let snapshot =
            serde_json::from_slice(&bytes).ok().filter(|snapshot: &Snapshot| snapshot.session_id == id);
        Kept { id, provenance, snapshot }
    }
}

fn unknown(id: &str) -> String {
    format!("there is none with the id {id}; `pause-recorder list` shows them all")
}
