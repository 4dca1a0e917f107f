//! The records and snapshots of earlier sessions, at a session's start. Records of ended sessions are finalized here, before the
//! decision, because the hook hands over only written snapshots. Only the registry counts: anybody can commit files into the folder.

use std::time::Duration;

use serde_json::Value;
use shared::hook::Context;
use shared::host::{DAY, HOUR, Timestamp};
use shared::messages::Texts;

use crate::brief::BRIEF;
use crate::decide::NOT_RECORDED;
use crate::git;
use crate::material;
use crate::observe::PATIENCE;
use crate::record::{Action, JSON, Kind, Record, Sessions};
use crate::registry::{self, Entry};
use crate::settings::Settings;
use crate::snapshot::Snapshot;
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
#[derive(Debug, Clone, PartialEq)]
pub struct Unread {
    /// The text with its places.
    pub text: String,
    pub snapshot: Snapshot,
    /// The path of its JSON, as the text names it.
    pub path: String,
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
    let look = Look { context, session, sessions };
    let (faults, orphans) = look.unfinished();
    let is_wanted = matches!(source, "startup" | "clear") && context.settings.resume_context;
    let unread = if is_wanted { look.unread() } else { None };
    Left { faults, orphans, unread, compress: context.settings.compress_after_days.get() > 0 }
}

struct Look<'a> {
    context: &'a Context<'a, Settings>,
    session: &'a str,
    sessions: &'a Sessions,
}

impl Look<'_> {
    /// Finalizes the records of ended sessions. Returns what failed, and the records whose sessions may have ended.
    fn unfinished(&self) -> (Vec<String>, Vec<Orphan>) {
        let registry = registry::read(self.context.store);
        let (mut over, mut orphans) = (Vec::new(), Vec::new());
        for entry in registry.in_project(&self.sessions.root) {
            let Some((record, last)) = self.active(entry) else { continue };
            let silent = self.context.host.now().since(record.modified);
            let is_ended = last.kind == Kind::PauseFinalized || last.text("event") == Some("session_ended");
            if is_ended || silent >= HOUR * self.context.settings.finalize_orphans_after_hours.get() {
                over.push((entry, record, last));
            } else if silent >= SILENT {
                orphans.push(Orphan { id: entry.id.clone(), silent_since: record.modified });
            }
        }
        over.truncate(MAX_DUE);
        (self.finalize(over), orphans)
    }

    /// The active record of another session, and its last line.
    fn active(&self, entry: &Entry) -> Option<(Record, Action)> {
        let is_another = entry.finalized_at.is_none() && entry.session != self.session;
        let record = is_another.then(|| self.sessions.active(&entry.session)).flatten()?;
        let last = record.last().filter(|last| last.session_id == entry.id)?;
        Some((record, last))
    }

    /// Asks the repository once for all of them.
    fn finalize(&self, over: Vec<(&Entry, Record, Action)>) -> Vec<String> {
        let own = self.context.store.and_then(registry::own_store).filter(|_| !over.is_empty());
        let Some(own) = own else { return Vec::new() };
        let root = &self.sessions.root;
        let git = git::look(self.context.host, root, PATIENCE).unwrap_or_default();
        let finalize = |(entry, record, last): (&Entry, Record, Action)| {
            let end = End {
                at: record.modified,
                path: record.path,
                ending: Ending::Full,
                material: material::with(root, git.clone(), entry.transcript.as_deref()),
                left_out: self.left_out(&entry.session, &last),
                commit: self.context.settings.git_commit,
            };
            finalize(self.sessions, &own, &end).err()
        };
        over.into_iter().filter_map(finalize).collect()
    }

    /// The actions that another session only counted: its last line says so, or its memory.
    fn left_out(&self, session: &str, last: &Action) -> u64 {
        let remembered = || self.context.store?.read::<State>(session).map(|state| state.left_out);
        last.data.get(NOT_RECORDED).and_then(Value::as_u64).or_else(remembered).unwrap_or_default()
    }

    /// The latest snapshot, if no session has received it and it is what this machine wrote.
    fn unread(&self) -> Option<Unread> {
        let Context { settings, host, places, .. } = self.context;
        let kept = DAY * settings.resume_within_days.get();
        let registry = registry::read(self.context.store);
        let entry = registry.unread(&self.sessions.root, self.session, host.now(), kept)?;
        let json = json_of(self.sessions, &entry.id).filter(|json| is_as_written(json, &entry.digest))?;
        let snapshot = serde_json::from_slice(&json).ok()?;
        let path = self.sessions.told_of(&self.sessions.file(&entry.id, JSON));
        let text = Texts::new(&settings.message_files, host, places).read(BRIEF);
        Some(Unread { text, snapshot, path })
    }
}
