//! Lists snapshots and active records, and shows a snapshot.

use serde_json::{Value, json};
use shared::host::Timestamp;

use super::Reply;
use super::project::{Active, Kept, Project};
use crate::snapshot::markdown;
use crate::wording::counted;

/// The snapshots that are listed for people and for programs.
const MAX_LISTED: usize = 50;
const MAX_LISTED_IN_JSON: usize = 1_000;

pub(super) fn list(project: &Project<'_>, json: bool) -> Reply {
    let (ids, only) = (project.sessions.snapshot_ids(), project.sessions.records_only());
    let most = if json { MAX_LISTED_IN_JSON } else { MAX_LISTED };
    let actives = project.actives();
    let kept = ids.iter().take(most).map(|id| project.kept(id));
    if json {
        let only = only.iter().map(|id| record_only(project, id));
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

pub(super) fn show(project: &Project<'_>, part: Option<&str>, json: bool) -> Reply {
    let latest = || project.sessions.snapshot_ids().first().map(|id| project.kept(id));
    let found = match part {
        Some(part) => project.the_kept(part),
        None => latest().ok_or_else(|| "pause-recorder: this project has no snapshot".to_owned()),
    };
    match found {
        Ok(kept) if json => match kept.json.filter(|_| kept.snapshot.is_some()) {
            Some(text) => Reply::yes(text.trim_end()),
            None => Reply::no(format!("pause-recorder: {}.json is no snapshot", kept.id)),
        },
        Ok(kept) => page(&kept),
        Err(why) => Reply::no(why),
    }
}

/// Renders the JSON anew, because anybody may have written the Markdown beside it.
fn page(kept: &Kept) -> Reply {
    let Some(snapshot) = &kept.snapshot else {
        return Reply::no(format!("pause-recorder: {}.json is no snapshot", kept.id));
    };
    let page = markdown(snapshot);
    let page = page.trim_end();
    Reply::yes(if kept.provenance.is_ours() {
        page.to_owned()
    } else {
        format!("({})\n\n{page}", kept.provenance.word())
    })
}

fn kept_line(kept: &Kept) -> String {
    let Kept { id, provenance, snapshot, .. } = kept;
    let Some(snapshot) = snapshot else {
        return format!("{id}  cannot be read, {}", provenance.word());
    };
    let at = Timestamp::from_rfc3339(&snapshot.paused_at).map(Timestamp::local).unwrap_or_default();
    let full = snapshot.context_usage.full().map(|full| format!("{full}, ")).unwrap_or_default();
    let actions = counted(snapshot.incremental_pause.action_count);
    format!("{id}  {at}  {full}{actions}, {}", provenance.word())
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

fn kept_value(project: &Project<'_>, kept: &Kept) -> Value {
    let snapshot = kept.snapshot.as_ref();
    json!({
        "session_id": kept.id,
        "state": kept.provenance.word(),
        "paused_at": snapshot.map(|snapshot| &snapshot.paused_at),
        "percentage": snapshot.and_then(|snapshot| snapshot.context_usage.known()).map(|usage| usage.percentage),
        "action_count": snapshot.map(|snapshot| snapshot.incremental_pause.action_count),
        "path": project.sessions.files(&kept.id).json,
    })
}

fn record_only(project: &Project<'_>, id: &str) -> Value {
    json!({
        "session_id": id,
        "state": "record only",
        "paused_at": null,
        "percentage": null,
        "action_count": null,
        "path": project.sessions.files(id).archive,
    })
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
