//! The end of a turn: what this session made due and is not satisfied now blocks the stop once, all of it in one text.

use std::borrow::Cow;

use shared::hook::{Audit, AuditEvent, Input, Outcome, ReactionKind, Verdict};
use shared::protocol::Event;
use shared::stop_gate::{self, TurnWork, never_blocked};

use super::{Answer, reactions, remember, view};
use crate::RequirementsCheck;
use crate::rule::Rule;
use crate::settings::{Kind, Scope, Settings};
use crate::view::{View, World};
use crate::wording;

pub(super) fn of_a_turn(input: &Input<'_, RequirementsCheck>, world: &World, work: TurnWork) -> Answer {
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
    let mut rules = unmet.iter().map(|(rule, _)| rule.key());
    let rule = rules.next().unwrap_or_default();
    state.ask(&rule, names());
    let told = wording::stop(&view, &unmet, input.origin);
    let verdict = Verdict::Block { reason: told.text, rule: Cow::Owned(rule) };
    let audit = Audit { next: told.steps, also: rules.collect(), ..Audit::default() };
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
        is_verified && (rule.is_for_stops() || can_lapse) && rule.is_due(view)
    })
}
