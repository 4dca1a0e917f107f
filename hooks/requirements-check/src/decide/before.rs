//! Before a tool call: what it needs and is not met refuses it, all of it in one text; what it may prove is noted.

use std::borrow::Cow;

use shared::hook::{Audit, Input, Memory, Outcome, Verdict};

use super::{Answer, reactions::reactions, remember, rules, start::sign_of_life, view};
use crate::RequirementsCheck;
use crate::call::{Call, Placed};
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

pub(super) fn a_call(input: &Input<'_, RequirementsCheck>, facts: &Before) -> Answer {
    let mut state = input.state.clone();
    let mut effects: Vec<Change> = facts.scheduled.map(Change::Scheduled).into_iter().collect();
    if facts.registers {
        effects.extend(sign_of_life(input, &facts.world));
    }
    if let Some(breach) = &facts.breach {
        let verdict = Verdict::Deny { reason: breach.words(), rule: Cow::Owned(breach.rule.clone()) };
        let audit = Audit::to(Breach::INSTEAD);
        return Outcome { verdict, effects, audit, ..remember(input, state) };
    }
    let call = facts.call.id.as_deref();
    let elsewhere = facts.elsewhere.iter().map(|visit| (&visit.world, Some(visit.judged.as_slice())));
    let judged: Vec<Judged<'_>> = std::iter::once((&facts.world, facts.judged.as_deref()))
        .chain(elsewhere)
        .map(|(world, names)| Judged::of(input, facts, view(input, world, call), names))
        .collect();
    let is_open = |rule: &Rule<'_>| judged.iter().any(|place| place.is_open(rule));
    let needed = judged.iter().flat_map(|place| &place.needed);
    let reactions =
        reactions(input, &judged[0].view, &needed.clone().filter(|rule| !is_open(rule)), &mut state);
    if judged.iter().any(Judged::refuses) {
        let denial = deny(input, facts, &judged, state);
        return Outcome { effects, ..denial.with_reactions(reactions) };
    }
    let mut notes = facts.world.notes.clone();
    let hopeless = judged.iter().filter(|place| !place.hopeless.is_empty());
    notes.extend(hopeless.map(|place| wording::cannot_mark(&place.view.world.here, &place.hopeless)));
    let notice = state.untold(&notes);
    for place in &judged {
        for rule in place.needed.iter().filter(|rule| rule.set.scope == Scope::SingleUse) {
            if let (Some(call), Some(mark)) = (call, place.view.mark(rule)) {
                state.reserve(rule.name, mark.identity(), call);
            }
        }
    }
    for run in &facts.runs {
        state.begin(run.clone());
    }
    let advice: Vec<String> =
        judged.iter().flat_map(|place| crossings(&place.needed, &place.view, &mut state)).collect();
    let verdict = if advice.is_empty() { Verdict::Pass } else { Verdict::Advise { text: advice.join("\n") } };
    Outcome { verdict, notice, effects, ..remember(input, state) }.with_reactions(reactions)
}

