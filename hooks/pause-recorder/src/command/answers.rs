//! The answer to each verb, from the records and snapshots of the project and what this machine knows of them.

use serde_json::{Map, Value, json};
use shared::cli::{self, Asker};
use shared::hook::Context;
use shared::host::DAY;
use shared::operator::{Caller, Standing};

use super::Reply;
use crate::PauseRecorder;
use crate::actions::started;
use crate::earlier::brief_of;
use crate::levels::{Level, Thresholds};
use crate::occupancy::{Reading, reading};
use crate::record::{ACTIVE_PREFIX, ARCHIVE, ENDS, JSON, Record, Recorded, Sessions, id_at, read};
use crate::registry::{Kept, Registry};
use crate::settings::Settings;
use crate::snapshot::{Numbers, markdown};
use crate::step::{End, Ending, Step};
use crate::text::{counted, full};

const MAX_LISTED: usize = 100;

const LIST: &str = "`pause-recorder list` shows all";

/// Precedes the brief where the user has asked for it.
const ASKED: &str = "The user has typed `pause-recorder resume`: they ask you to go on from the snapshot below. Read its file, say in a line where it stands, and go on with what is open.";

pub(super) struct Project<'a> {
    pub(super) asker: Asker<'a>,
    pub(super) context: &'a Context<'a, Settings>,
    pub(super) sessions: Sessions,
    pub(super) registry: Registry,
}

struct Active {
    record: Record,
    recorded: Recorded,
    /// The id, or the end of the file's name if no line is readable.
    name: String,
    /// It belongs to the asking session.
    is_own: bool,
    /// This machine has begun it.
    is_known: bool,
}

impl Project<'_> {
    /// The active records, the asking session's first.
    fn actives(&self) -> Vec<Active> {
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
    fn the_active(&self, id: Option<&str>, verb: &str) -> Result<Active, String> {
        let is_outside = self.asker.session.is_none();
        let is_meant = |active: &Active| id.map_or(active.is_own || is_outside, |id| active.name == id);
        let mut meant = self.actives().into_iter().filter(is_meant);
        let active = meant.next().ok_or_else(|| match id {
            Some(id) => format!("no record has the id {id}; {LIST}"),
            None => format!("nothing is being recorded here; {LIST}"),
        })?;
        if id.is_none() && meant.next().is_some() {
            return Err(format!("there are several records; {LIST}"));
        }
        // A script of the user's outside of any session may name one, too.
        let is_script = is_outside && self.asker.caller == Caller::Shell(Standing::NoTerminal);
        if !active.is_own && !is_script {
            self.for_the_user(&format!("{verb} {}", active.name))?;
        }
        Ok(active)
    }

    /// Only the user may lose what was recorded, or touch the record of another session.
    fn for_the_user(&self, line: &str) -> Result<(), String> {
        let caller = self.asker.caller;
        let refusal = || caller.refusal(&format!("pause-recorder {line}"), true);
        if caller.is_operator() { Ok(()) } else { Err(refusal()) }
    }

    /// The snapshots, newest first.
    fn all_kept(&self) -> impl Iterator<Item = Kept> {
        self.sessions.ids(&[JSON]).into_iter().map(|id| self.registry.kept(&self.sessions, id))
    }

    /// The snapshot with this id. Without an id: the newest of those that are wanted.
    fn the_kept(&self, id: Option<&str>, is_wanted: fn(&Kept) -> bool) -> Result<Kept, String> {
        let is_meant = |kept: &Kept| id.map_or_else(|| is_wanted(kept), |id| kept.id == id);
        let none = || match id {
            Some(id) => format!("no snapshot has the id {id}; {LIST}"),
            None => "this project has no snapshot yet".to_owned(),
        };
        self.all_kept().find(is_meant).ok_or_else(none)
    }
}

