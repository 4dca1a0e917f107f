//! Reports the context, the levels, the record and the snapshots.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;
use shared::cli;

use super::Reply;
use super::project::{Project, Provenance};
use crate::PauseRecorder;
use crate::levels::Thresholds;
use crate::models;
use crate::observe::standing;
use crate::occupancy::{Reading, Source};
use crate::record::read;
use crate::registry;
use crate::snapshot::{Summary, is_context_known, summary, whole_percent};
use crate::state::State;
use crate::wording::{counted, grouped};

/// The snapshots that are read.
const MAX_SNAPSHOTS: usize = 1_000;

/// The status in JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Status {
    /// The session's context; null where it is unknown.
    context: Option<Usage>,
    /// The percentage of each level.
    levels: Thresholds,
    /// The percentage at which Claude Code last compacted this model by itself.
    compacted_at_percent: Option<f64>,
    /// The session's record; null where it has none.
    record: Option<Summary>,
    /// The active records in the project's folder.
    active_records: usize,
    snapshots: Counts,
    /// The record says how full the context was.
    #[serde(skip)]
    is_range_known: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Usage {
    tokens_used: u64,
    tokens_total: u64,
    percentage: f64,
    model: String,
    source: &'static str,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
struct Counts {
    unread: usize,
    read: usize,
    /// Changed, or not written here.
    others: usize,
}

pub(super) fn answer(project: &Project<'_>, json: bool) -> Reply {
    let common: Reply = cli::status::<PauseRecorder, _>(&project.asker, json);
    if common.is_no {
        return common;
    }
    let status = status(project);
    Reply::yes(if json { as_json(&common.text, &status) } else { as_text(project, &common.text, &status) })
}

fn status(project: &Project<'_>) -> Status {
    let reading = project.asker.session.and_then(|_| standing(project.context));
    let compacted_at_percent = reading.as_ref().and_then(|reading| {
        let own = project.asker.store.and_then(registry::own_store)?;
        models::read(&own, &reading.model).compacted_at_percent(reading.window)
    });
    let active = project.asker.session.and_then(|session| project.sessions.active(session));
    let recorded = active.and_then(|active| read(&active.path).ok().flatten()).unwrap_or_default();
    let left_out = project.context.peek::<State>().left_out;
    Status {
        context: reading.map(usage),
        levels: Thresholds::new(project.context.settings, compacted_at_percent),
        compacted_at_percent,
        record: summary(&recorded, left_out, project.asker.host.now()),
        active_records: project.sessions.actives().len(),
        snapshots: counts(project),
        is_range_known: is_context_known(&recorded),
    }
}

fn usage(reading: Reading) -> Usage {
    Usage {
        tokens_used: reading.tokens,
        tokens_total: reading.window,
        percentage: reading.percent(),
        model: reading.model,
        source: match reading.source {
            Source::StatusLine => "status line",
            Source::Transcript => "transcript",
        },
    }
}

fn counts(project: &Project<'_>) -> Counts {
    let mut counts = Counts::default();
    for id in project.sessions.snapshot_ids().iter().take(MAX_SNAPSHOTS) {
        match project.kept(id).provenance {
            Provenance::Unread => counts.unread += 1,
            Provenance::Read => counts.read += 1,
            Provenance::Changed | Provenance::Foreign => counts.others += 1,
        }
    }
    counts
}

fn as_json(common: &str, status: &Status) -> String {
    let mut all: Value = serde_json::from_str(common).unwrap_or_default();
    if let (Some(all), Ok(Value::Object(more))) = (all.as_object_mut(), serde_json::to_value(status)) {
        all.extend(more);
    }
    all.to_string()
}

fn as_text(project: &Project<'_>, common: &str, status: &Status) -> String {
    let Thresholds { caution, warning, auto_pause, critical } = status.levels;
    let mut levels = format!(
        "levels: caution at {caution:.0} %, warning at {warning:.0} %, the record begins at {auto_pause:.0} %, critical at {critical:.0} %"
    );
    if let Some(percent) = status.compacted_at_percent {
        let _ = write!(levels, "; this model was last compacted at {percent:.0} %");
    }
    let told = project.sessions.told();
    let Counts { unread, read, others } = status.snapshots;
    let foreign =
        if others > 0 { format!(", {others} not as written on this machine") } else { String::new() };
    let snapshots = format!("snapshots in {told}: {unread} unread, {read} read{foreign}");
    let mut lines = vec![common.to_owned()];
    match project.asker.session {
        Some(_) => lines.extend([context_line(status.context.as_ref()), levels, record_line(&told, status)]),
        None => lines.extend([levels, format!("records in {told}: {} active", status.active_records)]),
    }
    lines.push(snapshots);
    lines.join("\n")
}

fn context_line(usage: Option<&Usage>) -> String {
    let Some(Usage { tokens_used, tokens_total, percentage, source, .. }) = usage else {
        return "context: not known yet; the status line and the transcript tell it".to_owned();
    };
    let (used, total) = (grouped(*tokens_used), grouped(*tokens_total));
    format!("context: {:.0} % full ({used} of {total} tokens), by the {source}", percentage.floor())
}

fn record_line(told: &str, status: &Status) -> String {
    let Some(Summary { session_id, action_count, duration_seconds, context_range: [first, last], .. }) =
        &status.record
    else {
        return "record: none; pause-recorder start begins one".to_owned();
    };
    let minutes = duration_seconds / 60;
    let mut line = format!("record: {session_id} in {told}, {} in {minutes} min", counted(*action_count));
    if status.is_range_known {
        let _ = write!(line, ", context {:.0} to {:.0} %", whole_percent(*first), whole_percent(*last));
    }
    line
}
