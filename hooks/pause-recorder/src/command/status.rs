//! How things stand: the context, the levels, the record, the snapshots.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;
use shared::cli;

use super::Reply;
use super::desk::{Desk, Whose};
use crate::PauseRecorder;
use crate::levels::Thresholds;
use crate::models;
use crate::observe::standing;
use crate::occupancy::{Reading, Source};
use crate::shelf;
use crate::snapshot::{Summary, is_context_known, summary, whole_percent};
use crate::state::State;
use crate::wording::{counted, grouped};

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
    /// Records in the project's folder that are not over, whosever they are.
    active_records: usize,
    /// What lies in the project's folder.
    snapshots: Snapshots,
    /// How full the context is stands in the record.
    #[serde(skip)]
    is_range_known: bool,
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
    let common: Reply = cli::status::<PauseRecorder, _>(&desk.asker, json);
    if common.is_no {
        return common;
    }
    let standing = stand(desk);
    Reply::yes(if json { as_json(&common.text, &standing) } else { as_text(desk, &common.text, &standing) })
}

fn stand(desk: &Desk<'_>) -> Standing {
    let reading = desk.asker.session.and_then(|_| standing(desk.context));
    let compacted_at_percent = reading.as_ref().and_then(|reading| compacted_at(desk, reading));
    let Thresholds { caution, warning, auto_pause, critical } =
        Thresholds::new(desk.context.settings, compacted_at_percent);
    let (record, is_range_known) = record(desk).unzip();
    Standing {
        context: reading.as_ref().map(context),
        levels: Levels { caution, warning, auto_pause, critical },
        compacted_at_percent,
        record,
        active_records: desk.sessions.actives().len(),
        snapshots: snapshots(desk),
        is_range_known: is_range_known.unwrap_or_default(),
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

/// With whether it tells how full the context is.
fn record(desk: &Desk<'_>) -> Option<(Summary, bool)> {
    let recorded = desk.sessions.active(desk.asker.session?)?.read().ok()?;
    let left_out = desk.context.peek::<State>().left_out;
    let summary = summary(&recorded, left_out, desk.asker.host.now())?;
    Some((summary, is_context_known(&recorded)))
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
    lines.push(match desk.asker.session {
        Some(_) => record_line(desk, standing),
        None => active_line(desk, standing.active_records),
    });
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

/// A terminal is no session's: how many have a record.
fn active_line(desk: &Desk<'_>, active: usize) -> String {
    let told = desk.sessions.told();
    match active {
        0 => format!("records in {told}: none active"),
        active => format!("records in {told}: {active} active; pause-recorder list names them"),
    }
}

fn record_line(desk: &Desk<'_>, standing: &Standing) -> String {
    let Some(Summary { session_id, action_count, duration_seconds, context_range: [first, last], .. }) =
        &standing.record
    else {
        return no_record_line(desk).to_owned();
    };
    let minutes = duration_seconds / 60;
    let mut line = format!(
        "record: {session_id} in {}, {} in {minutes} min",
        desk.sessions.told(),
        counted(*action_count)
    );
    if standing.is_range_known {
        let _ = write!(line, ", context {:.0} to {:.0} %", whole_percent(*first), whole_percent(*last));
    }
    line
}

fn no_record_line(desk: &Desk<'_>) -> &'static str {
    let session = desk.asker.session.unwrap_or_default();
    match () {
        () if desk.sessions.active(session).is_some() => {
            "record: no line of it can be read; pause-recorder discard removes it"
        }
        () if desk.off(session).is_some() => "record: none",
        () => "record: none; pause-recorder start begins one",
    }
}

fn snapshots_line(desk: &Desk<'_>, snapshots: Snapshots) -> String {
    let Snapshots { unread, read, others } = snapshots;
    let mut line = format!("snapshots in {}: {unread} unread, {read} read", desk.sessions.told());
    if others > 0 {
        let _ = write!(line, ", {others} not as written on this machine");
    }
    line
}
