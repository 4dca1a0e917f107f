//! Reports: the session's standing, the snapshots of the project, one snapshot.

use serde_json::{Map, Value, json};
use shared::cli;
use shared::host::Timestamp;

use super::Reply;
use super::project::{Active, Kept, Project, Provenance};
use crate::PauseRecorder;
use crate::levels::{Level, Thresholds};
use crate::models::believed_percent;
use crate::occupancy::{Reading, Source};
use crate::reading::{learnt, reading};
use crate::record::{ARCHIVE, JSON, Recorded, read};
use crate::snapshot::{Numbers, markdown, tokens_total, whole_percent};
use crate::state::State;
use crate::wording::{counted, grouped};

/// The snapshots that are listed for people.
const MAX_LISTED: usize = 50;

/// The snapshots that are listed or counted for programs.
const MAX_IN_JSON: usize = 1_000;

pub(super) fn status(project: &Project<'_>, json: bool) -> Reply {
    let common: Reply = cli::status::<PauseRecorder, _>(&project.asker, json);
    if common.is_no {
        return common;
    }
    let state: State = project.context.peek();
    let session = project.asker.session;
    let reading = session.and_then(|_| reading(project.context, &state, true));
    let compacted_at = reading.as_ref().and_then(|reading| {
        let known = learnt(project.context, &State::default(), reading)?;
        believed_percent(known.tokens, reading.window)
    });
    let active = session.and_then(|session| project.sessions.active(session));
    let recorded = active.and_then(|active| read(&active.path).ok().flatten()).unwrap_or_default();
    let numbers = Numbers::new(&recorded, state.left_out, project.asker.host.now());
    let levels = Thresholds::new(project.context.settings, compacted_at);
    let [unread, read, others] = counts(project);
    if json {
        let mut all: Map<String, Value> = serde_json::from_str(&common.text).unwrap_or_default();
        let own = json!({
            "context": reading.as_ref().map(usage_value),
            "levels": levels,
            "compacted_at_percent": compacted_at,
            "record": record_value(&recorded, &numbers),
            "active_records": project.sessions.actives().len(),
            "snapshots": { "unread": unread, "read": read, "others": others },
        });
        all.extend(own.as_object().cloned().unwrap_or_default());
        return Reply::yes(Value::Object(all).to_string());
    }
    let told = project.sessions.told();
    let foreign =
        if others > 0 { format!(", {others} not as written on this machine") } else { String::new() };
    let levels = levels_line(&levels, compacted_at);
    let mut lines = vec![common.text];
    if session.is_some() {
        lines.extend([context_line(reading.as_ref()), levels, record_line(&told, &recorded, &numbers)]);
    } else {
        lines.extend([levels, format!("records in {told}: {} active", project.sessions.actives().len())]);
    }
    lines.push(format!("snapshots in {told}: {unread} unread, {read} read{foreign}"));
    Reply::yes(lines.join("\n"))
}

/// How many snapshots are unread, read, and neither.
fn counts(project: &Project<'_>) -> [usize; 3] {
    let mut counts = [0; 3];
    for id in project.sessions.snapshot_ids().iter().take(MAX_IN_JSON) {
        let at = match project.kept(id).provenance {
            Provenance::Unread => 0,
            Provenance::Read => 1,
            Provenance::Changed | Provenance::Foreign => 2,
        };
        counts[at] += 1;
    }
    counts
}

fn source(reading: &Reading) -> &'static str {
    match reading.source {
        Source::StatusLine => "status line",
        Source::Transcript => "transcript",
    }
}

fn usage_value(reading: &Reading) -> Value {
    json!({
        "tokens_used": reading.tokens,
        "tokens_total": reading.window,
        "percentage": reading.percent(),
        "model": reading.model,
        "source": source(reading),
    })
}

