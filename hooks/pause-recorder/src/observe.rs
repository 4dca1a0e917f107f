//! Gathers the facts, cheapest first: the record, how full the context is, and at a session's start the records and snapshots of earlier
//! sessions. Records of ended sessions are finalized here, before the decision, because the hook hands over only written snapshots.
//! Only the registry counts: anybody can commit files into the folder.

use std::time::Duration;

use shared::cli::{self, Reply};
use shared::hook::Context;
use shared::host::{DAY, HOUR};
use shared::messages::{Text, Texts};
use shared::protocol::Event;

use crate::PauseRecorder;
use crate::occupancy::{Reading, reading};
use crate::record::{JSON, Kind, Record, Sessions, read};
use crate::registry::{self, Entry, Kept};
use crate::settings::Settings;
use crate::snapshot::Snapshot;
use crate::step::{End, Ending, Step, finalize};
use crate::text::one_line;

/// The facts of one event.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) sessions: Sessions,
    /// The session's record, if it is being recorded.
    pub(crate) record: Option<Record>,
    /// How full the context is; none where that is unknown or does not matter.
    pub(crate) reading: Option<Reading>,
    /// The answer to a typed command.
    pub(crate) answered: Option<Reply<Step>>,
    /// At a session's start: messages about what earlier sessions have left.
    pub(crate) notices: Vec<String>,
    /// At a session's start: the id and the brief of a snapshot for this session.
    pub(crate) unread: Option<(String, String)>,
}

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    let call = &context.request.call;
    let session = call.session_id.as_deref()?;
    let event = &context.request.event;
    match event {
        Event::PreToolUse(_) | Event::Other(_) => return None,
        // A compaction inside a subagent is the subagent's.
        Event::PreCompact { .. } if call.agent_id.is_some() => return None,
        Event::UserPromptSubmit { prompt, source } => {
            let answered = cli::prompted::<PauseRecorder>(context, prompt, source.as_deref());
            if answered.is_some() {
                return Some(Facts { answered, ..Facts::default() });
            }
        }
        _ => {}
    }
    // Without a store each call would report the same level.
    let sessions = Sessions::of(context.places).filter(|_| context.store.is_some())?;
    let record = sessions.active(session);
    let reading = reading(context, &context.peek(), record.is_some());
    let (notices, unread) = match event {
        Event::SessionStart { source, .. } => left(context, session, source, &sessions),
        _ => Default::default(),
    };
    Some(Facts { sessions, record, reading, answered: None, notices, unread })
}

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
    let mut notices = Vec::new();
    let is_open = |entry: &&Entry| {
        entry.project == sessions.root && entry.finalized_at.is_none() && entry.session != session
    };
    for entry in registry.entries.iter().filter(is_open) {
        let Some(record) = sessions.active(&entry.session) else { continue };
        let recorded = read(&record.path).ok().filter(|recorded| recorded.id == entry.id);
        let Some(last) = recorded.and_then(|mut recorded| recorded.actions.pop()) else { continue };
        let (id, at) = (&entry.id, record.modified);
        let silent = host.now().since(at);
        let is_ended = last.kind == Kind::PauseFinalized || last.text("event") == Some("session_ended");
        if is_ended || silent >= HOUR * settings.finalize_orphans_after_hours.get() {
            let end = End { path: record.path, ending: Ending::Full, at, commit: settings.git_commit };
            notices.extend(finalize(sessions, &own, &end).err());
        } else if silent >= SILENT {
            notices.push(format!(
                "pause-recorder: the record {id} of another session is not finalized, silent since {}. If that session has ended, type `pause-recorder finalize {id}` or `pause-recorder discard {id}`",
                at.local()
            ));
        }
    }
    let days = settings.compress_after_days.get();
    if days > 0 {
        let before = host.now().minus(DAY * days);
        let is_ours = |id: &str| registry.of(&sessions.root, id).is_some();
        notices.extend(sessions.compress_archives(before, is_ours).err());
    }
    if !settings.resume_context || !matches!(source, "startup" | "clear") {
        return (notices, None);
    }
    // A record that was finalized just now is in the registry.
    let registry = registry::read(context.store);
    let kept = DAY * settings.resume_within_days.get();
    let latest = registry.unread(&sessions.root, session, host.now(), kept);
    let latest = latest.map(|entry| registry.kept(sessions, &entry.id)).filter(Kept::is_ours);
    let unread = latest.and_then(|Kept { id, snapshot, .. }| {
        let brief = brief_of(context, sessions, &id, &snapshot?);
        Some((id, brief))
    });
    (notices, unread)
}

/// The text, with places for `{when}`, `{percent}`, `{facts}` and `{path}`.
pub(crate) const BRIEF: Text = Text {
    name: "pause-recorder-brief",
    built_in: include_str!("../../../config/messages/pause-recorder-brief.md"),
};

/// The entries of a list.
const MAX_ITEMS: usize = 5;

const MAX_FILES: usize = 12;

/// The brief of the project's snapshot with this id, in the user's own words or the built-in ones.
pub(crate) fn brief_of(
    context: &Context<'_, Settings>,
    sessions: &Sessions,
    id: &str,
    snapshot: &Snapshot,
) -> String {
    let text = Texts::new(&context.settings.message_files, context.host, context.places).read(BRIEF);
    brief(&text, snapshot, &sessions.named(&sessions.file(id, JSON)))
}

/// Texts of the session or the repository stand on lines that begin with `- `, so that none of them passes for a line of
/// ours.
fn brief(text: &str, snapshot: &Snapshot, path: &str) -> String {
    let percent = snapshot.percent().map_or("?".to_owned(), |percent| format!("{percent:.0}"));
    text.trim_end()
        .replace("{percent}", &percent)
        .replace("{when}", &snapshot.paused_at.local())
        .replace("{path}", path)
        // Last, because a recorded text may hold the name of a place.
        .replace("{facts}", &facts(snapshot))
}

fn facts(snapshot: &Snapshot) -> String {
    let (git, status) = (&snapshot.git, &snapshot.git.status);
    let mut lines = Vec::new();
    if git.is_git_repo {
        let branch = one_line(git.branch.as_deref().unwrap_or("no branch"));
        let changes = status.modified_files.len() + status.untracked_files.len();
        lines.push(format!("Branch: {branch}; files uncommitted: {changes}"));
    }
    lines.extend(list("Open", &snapshot.next_steps, MAX_ITEMS));
    lines.extend(list("Done", &snapshot.accomplishments, MAX_ITEMS));
    lines.extend(list("Files touched", &snapshot.files_touched, MAX_FILES));
    lines.join("\n")
}

fn list(name: &str, items: &[String], most: usize) -> Vec<String> {
    let head = (!items.is_empty()).then(|| format!("{name}:"));
    let entries = items.iter().take(most).map(|text| format!("- {}", one_line(text)));
    let rest = (items.len() > most).then(|| format!("- and {} more", items.len() - most));
    head.into_iter().chain(entries).chain(rest).collect()
}

#[cfg(test)]
mod tests;
