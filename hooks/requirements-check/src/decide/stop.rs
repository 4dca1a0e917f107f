//! At the end of a turn: what this session made due and is not met now blocks it once, all of it in one text.

use std::borrow::Cow;

use shared::hook::{Given, Memory, Outcome, Verdict};
use shared::protocol::Event;
use shared::stop_gate::{self, never_blocked};

use super::{Answer, rules, view};
use crate::RequirementsCheck;
use crate::facts::Stop;
use crate::rule::Rule;
use crate::settings::{Kind, Scope, Settings};
use crate::strategy::Standing;
use crate::view::View;
use crate::wording;

pub(super) fn of_a_turn(given: &Given<'_, RequirementsCheck>, facts: &Stop) -> Answer {
    let Event::Stop(stop) = &given.input.event else { return Outcome::pass() };
    let view = view(given, &facts.world, None);
    let unmet: Vec<(Rule<'_>, Standing)> = due(given.settings, &view)
        .map(|rule| (rule, rule.strategy().standing(&rule, &view)))
        .filter(|(_, standing)| !standing.is_met())
        .collect();
    if unmet.is_empty() {
        return Outcome::pass();
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
    if given.blocks.own > 0 {
        return Outcome::let_go("blocked once for this prompt already");
    }
    let rule = unmet.first().map_or_else(String::new, |(rule, _)| rule.key());
    let reason = wording::stop(&view, &unmet, given.origin);
    let verdict = Verdict::Block { reason, rule: Cow::Owned(rule) };
    Outcome { verdict, memory: Memory::Keep, notice: None, remark: None, effects: Vec::new() }
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