/// The record of the session with the seed's keys; null where it has none.
fn record_value(recorded: &Recorded, numbers: &Numbers) -> Value {
    let Some(last) = recorded.actions.last() else { return Value::Null };
    json!({
        "session_id": recorded.id,
        "action_count": numbers.actions,
        "duration_seconds": numbers.seconds(),
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
    let (used, total) = (grouped(reading.tokens), grouped(reading.window));
    let percent = reading.percent().floor();
    format!("context: {percent:.0} % full ({used} of {total} tokens), by the {}", source(reading))
}

fn levels_line(levels: &Thresholds, compacted_at: Option<f64>) -> String {
    let [caution, warning, auto_pause, critical] =
        [Level::Caution, Level::Warning, Level::AutoPause, Level::Critical].map(|level| levels.of(level));
    let compacted = compacted_at
        .map(|percent| format!("; this model was last compacted at {percent:.0} %"))
        .unwrap_or_default();
    format!(
        "levels: caution at {caution:.0} %, warning at {warning:.0} %, the record begins at {auto_pause:.0} %, critical at {critical:.0} %{compacted}"
    )
}

fn record_line(told: &str, recorded: &Recorded, numbers: &Numbers) -> String {
    if recorded.actions.is_empty() {
        return "record: none; pause-recorder start begins one".to_owned();
    }
    let [first, last] = numbers.range.map(whole_percent);
    let is_known = tokens_total(recorded) > 0;
    let range = if is_known { format!(", context {first:.0} to {last:.0} %") } else { String::new() };
    let (actions, minutes) = (counted(numbers.actions), numbers.seconds() / 60);
    format!("record: {} in {told}, {actions} in {minutes} min{range}", recorded.id)
}

pub(super) fn list(project: &Project<'_>, json: bool) -> Reply {
    let (ids, only) = (project.sessions.snapshot_ids(), project.sessions.records_only());
    let most = if json { MAX_IN_JSON } else { MAX_LISTED };
    let actives = project.actives();
    let kept = ids.iter().take(most).map(|id| project.kept(id));
    if json {
        let only = only.iter().map(|id| {
            let path = project.sessions.file(id, ARCHIVE);
            json!({
                "session_id": id, "state": "record only", "paused_at": null, "percentage": null,
                "action_count": null, "path": path,
            })
        });
        let snapshots: Vec<Value> = kept.map(|kept| kept_value(project, &kept)).chain(only).collect();
        let records: Vec<Value> = actives.iter().map(active_value).collect();
        return Reply::yes(json!({ "snapshots": snapshots, "records": records }).to_string());
    }
    let mut lines: Vec<String> = actives.iter().map(active_line).collect();
    lines.extend(kept.map(|kept| kept_line(&kept)));
    lines.extend(only.iter().take(most).map(|id| format!("{id}  record only, no snapshot")));
    let hidden = ids.len().saturating_sub(most) + only.len().saturating_sub(most);
    lines.extend((hidden > 0).then(|| format!("and {hidden} older ones")));
    if lines.is_empty() {
        lines.push(format!("nothing in {}", project.sessions.told()));
    }
    Reply::yes(lines.join("\n"))
}

fn kept_line(kept: &Kept) -> String {
    let (id, provenance) = (&kept.id, kept.provenance.word());
    let Some(snapshot) = &kept.snapshot else { return format!("{id}  cannot be read, {provenance}") };
    let at = Timestamp::from_rfc3339(&snapshot.paused_at).map(Timestamp::local).unwrap_or_default();
    let full = snapshot.context_usage.known().map(|percent| format!("{:.0} % full, ", percent.floor()));
    let actions = counted(snapshot.incremental_pause.action_count);
    format!("{id}  {at}  {}{actions}, {provenance}", full.unwrap_or_default())
}

fn kept_value(project: &Project<'_>, kept: &Kept) -> Value {
    let snapshot = kept.snapshot.as_ref();
    json!({
        "session_id": kept.id,
        "state": kept.provenance.word(),
        "paused_at": snapshot.map(|snapshot| &snapshot.paused_at),
        "percentage": snapshot.and_then(|snapshot| snapshot.context_usage.known()),
        "action_count": snapshot.map(|snapshot| snapshot.incremental_pause.action_count),
        "path": project.sessions.file(&kept.id, JSON),
    })
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

fn active_value(active: &Active) -> Value {
    json!({
        "session_id": active.name,
        "own": active.is_own,
        "known": active.is_known,
        "last_updated": active.record.modified.rfc3339(),
        "action_count": active.recorded.actions.len(),
        "skipped_lines": active.recorded.skipped_lines,
        "path": active.record.path,
    })
}

/// Renders the JSON anew, because anybody may have written the Markdown beside it.
pub(super) fn show(project: &Project<'_>, part: Option<&str>, json: bool) -> Result<Reply, String> {
    let kept = match (part, project.sessions.snapshot_ids().first()) {
        (Some(part), _) => project.the_kept(part)?,
        (None, Some(latest)) => project.kept(latest),
        (None, None) => return Err("this project has no snapshot".to_owned()),
    };
    let snapshot = kept.snapshot.ok_or_else(|| format!("{}.json is no snapshot", kept.id))?;
    if json {
        return Ok(Reply::yes(kept.json.unwrap_or_default().trim_end()));
    }
    let page = markdown(&snapshot);
    let warning =
        if kept.provenance.is_ours() { String::new() } else { format!("({})\n\n", kept.provenance.word()) };
    Ok(Reply::yes(format!("{warning}{}", page.trim_end())))
}
