//! Snapshots: handed over and removed by a word.

use shared::host::{DAY, Timestamp};
use shared::messages::Texts;

use super::Reply;
use super::desk::{Desk, Kept, Whose};
use crate::brief::{BRIEF, brief};
use crate::step::Step;

/// What comes first where the user has asked for it.
const ASKED: &str = "The user has typed `pause-recorder resume`: they ask you to go on from the snapshot below. Read its file, say in a line where it stands, and go on with what is open.";

/// What a new session is told of a snapshot. Only one that this machine has written, as it has written it: a prompt of ours
/// must not carry what somebody has committed.
pub(super) fn resume(desk: &Desk<'_>, part: Option<&str>) -> Reply {
    let found = match part {
        Some(part) => desk.the_kept(part),
        None => latest(desk).ok_or_else(|| {
            "pause-recorder: this project has no snapshot that was written on this machine".to_owned()
        }),
    };
    let kept = match found {
        Ok(kept) => kept,
        Err(why) => return Reply::no(why),
    };
    let Kept { id, whose, snapshot, .. } = kept;
    let Some(snapshot) = snapshot.filter(|_| whose.is_ours()) else {
        let why = if whose.is_ours() { "cannot be read" } else { whose.word() };
        return Reply::no(format!(
            "pause-recorder: {id}: {why}, so it is not handed to Claude; pause-recorder show {id} shows it to you"
        ));
    };
    let mut texts = Texts::new(&desk.context.settings.message_files, desk.asker.host, desk.asker.places);
    let path = desk.sessions.told_of(&desk.sessions.files(&id).json);
    let text = brief(&texts.read(BRIEF), &snapshot, &path);
    if !desk.is_prompt {
        return Reply::yes(text);
    }
    let for_model = Some(format!("{ASKED}\n{text}"));
    let told = format!("pause-recorder: {path} was handed to Claude, to go on from it");
    Reply { for_model, effects: vec![Step::MarkRead { id }], ..Reply::yes(told) }
}

/// The latest that no session was told of, else the latest.
fn latest(desk: &Desk<'_>) -> Option<Kept> {
    let mut entries: Vec<_> =
        desk.shelf.in_project(&desk.sessions.root).filter(|entry| entry.finalized_at.is_some()).collect();
    entries.sort_by_key(|entry| std::cmp::Reverse((entry.read_at.is_none(), entry.finalized_at)));
    let ids = desk.sessions.snapshot_ids();
    let mut kept = entries.iter().filter(|entry| ids.contains(&entry.id)).map(|entry| desk.kept(&entry.id));
    kept.find(|kept| matches!(kept.whose, Whose::Unread | Whose::Read) && kept.snapshot.is_some())
}

pub(super) fn prune(desk: &Desk<'_>, days: u32, dry_run: bool) -> Reply {
    if !dry_run && !desk.asker.caller.is_operator() {
        let line = format!("pause-recorder prune --older-than {days}");
        return Reply::no(desk.refusal(&line));
    }
    let before = desk.asker.host.now().minus(DAY * days);
    let going: Vec<String> = desk.going().into_iter().map(|going| going.name).collect();
    let is_old = |id: &String| began(id).is_some_and(|at| at < before) && !going.contains(id);
    let ids: Vec<String> = desk.sessions.kept_ids().into_iter().filter(is_old).collect();
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

/// When a record of this id began.
fn began(id: &str) -> Option<Timestamp> {
    let digits: String = id.chars().filter(char::is_ascii_digit).take(14).collect();
    let part = |from: usize, to: usize| digits.get(from..to);
    let (date, time) = (
        format!("{}-{}-{}", part(0, 4)?, part(4, 6)?, part(6, 8)?),
        format!("{}:{}:{}", part(8, 10)?, part(10, 12)?, part(12, 14)?),
    );
    Timestamp::from_rfc3339(&format!("{date}T{time}Z"))
}
