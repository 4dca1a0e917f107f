//! A session's start and end: who is live, what is required here, and what goes with the session.

use std::path::PathBuf;

use shared::hook::{Input, Memory, Outcome, Verdict};
use shared::protocol::Event;

use super::{Answer, remember, rules, view};
use crate::RequirementsCheck;
use crate::change::{Change, Target};
use crate::facts::Start;
use crate::registry::Entry;
use crate::settings::Scope;
use crate::view::World;
use crate::wording;

pub(super) fn of_a_session(input: &Input<'_, RequirementsCheck>, facts: &Start) -> Answer {
    let view = view(input, &facts.world, None);
    let Event::SessionStart { source, .. } = &input.request.event else { return Outcome::pass() };
    let text = input
        .settings
        .hooks
        .session_start
        .inject_context
        .then(|| wording::status_for_claude(input, &view, source));
    let verdict = match text.flatten() {
        Some(text) => Verdict::Advise { text },
        None => Verdict::Pass,
    };
    let newcomer = newcomer(input, &facts.world, source);
    let client = facts.world.new_client.as_ref().filter(|_| !facts.world.reader.is_headless);
    let told =
        newcomer.as_ref().map(|_| wording::newcomer()).into_iter().chain(client.map(wording::new_client));
    let entry = entry(input, &facts.world).map(Change::Register);
    let effects = entry.into_iter().chain(newcomer.map(Change::ToldOfInit));
    let effects = effects.chain(client.map(|client| Change::ToldOfClient(client.running.clone()))).collect();
    let mut state = input.state.clone();
    let notes: Vec<String> = state.untold(&facts.world.notes).into_iter().chain(told).collect();
    let notice = (!notes.is_empty()).then(|| notes.join("\n"));
    Outcome { verdict, notice, effects, ..remember(input, state) }
}

/// The repository whose user is to hear of `req init`: once, where somebody reads it.
fn newcomer(input: &Input<'_, RequirementsCheck>, world: &World, source: &str) -> Option<PathBuf> {
    let is_for_it =
        source == "startup" && input.settings.requirements.is_empty() && !world.reader.is_headless;
    world.newcomer.clone().filter(|_| is_for_it)
}

/// A sign of life.
pub(super) fn sign_of_life(input: &Input<'_, RequirementsCheck>, world: &World) -> Vec<Change> {
    entry(input, world).map(Change::Alive).into_iter().collect()
}

/// The session's entry among the live ones.
fn entry(input: &Input<'_, RequirementsCheck>, world: &World) -> Option<Box<Entry>> {
    let (session, project) = (input.request.call.session_id.as_ref()?, world.root.clone()?);
    Some(Box::new(Entry {
        session: session.clone(),
        project,
        common_dir: world.here.worktree.as_ref().map(|worktree| worktree.common_dir.clone()),
        branch: world.here.branch().map(ToOwned::to_owned),
        entrypoint: world.entrypoint.clone(),
        started_at: input.now.micros().div_euclid(1_000_000),
        touched: input.now,
    }))
}

pub(super) fn end_of_a_session(input: &Input<'_, RequirementsCheck>, world: &World) -> Answer {
    let Some(session) = &input.request.call.session_id else { return Outcome::pass() };
    let mut effects = vec![Change::Forget(session.clone())];
    let is_cleared = matches!(&input.request.event, Event::SessionEnd { reason } if reason == "clear");
    if !is_cleared && !input.settings.hooks.session_end.clear_session_state {
        // A resumed session has the same id, and goes on where it was.
        return Outcome { effects, ..Outcome::pass() };
    }
    if rules(input.settings).next().is_some() {
        let own = Target::new(&world.here, "", Scope::Session, Some(session));
        effects.push(Change::Clear(Target { name: None, ..own }));
    }
    Outcome { effects, ..Outcome::pass().remembering(Memory::Drop) }
}
