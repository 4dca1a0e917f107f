//! A session's start and end, and its prompts.

use shared::cli::Reply;
use shared::hook::{Input, Memory, Outcome, Verdict};
use shared::protocol::Event;

use super::{Answer, advice, remember, view};
use crate::RequirementsCheck;
use crate::change::{Change, Target};
use crate::registry::Entry;
use crate::rule::Rule;
use crate::settings::Scope;
use crate::view::World;
use crate::wording;

pub(super) fn start(input: &Input<'_, RequirementsCheck>, world: &World) -> Answer {
    let Event::SessionStart { source, .. } = &input.request.event else { return Outcome::pass() };
    let is_told =
        input.settings.hooks.session_start.inject_context && Rule::all(input.settings).next().is_some();
    let is_short = matches!(source.as_str(), "compact" | "resume");
    let text = is_told.then(|| wording::at_start(input, &view(input, world, None), is_short));
    let mut effects: Vec<Change> = entry(input, world).map(Change::Register).into_iter().collect();
    let mut state = input.state.clone();
    let mut notes: Vec<String> = state.untold(&world.notes).into_iter().collect();
    for (text, change) in world.once.iter().filter(|_| !world.is_headless()) {
        notes.push(text.clone());
        effects.push(change.clone());
    }
    let notice = (!notes.is_empty()).then(|| notes.join("\n"));
    Outcome { verdict: advice(text), notice, effects, ..remember(input, state) }
}

pub(super) fn prompt(
    input: &Input<'_, RequirementsCheck>,
    world: &World,
    answered: Option<&Reply<Change>>,
) -> Answer {
    let mut effects = sign_of_life(input, world);
    if let Some(answered) = answered {
        effects.extend(answered.effects.iter().cloned());
        let verdict = Verdict::Reply { text: answered.text.clone() };
        return Outcome { verdict, effects, ..Outcome::pass() };
    }
    let mut state = input.state.clone();
    state.release_all();
    Outcome { effects, ..remember(input, state) }
}

pub(super) fn end(input: &Input<'_, RequirementsCheck>, world: &World) -> Answer {
    let Some(session) = &input.request.call.session_id else { return Outcome::pass() };
    let mut effects = vec![Change::Forget(session.clone())];
    let is_cleared = matches!(&input.request.event, Event::SessionEnd { reason } if reason == "clear");
    if !is_cleared && !input.settings.hooks.session_end.clear_session_state {
        // A resumed session has the same id.
        return Outcome { effects, ..Outcome::pass() };
    }
    if Rule::all(input.settings).next().is_some() {
        let own = Target::new(&world.here, "", Scope::Session, Some(session));
        effects.push(Change::Clear(Target { name: None, ..own }));
    }
    Outcome { effects, ..Outcome::pass().remembering(Memory::Drop) }
}

pub(super) fn sign_of_life(input: &Input<'_, RequirementsCheck>, world: &World) -> Vec<Change> {
    entry(input, world).map(Change::Alive).into_iter().collect()
}

/// None without state: `shared` drops an answer that has effects then, and a gate must hold.
fn entry(input: &Input<'_, RequirementsCheck>, world: &World) -> Option<Box<Entry>> {
    if !input.state_is_usable {
        return None;
    }
    let (session, project) = (input.request.call.session_id.as_ref()?, world.root.clone()?);
    Some(Box::new(Entry {
        session: session.clone(),
        project,
        branch: world.here.branch().map(ToOwned::to_owned),
        entrypoint: world.entrypoint.clone(),
        started_at: input.now.micros().div_euclid(1_000_000),
        touched: input.now,
    }))
}