pub(super) fn status(project: &Project<'_>, json: bool) -> Reply {
    let common: Reply = cli::status::<PauseRecorder, _>(&project.asker, json);
    if common.is_no {
        return common;
    }
    let session = project.asker.session;
    let active = session.and_then(|session| project.sessions.active(session));
    let recorded = active.and_then(|active| read(&active.path).ok()).unwrap_or_default();
    let numbers = Numbers::new(&recorded, project.asker.host.now());
    if json {
        let mut all: Map<String, Value> = serde_json::from_str(&common.text).unwrap_or_default();
        all.insert("record".to_owned(), record_value(&recorded, &numbers));
        return Reply::yes(Value::Object(all).to_string());
    }
    if session.is_none() {
        return common;
    }
    let reading = reading(project.context, &project.context.peek(), true);
    let context = match &reading {
        Some(reading) => full(reading.percent(), reading.tokens, reading.window),
        None => "not known yet; the status line and the transcript tell it".to_owned(),
    };
    let is_off = project.asker.section_in_force::<PauseRecorder>().is_ok_and(|section| !section.enabled);
    let record = if recorded.actions.is_empty() && is_off {
        "none; the hook is off".to_owned()
    } else if recorded.actions.is_empty() {
        let compacted_at = reading.as_ref().and_then(Reading::compaction_percent);
        let levels = Thresholds::new(project.context.settings, compacted_at);
        format!("none; it begins at {:.0} %, or with pause-recorder start", levels.of(Level::AutoPause))
    } else {
        let (folder, pause) = (project.sessions.told(), &numbers.pause);
        let (actions, minutes) = (counted(pause.action_count), pause.duration_seconds / 60);
        format!("{} in {folder}, {actions} in {minutes} min", recorded.id)
    };
    Reply::yes(format!("{}\ncontext: {context}\nrecord: {record}", common.text))
}

/// The record of the session with the seed's keys; null where it has none.
fn record_value(recorded: &Recorded, numbers: &Numbers) -> Value {
    let Some(last) = recorded.actions.last() else { return Value::Null };
    json!({
        "session_id": recorded.id,
        "action_count": numbers.pause.action_count,
        "duration_seconds": numbers.pause.duration_seconds,
        "context_range": numbers.pause.context_range,
        "pause_started_at": numbers.began.rfc3339(),
        "last_action_type": last.kind,
        "last_updated": last.at.rfc3339(),
    })
}

pub(super) fn list(project: &Project<'_>) -> Reply {
    let mut lines: Vec<String> = project.actives().iter().map(active_line).collect();
    lines.extend(project.all_kept().map(|kept| kept_line(&kept)));
    lines.truncate(MAX_LISTED);
    if lines.is_empty() {
        lines.push(format!("nothing in {}", project.sessions.told()));
    }
    Reply::yes(lines.join("\n"))
}

fn active_line(active: &Active) -> String {
    let whose = match (active.is_own, active.is_known) {
        (true, _) => "of this session",
        (false, true) => "of another session",
        (false, false) => "not begun on this machine",
    };
    let (actions, at) = (counted(active.recorded.actions.len() as u64), active.record.modified.local());
    format!("{}  being recorded, {actions}, {whose}, last written {at}", active.name)
}

fn kept_line(kept: &Kept) -> String {
    let (id, provenance) = (&kept.id, kept.provenance);
    let Some(snapshot) = &kept.snapshot else { return format!("{id}  cannot be read, {provenance}") };
    let actions = counted(snapshot.incremental_pause.action_count);
    format!("{id}  {}  {actions}, {provenance}", snapshot.paused_at())
}

/// Renders the JSON anew, because anybody may have written the Markdown beside it.
pub(super) fn show(project: &Project<'_>, id: Option<&str>) -> Result<Reply, String> {
    let kept = project.the_kept(id, |_| true)?;
    let snapshot = kept.snapshot.as_ref().ok_or_else(|| format!("{}.json is no snapshot", kept.id))?;
    let warning = if kept.is_ours() { String::new() } else { format!("({})\n\n", kept.provenance) };
    Ok(Reply::yes(format!("{warning}{}", markdown(snapshot).trim_end())))
}

pub(super) fn start(project: &Project<'_>) -> Result<Reply, String> {
    let session =
        project.asker.session.ok_or("there is no session here; type it as a prompt of the session")?;
    if !project.asker.section_in_force::<PauseRecorder>()?.enabled {
        return Err("it is off, so nothing would be recorded; pause-recorder status says why".to_owned());
    }
    if project.sessions.active(session).is_some() {
        return Ok(Reply::yes("this session is being recorded already; pause-recorder status says more"));
    }
    let reading = reading(project.context, &project.context.peek(), true);
    let step = Step::Append {
        session: session.to_owned(),
        transcript: project.context.request.call.transcript_path.clone(),
        actions: vec![started(session, reading.as_ref(), "command", project.asker.host.now())],
    };
    let folder = project.sessions.told();
    let text = format!("from here on this session is recorded in {folder}; pause-recorder discard drops it");
    Ok(done(text, step))
}

