//! The rules, event by event. Pure: facts in, a verdict and changes out.

mod after;
mod before;

use std::borrow::Cow;

use shared::cli::Reply;
use shared::hook::{Audit, AuditEvent, Input, Memory, Outcome, Reaction, ReactionKind, Verdict};
use shared::protocol::Event;
use shared::stop_gate::{self, TurnWork, never_blocked};

use crate::RequirementsCheck;
use crate::change::{Change, Target};
use crate::registry::Entry;
use crate::rule::Rule;
use crate::settings::{Kind, Scope, Settings};
use crate::state::State;
use crate::view::{Facts, View, World};
use crate::wording;
use crate::words::plain;

type HookInput<'a> = Input<'a, RequirementsCheck>;
type Answer = Outcome<State, Change>;

pub(crate) fn decide(input: &HookInput<'_>) -> Answer {
    let answer = match input.facts {
        Facts::Before(facts) => before::a_call(input, facts),
        Facts::After(facts) => after::a_call(input, facts),
        Facts::Prompt(world, answered) => prompt(input, world, answered.as_ref()),
        Facts::Stop(world, work) => stop(input, world, *work),
        Facts::Start(world, once) => start(input, world, once),
        Facts::End(world) => end(input, world),
    };
    // Names and messages are shown without characters that move the cursor or turn the writing round.
    let verdict = match answer.verdict {
        Verdict::Deny { reason, rule } => Verdict::Deny { reason: plain(&reason), rule },
        Verdict::Block { reason, rule } => Verdict::Block { reason: plain(&reason), rule },
        Verdict::Advise { text } => Verdict::Advise { text: plain(&text) },
        Verdict::Reply { text } => Verdict::Reply { text: plain(&text) },
        verdict => verdict,
    };
    Outcome { verdict, notice: answer.notice.as_deref().map(plain), ..answer }
}

fn view<'a>(input: &'a HookInput<'_>, world: &'a World, call: Option<&'a str>) -> View<'a> {
    let session = input.request.call.session_id.as_deref();
    View { session, call, state: input.state, world, now: input.now }
}

fn advice(text: Option<String>) -> Verdict {
    text.map_or(Verdict::Pass, |text| Verdict::Advise { text })
}

/// A silent answer that remembers the state if it has changed.
fn remember(input: &HookInput<'_>, state: State) -> Answer {
    let memory = if state == *input.state { Memory::Keep } else { Memory::Note(state) };
    Outcome::pass().remembering(memory)
}

