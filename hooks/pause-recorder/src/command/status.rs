//! How things stand: the context, the levels, the record, the snapshots.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;
use shared::cli;

use super::desk::{Desk, Whose};
use super::{Reply, counted};
use crate::PauseRecorder;
use crate::levels::Thresholds;
use crate::models;
use crate::observe::standing;
use crate::occupancy::{Reading, Source};
use crate::shelf;
use crate::snapshot::{Summary, summary};
use crate::state::State;
use crate::wording::grouped;

/// How things stand.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Standing {
    /// How full this session's context is; null where it is not known.
    context: Option<Context>,
    /// At how many percent each level is reached.
    levels: Levels,
    /// Where the client compacted this model by itself last, in percent.
    compacted_at_percent: Option<f64>,
    /// This session's record; null where it has none.
    record: Option<Summary>,
    /// What lies in the project's folder.
    snapshots: Snapshots,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Context {
    tokens_used: u64,
    tokens_total: u64,
    percentage: f64,
    model: String,
    source: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Levels {
    caution: f64,
    warning: f64,
    auto_pause: f64,
    critical: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
struct Snapshots {
    /// Written here, and no session was told of it.
    unread: usize,
    /// Written here, and a session was told of it.
    read: usize,
    /// Changed, or not written here.
    others: usize,
}

/// So many are looked at: each is a file.
const MAX_SNAPSHOTS: usize = 1_000;

pub(super) fn answer(desk: &Desk<'_>, json: bool) -> Reply {
    let line = if json { "pause-recorder status --json" } else { "pause-recorder status" };
    let common = cli::typed::<PauseRecorder>(line, &desk.asker).unwrap_or_default();
    if common.is_no {
        return Reply::no(common.text);
    }
    let standing = stand(desk);
    Reply::yes(if json { as_json(&common.text, &standing) } else { as_text(desk, &common.text, &standing) })
}

fn stand(desk: &Desk<'_>) -> Standing {
    let reading = desk.asker.session.and_then(|_| standing(desk.seen));
    let compacted_at_percent = reading.as_ref().and_then(|reading| compacted_at(desk, reading));
    let Thresholds { caution, warning, auto_pause, critical } =
        Thresholds::new(desk.seen.settings, compacted_at_percent);
    Standing {
        context: reading.as_ref().map(context),
        levels: Levels { caution, warning, auto_pause, critical },
        compacted_at_percent,
        record: record(desk),
        snapshots: snapshots(desk),
    }
}

fn compacted_at(desk: &Desk<'_>, reading: &Reading) -> Option<f64> {
    let own = desk.asker.store.and_then(shelf::own_store)?;
    models::read(&own, &reading.model).compacted_at_percent(reading.window)
}

fn context(reading: &Reading) -> Context {
    Context {
        tokens_used: reading.tokens,
        tokens_total: reading.window,
        percentage: reading.percent(),
        model: reading.model.clone(),
        source: match reading.source {
            Source::StatusLine => "status line",
            Source::Transcript => "transcript",
        },
    }
}

fn record(desk: &Desk<'_>) -> Option<Summary> {
    let record = desk.sessions.active(desk.asker.session?)?;
    let left_out = desk.seen.peek::<State>().left_out;
    summary(&record.read().ok()?, left_out, desk.asker.host.now())
}

fn snapshots(desk: &Desk<'_>) -> Snapshots {
    let mut counted = Snapshots::default();
    for id in desk.sessions.snapshot_ids().iter().take(MAX_SNAPSHOTS) {
        match desk.kept(id).whose {
            Whose::Unread => counted.unread += 1,
            Whose::Read => counted.read += 1,
            Whose::Changed | Whose::Foreign => counted.others += 1,
        }
    }
    counted
}

fn as_json(common: &str, standing: &Standing) -> String {
    let mut all: Value = serde_json::from_str(common).unwrap_or_default();
    if let (Some(all), Ok(Value::Object(more))) = (all.as_object_mut(), serde_json::to_value(standing)) {
        all.extend(more);
    }
    all.to_string()
}

fn as_text(desk: &Desk<'_>, common: &str, standing: &Standing) -> String {
    let Levels { caution, warning, auto_pause, critical } = standing.levels;
    let mut levels = format!(
        "levels: caution at {caution:.0} %, warning at {warning:.0} %, the record begins at {auto_pause:.0} %, critical at {critical:.0} %"
    );
    if let Some(percent) = standing.compacted_at_percent {
        let _ = write!(levels, "; this model was last compacted at {percent:.0} %");
    }
    let mut lines = vec![common.to_owned()];
    lines.extend(desk.asker.session.map(|_| context_line(standing.context.as_ref())));
    lines.push(levels);
    lines.extend(desk.asker.session.map(|_| record_line(desk, standing.record.as_ref())));
    lines.push(snapshots_line(desk, standing.snapshots));
    lines.join("\n")
}

fn context_line(context: Option<&Context>) -> String {
    context.map_or_else(
        || "context: not known yet; the status line and the transcript tell it".to_owned(),
        |context| {
            format!(
                "context: {:.0} % full ({} of {} tokens), by the {}",
                context.percentage.floor(),
                grouped(context.tokens_used),
                grouped(context.tokens_total),
                context.source
            )
        },
    )
}

fn record_line(desk: &Desk<'_>, record: Option<&Summary>) -> String {
    let Some(Summary { session_id, action_count, duration_seconds, context_range: [first, last], .. }) =
        record
    else {
        let is_there = desk.asker.session.is_some_and(|session| desk.sessions.active(session).is_some());
        let no = "record: none; pause-recorder start begins one";
        let damaged = "record: no line of it can be read; pause-recorder discard removes it";
        return if is_there { damaged } else { no }.to_owned();
    };
    let minutes = duration_seconds / 60;
    format!(
        "record: {session_id} in {}, {} in {minutes} min, context {:.0} to {:.0} %",
        desk.sessions.told(),
        counted(*action_count),
        first * 100.0,
        last * 100.0
    )
}

fn snapshots_line(desk: &Desk<'_>, snapshots: Snapshots) -> String {
    let Snapshots { unread, read, others } = snapshots;
    let mut line = format!("snapshots in {}: {unread} unread, {read} read", desk.sessions.told());
    if others > 0 {
        let _ = write!(line, ", {others} not as written on this machine");
    }
    line
}
