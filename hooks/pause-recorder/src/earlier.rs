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
use crate::record::{JSON, Kind, Record, Sessions};
use crate::registry::{self, Entry};
use crate::settings::Settings;
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
    /// The ids of records whose sessions may have ended, and the time of their last line.
    pub orphans: Vec<(String, Timestamp)>,
    /// The id and the brief of the snapshot that this session receives.
    pub unread: Option<(String, String)>,
    /// There may be archives to compress.
    pub compress: bool,
}

pub(crate) fn left(
    context: &Context<'_, Settings>,
    session: &str,
    source: &str,
    sessions: Option<&Sessions>,
) -> Left {
    let usable = sessions.filter(|sessions| sessions.is_usable());
    let own = context.store.and_then(registry::own_store);
    // After a compaction the same session goes on.
    let (Some(sessions), Some(own), false) = (usable, own, source == "compact") else {
        return Left::default();
    };
    let registry = registry::read(context.store);
    let (mut over, mut left) = (Vec::new(), Left::default());
    let others = |entry: &&Entry| entry.finalized_at.is_none() && entry.session != session;
    for entry in registry.in_project(&sessions.root).filter(others) {
        let record = sessions.active(&entry.session);
        let last = record.as_ref().and_then(Record::last).filter(|last| last.session_id == entry.id);
        let (Some(record), Some(last)) = (record, last) else { continue };
        let silent = context.host.now().since(record.modified);
        let is_ended = last.kind == Kind::PauseFinalized || last.text("event") == Some("session_ended");
        if is_ended || silent >= HOUR * context.settings.finalize_orphans_after_hours.get() {
            over.push((entry, record, last));
        } else if silent >= SILENT {
            left.orphans.push((entry.id.clone(), record.modified));
        }
    }
    over.truncate(MAX_DUE);
    let look = || git::look(context.host, &sessions.root, PATIENCE).unwrap_or_default();
    let git = if over.is_empty() { git::GitContext::default() } else { look() };
    for (entry, record, last) in over {
        let end = End {
            at: record.modified,
            path: record.path,
            ending: Ending::Full,
            material: material::gather(&sessions.root, git.clone(), entry.transcript.as_deref()),
            left_out: last.data.get(NOT_RECORDED).and_then(Value::as_u64).unwrap_or_default(),
            commit: context.settings.git_commit,
        };
        left.faults.extend(finalize(sessions, &own, &end).err());
    }
    left.compress = context.settings.compress_after_days.get() > 0;
    if matches!(source, "startup" | "clear") && context.settings.resume_context {
        left.unread = unread(context, session, sessions);
    }
    left
}

/// The latest snapshot, if no session has received it and it is what this machine wrote.
fn unread(context: &Context<'_, Settings>, session: &str, sessions: &Sessions) -> Option<(String, String)> {
    let Context { settings, host, places, .. } = context;
    let kept = DAY * settings.resume_within_days.get();
    let registry = registry::read(context.store);
    let Entry { id, digest, .. } = registry.unread(&sessions.root, session, host.now(), kept)?;
    let json = json_of(sessions, id).filter(|json| is_as_written(json, digest))?;
    let path = sessions.told_of(&sessions.file(id, JSON));
    let text = Texts::new(&settings.message_files, host, places).read(BRIEF);
    Some((id.clone(), brief(&text, &serde_json::from_slice(&json).ok()?, &path)))
}
