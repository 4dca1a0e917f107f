//! The records and snapshots of earlier sessions, at a session's start. Records of ended sessions are finalized here, before the
//! decision, because the hook hands over only written snapshots. Only the registry counts: anybody can commit files into the folder.

use std::time::Duration;

use serde_json::Value;
use shared::hook::Context;
use shared::host::{DAY, HOUR, Timestamp};
use shared::messages::Texts;

use crate::brief::{BRIEF, brief};
use crate::decide::NOT_RECORDED;
use crate::git;
use crate::material;
use crate::observe::PATIENCE;
use crate::record::{Action, JSON, Kind, Record, Sessions};
use crate::registry::{self, Entry};
use crate::settings::Settings;
use crate::state::State;
use crate::step::{End, Ending, finalize, is_as_written, json_of};

/// A session that was silent for less may simply be waiting for its user.
const SILENT: Duration = Duration::from_secs(30 * 60);

/// The records that one start finalizes; the rest waits for the next.
const MAX_DUE: usize = 5;

/// The records and snapshots of earlier sessions of the project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Left {
    /// Why records of ended sessions could not be finalized.
    pub faults: Vec<String>,
    /// Records of silent sessions, which may have ended.
    pub orphans: Vec<Orphan>,
    /// The snapshot that this session receives.
    pub unread: Option<Unread>,
    /// There may be archives to compress.
    pub compress: bool,
}

/// A snapshot that no session has received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    pub id: String,
    pub brief: String,
}

/// A record whose session may have ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    pub id: String,
    /// The time of its last line.
    pub silent_since: Timestamp,
}

pub(crate) fn left(
    context: &Context<'_, Settings>,
    session: &str,
    source: &str,
    sessions: Option<&Sessions>,
) -> Left {
    let usable = sessions.filter(|sessions| sessions.is_usable() && context.store.is_some());
    // After a compaction the same session goes on.
    let Some(sessions) = usable.filter(|_| source != "compact") else { return Left::default() };
    let registry = registry::read(context.store);
    let (mut over, mut left) = (Vec::new(), Left::default());
    for entry in registry.in_project(&sessions.root) {
        let is_another = entry.finalized_at.is_none() && entry.session != session;
        let record = if is_another { sessions.active(&entry.session) } else { None };
        let last = record.as_ref().and_then(Record::last).filter(|last| last.session_id == entry.id);
        let (Some(record), Some(last)) = (record, last) else { continue };
        let silent = context.host.now().since(record.modified);
        let is_ended = last.kind == Kind::PauseFinalized || last.text("event") == Some("session_ended");
        if is_ended || silent >= HOUR * context.settings.finalize_orphans_after_hours.get() {
            over.push((entry, record, last));
        } else if silent >= SILENT {
            left.orphans.push(Orphan { id: entry.id.clone(), silent_since: record.modified });
        }
    }
    over.truncate(MAX_DUE);
    left.faults = finalize_all(context, sessions, over);
    left.compress = context.settings.compress_after_days.get() > 0;
    if matches!(source, "startup" | "clear") && context.settings.resume_context {
        left.unread = unread(context, session, sessions);
    }
    left
}

/// Finalizes the records of ended sessions, and asks the repository once for all of them. Returns what failed.
fn finalize_all(
    context: &Context<'_, Settings>,
    sessions: &Sessions,
    over: Vec<(&Entry, Record, Action)>,
) -> Vec<String> {
    let own = context.store.and_then(registry::own_store).filter(|_| !over.is_empty());
    let Some(own) = own else { return Vec::new() };
    let git = git::look(context.host, &sessions.root, PATIENCE).unwrap_or_default();
    let finalize = |(entry, record, last): (&Entry, Record, Action)| {
        // The actions that the session only counted: its last line says so, or its memory.
        let told = last.data.get(NOT_RECORDED).and_then(Value::as_u64);
        let remembered = || context.store?.read::<State>(&entry.session).map(|state| state.left_out);
        let end = End {
            at: record.modified,
            path: record.path,
            ending: Ending::Full,
            material: material::with(&sessions.root, git.clone(), entry.transcript.as_deref()),
            left_out: told.or_else(remembered).unwrap_or_default(),
            commit: context.settings.git_commit,
        };
        finalize(sessions, &own, &end).err()
    };
    over.into_iter().filter_map(finalize).collect()
}

/// The latest snapshot, if no session has received it and it is what this machine wrote.
fn unread(context: &Context<'_, Settings>, session: &str, sessions: &Sessions) -> Option<Unread> {
    let Context { settings, host, places, .. } = context;
    let kept = DAY * settings.resume_within_days.get();
    let registry = registry::read(context.store);
    let Entry { id, digest, .. } = registry.unread(&sessions.root, session, host.now(), kept)?;
    let json = json_of(sessions, id).filter(|json| is_as_written(json, digest))?;
    let path = sessions.told_of(&sessions.file(id, JSON));
    let text = Texts::new(&settings.message_files, host, places).read(BRIEF);
    let brief = brief(&text, &serde_json::from_slice(&json).ok()?, &path);
    Some(Unread { id: id.clone(), brief })
}
