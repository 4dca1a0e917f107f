//! The record: begun, ended and dropped by a word.

use shared::cli;
use shared::hook::Hook;
use shared::operator::{Caller, Standing};
use shared::switches::{Position, Turn};

use super::Reply;
use super::desk::{Desk, Going};
use crate::PauseRecorder;
use crate::decide::started;
use crate::git::GitContext;
use crate::material::{self, Material};
use crate::observe::{PATIENCE, standing};
use crate::occupancy::Reading;
use crate::snapshot::Ending;
use crate::state::State;
use crate::step::{COMMAND, End, Start, Step, Whose};
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
    if let Some(why) = off(desk, session) {
        return Reply::no(why);
    }
    let reading = standing(desk.seen);
    let start = Start {
        session: session.to_owned(),
        transcript: desk.seen.input.call.transcript_path.clone(),
        at: desk.asker.host.now(),
        data: started(session, reading.as_ref(), COMMAND),
        share: reading.as_ref().map_or(0.0, Reading::share),
        then: Vec::new(),
    };
    let text = format!(
        "from here on this session is recorded in {}; pause-recorder discard drops it",
        desk.sessions.told()
    );
    Reply { steps: vec![Step::Start(Box::new(start))], ..Reply::yes(text) }
}

/// Why nothing would be recorded, and what turns it on.
pub(super) fn off(desk: &Desk<'_>, session: &str) -> Option<String> {
    if let Some(file) = cli::off_file(desk.asker.host, desk.asker.places) {
        return Some(format!(
            "pause-recorder: every hook is off while {file} is there, so nothing would be recorded; remove it first"
        ));
    }
    let switches = desk.asker.switches();
    let is_on = desk.asker.section::<PauseRecorder>(&switches).is_some_and(|section| section.enabled);
    if is_on {
        return None;
    }
    // Whatever holds for all, this session's own switch stays.
    let everywhere = Turn::everywhere(PauseRecorder::NAME, Position::On);
    let with_all_on = switches.with(&everywhere, desk.asker.host.now());
    Some(match with_all_on.position(PauseRecorder::NAME, Some(session)) {
        Position::Off => format!(
            "pause-recorder: it is switched off for this session, so nothing would be recorded; type: pause-recorder auto --session {session}"
        ),
        _ => "pause-recorder: it is off, so nothing would be recorded; type: pause-recorder on".to_owned(),
    })
}

pub(super) fn finalize(desk: &Desk<'_>, part: Option<&str>, minimal: bool) -> Reply {
    let going = match desk.the_going(part, "finalize") {
        Ok(going) => going,
        Err(why) => return Reply::no(why),
    };
    if minimal && !desk.asker.caller.is_operator() {
        let line = format!("pause-recorder finalize --minimal {}", going.name);
        return Reply::no(refusal(desk.asker.caller, &line));
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
    Reply { steps: vec![step], ..Reply::yes(text) }
}

/// The session that asks ends its record now; another one's ended when it was last heard of.
fn end(desk: &Desk<'_>, going: Going, ending: Ending) -> End {
    let mut entries = desk.shelf.in_project(&desk.sessions.root);
    let entry = entries.find(|entry| entry.id == going.recorded.id && going.is_known);
    let own = going.is_own.then(|| desk.seen.input.call.transcript_path.clone()).flatten();
    let transcript = own.or_else(|| entry.and_then(|entry| entry.transcript.clone()));
    let (at, left_out) = if going.is_own {
        (desk.asker.host.now(), desk.seen.peek::<State>().left_out)
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
    let commit = desk.seen.settings.git_commit;
    End { whose: Whose::Record(going.record), ending, material, at, left_out, commit }
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
        return Reply::no(refusal(desk.asker.caller, &format!("pause-recorder discard {name}")));
    }
    // What somebody else's file says of an id must not touch what is ours under it.
    let id = if is_known { name.clone() } else { String::new() };
    let snapshot = desk.sessions.snapshot_ids().into_iter().find(|kept| *kept == id);
    let text = format!("{name} is discarded, {actions}; nothing of it is left");
    let steps = std::iter::once(Step::Discard { record, id })
        .chain(snapshot.map(|id| Step::Remove { ids: vec![id] }))
        .collect();
    Reply { steps, ..Reply::yes(text) }
}

/// Inside Claude's shell the user sits at the prompt, which is nearer than another terminal.
pub(super) fn refusal(caller: Caller, line: &str) -> String {
    let refusal = format!("pause-recorder: {}", caller.refusal(line));
    match caller {
        Caller::Shell(Standing::InsideClaude) => {
            format!("{refusal}; or, as a prompt of this session, type: {line}")
        }
        _ => refusal,
    }
}
