//! The facts of one request: who asks, the project's folder, and what this machine knows of it.

use shared::cli::Asker;
use shared::hook::Context;
use shared::operator::{Caller, Standing};

use crate::PauseRecorder;
use crate::record::{Record, Recorded, Sessions, is_record_id, read};
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
#[derive(Debug, Clone, PartialEq)]
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

/// The provenance of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Provenance {
    /// This machine wrote it, and no session has received it.
    Unread,
    /// This machine wrote it, and a session has received it.
    Read,
    Changed,
    Foreign,
}

impl Provenance {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Unread => "unread",
            Self::Read => "read",
            Self::Changed => "changed since it was written",
            Self::Foreign => "not written on this machine",
        }
    }

    /// The snapshot may be handed over.
    pub(super) const fn is_ours(self) -> bool {
        matches!(self, Self::Unread | Self::Read)
    }
}

/// A snapshot in the folder.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kept {
    pub(super) id: String,
    pub(super) provenance: Provenance,
    /// The JSON as it stands; none where it cannot be read.
    pub(super) json: Option<String>,
    /// `None`: the file is no snapshot.
    pub(super) snapshot: Option<Snapshot>,
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
            let is_readable = is_record_id(&recorded.id);
            Active {
                is_own: own.as_ref() == Some(&record.path),
                is_known: entry.is_some_and(|entry| entry.finalized_at.is_none()),
                name: if is_readable { recorded.id.clone() } else { file_key(&record) },
                recorded,
                record,
            }
        };
        let mut actives: Vec<Active> = self.sessions.actives().into_iter().map(active).collect();
        actives.sort_by_key(|active| (!active.is_own, active.name.clone()));
        actives
    }

    /// The record that is meant: the one with this part in its id, the asking session's, or the only one.
    pub(super) fn the_active(&self, part: Option<&str>, verb: &str) -> Result<Active, String> {
        let mut actives = self.actives();
        let at = match part {
            Some(part) => {
                let key = part.trim_start_matches("ACTIVE-PAUSE-").trim_end_matches(".jsonl");
                let by_file = actives.iter().position(|active| file_key(&active.record) == key);
                let names: Vec<&str> = actives.iter().map(|active| active.name.as_str()).collect();
                by_file.map_or_else(|| the_one(&names, part), Ok)?
            }
            None if actives.is_empty() => return Err("nothing is being recorded in this project".to_owned()),
            // Another session may still be at work: a request without an id means its own record.
            None if actives[0].is_own || (actives.len() == 1 && self.is_outside_of_sessions()) => 0,
            None => return Err(self.choice(&actives, verb)),
        };
        let active = actives.swap_remove(at);
        if active.is_own || self.is_users_own() {
            return Ok(active);
        }
        let why = self.asker.caller.refusal(&format!("pause-recorder {verb} {}", active.name), true);
        Err(format!("{} belongs to another session; {why}", active.name))
    }

    fn is_outside_of_sessions(&self) -> bool {
        self.asker.session.is_none() && self.is_users_own()
    }

    /// The user asks, or a script of theirs outside of any session.
    fn is_users_own(&self) -> bool {
        let is_script = self.asker.caller == Caller::Shell(Standing::NoTerminal);
        self.asker.caller.is_operator() || (is_script && self.asker.session.is_none())
    }

    fn choice(&self, actives: &[Active], verb: &str) -> String {
        let who = if self.asker.caller.is_operator() { "type" } else { "the user can type" };
        let head = if self.is_outside_of_sessions() {
            format!("several sessions of this project have a record; {who} one of:")
        } else {
            format!("this session has no record; for one of another session {who} its line:")
        };
        actives.iter().fold(head, |text, active| {
            let written = active.record.modified.local();
            format!("{text}\n  last written {written}: pause-recorder {verb} {}", active.name)
        })
    }

    /// Only the user may do this.
    pub(super) fn for_the_user(&self, line: &str) -> Result<(), String> {
        let caller = self.asker.caller;
        let refusal = || caller.refusal(&format!("pause-recorder {line}"), true);
        if caller.is_operator() { Ok(()) } else { Err(refusal()) }
    }

    /// The hook would record nothing.
    pub(super) fn is_off(&self) -> bool {
        let section = self.asker.section::<PauseRecorder>(&self.asker.switches());
        section.is_none_or(|section| !section.enabled)
    }

    /// The snapshot with this part in its id.
    pub(super) fn the_kept(&self, part: &str) -> Result<Kept, String> {
        let ids = self.sessions.snapshot_ids();
        let names: Vec<&str> = ids.iter().map(String::as_str).collect();
        the_one(&names, part).map(|at| self.kept(&ids[at]))
    }

    pub(super) fn kept(&self, id: &str) -> Kept {
        let bytes = json_of(&self.sessions, id).unwrap_or_default();
        let entry = self.registry.of(&self.sessions.root, id).filter(|entry| !entry.digest.is_empty());
        let provenance = match entry {
            None => Provenance::Foreign,
            Some(entry) if !is_as_written(&bytes, &entry.digest) => Provenance::Changed,
            Some(entry) if entry.read_at.is_some() => Provenance::Read,
            Some(_) => Provenance::Unread,
        };
        let json = String::from_utf8(bytes).ok();
        let snapshot: Option<Snapshot> = json.as_deref().and_then(|json| serde_json::from_str(json).ok());
        let snapshot = snapshot.filter(|snapshot| snapshot.session_id == id);
        Kept { id: id.to_owned(), provenance, json, snapshot }
    }
}

fn file_key(record: &Record) -> String {
    let name = record.path.file_stem().unwrap_or_default().to_string_lossy();
    name.trim_start_matches("ACTIVE-PAUSE-").to_owned()
}

/// The place of the name that is called so, with or without `session-`, else of the only one that has this part.
fn the_one(names: &[&str], part: &str) -> Result<usize, String> {
    let is_it = |name: &&str| *name == part || name.strip_prefix("session-") == Some(part);
    if let Some(at) = names.iter().position(is_it) {
        return Ok(at);
    }
    let with_it: Vec<usize> = (0..names.len()).filter(|at| names[*at].contains(part)).collect();
    match with_it[..] {
        [at] => Ok(at),
        [] => Err("no id contains that; `pause-recorder list` shows them all".to_owned()),
        [one, other, ..] => Err(format!(
            "several ids contain that, such as {} and {}; write more of it",
            names[one], names[other]
        )),
    }
}
