//! What the answers are made from: the session that asks, the project's folder, and what this machine knows of it.

use shared::cli::{self, Asker};
use shared::hook::{Context, Hook};
use shared::operator::{Caller, Standing};
use shared::switches::{Position, Turn};

use crate::PauseRecorder;
use crate::record::{Record, Recorded, Sessions, is_record_id};
use crate::settings::Settings;
use crate::shelf::{self, Shelf};
use crate::snapshot::{Snapshot, is_as_written, json_of};

/// What an answer is made from.
pub(super) struct Desk<'a> {
    pub(super) asker: Asker<'a>,
    pub(super) context: &'a Context<'a, Settings>,
    /// It is a prompt, no shell.
    pub(super) is_prompt: bool,
    pub(super) sessions: Sessions,
    pub(super) shelf: Shelf,
}

/// A record that is not over.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Going {
    pub(super) record: Record,
    /// What could be read of it.
    pub(super) recorded: Recorded,
    /// Its id, or where none can be read the end of its file's name.
    pub(super) name: String,
    /// It is of the session that asks.
    pub(super) is_own: bool,
    /// This machine has begun it.
    pub(super) is_known: bool,
}

/// Whose a snapshot is, as far as this machine knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// It was written here, and no session was told of it.
    Unread,
    /// It was written here, and a session was told of it.
    Read,
    /// It was written here, and is not what was written.
    Changed,
    /// It was not written here.
    Foreign,
}

impl Going {
    /// Lines that could be read.
    pub(super) fn actions(&self) -> u64 {
        self.recorded.actions.len() as u64
    }
}

impl Whose {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Unread => "unread",
            Self::Read => "read",
            Self::Changed => "changed since it was written",
            Self::Foreign => "not written on this machine",
        }
    }

    /// It may be handed to a session.
    pub(super) const fn is_ours(self) -> bool {
        matches!(self, Self::Unread | Self::Read)
    }
}

/// A snapshot in the folder.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kept {
    pub(super) id: String,
    pub(super) whose: Whose,
    /// Its JSON as it stands; none where it cannot be read.
    pub(super) json: Option<String>,
    /// What it says; none where that is no snapshot.
    pub(super) snapshot: Option<Snapshot>,
}

impl<'a> Desk<'a> {
    /// `None`: there is no project.
    pub(super) fn new(asker: Asker<'a>, context: &'a Context<'a, Settings>, is_prompt: bool) -> Option<Self> {
        let sessions = Sessions::of(asker.places)?;
        let shelf = asker.store.and_then(shelf::own_store).map(|own| shelf::read(&own)).unwrap_or_default();
        Some(Self { asker, context, is_prompt, sessions, shelf })
    }

    /// The records that are not over, the asking session's first.
    pub(super) fn going(&self) -> Vec<Going> {
        let own = self.asker.session.and_then(|session| self.sessions.active(session));
        let mut going: Vec<Going> =
            self.sessions.actives().into_iter().map(|record| self.look_at(record, own.as_ref())).collect();
        going.sort_by_key(|going| !going.is_own);
        going
    }

    fn look_at(&self, record: Record, own: Option<&Record>) -> Going {
        let recorded = record.read().unwrap_or_default();
        let is_own = own.is_some_and(|own| own.path == record.path);
        let mut entries = self.shelf.in_project(&self.sessions.root);
        let entry = entries.find(|entry| entry.file == record.path && entry.finalized_at.is_none());
        let is_known = entry.is_some_and(|entry| recorded.id.is_empty() || entry.id == recorded.id);
        let known_id = entry.filter(|_| is_known).map(|entry| entry.id.clone());
        let readable = Some(recorded.id.clone()).filter(|id| is_record_id(id));
        let name = readable.or(known_id).unwrap_or_else(|| end_of_name(&record));
        Going { record, recorded, name, is_own, is_known }
    }

    /// The record that is meant: the asking session's, or the only one; or that of this name.
    ///
    /// # Errors
    /// What is said instead.
    pub(super) fn the_going(&self, part: Option<&str>, verb: &str) -> Result<Going, String> {
        let mut going = self.going();
        if let Some(part) = part {
            let at = the_going_at(&going, part)?;
            return self.may_be_meant(going.swap_remove(at), verb);
        }
        match going.len() {
            0 => Err("pause-recorder: nothing is being recorded in this project".to_owned()),
            _ if going[0].is_own => Ok(going.swap_remove(0)),
            _ if self.is_within_a_session() => Err(self.of_others(&going, verb)),
            1 => Ok(going.swap_remove(0)),
            _ => {
                let names = going.iter().map(|going| format!("  pause-recorder {verb} {}", going.name));
                let head = "pause-recorder: several sessions of this project have a record; type one of:";
                Err(std::iter::once(head.to_owned()).chain(names).collect::<Vec<_>>().join("\n"))
            }
        }
    }

    /// A session asks, or Claude does: then a word without an id is meant for its own record alone.
    fn is_within_a_session(&self) -> bool {
        self.asker.session.is_some() || !self.is_outside()
    }

    /// The user asks, or a script of theirs, of which no session is: whether it may do what it asks for is asked elsewhere.
    fn is_outside(&self) -> bool {
        let is_script = self.asker.caller == Caller::Shell(Standing::NoTerminal);
        self.asker.caller.is_operator() || (is_script && self.asker.session.is_none())
    }

    /// Another session may still be at work: nobody within one touches its record but the user, by its id.
    fn may_be_meant(&self, going: Going, verb: &str) -> Result<Going, String> {
        if going.is_own || self.is_outside() {
            return Ok(going);
        }
        let line = format!("pause-recorder {verb} {}", going.name);
        let written = going.record.modified.local();
        let why = self.asker.caller.refusal(&line, true);
        Err(format!("pause-recorder: {} is of another session, last written {written}; {why}", going.name))
    }

