//! Begins, ends and drops a record.

use super::Reply;
use super::project::{Active, Project};
use crate::decide::started;
use crate::git::GitContext;
use crate::material::{self, Material};
use crate::observe::{PATIENCE, standing};
use crate::snapshot::{End, Ending};
use crate::state::State;
use crate::step::{Start, Step};
use crate::wording::counted;

pub(super) fn start(project: &Project<'_>) -> Reply {
    let Some(session) = project.asker.session else {
        return Reply::no("pause-recorder: there is no session here; type it as a prompt of the session");
    };
    if project.is_off() {
        return Reply::no(
            "pause-recorder: it is off, so nothing would be recorded; pause-recorder status says why",
        );
    }
    if let Some(active) = project.actives().first().filter(|active| active.is_own) {
        let actions = counted(active.recorded.actions.len() as u64);
        return Reply::yes(format!("this session is being recorded already: {}, {actions}", active.name));
    }
    let reading = standing(project.context);
    let start = Start {
        session: session.to_owned(),
        transcript: project.context.request.call.transcript_path.clone(),
        first: started(session, reading.as_ref(), "command", project.asker.host.now()),
        then: Vec::new(),
    };
    let text = format!(
        "from here on this session is recorded in {}; pause-recorder discard drops it",
        project.sessions.told()
    );
    Reply { effects: vec![Step::Start(Box::new(start))], ..Reply::yes(text) }
}

pub(super) fn finalize(project: &Project<'_>, part: Option<&str>, minimal: bool) -> Reply {
    let active = match project.the_active(part, "finalize") {
        Ok(active) => active,
        Err(why) => return Reply::no(why),
    };
    let name = &active.name;
    if minimal && !project.asker.caller.is_operator() {
        return Reply::no(project.refusal(&format!("pause-recorder finalize --minimal {name}")));
    }
    if active.recorded.id.is_empty() {
        return Reply::no(format!(
            "pause-recorder: no line of {} can be read; pause-recorder discard {name} removes it",
            project.sessions.told_of(&active.record.path)
        ));
    }
    let files = project.sessions.files(&active.recorded.id);
    let (ending, path) = if minimal { (Ending::Minimal, files.archive) } else { (Ending::Full, files.json) };
    let actions = counted(active.recorded.actions.len() as u64);
    let text = format!("{name} is finalized, {actions}:\n{}", path.display());
    let step = Step::Finish(Box::new(end(project, active, ending)));
    Reply { effects: vec![step], ..Reply::yes(text) }
}

/// The asking session ends its record now. Another session's record ended with its last line.
fn end(project: &Project<'_>, active: Active, ending: Ending) -> End {
    let root = &project.sessions.root;
    let entry = project.registry.of(root, &active.recorded.id);
    let own = project.context.request.call.transcript_path.clone().filter(|_| active.is_own);
    let transcript = own.or_else(|| entry.and_then(|entry| entry.transcript.clone()));
    let material = || {
        let gathered = material::gather(project.asker.host, root, transcript.as_deref(), PATIENCE);
        gathered.unwrap_or_else(|| material::with(root, GitContext::default(), transcript.as_deref()))
    };
    End {
        ending,
        material: if ending == Ending::Minimal { Material::default() } else { material() },
        at: if active.is_own { project.asker.host.now() } else { active.record.modified },
        left_out: if active.is_own { project.context.peek::<State>().left_out } else { 0 },
        commit: project.context.settings.git_commit,
        path: active.record.path,
    }
}

/// Removes a record, whatever its file holds.
pub(super) fn discard(project: &Project<'_>, part: Option<&str>) -> Reply {
    let Active { record, name, is_known, recorded, .. } = match project.the_active(part, "discard") {
        Ok(active) => active,
        Err(why) => return Reply::no(why),
    };
    if !project.asker.caller.is_operator() {
        return Reply::no(project.refusal(&format!("pause-recorder discard {name}")));
    }
    let text =
        format!("{name} is discarded, {}; nothing of it is left", counted(recorded.actions.len() as u64));
    // A stranger's file must not remove our snapshot of the same id.
    let id = is_known.then(|| name.clone());
    let snapshot = id.clone().filter(|id| project.sessions.snapshot_ids().contains(id));
    let effects = std::iter::once(Step::Discard { path: record.path, id })
        .chain(snapshot.map(|id| Step::Remove { ids: vec![id] }))
        .collect();
    Reply { effects, ..Reply::yes(text) }
}
