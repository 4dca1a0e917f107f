//! What there is: snapshots, and records that are not over.

use serde_json::{Value, json};
use shared::host::Timestamp;
use shared::state::read_regular;

use super::Reply;
use super::desk::{Desk, Going, Kept};
use crate::snapshot::markdown;
use crate::wording::counted;

/// So many snapshots are listed for people, and so many for programs.
const MAX_LISTED: usize = 50;
const MAX_LISTED_IN_JSON: usize = 1_000;

/// A page is a few thousand bytes.
const MAX_PAGE_BYTES: u64 = 4 * 1024 * 1024;

pub(super) fn list(desk: &Desk<'_>, json: bool) -> Reply {
    let ids = desk.sessions.snapshot_ids();
    let going = desk.going();
    let most = if json { MAX_LISTED_IN_JSON } else { MAX_LISTED };
    let kept: Vec<Kept> = ids.iter().take(most).map(|id| desk.kept(id)).collect();
    if json {
        let only = desk.records_only();
        let only = only.iter().map(|id| of_record_only(desk, id));
        let snapshots: Vec<Value> = kept.iter().map(|kept| of_kept(desk, kept)).chain(only).collect();
        let records: Vec<Value> = going.iter().map(of_going).collect();
        return Reply::yes(json!({ "snapshots": snapshots, "records": records }).to_string());
    }
    let mut lines: Vec<String> = going.iter().map(going_line).collect();
    lines.extend(kept.iter().map(kept_line));
    lines.extend(older(ids.len(), most, "ones"));
    let only = desk.records_only();
    lines.extend(only.iter().take(most).map(|id| format!("{id}  record only, no snapshot")));
    lines.extend(older(only.len(), most, "records without a snapshot"));
    if lines.is_empty() {
        lines.push(format!("nothing in {}", desk.sessions.told()));
    }
    Reply::yes(lines.join("\n"))
}

/// How many are not listed.
fn older(there: usize, listed: usize, what: &str) -> Option<String> {
    (there > listed).then(|| format!("and {} older {what}", there - listed))
}

pub(super) fn show(desk: &Desk<'_>, part: Option<&str>, json: bool) -> Reply {
    let found = match part {
        Some(part) => desk.the_kept(part),
        None => match desk.sessions.snapshot_ids().first() {
            Some(id) => Ok(desk.kept(id)),
            None => Err("pause-recorder: this project has no snapshot".to_owned()),
        },
    };
    let kept = match found {
        Ok(kept) => kept,
        Err(why) => return Reply::no(why),
    };
    if json {
        let is_json = |text: &String| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        return match kept.json.filter(is_json) {
            Some(text) => Reply::yes(text.trim_end()),
            None => Reply::no(format!("pause-recorder: {}.json cannot be read as JSON", kept.id)),
        };
    }
    let Some(page) = page(desk, &kept) else {
        return Reply::no(format!("pause-recorder: {}.md cannot be read", kept.id));
    };
    let page = page.trim_end();
    Reply::yes(if kept.whose.is_ours() {
        page.to_owned()
    } else {
        format!("({})\n\n{page}", kept.whose.word())
    })
}

/// What could move a terminal's cursor is left out: anybody may have written it.
fn page(desk: &Desk<'_>, kept: &Kept) -> Option<String> {
    let read = read_regular(&desk.sessions.files(&kept.id).markdown, MAX_PAGE_BYTES).ok();
    let text = read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let text = text.or_else(|| kept.snapshot.as_ref().map(markdown))?;
    Some(text.chars().filter(|char| !char.is_control() || matches!(char, '\n' | '\t')).collect())
}

fn when(kept: &Kept) -> Option<Timestamp> {
    Timestamp::from_rfc3339(&kept.snapshot.as_ref()?.paused_at)
}

fn kept_line(kept: &Kept) -> String {
    let Kept { id, whose, snapshot, .. } = kept;
    let Some(snapshot) = snapshot else {
        return format!("{id}  cannot be read, {}", whose.word());
    };
    let at = when(kept).map(Timestamp::local).unwrap_or_default();
    let full = snapshot.context_usage.full().map(|full| format!("{full}, ")).unwrap_or_default();
    let actions = counted(snapshot.incremental_pause.action_count);
    format!("{id}  {at}  {full}{actions}, {}", whose.word())
}

fn going_line(going: &Going) -> String {
    let at = going.record.modified.local();
    let whose = match (going.is_own, going.is_known) {
        (true, _) => "of this session".to_owned(),
        (false, true) => format!("of another session, silent since {at}"),
        (false, false) => format!("not begun on this machine, silent since {at}"),
    };
    let what = if going.recorded.actions.is_empty() { "no line can be read" } else { "being recorded" };
    let (name, actions) = (&going.name, counted(going.actions()));
    format!("{name}  {what}, {actions}, {whose}")
}

fn of_kept(desk: &Desk<'_>, kept: &Kept) -> Value {
    json!({
        "session_id": kept.id,
        "state": kept.whose.word(),
        "paused_at": kept.snapshot.as_ref().map(|snapshot| &snapshot.paused_at),
        "percentage": kept.snapshot.as_ref().and_then(|snapshot| snapshot.context_usage.known()).map(|usage| usage.percentage),
        "action_count": kept.snapshot.as_ref().map(|snapshot| snapshot.incremental_pause.action_count),
        "path": desk.sessions.files(&kept.id).json,
    })
}

/// A record that was archived without a snapshot.
fn of_record_only(desk: &Desk<'_>, id: &str) -> Value {
    json!({
        "session_id": id,
        "state": "record only",
        "paused_at": null,
        "percentage": null,
        "action_count": null,
        "path": desk.sessions.files(id).archive,
    })
}

fn of_going(going: &Going) -> Value {
    json!({
        "session_id": going.name,
        "own": going.is_own,
        "known": going.is_known,
        "last_updated": going.record.modified.rfc3339(),
        "action_count": going.recorded.actions.len(),
        "skipped_lines": going.recorded.skipped_lines,
        "path": going.record.path,
    })
}