    /// What is said to whom the user has to allow it; `line` is what they can type.
    pub(super) fn refusal(&self, line: &str) -> String {
        format!("pause-recorder: {}", self.asker.caller.refusal(line, true))
    }

    /// Why nothing would be recorded, and what turns it on.
    pub(super) fn off(&self, session: &str) -> Option<String> {
        if let Some(file) = cli::off_file(self.asker.host, self.asker.places) {
            return Some(format!(
                "pause-recorder: every hook is off while {file} is there, so nothing would be recorded; remove it first"
            ));
        }
        let switches = self.asker.switches();
        let is_on = self.asker.section::<PauseRecorder>(&switches).is_some_and(|section| section.enabled);
        if is_on {
            return None;
        }
        // Whatever holds for all, this session's own switch stays.
        let everywhere = Turn::everywhere(PauseRecorder::NAME, Position::On);
        let with_all_on = switches.with(&everywhere, self.asker.host.now());
        Some(match with_all_on.position(PauseRecorder::NAME, Some(session)) {
            Position::Off => format!(
                "pause-recorder: it is switched off for this session, so nothing would be recorded; type: pause-recorder auto --session {session}"
            ),
            _ => {
                "pause-recorder: it is off, so nothing would be recorded; type: pause-recorder on".to_owned()
            }
        })
    }

    fn of_others(&self, going: &[Going], verb: &str) -> String {
        let head = if self.asker.caller.is_operator() {
            format!(
                "pause-recorder: this session has no record. Of other sessions there are; to {verb} one, type its line:"
            )
        } else {
            format!(
                "pause-recorder: this session has no record. Those of other sessions are for the user to {verb}, who can type:"
            )
        };
        let lines = going.iter().map(|going| {
            let written = going.record.modified.local();
            format!("  last written {written}: pause-recorder {verb} {}", going.name)
        });
        std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
    }

    /// A snapshot by a part of its id.
    ///
    /// # Errors
    /// What is said instead.
    pub(super) fn the_kept(&self, part: &str) -> Result<Kept, String> {
        let ids = self.sessions.snapshot_ids();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        the_one(&ids, part).map(|at| self.kept(ids[at])).map_err(|why| self.record_only(part).unwrap_or(why))
    }

    /// Ids of records that were archived without a snapshot, newest first.
    pub(super) fn records_only(&self) -> Vec<String> {
        let snapshots = self.sessions.snapshot_ids();
        let is_archive = |id: &String| {
            let archive = self.sessions.files(id).archive;
            archive.is_file() || archive.with_extension("jsonl.gz").is_file()
        };
        let kept = self.sessions.kept_ids().into_iter().rev();
        kept.filter(|id| !snapshots.contains(id)).filter(is_archive).collect()
    }

    fn record_only(&self, part: &str) -> Option<String> {
        let ids = self.records_only();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let id = ids[the_one(&ids, part).ok()?];
        let told = self.sessions.told_of(&self.sessions.files(id).archive);
        Some(format!("pause-recorder: {id} is a record only, without a snapshot: {told}"))
    }

    pub(super) fn kept(&self, id: &str) -> Kept {
        let bytes = json_of(&self.sessions, id);
        let whose = self.whose(id, bytes.as_deref());
        let json = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let snapshot: Option<Snapshot> = json.as_deref().and_then(|json| serde_json::from_str(json).ok());
        Kept {
            id: id.to_owned(),
            whose,
            snapshot: snapshot.filter(|snapshot| snapshot.session_id == id),
            json,
        }
    }

    fn whose(&self, id: &str, bytes: Option<&[u8]>) -> Whose {
        let entry = self.shelf.of(&self.sessions.root, id).filter(|entry| !entry.digest.is_empty());
        match entry {
            None => Whose::Foreign,
            Some(entry) if !bytes.is_some_and(|bytes| is_as_written(bytes, &entry.digest)) => Whose::Changed,
            Some(entry) if entry.read_at.is_some() => Whose::Read,
            Some(_) => Whose::Unread,
        }
    }
}

/// What is left of the name of an active record's file.
fn end_of_name(record: &Record) -> String {
    let name = record.path.file_stem().unwrap_or_default().to_string_lossy();
    name.trim_start_matches("ACTIVE-PAUSE-").to_owned()
}

/// Where the record is that has this part in its id, or this name of its file.
fn the_going_at(going: &[Going], part: &str) -> Result<usize, String> {
    let name = part.trim_start_matches("ACTIVE-PAUSE-").trim_end_matches(".jsonl");
    if let Some(at) = going.iter().position(|going| end_of_name(&going.record) == name) {
        return Ok(at);
    }
    let names: Vec<&str> = going.iter().map(|going| going.name.as_str()).collect();
    the_one(&names, part)
}

/// Where in `names` the one is that is called so, with or without `session-`, else the only one that has this part.
fn the_one(names: &[&str], part: &str) -> Result<usize, String> {
    let is_it = |name: &&str| *name == part || name.strip_prefix("session-") == Some(part);
    if let Some(at) = names.iter().position(is_it) {
        return Ok(at);
    }
    let mut with_it = names.iter().enumerate().filter(|(_, name)| name.contains(part));
    match (with_it.next(), with_it.next()) {
        (Some((at, _)), None) => Ok(at),
        (Some((_, one)), Some((_, other))) => Err(format!(
            "pause-recorder: several have that in their id, such as {one} and {other}; write more of it"
        )),
        _ => Err("pause-recorder: nothing here has such an id; `pause-recorder list` shows what there is"
            .to_owned()),
    }
}