/// The asking session ends its record now. Another session's record ended with its last line.
pub(super) fn finalize(project: &Project<'_>, id: Option<&str>, minimal: bool) -> Result<Reply, String> {
    let Active { record, recorded, name, is_own, .. } = project.the_active(id, "finalize")?;
    if minimal {
        project.for_the_user(&format!("finalize --minimal {name}"))?;
    }
    let Project { sessions, asker, .. } = project;
    if recorded.id.is_empty() {
        return Err(format!("no line of the record can be read; pause-recorder discard {name} removes it"));
    }
    let entry = project.registry.of(&sessions.root, &name);
    let (ending, end) = if minimal { (Ending::Minimal, ARCHIVE) } else { (Ending::Full, JSON) };
    let step = Step::Finish(End {
        path: record.path,
        transcript: entry.and_then(|entry| entry.transcript.clone()),
        ending,
        at: if is_own { asker.host.now() } else { record.modified },
        commit: project.context.settings.git_commit,
    });
    let (actions, path) = (counted(recorded.actions.len() as u64), sessions.file(&name, end));
    Ok(done(format!("{name} is finalized, {actions}:\n{}", path.display()), step))
}

/// Removes a record, whatever its file holds.
pub(super) fn discard(project: &Project<'_>, id: Option<&str>) -> Result<Reply, String> {
    let Active { record, name, is_known, recorded, .. } = project.the_active(id, "discard")?;
    project.for_the_user(&format!("discard {name}"))?;
    let actions = counted(recorded.actions.len() as u64);
    let text = format!("{name} is discarded, {actions}; nothing of it is left");
    // A stranger's file must not remove our snapshot of the same id.
    let ids = is_known.then_some(name).into_iter().collect();
    Ok(done(text, Step::Remove { record: Some(record.path), ids }))
}

/// Hands over a snapshot as a new session receives it, if this machine wrote it and nobody changed it.
pub(super) fn resume(project: &Project<'_>, id: Option<&str>) -> Result<Reply, String> {
    let kept = project.the_kept(id, Kept::is_ours)?;
    let (is_ours, Kept { id, provenance, snapshot }) = (kept.is_ours(), kept);
    let Some(snapshot) = snapshot.filter(|_| is_ours) else {
        return Err(format!(
            "{id} is {provenance}, so Claude does not get it; pause-recorder show {id} shows it to you"
        ));
    };
    let text = brief_of(project.context, &project.sessions, &id, &snapshot);
    if matches!(project.asker.caller, Caller::Shell(_)) {
        return Ok(Reply::yes(text));
    }
    let told = format!("pause-recorder: Claude gets {id}, to go on from it");
    Ok(Reply { for_model: Some(format!("{ASKED}\n{text}")), ..done(told, Step::MarkRead { id }) })
}

pub(super) fn prune(project: &Project<'_>, days: u32, dry_run: bool) -> Result<Reply, String> {
    if !dry_run {
        project.for_the_user(&format!("prune --older-than {days}"))?;
    }
    let before = id_at(project.asker.host.now().minus(DAY * days));
    let active: Vec<String> = project.actives().into_iter().map(|active| active.name).collect();
    let mut ids = project.sessions.ids(&ENDS);
    ids.retain(|id| *id < before && !active.contains(id));
    if ids.is_empty() {
        return Ok(Reply::yes(format!("no snapshot of this project is older than {days} days")));
    }
    let head = if dry_run { "would be removed:" } else { "removed:" };
    let text = ids.iter().fold(head.to_owned(), |text, id| format!("{text}\n  {id}"));
    Ok(if dry_run { Reply::yes(text) } else { done(text, Step::Remove { record: None, ids }) })
}

fn done(text: String, step: Step) -> Reply {
    Reply { effects: vec![step], ..Reply::yes(text) }
}
