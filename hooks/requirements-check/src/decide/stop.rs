//! At the end of a turn: what this session made due and is not met now blocks it once, all of it in one text.

use std::borrow::Cow;

use shared::hook::{Audit, AuditEvent, Input, Outcome, ReactionKind, Verdict};
use shared::protocol::Event;
use shared::stop_gate::{self, never_blocked};

use super::{Answer, reactions::reactions, remember, rules, view};
use crate::RequirementsCheck;
use crate::facts::Stop;
use crate::rule::Rule;
use crate::settings::{Kind, Scope, Settings};
use crate::view::View;
use crate::wording;

/// The session may stop without what it was asked for.
const LET_GO: &str = "blocked once for this prompt already";

pub(super) fn of_a_turn(input: &Input<'_, RequirementsCheck>, facts: &Stop) -> Answer {
    let Event::Stop(stop) = &input.request.event else { return Outcome::pass() };
    let view = view(input, &facts.world, None);
    let (met, unmet): (Vec<_>, Vec<_>) = due(input.settings, &view)
        .map(|rule| (rule, rule.standing(&view)))
        .partition(|(_, standing)| standing.is_met());
    let mut state = input.state.clone();
    let reactions = reactions(input, &view, &met.iter().map(|(rule, _)| rule), &mut state);
    if unmet.is_empty() {
        return remember(input, state).with_reactions(reactions);
    }
    let gate = stop_gate::StopFacts {
        call: &input.request.call,
        stop,
        work: facts.work,
        blocks: input.blocks,
        started: input.started,
    };
    if input.headless {
        return Outcome::allow("nobody is watching, so a stop is not held");
    }
    if let Some(reason) = never_blocked(&gate) {
        return Outcome::allow(reason);
    }
    let names = || unmet.iter().map(|(rule, _)| rule.name);
    if input.blocks.own > 0 {
        let given_up = |name: &str| names().any(|unmet| unmet == name).then_some(ReactionKind::Overridden);
        let given_up = state.settle(given_up);
        let answer = Outcome { audit_event: Some(AuditEvent::Allowed(LET_GO)), ..remember(input, state) };
        return answer.with_reactions(reactions).with_reactions(given_up);
    }
    let mut rules = unmet.iter().map(|(rule, _)| rule.key());
    let rule = rules.next().unwrap_or_default();
    state.ask(&rule, names());
    let reason = wording::stop(&view, &unmet, input.origin);
    let verdict = Verdict::Block { reason, rule: Cow::Owned(rule) };
    let next = wording::steps(&view, &unmet);
    let audit = Audit { next, also: rules.collect(), ..Audit::default() };
    Outcome { verdict, audit, ..remember(input, state) }.with_reactions(reactions)
}

/// The requirements this session has made due, of the scopes that are verified.
pub(crate) fn due<'a>(settings: &'a Settings, view: &View<'_>) -> impl Iterator<Item = Rule<'a>> {
    let stop = &settings.hooks.stop;
    rules(settings).filter(move |rule| {
        let is_verified = stop.verify_requirements && stop.verify_scopes.contains(&rule.set.scope);
        // A mark for one call is used up when the turn ends, as it should be.
        let can_lapse =
            matches!(rule.kind(), Kind::Blocking | Kind::Dynamic) && rule.set.scope != Scope::SingleUse;
        is_verified && (rule.is_for_stops() || can_lapse) && rule.is_due(view)
    })
}
