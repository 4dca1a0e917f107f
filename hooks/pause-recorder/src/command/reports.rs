//! Reports: the session's standing, the snapshots of the project, one snapshot.

use serde_json::{Map, Value, json};
use shared::cli;

use super::Reply;
use super::project::{Active, Kept, Project};
use crate::PauseRecorder;
use crate::levels::{Level, Thresholds};
use crate::occupancy::{Reading, Source};
use crate::reading::{learnt, reading};
use crate::record::{Recorded, read};
use crate::snapshot::{Numbers, markdown};
use crate::state::State;
use crate::wording::{counted, grouped};

/// The lines of `list`.
const MAX_LISTED: usize = 100;

pub(super) fn status(project: &Project<'_>, json: bool) -> Reply {
    let common: Reply = cli::status::<PauseRecorder, _>(&project.asker, json);
    if common.is_no {
        return common;
    }
    let state: State = project.context.peek();
    let session = project.asker.session;
    let active = session.and_then(|session| project.sessions.active(session));
    let recorded = active.and_then(|active| read(&active.path).ok().flatten()).unwrap_or_default();
    let numbers = Numbers::new(&recorded, state.left_out, project.asker.host.now());
    if json {
        let mut all: Map<String, Value> = serde_json::from_str(&common.text).unwrap_or_default();
        all.insert("record".to_owned(), record_value(&recorded, &numbers));
        return Reply::yes(Value::Object(all).to_string());
    }
    let reading = session.and_then(|_| reading(project.context, &state, true));
    let told = project.sessions.told();
    let mut lines = vec![common.text];
    lines.extend(session.map(|_| context_line(reading.as_ref())));
    lines.push(levels_line(project, reading.as_ref()));
    lines.extend(session.map(|_| record_line(&told, &recorded, &numbers)));
    let (records, snapshots) = (project.sessions.actives().len(), project.sessions.snapshot_ids().len());
    let counted = |number, noun| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let (records, snapshots) = (counted(records, "active record"), counted(snapshots, "snapshot"));
    lines.push(format!("in {told}: {records}, {snapshots}; pause-recorder list shows them"));
    Reply::yes(lines.join("\n"))
}

/// The record of the session with the seed's keys; null where it has none.
fn record_value(recorded: &Recorded, numbers: &Numbers) -> Value {
    let Some(last) = recorded.actions.last() else { return Value::Null };
    json!({
        "session_id": recorded.id,
        "action_count": numbers.actions,
        "duration_seconds": numbers.seconds,
        "context_range": numbers.range,
        "pause_started_at": numbers.began.rfc3339(),
        "last_action_type": last.kind,
        "last_updated": last.at.rfc3339(),
    })
}

fn context_line(reading: Option<&Reading>) -> String {
    let Some(reading) = reading else {
        return "context: not known yet; the status line and the transcript tell it".to_owned();
    };
    let source = match reading.source {
        Source::StatusLine => "status line",
        Source::Transcript => "transcript",
    };
    let (used, total) = (grouped(reading.tokens), grouped(reading.window));
    format!("context: {:.0} % full ({used} of {total} tokens), by the {source}", reading.percent().floor())
}

fn levels_line(project: &Project<'_>, reading: Option<&Reading>) -> String {
    let compacted_at = reading
        .and_then(|reading| learnt(project.context, &State::default(), reading)?.percent(reading.window));
    let levels = Thresholds::new(project.context.settings, compacted_at);
    let [caution, warning, auto_pause, critical] =
        [Level::Caution, Level::Warning, Level::AutoPause, Level::Critical].map(|level| levels.of(level));
    format!(
        "levels: caution at {caution:.0} %, warning at {warning:.0} %, the record begins at {auto_pause:.0} %, critical at {critical:.0} %"
    )
}

fn record_line(told: &str, recorded: &Recorded, numbers: &Numbers) -> String {
    if recorded.actions.is_empty() {
        return "record: none; pause-recorder start begins one".to_owned();
    }
    let (actions, minutes) = (counted(numbers.actions), numbers.seconds / 60);
    format!("record: {} in {told}, {actions} in {minutes} min", recorded.id)
}

pub(super) fn list(project: &Project<'_>) -> Reply {
    let snapshots = project.sessions.snapshot_ids();
    let only = project.sessions.kept_ids().into_iter().filter(|id| !snapshots.contains(id));
    let mut lines: Vec<String> = project.actives().iter().map(active_line).collect();
    lines.extend(project.all_kept().iter().map(kept_line));
    lines.extend(only.map(|id| format!("{id}  record only, no snapshot")));
    lines.truncate(MAX_LISTED);
    if lines.is_empty() {
        lines.push(format!("nothing in {}", project.sessions.told()));
    }
    Reply::yes(lines.join("\n"))
}

fn active_line(active: &Active) -> String {
    let at = active.record.modified.local();
    let whose = match (active.is_own, active.is_known) {
        (true, _) => "of this session".to_owned(),
        (false, true) => format!("of another session, silent since {at}"),
        (false, false) => format!("not begun on this machine, silent since {at}"),
    };
    let actions = active.recorded.actions.len() as u64;
    let what = if actions == 0 { "no line can be read" } else { "being recorded" };
    format!("{}  {what}, {}, {whose}", active.name, counted(actions))
}

fn kept_line(kept: &Kept) -> String {
    let (id, provenance) = (&kept.id, kept.provenance);
    let Some(snapshot) = &kept.snapshot else { return format!("{id}  cannot be read, {provenance}") };
    let full = snapshot.percent().map(|percent| format!("{percent:.0} % full, ")).unwrap_or_default();
    let actions = counted(snapshot.incremental_pause.action_count);
    format!("{id}  {}  {full}{actions}, {provenance}", snapshot.paused_at())
}

/// Renders the JSON anew, because anybody may have written the Markdown beside it.
pub(super) fn show(project: &Project<'_>, id: Option<&str>) -> Result<Reply, String> {
    let latest = project.sessions.snapshot_ids().into_iter().next();
    let id = id.map(ToOwned::to_owned).or(latest).ok_or("this project has no snapshot")?;
    let kept = project.the_kept(&id)?;
    let snapshot = kept.snapshot.as_ref().ok_or_else(|| format!("{}.json is no snapshot", kept.id))?;
    let warning = if kept.is_ours() { String::new() } else { format!("({})\n\n", kept.provenance) };
    Ok(Reply::yes(format!("{warning}{}", markdown(snapshot).trim_end())))
}
