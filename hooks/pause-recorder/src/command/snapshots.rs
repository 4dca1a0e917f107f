//! Hands over and removes snapshots.

use shared::host::{DAY, Timestamp};
use shared::messages::Texts;

use super::Reply;
use super::project::{Kept, Project, Provenance};
use crate::brief::{BRIEF, brief};
use crate::step::Step;

/// Precedes the brief where the user has asked for it.
const ASKED: &str = "The user has typed `pause-recorder resume`: they ask you to go on from the snapshot below. Read its file, say in a line where it stands, and go on with what is open.";

/// Hands over a snapshot as a new session receives it, if this machine wrote it and nobody changed it.
pub(super) fn resume(project: &Project<'_>, part: Option<&str>) -> Reply {
    let none = || "pause-recorder: this project has no snapshot that was written on this machine".to_owned();
    let found = match part {
        Some(part) => project.the_kept(part),
        None => latest(project).ok_or_else(none),
    };
    let Kept { id, provenance, snapshot, .. } = match found {
        Ok(kept) => kept,
        Err(why) => return Reply::no(why),
    };
    let Some(snapshot) = snapshot.filter(|_| provenance.is_ours()) else {
        return Reply::no(format!(
            "pause-recorder: {id} is {}, so Claude does not get it; pause-recorder show {id} shows it to you",
            provenance.word()
        ));
    };
    let mut texts =
        Texts::new(&project.context.settings.message_files, project.asker.host, project.asker.places);
    let path = project.sessions.told_of(&project.sessions.files(&id).json);
    let text = brief(&texts.read(BRIEF), &snapshot, &path);
    if !project.is_prompt {
        return Reply::yes(text);
    }
    let for_model = Some(format!("{ASKED}\n{text}"));
    let told = format!("pause-recorder: Claude gets {path}, to go on from it");
    Reply { for_model, effects: vec![Step::MarkRead { id }], ..Reply::yes(told) }
}

/// The latest unread snapshot of this machine, else the latest.
fn latest(project: &Project<'_>) -> Option<Kept> {
    let ids = project.sessions.snapshot_ids();
    let ours = ids.iter().map(|id| project.kept(id)).filter(|kept| kept.provenance.is_ours());
    let ours: Vec<Kept> = ours.collect();
    let unread = ours.iter().find(|kept| kept.provenance == Provenance::Unread);
    unread.or(ours.first()).cloned()
}

pub(super) fn prune(project: &Project<'_>, days: u32, dry_run: bool) -> Reply {
    if !dry_run && !project.asker.caller.is_operator() {
        return Reply::no(project.refusal(&format!("pause-recorder prune --older-than {days}")));
    }
    let before = project.asker.host.now().minus(DAY * days);
    let active: Vec<String> = project.actives().into_iter().map(|active| active.name).collect();
    let is_old = |id: &String| began(id).is_some_and(|at| at < before) && !active.contains(id);
    let ids: Vec<String> = project.sessions.kept_ids().into_iter().rev().filter(is_old).collect();
    if ids.is_empty() {
        let days = if days == 1 { "1 day".to_owned() } else { format!("{days} days") };
        return Reply::yes(format!("no snapshot of this project is older than {days}"));
    }
    let head = if dry_run { "would be removed:" } else { "removed:" };
    let lines = ids.iter().map(|id| format!("  {id}"));
    let text = std::iter::once(head.to_owned()).chain(lines).collect::<Vec<_>>().join("\n");
    let effects = if dry_run { Vec::new() } else { vec![Step::Remove { ids }] };
    Reply { effects, ..Reply::yes(text) }
}

/// The beginning of the record with this id.
fn began(id: &str) -> Option<Timestamp> {
    let digits: String = id.chars().filter(char::is_ascii_digit).take(14).collect();
    let part = |from: usize, to: usize| digits.get(from..to);
    let (date, time) = (
        format!("{}-{}-{}", part(0, 4)?, part(4, 6)?, part(6, 8)?),
        format!("{}:{}:{}", part(8, 10)?, part(10, 12)?, part(12, 14)?),
    );
    Timestamp::from_rfc3339(&format!("{date}T{time}Z"))
}