/// What the call needs in one work tree, and what of it refuses it.
struct Judged<'a> {
    view: View<'a>,
    needed: Vec<Rule<'a>>,
    /// Requirements that are not satisfied.
    unmet: Vec<(Rule<'a>, Standing)>,
    /// The same, but a mark that cannot be kept cannot be asked for: that would refuse for ever.
    hopeless: Vec<(Rule<'a>, Standing)>,
    /// Those that are satisfied, but may not be any more when the line comes to what needs them.
    late: Vec<(Rule<'a>, Late)>,
}

impl<'a> Judged<'a> {
    fn of(
        input: &'a Input<'_, RequirementsCheck>,
        facts: &Before,
        view: View<'a>,
        names: Option<&[String]>,
    ) -> Self {
        let is_judged =
            |rule: &Rule<'_>| names.is_none_or(|names| names.iter().any(|name| name == rule.name));
        let needed: Vec<Rule<'_>> = rules(input.settings)
            .filter(|rule| rule.is_for_calls() && rule.is_triggered_by(&facts.call) && is_judged(rule))
            .filter(|rule| !order::is_own_proof(rule, &facts.call) && !is_outside(rule, facts, &view))
            .collect();
        let (unmet, hopeless): (Vec<_>, Vec<_>) = needed
            .iter()
            .map(|rule| (*rule, rule.standing(&view)))
            .filter(|(_, standing)| !standing.is_met())
            .partition(|(rule, _)| match rule.kind() {
                Kind::Blocking => view.world.can_mark,
                // A run counts through the session's state.
                Kind::Evidence => view.world.can_prove && input.state_is_usable,
                Kind::Dynamic | Kind::Guard => true,
            });
        let mut judged = Self { view, needed, unmet, hopeless, late: Vec::new() };
        judged.late = judged
            .needed
            .iter()
            .filter(|rule| !judged.is_open(rule) && judged.view.exception(rule).is_none())
            .filter_map(|rule| Some((*rule, order::late(rule, &facts.call, judged.view.world)?)))
            .collect();
        judged
    }

    fn is_open(&self, rule: &Rule<'_>) -> bool {
        let unmet = self.unmet.iter().chain(&self.hopeless).map(|(rule, _)| rule.name);
        unmet.chain(self.late.iter().map(|(rule, _)| rule.name)).any(|name| name == rule.name)
    }

    fn refuses(&self) -> bool {
        !self.unmet.is_empty() || !self.late.is_empty()
    }

    /// Everything that refuses, with why.
    fn open(&self) -> impl Iterator<Item = (Rule<'a>, Standing)> + '_ {
        let late = self.late.iter().map(|(rule, late)| (*rule, Standing::Unmet(late.why())));
        self.unmet.iter().cloned().chain(late)
    }
}

/// A file outside of any work tree is on no branch.
fn is_outside(rule: &Rule<'_>, facts: &Before, view: &View<'_>) -> bool {
    let (Some(root), Some(file)) = (view.world.here.root(), &facts.call.file) else { return false };
    rule.set.guards_branch() && !view.world.cwd.join(file).starts_with(root)
}

fn deny(
    input: &Input<'_, RequirementsCheck>,
    facts: &Before,
    judged: &[Judged<'_>],
    mut state: State,
) -> Answer {
    let whole: Vec<String> = judged.iter().flat_map(|place| texts(input, facts, place)).collect();
    let whole = whole.join("\n");
    let is_parallel = state.denies_again(wording::hash(&whole), input.now);
    let all: Vec<(Rule<'_>, Standing)> = judged.iter().flat_map(Judged::open).collect();
    let late = judged.iter().flat_map(|place| &place.late).map(|(_, late)| late.step().to_owned()).next();
    let next: Vec<String> =
        judged.iter().flat_map(|place| wording::steps(&place.view, &place.unmet)).chain(late).collect();
    let reason = if is_parallel { wording::denied_again(&facts.call, &all, &next) } else { whole };
    let mut rules: Vec<String> = all.iter().map(|(rule, _)| rule.key()).collect();
    rules.dedup();
    let mut rules = rules.into_iter();
    let rule = rules.next().unwrap_or_default();
    state.ask(&rule, all.iter().map(|(rule, _)| rule.name));
    let verdict = Verdict::Deny { reason, rule: Cow::Owned(rule) };
    // The denial stands whether or not it can be remembered.
    let notice = state.untold(&facts.world.notes);
    let audit = Audit { next, also: rules.collect(), ..Audit::default() };
    Outcome { verdict, memory: Memory::Note(state), notice, audit, ..Outcome::pass() }
}

/// What is not satisfied in one work tree, and what comes too late in the line.
fn texts(input: &Input<'_, RequirementsCheck>, facts: &Before, place: &Judged<'_>) -> Vec<String> {
    let unmet = (!place.unmet.is_empty())
        .then(|| wording::denial(&facts.call, &place.view, &place.unmet, input.origin));
    let late = (!place.late.is_empty()).then(|| order::words(&facts.call, &place.late));
    let all = place.unmet.iter().map(|(rule, _)| rule).chain(place.late.iter().map(|(rule, _)| rule));
    let rough = is_rough(all, &facts.call).then(|| wording::judged_roughly(&place.view));
    unmet.into_iter().chain(late).chain(rough).collect()
}

/// A command that needs one of the rules goes where only the shell knows.
fn is_rough<'a>(mut rules: impl Iterator<Item = &'a Rule<'a>>, call: &Call) -> bool {
    rules.any(|rule| {
        let needing = call.commands().iter().filter(|command| rule.is_triggered_by_command(call, command));
        needing.into_iter().any(|command| call.placed(command) == Placed::Roughly)
    })
}

/// One line per dynamic requirement that has passed its warning since it was last below it.
fn crossings(needed: &[Rule<'_>], view: &View<'_>, state: &mut State) -> Vec<String> {
    let mut lines = Vec::new();
    for rule in needed {
        let Some((dynamic, size)) = rule.set.dynamic().zip(view.world.sizes.get(rule.name)) else { continue };
        let Some(warn) = dynamic.warn else { continue };
        if size.lines < warn {
            state.warned.remove(rule.name);
        } else if state.warned.insert(rule.name.to_owned()) {
            lines.push(wording::warning(rule.name, dynamic.block, size, warn));
        }
    }
    lines
}
