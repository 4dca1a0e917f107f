//! Before a tool call: what it needs and is not met refuses it, all of it in one text; what it may prove is noted.

use std::borrow::Cow;

use shared::hook::{Given, Memory, Outcome, Trail, Verdict};

use super::{Answer, heeds::heeds, remember, rules, start::sign_of_life, view};
use crate::RequirementsCheck;
use crate::change::Change;
use crate::evidence::order::{self, Late};
use crate::facts::Before;
use crate::rails::Breach;
use crate::rule::Rule;
use crate::settings::{Kind, Scope};
use crate::state::State;
use crate::strategy::Standing;
use crate::view::View;
use crate::wording;

pub(super) fn a_call(given: &Given<'_, RequirementsCheck>, facts: &Before) -> Answer {
    let mut state = given.state.clone();
    let mut effects: Vec<Change> = facts.scheduled.map(Change::Scheduled).into_iter().collect();
    if facts.registers {
        effects.extend(sign_of_life(given, &facts.world));
    }
    if let Some(breach) = &facts.breach {
        let verdict = Verdict::Deny { reason: breach.words(), rule: Cow::Owned(breach.rule.clone()) };
        let trail = Trail::to(Breach::INSTEAD);
        return Outcome { verdict, effects, trail, ..remember(given, state) };
    }
    let view = view(given, &facts.world, facts.call.id.as_deref());
    let needed: Vec<Rule<'_>> = rules(given.settings)
        .filter(|rule| rule.is_for_calls() && rule.is_triggered_by(&facts.call))
        .filter(|rule| !order::is_own_proof(rule, &facts.call))
        .collect();
    let unmet: Vec<(Rule<'_>, Standing)> = needed
        .iter()
        .map(|rule| (*rule, rule.strategy().standing(rule, &view)))
        .filter(|(_, standing)| !standing.is_met())
        .collect();
    // A mark that cannot be kept cannot be asked for: that would refuse for ever.
    let (unmet, hopeless): (Vec<_>, Vec<_>) = unmet.into_iter().partition(|(rule, _)| match rule.set.kind {
        Kind::Blocking => facts.world.can_mark,
        Kind::Evidence => facts.world.can_prove,
        Kind::Dynamic | Kind::Guard => true,
    });
    let is_unmet = |rule: &Rule<'_>| unmet.iter().chain(&hopeless).any(|(other, _)| other.name == rule.name);
    let late: Vec<(Rule<'_>, Late)> = needed
        .iter()
        .filter(|rule| !is_unmet(rule) && view.exception(rule).is_none())
        .filter_map(|rule| Some((*rule, order::late(rule, &facts.call, &facts.world)?)))
        .collect();
    let is_open = |rule: &Rule<'_>| is_unmet(rule) || late.iter().any(|(other, _)| other.name == rule.name);
    let heeds = heeds(given, &view, &needed.iter().filter(|rule| !is_open(rule)), &mut state);
    if !unmet.is_empty() || !late.is_empty() {
        let denial = deny(given, facts, &view, &Open { unmet, late }, state);
        return Outcome { effects, ..denial.heeding(heeds) };
    }
    let mut notes = facts.world.notes.clone();
    notes.extend((!hopeless.is_empty()).then(|| wording::cannot_mark(&facts.world.here, &hopeless)));
    let notice = state.untold(&notes);
    for rule in needed.iter().filter(|rule| rule.set.scope == Scope::SingleUse) {
        if let (Some(call), Some(mark)) = (&facts.call.id, view.mark(rule)) {
            state.reserve(rule.name, mark.identity(), call, given.now);
        }
    }
    for run in &facts.runs {
        state.begin(run.clone());
    }
    let advice = crossings(&needed, &view, &mut state);
    let verdict = if advice.is_empty() { Verdict::Pass } else { Verdict::Advise { text: advice.join("\n") } };
    Outcome { verdict, notice, effects, ..remember(given, state) }.heeding(heeds)
}

/// What refuses a call.
struct Open<'a> {
    /// Requirements that are not met.
    unmet: Vec<(Rule<'a>, Standing)>,
    /// Those that are, but may not be any more when the line comes to what needs them.
    late: Vec<(Rule<'a>, Late)>,
}

fn deny(
    given: &Given<'_, RequirementsCheck>,
    facts: &Before,
    view: &View<'_>,
    open: &Open<'_>,
    mut state: State,
) -> Answer {
    let Open { unmet, late } = open;
    let not_met = (!unmet.is_empty()).then(|| wording::denial(&facts.call, view, unmet, given.origin));
    let too_late = (!late.is_empty()).then(|| order::words(&facts.call, late));
    let whole = not_met.into_iter().chain(too_late).collect::<Vec<_>>().join("\n");
    let is_parallel = state.denies_again(wording::hash(&whole), given.now);
    let late = late.iter().map(|(rule, late)| (*rule, Standing::Unmet(late.why())));
    let all: Vec<(Rule<'_>, Standing)> = unmet.iter().cloned().chain(late).collect();
    let reason = if is_parallel { wording::denied_again(&facts.call, &all) } else { whole };
    let mut rules = all.iter().map(|(rule, _)| rule.key());
    let rule = rules.next().unwrap_or_default();
    let mut next = wording::steps(view, unmet);
    next.extend((all.len() > unmet.len()).then(|| order::STEP.to_owned()));
    state.ask(&rule, all.iter().map(|(rule, _)| rule.name));
    let verdict = Verdict::Deny { reason, rule: Cow::Owned(rule) };
    // The denial stands whether or not it can be remembered.
    let notice = state.untold(&facts.world.notes);
    let trail = Trail { next, also: rules.collect(), ..Trail::default() };
    Outcome { verdict, memory: Memory::Note(state), notice, trail, ..Outcome::pass() }
}

/// One line per dynamic requirement that has passed its warning since it was last below it.
fn crossings(needed: &[Rule<'_>], view: &View<'_>, state: &mut State) -> Vec<String> {
    let mut lines = Vec::new();
    for rule in needed {
        let (Some(size), Some(warn)) = (view.world.sizes.get(rule.name), rule.set.thresholds.warn) else {
            continue;
        };
        if size.lines < u64::from(warn.get()) {
            state.warned.remove(rule.name);
        } else if state.warned.insert(rule.name.to_owned()) {
            lines.push(wording::warning(rule, size, u64::from(warn.get())));
        }
    }
    lines
}
