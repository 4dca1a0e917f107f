//! The facts of one request: who asks, the project's folder, and what this machine knows of it.

use shared::cli::Asker;
use shared::hook::Context;
use shared::operator::{Caller, Standing};

use crate::record::{ACTIVE_PREFIX, Record, Recorded, Sessions, read};
use crate::registry::{self, Registry};
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

impl<'a> Project<'a> {
    /// `None`: there is no project.
    pub(super) fn new(asker: Asker<'a>, context: &'a Context<'a, Settings>, is_prompt: bool) -> Option<Self> {
        let sessions = Sessions::of(asker.places)?;
        Some(Self { asker, context, is_prompt, sessions, registry: registry::read(asker.store) })
    }

    /// The active records, the asking session's first.
    pub(super) fn actives(&self) -> Vec<Active> {
        let own = self.asker.session.map(|session| self.sessions.active_path(session));
        let active = |record: Record| {
            let recorded = read(&record.path).ok().flatten().unwrap_or_default();
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

    /// The record that is meant: the one with this id, the asking session's, or outside of sessions the only one.
    pub(super) fn the_active(&self, id: Option<&str>, verb: &str) -> Result<Active, String> {
        let mut actives = self.actives();
        let is_outside = self.asker.session.is_none() && self.is_users_own();
        let at = match id {
            Some(id) => {
                actives.iter().position(|active| is_called(&active.name, id)).ok_or_else(|| unknown(id))?
            }
            None if actives.is_empty() => return Err("nothing is being recorded in this project".to_owned()),
            // Another session may still be at work: a request without an id means its own record.
            None if actives[0].is_own || (actives.len() == 1 && is_outside) => 0,
            None => {
                let head =
                    "this session has no record, or there are several; the user can type one of:".to_owned();
                return Err(actives.iter().fold(head, |text, active| {
                    let written = active.record.modified.local();
                    format!("{text}\n  last written {written}: pause-recorder {verb} {}", active.name)
                }));
            }
        };
        let active = actives.swap_remove(at);
        if active.is_own || self.is_users_own() {
            return Ok(active);
        }
        let why = self.asker.caller.refusal(&format!("pause-recorder {verb} {}", active.name), true);
        Err(format!("{} belongs to another session; {why}", active.name))
    }

    /// The user asks, or a script of theirs outside of any session.
    fn is_users_own(&self) -> bool {
        let is_script = self.asker.caller == Caller::Shell(Standing::NoTerminal);
        self.asker.caller.is_operator() || (is_script && self.asker.session.is_none())
    }

    /// Only the user may do this.
    pub(super) fn for_the_user(&self, line: &str) -> Result<(), String> {
        let caller = self.asker.caller;
        let refusal = || caller.refusal(&format!("pause-recorder {line}"), true);
        if caller.is_operator() { Ok(()) } else { Err(refusal()) }
    }

    /// The snapshots, newest first.
    pub(super) fn all_kept(&self) -> Vec<Kept> {
        self.sessions.snapshot_ids().into_iter().map(|id| self.kept(id)).collect()
    }

    /// The snapshot with this id.
    pub(super) fn the_kept(&self, id: &str) -> Result<Kept, String> {
        let mut ids = self.sessions.snapshot_ids().into_iter();
        ids.find(|known| is_called(known, id)).map(|id| self.kept(id)).ok_or_else(|| unknown(id))
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

/// The name is this id, with or without `session-`.
fn is_called(name: &str, id: &str) -> bool {
    name == id || name.strip_prefix("session-") == Some(id)
}

fn unknown(id: &str) -> String {
    format!("there is none with the id {id}; `pause-recorder list` shows them all")
}
