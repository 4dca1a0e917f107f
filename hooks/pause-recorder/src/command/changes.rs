//! Begins, ends and drops a record; hands over and removes snapshots.

use shared::host::DAY;
use shared::messages::Texts;

use super::Reply;
use super::project::{Active, Kept, Project};
use crate::PauseRecorder;
use crate::brief::{BRIEF, brief};
use crate::decide::started;
use crate::git;
use crate::material::{self, Material};
use crate::observe::PATIENCE;
use crate::reading::reading;
use crate::record::{ARCHIVE, JSON};
use crate::state::State;
use crate::step::{End, Ending, Step};
use crate::wording::counted;

/// Precedes the brief where the user has asked for it.
const ASKED: &str = "The user has typed `pause-recorder resume`: they ask you to go on from the snapshot below. Read its file, say in a line where it stands, and go on with what is open.";

pub(super) fn start(project: &Project<'_>) -> Result<Reply, String> {
    let session =
        project.asker.session.ok_or("there is no session here; type it as a prompt of the session")?;
    if !project.asker.section_in_force::<PauseRecorder>()?.enabled {
        return Err("it is off, so nothing would be recorded; pause-recorder status says why".to_owned());
    }
    if let Some(active) = project.actives().first().filter(|active| active.is_own) {
        let actions = counted(active.recorded.actions.len() as u64);
        return Ok(Reply::yes(format!("this session is being recorded already: {}, {actions}", active.name)));
    }
    let reading = reading(project.context, &project.context.peek(), true);
    let step = Step::Start {
        session: session.to_owned(),
        transcript: project.context.request.call.transcript_path.clone(),
        actions: vec![started(session, reading.as_ref(), "command", project.asker.host.now())],
    };
    let text = format!(
        "from here on this session is recorded in {}; pause-recorder discard drops it",
        project.sessions.told()
    );
    Ok(Reply { effects: vec![step], ..Reply::yes(text) })
}

pub(super) fn finalize(project: &Project<'_>, id: Option<&str>, minimal: bool) -> Result<Reply, String> {
    let active = project.the_active(id, "finalize")?;
    let name = &active.name;
    if minimal {
        project.for_the_user(&format!("finalize --minimal {name}"))?;
    }
    if active.recorded.id.is_empty() {
        let path = project.sessions.told_of(&active.record.path);
        return Err(format!("no line of {path} can be read; pause-recorder discard {name} removes it"));
    }
    let (ending, end) = if minimal { (Ending::Minimal, ARCHIVE) } else { (Ending::Full, JSON) };
    let path = project.sessions.file(&active.recorded.id, end);
    let actions = counted(active.recorded.actions.len() as u64);
    let text = format!("{name} is finalized, {actions}:\n{}", path.display());
    let step = Step::Finish(Box::new(end_of(project, active, ending)));
    Ok(Reply { effects: vec![step], ..Reply::yes(text) })
}

/// The asking session ends its record now. Another session's record ended with its last line.
fn end_of(project: &Project<'_>, active: Active, ending: Ending) -> End {
    let root = &project.sessions.root;
    let entry = project.registry.of(root, &active.recorded.id);
    let transcript = entry.and_then(|entry| entry.transcript.as_deref());
    let material = || {
        let git = git::look(project.asker.host, root, PATIENCE).unwrap_or_default();
        material::gather(root, git, transcript)
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
pub(super) fn discard(project: &Project<'_>, id: Option<&str>) -> Result<Reply, String> {
    let Active { record, name, is_known, recorded, .. } = project.the_active(id, "discard")?;
    project.for_the_user(&format!("discard {name}"))?;
    let actions = counted(recorded.actions.len() as u64);
    let text = format!("{name} is discarded, {actions}; nothing of it is left");
    // A stranger's file must not remove our snapshot of the same id.
    let step = Step::Discard { path: record.path, id: is_known.then_some(name) };
    Ok(Reply { effects: vec![step], ..Reply::yes(text) })
}

/// Hands over a snapshot as a new session receives it, if this machine wrote it and nobody changed it.
pub(super) fn resume(project: &Project<'_>, id: Option<&str>) -> Result<Reply, String> {
    let kept = match id {
        Some(id) => project.the_kept(id)?,
        None => latest(project).ok_or("this project has no snapshot that was written on this machine")?,
    };
    let (id, is_ours) = (kept.id.clone(), kept.is_ours());
    let Some(snapshot) = kept.snapshot.filter(|_| is_ours) else {
        let why = kept.provenance;
        return Err(format!(
            "{id} is {why}, so Claude does not get it; pause-recorder show {id} shows it to you"
        ));
    };
    let own_texts = &project.context.settings.message_files;
    let text = Texts::new(own_texts, project.asker.host, project.asker.places).read(BRIEF);
    let path = project.sessions.told_of(&project.sessions.file(&id, JSON));
    let text = brief(&text, &snapshot, &path);
    if !project.is_prompt {
        return Ok(Reply::yes(text));
    }
    let for_model = Some(format!("{ASKED}\n{text}"));
    let told = format!("pause-recorder: Claude gets {path}, to go on from it");
    Ok(Reply { for_model, effects: vec![Step::MarkRead { id }], ..Reply::yes(told) })
}

/// The latest unread snapshot of this machine, else the latest.
fn latest(project: &Project<'_>) -> Option<Kept> {
    let mut ours = project.all_kept();
    ours.retain(Kept::is_ours);
    let unread = ours.iter().position(|kept| kept.provenance == "unread");
    (!ours.is_empty()).then(|| ours.swap_remove(unread.unwrap_or_default()))
}

pub(super) fn prune(project: &Project<'_>, days: u32, dry_run: bool) -> Result<Reply, String> {
    if !dry_run {
        project.for_the_user(&format!("prune --older-than {days}"))?;
    }
    let before = project.asker.host.now().minus(DAY * days).rfc3339();
    let before: String = before.chars().filter(char::is_ascii_digit).take(14).collect();
    let active: Vec<String> = project.actives().into_iter().map(|active| active.name).collect();
    // The id says when its record began: `session-YYYYMMDD-HHMMSS`.
    let began = |id: &str| id.chars().filter(char::is_ascii_digit).take(14).collect::<String>();
    let is_old = |id: &String| began(id) < before && !active.contains(id);
    let ids: Vec<String> = project.sessions.kept_ids().into_iter().rev().filter(is_old).collect();
    if ids.is_empty() {
        return Ok(Reply::yes(format!("no snapshot of this project is older than {days} days")));
    }
    let head = if dry_run { "would be removed:" } else { "removed:" };
    let text = ids.iter().fold(head.to_owned(), |text, id| format!("{text}\n  {id}"));
    let effects = if dry_run { Vec::new() } else { vec![Step::Remove { ids }] };
    Ok(Reply { effects, ..Reply::yes(text) })
}
