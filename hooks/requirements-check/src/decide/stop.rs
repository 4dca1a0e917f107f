//! At the end of a turn: what this session made due and is not met now blocks it once, all of it in one text.

use std::borrow::Cow;

use shared::hook::{Given, Heeded, Outcome, Remark, Trail, Verdict};
use shared::protocol::Event;
use shared::stop_gate::{self, never_blocked};

use super::{Answer, heeds::heeds, remember, rules, view};
use crate::RequirementsCheck;
use crate::facts::Stop;
use crate::rule::Rule;
use crate::settings::{Kind, Scope, Settings};
use crate::view::View;
use crate::wording;

/// The session may stop without what it was asked for.
const LET_GO: &str = "blocked once for this prompt already";

pub(super) fn of_a_turn(given: &Given<'_, RequirementsCheck>, facts: &Stop) -> Answer {
    let Event::Stop(stop) = &given.input.event else { return Outcome::pass() };
    let view = view(given, &facts.world, None);
    let (met, unmet): (Vec<_>, Vec<_>) = due(given.settings, &view)
        .map(|rule| (rule, rule.strategy().standing(&rule, &view)))
        .partition(|(_, standing)| standing.is_met());
    let mut state = given.state.clone();
    let heeds = heeds(given, &view, &met.iter().map(|(rule, _)| rule), &mut state);
    if unmet.is_empty() {
        return remember(given, state).heeding(heeds);
    }
    let gate = stop_gate::StopFacts {
        call: &given.input.call,
        stop,
        work: facts.work,
        blocks: given.blocks,
        started: given.started,
    };
    if given.headless {
        return Outcome::let_go("nobody is watching, so a stop is not held");
    }
    if let Some(reason) = never_blocked(&gate) {
        return Outcome::let_go(reason);
    }
    let names = || unmet.iter().map(|(rule, _)| rule.name);
    if given.blocks.own > 0 {
        let given_up = |name: &str| names().any(|unmet| unmet == name).then_some(Heeded::Overridden);
        let given_up = state.settle(given_up);
        let answer = Outcome { remark: Some(Remark::LetGo(LET_GO)), ..remember(given, state) };
        return answer.heeding(heeds).heeding(given_up);
    }
    let mut rules = unmet.iter().map(|(rule, _)| rule.key());
    let rule = rules.next().unwrap_or_default();
    state.ask(&rule, names());
    let reason = wording::stop(&view, &unmet, given.origin);
    let verdict = Verdict::Block { reason, rule: Cow::Owned(rule) };
    let next = wording::steps(&view, &unmet);
    let trail = Trail { next, also: rules.collect(), ..Trail::default() };
    Outcome { verdict, trail, ..remember(given, state) }.heeding(heeds)
}

/// The requirements this session has made due, of the scopes that are verified.
pub(crate) fn due<'a>(settings: &'a Settings, view: &View<'_>) -> impl Iterator<Item = Rule<'a>> {
    let stop = &settings.hooks.stop;
    rules(settings).filter(move |rule| {
        let is_verified = stop.verify_requirements && stop.verify_scopes.contains(&rule.set.scope);
        // A mark for one call is used up when the turn ends, as it should be.
        let can_lapse =
            matches!(rule.set.kind, Kind::Blocking | Kind::Dynamic) && rule.set.scope != Scope::SingleUse;
        is_verified && (rule.is_for_stops() || can_lapse) && rule.strategy().is_due(rule, view)
    })
}
