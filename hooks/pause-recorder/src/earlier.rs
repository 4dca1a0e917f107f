//! The records and snapshots of earlier sessions, at a session's start. Records of ended sessions are finalized here, before the
//! decision, because the hook hands over only written snapshots. Only the registry counts: anybody can commit files into the folder.

use std::cell::LazyCell;
use std::time::Duration;

use shared::hook::Context;
use shared::host::{DAY, HOUR};

use crate::brief::brief_of;
use crate::git;
use crate::material;
use crate::record::{Kind, Sessions, read};
use crate::registry::{self, Entry};
use crate::settings::Settings;
use crate::step::{End, Ending, digest_of, finalize, json_of};
use crate::wording;

/// A session that was silent for less may simply be waiting for its user.
const SILENT: Duration = Duration::from_secs(30 * 60);

/// Messages about records that may have to be finalized by hand and about what failed; and the id and the brief of the snapshot that
/// this session receives.
pub(crate) fn left(
    context: &Context<'_, Settings>,
    session: &str,
    source: &str,
    sessions: &Sessions,
) -> (Vec<String>, Option<(String, String)>) {
    let own = context.store.and_then(registry::own_store).filter(|_| sessions.is_usable());
    // After a compaction the same session goes on.
    let (Some(own), false) = (own, source == "compact") else { return Default::default() };
    let Context { settings, host, .. } = context;
    let registry = registry::read(context.store);
    let git = LazyCell::new(|| git::look(host, &sessions.root, git::PATIENCE).unwrap_or_default());
    let mut notices = Vec::new();
    let others = |entry: &&Entry| entry.finalized_at.is_none() && entry.session != session;
    for entry in registry.in_project(&sessions.root).filter(others) {
        let Some(record) = sessions.active(&entry.session) else { continue };
        let recorded = read(&record.path).ok().filter(|recorded| recorded.id == entry.id);
        let Some(last) = recorded.and_then(|mut recorded| recorded.actions.pop()) else { continue };
        let silent = host.now().since(record.modified);
        let is_ended = last.kind == Kind::PauseFinalized || last.text("event") == Some("session_ended");
        if is_ended || silent >= HOUR * settings.finalize_orphans_after_hours.get() {
            let end = End {
                at: record.modified,
                path: record.path,
                ending: Ending::Full,
                material: material::gather(&sessions.root, (*git).clone(), entry.transcript.as_deref()),
                commit: settings.git_commit,
            };
            notices.extend(finalize(sessions, &own, &end).err());
        } else if silent >= SILENT {
            notices.push(wording::orphan(&entry.id, record.modified));
        }
    }
    let days = settings.compress_after_days.get();
    if days > 0 {
        let before = host.now().minus(DAY * days);
        let is_ours = |id: &str| registry.of(&sessions.root, id).is_some();
        notices.extend(sessions.compress_archives(before, is_ours).err());
    }
    let is_new = matches!(source, "startup" | "clear") && settings.resume_context;
    (notices, is_new.then(|| unread(context, session, sessions)).flatten())
}

/// The latest snapshot, if no session has received it and it is what this machine wrote.
fn unread(context: &Context<'_, Settings>, session: &str, sessions: &Sessions) -> Option<(String, String)> {
    let kept = DAY * context.settings.resume_within_days.get();
    let registry = registry::read(context.store);
    let Entry { id, digest, .. } = registry.unread(&sessions.root, session, context.host.now(), kept)?;
    let json = json_of(sessions, id).filter(|json| digest_of(json) == *digest)?;
    Some((id.clone(), brief_of(context, sessions, id, &serde_json::from_slice(&json).ok()?)))
}
