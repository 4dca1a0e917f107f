//! The record: begun, ended and dropped by a word.

use super::Reply;
use super::desk::{Desk, Going};
use crate::decide::started;
use crate::git::GitContext;
use crate::material::{self, Material};
use crate::observe::{PATIENCE, standing};
use crate::occupancy::Reading;
use crate::snapshot::Ending;
use crate::state::State;
use crate::step::{COMMAND, End, Start, Step, Which};
use crate::wording::counted;

pub(super) fn start(desk: &Desk<'_>) -> Reply {
    let Some(session) = desk.asker.session else {
        return Reply::no(
            "pause-recorder: there is no session here; type it as a prompt of the session that is meant",
        );
    };
    if let Some(record) = desk.sessions.active(session) {
        let recorded = record.read().unwrap_or_default();
        let (id, actions) = (recorded.id, counted(recorded.actions.len() as u64));
        return Reply::yes(format!("this session is being recorded already: {id}, {actions}"));
    }
    if let Some(why) = desk.off(session) {
        return Reply::no(why);
    }
    let reading = standing(desk.context);
    let start = Start {
        session: session.to_owned(),
        transcript: desk.context.request.call.transcript_path.clone(),
        at: desk.asker.host.now(),
        data: started(session, reading.as_ref(), COMMAND),
        share: reading.as_ref().map_or(0.0, Reading::share),
        then: Vec::new(),
    };
    let text = format!(
        "from here on this session is recorded in {}; pause-recorder discard drops it",
        desk.sessions.told()
    );
    Reply { effects: vec![Step::Start(Box::new(start))], ..Reply::yes(text) }
}

pub(super) fn finalize(desk: &Desk<'_>, part: Option<&str>, minimal: bool) -> Reply {
    let going = match desk.the_going(part, "finalize") {
        Ok(going) => going,
        Err(why) => return Reply::no(why),
    };
    if minimal && !desk.asker.caller.is_operator() {
        let line = format!("pause-recorder finalize --minimal {}", going.name);
        return Reply::no(desk.refusal(&line));
    }
    if going.recorded.id.is_empty() {
        return Reply::no(format!(
            "pause-recorder: no line of {} can be read; pause-recorder discard {} removes it",
            desk.sessions.told_of(&going.record.path),
            going.name
        ));
    }
    let files = desk.sessions.files(&going.recorded.id);
    let (ending, path) = if minimal { (Ending::Minimal, files.archive) } else { (Ending::Full, files.json) };
    let (id, actions) = (&going.recorded.id, counted(going.actions()));
    let text = format!("{id} is finalized, {actions}:\n{}", path.display());
    let step = Step::Finish(Box::new(end(desk, going, ending)));
    Reply { effects: vec![step], ..Reply::yes(text) }
}

/// The session that asks ends its record now; another one's ended when it was last heard of.
fn end(desk: &Desk<'_>, going: Going, ending: Ending) -> End {
    let mut entries = desk.shelf.in_project(&desk.sessions.root);
    let entry = entries.find(|entry| entry.id == going.recorded.id && going.is_known);
    let own = going.is_own.then(|| desk.context.request.call.transcript_path.clone()).flatten();
    let transcript = own.or_else(|| entry.and_then(|entry| entry.transcript.clone()));
    let (at, left_out) = if going.is_own {
        (desk.asker.host.now(), desk.context.peek::<State>().left_out)
    } else {
        let ended = entry.and_then(|entry| entry.ended_at);
        (ended.unwrap_or(going.record.modified), entry.map_or(0, |entry| entry.left_out))
    };
    let material = if ending == Ending::Minimal {
        Material::default()
    } else {
        let (host, root) = (desk.asker.host, &desk.sessions.root);
        // What the record says is worth more than what the repository does not say in time.
        material::gather(host, root, transcript.as_deref(), PATIENCE)
            .unwrap_or_else(|| material::with(root, GitContext::default(), transcript.as_deref()))
    };
    let commit = desk.context.settings.git_commit;
    let by_own_word = going.is_own;
    End { which: Which::Record(going.record), ending, material, at, left_out, commit, by_own_word }
}

/// Whatever the file holds.
pub(super) fn discard(desk: &Desk<'_>, part: Option<&str>) -> Reply {
    let going = match desk.the_going(part, "discard") {
        Ok(going) => going,
        Err(why) => return Reply::no(why),
    };
    let actions = counted(going.actions());
    let Going { record, name, is_known, .. } = going;
    if !desk.asker.caller.is_operator() {
        return Reply::no(desk.refusal(&format!("pause-recorder discard {name}")));
    }
    // What somebody else's file says of an id must not touch what is ours under it.
    let id = if is_known { name.clone() } else { String::new() };
    let snapshot = desk.sessions.snapshot_ids().into_iter().find(|kept| *kept == id);
    let text = format!("{name} is discarded, {actions}; nothing of it is left");
    let effects = std::iter::once(Step::Discard { record, id })
        .chain(snapshot.map(|id| Step::Remove { ids: vec![id] }))
        .collect();
    Reply { effects, ..Reply::yes(text) }
}