/// A denial or a block asks for these: the rule it goes by, and what the journal keeps.
fn asked(rules: &[Rule<'_>], next: Vec<String>, state: &mut State) -> (Cow<'static, str>, Audit) {
    let mut keys: Vec<String> = rules.iter().map(Rule::key).collect();
    keys.dedup();
    let mut keys = keys.into_iter();
    let rule = keys.next().unwrap_or_default();
    state.ask(&rule, rules.iter().map(|rule| rule.name));
    (Cow::Owned(rule), Audit { next, also: keys.collect(), ..Audit::default() })
}

/// Outcomes of earlier denials and blocks, now that some requirements are satisfied.
fn reactions(
    input: &HookInput<'_>,
    view: &View<'_>,
    is_satisfied: impl Fn(&str) -> bool,
    state: &mut State,
) -> Vec<Reaction> {
    state.settle(|name| match Rule::named(input.settings, name) {
        // Switched off meanwhile.
        None => Some(ReactionKind::Overridden),
        Some(_) if !is_satisfied(name) => None,
        Some(rule) if view.exception(&rule).is_some() => Some(ReactionKind::Overridden),
        Some(_) => Some(ReactionKind::Followed),
    })
}

/// A session's start.
fn start(input: &HookInput<'_>, world: &World, once: &[(String, Change)]) -> Answer {
    let Event::SessionStart { source, .. } = &input.request.event else { return Outcome::pass() };
    let is_told =
        input.settings.hooks.session_start.inject_context && Rule::all(input.settings).next().is_some();
    let is_short = matches!(source.as_str(), "compact" | "resume");
    let text = is_told.then(|| wording::at_start(input.settings, &view(input, world, None), is_short));
    let mut effects = sign_of_life(input, world);
    let mut state = input.state.clone();
    let mut notes: Vec<String> = state.untold(&world.notes).into_iter().collect();
    for (text, change) in once.iter().filter(|_| !world.is_headless()) {
        notes.push(text.clone());
        effects.push(change.clone());
    }
    let notice = (!notes.is_empty()).then(|| notes.join("\n"));
    Outcome { verdict: advice(text), notice, effects, ..remember(input, state) }
}

fn prompt(input: &HookInput<'_>, world: &World, answered: Option<&Reply<Change>>) -> Answer {
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

fn end(input: &HookInput<'_>, world: &World) -> Answer {
    let Some(session) = &input.request.call.session_id else { return Outcome::pass() };
    let mut effects = vec![Change::Forget(session.clone())];
    let is_cleared = matches!(&input.request.event, Event::SessionEnd { reason } if reason == "clear");
    if !is_cleared && !input.settings.hooks.session_end.clear_session_state {
        // A resumed session has the same id.
        return Outcome { effects, ..Outcome::pass() };
    }
    if Rule::all(input.settings).next().is_some() {
        let own = Target::new(world, "", Scope::Session, Some(session));
        effects.push(Change::Clear(Target { name: None, ..own }));
    }
    Outcome { effects, ..Outcome::pass().remembering(Memory::Drop) }
}

/// None without state: `shared` drops an answer that has effects then, and a gate must hold.
fn sign_of_life(input: &HookInput<'_>, world: &World) -> Vec<Change> {
    let session = input.request.call.session_id.clone().filter(|_| input.state_is_usable);
    let alive = |(session, project)| {
        Change::Alive(Box::new(Entry {
            session,
            project,
            branch: world.branch().map(ToOwned::to_owned),
            is_headless: world.is_headless(),
            started_at: input.now.secs(),
            touched: input.now,
        }))
    };
    session.zip(world.places.root.clone()).map(alive).into_iter().collect()
}

/// The end of a turn: what this session made due and is not satisfied now blocks the stop once, all of it in one text.
fn stop(input: &HookInput<'_>, world: &World, work: TurnWork) -> Answer {
    let Event::Stop(stop) = &input.request.event else { return Outcome::pass() };
    let view = view(input, world, None);
    let (mut satisfied, mut unmet) = (Vec::new(), Vec::new());
    for rule in due(input.settings, &view) {
        match rule.standing(&view) {
            Ok(_) => satisfied.push(rule.name),
            Err(why) => unmet.push((rule, why)),
        }
    }
    let mut state = input.state.clone();
    let followed = reactions(input, &view, |name| satisfied.contains(&name), &mut state);
    if unmet.is_empty() {
        return remember(input, state).with_reactions(followed);
    }
    let (call, blocks, started) = (&input.request.call, input.blocks, input.started);
    if input.headless {
        return Outcome::allow("nobody is watching, so a stop is not held");
    }
    if let Some(reason) = never_blocked(&stop_gate::StopFacts { call, stop, work, blocks, started }) {
        return Outcome::allow(reason);
    }
    let names = || unmet.iter().map(|(rule, _)| rule.name);
    if input.blocks.own > 0 {
        let given_up = |name: &str| names().any(|unmet| unmet == name).then_some(ReactionKind::Overridden);
        let given_up = state.settle(given_up);
        let allowed = Some(AuditEvent::Allowed("blocked once for this prompt already"));
        let answer = Outcome { audit_event: allowed, ..remember(input, state) };
        return answer.with_reactions(followed).with_reactions(given_up);
    }
    let told = wording::stop(&view, &unmet, input.origin);
    let rules: Vec<Rule<'_>> = unmet.iter().map(|(rule, _)| *rule).collect();
    let (rule, audit) = asked(&rules, told.steps, &mut state);
    let verdict = Verdict::Block { reason: told.text, rule };
    Outcome { verdict, audit, ..remember(input, state) }.with_reactions(followed)
}

/// The requirements this session has made due, of the scopes that are verified.
pub(crate) fn due<'a>(settings: &'a Settings, view: &View<'_>) -> impl Iterator<Item = Rule<'a>> {
    let stop = &settings.hooks.stop;
    Rule::all(settings).filter(move |rule| {
        let is_verified = stop.verify_requirements && stop.verify_scopes.contains(&rule.set.scope);
        // A single-use satisfaction is used up by the end of a turn, as intended.
        let can_lapse =
            matches!(rule.kind(), Kind::Blocking | Kind::Dynamic) && rule.set.scope != Scope::SingleUse;
        is_verified && (rule.is_for_stops() || can_lapse) && view.state.due.contains(rule.name)
    })
}

#[cfg(test)]
mod tests;
