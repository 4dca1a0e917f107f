//! Before a tool call: requirements that it triggers and that are not satisfied deny it, all of them in one text.

use std::borrow::Cow;
use std::collections::BTreeSet;

use shared::hook::{Audit, Input, Memory, Outcome, Verdict};

use super::{Answer, advice, reactions, remember, session::sign_of_life, view};
use crate::RequirementsCheck;
use crate::call::{Call, Placed};
use crate::evidence::order::{self, Late};
use crate::facts::{Before, Place};
use crate::rails::Breach;
use crate::rule::Rule;
use crate::settings::{Kind, Scope};
use crate::state::State;
use crate::strategy::Standing;
use crate::view::View;
use crate::wording;

pub(super) fn a_call(input: &Input<'_, RequirementsCheck>, facts: &Before) -> Answer {
    let mut state = input.state.clone();
    let Some(own) = facts.places.first().map(|place| &place.world) else { return Outcome::pass() };
    let effects = if facts.registers { sign_of_life(input, own) } else { Vec::new() };
    if let Some(breach) = &facts.breach {
        let verdict = Verdict::Deny { reason: breach.words(), rule: Cow::Owned(breach.rule.clone()) };
        let audit = Audit::to(Breach::INSTEAD);
        return Outcome { verdict, effects, audit, ..remember(input, state) };
    }
    let judged: Vec<Judged<'_>> =
        facts.places.iter().map(|place| Judged::of(input, &facts.call, place)).collect();
    let open: BTreeSet<&str> = judged.iter().flat_map(Judged::open).collect();
    let is_met = |name: &str| {
        let mut needed = judged.iter().flat_map(|place| &place.needed);
        !open.contains(name) && needed.any(|rule| rule.name == name)
    };
    let followed = reactions(input, &view(input, own, None), is_met, &mut state);
    let mut notes = own.notes.clone();
    if judged.iter().any(|place| !place.unmet.is_empty() || !place.late.is_empty()) {
        let denial = deny(input, &facts.call, &judged, &notes, state);
        return Outcome { effects, ..denial.with_reactions(followed) };
    }
    let hopeless = judged.iter().filter(|place| !place.hopeless.is_empty());
    notes.extend(hopeless.map(|place| wording::cannot_mark(&place.view.world.here, &place.hopeless)));
    let notice = state.untold(&notes);
    reserve(&judged, &facts.call, &mut state);
    for run in &facts.runs {
        state.begin(run.clone());
    }
    let warnings: Vec<String> = judged.iter().flat_map(|place| warnings(place, &mut state)).collect();
    let verdict = advice((!warnings.is_empty()).then(|| warnings.join("\n")));
    Outcome { verdict, notice, effects, ..remember(input, state) }.with_reactions(followed)
}

/// What the call needs in one work tree, and what of it denies the call.
struct Judged<'a> {
    view: View<'a>,
    needed: Vec<Rule<'a>>,
    unmet: Vec<(Rule<'a>, Standing)>,
    /// Not satisfied either, but the satisfaction could not be kept: asking for it would deny for ever.
    hopeless: Vec<(Rule<'a>, Standing)>,
    /// Satisfied, but perhaps not any more when the line comes to what needs it.
    late: Vec<(Rule<'a>, Late)>,
}

impl<'a> Judged<'a> {
    fn of(input: &'a Input<'_, RequirementsCheck>, call: &'a Call, place: &'a Place) -> Self {
        let view = view(input, &place.world, call.id.as_deref());
        let needed: Vec<Rule<'_>> = Rule::all(input.settings)
            .filter(|rule| place.judged.iter().any(|name| name == rule.name))
            .filter(|rule| rule.is_for_calls() && rule.is_triggered_by(call))
            .filter(|rule| !order::is_own_proof(rule, call) && !is_outside(rule, call, &view))
            .collect();
        let (mut unmet, mut hopeless, mut late) = (Vec::new(), Vec::new(), Vec::new());
        for rule in &needed {
            let standing = rule.standing(&view);
            if !standing.is_met() {
                let list = if can_be_kept(rule, input, &view) { &mut unmet } else { &mut hopeless };
                list.push((*rule, standing));
            } else if view.exception(rule).is_none() {
                late.extend(order::late(rule, call, view.world).map(|late| (*rule, late)));
            }
        }
        Self { view, needed, unmet, hopeless, late }
    }

    fn open(&self) -> impl Iterator<Item = &'a str> {
        let unmet = self.unmet.iter().chain(&self.hopeless).map(|(rule, _)| rule.name);
        unmet.chain(self.late.iter().map(|(rule, _)| rule.name))
    }

    /// What is not satisfied in this work tree, and what comes too late in the line.
    fn texts(&self, input: &Input<'_, RequirementsCheck>, call: &Call) -> Vec<String> {
        let unmet =
            (!self.unmet.is_empty()).then(|| wording::denial(call, &self.view, &self.unmet, input.origin));
        let late = (!self.late.is_empty()).then(|| order::words(call, &self.late));
        let mut denying =
            self.unmet.iter().map(|(rule, _)| rule).chain(self.late.iter().map(|(rule, _)| rule));
        let rough = denying.any(|rule| is_rough(rule, call)).then(|| wording::judged_roughly(&self.view));
        unmet.into_iter().chain(late).chain(rough).collect()
    }
}

fn can_be_kept(rule: &Rule<'_>, input: &Input<'_, RequirementsCheck>, view: &View<'_>) -> bool {
    match rule.kind() {
        Kind::Blocking => view.world.can_mark,
        // A run counts through the session's state.
        Kind::Evidence => view.world.can_prove && input.state_is_usable,
        Kind::Dynamic | Kind::Guard => true,
    }
}

/// A file outside of any work tree is on no branch.
fn is_outside(rule: &Rule<'_>, call: &Call, view: &View<'_>) -> bool {
    let (Some(root), Some(file)) = (view.world.here.root(), &call.file) else { return false };
    rule.set.guards_branch() && !view.world.cwd.join(file).starts_with(root)
}

/// A command that needs the rule acts where only the shell knows.
fn is_rough(rule: &Rule<'_>, call: &Call) -> bool {
    let mut needing = call.commands().iter().filter(|command| rule.is_triggered_by_command(call, command));
    needing.any(|command| call.placed(command) == Placed::Roughly)
}

fn deny(
    input: &Input<'_, RequirementsCheck>,
    call: &Call,
    judged: &[Judged<'_>],
    notes: &[String],
    mut state: State,
) -> Answer {
    let texts: Vec<String> = judged.iter().flat_map(|place| place.texts(input, call)).collect();
    let denying: Vec<Rule<'_>> = judged
        .iter()
        .flat_map(|place| {
            place.unmet.iter().map(|(rule, _)| *rule).chain(place.late.iter().map(|(rule, _)| *rule))
        })
        .collect();
    let late = judged.iter().flat_map(|place| &place.late).map(|(_, late)| late.step().to_owned()).next();
    let next =
        judged.iter().flat_map(|place| wording::steps(&place.view, &place.unmet)).chain(late).collect();
    let mut keys: Vec<String> = denying.iter().map(Rule::key).collect();
    keys.dedup();
    let mut keys = keys.into_iter();
    let rule = keys.next().unwrap_or_default();
    state.ask(&rule, denying.iter().map(|rule| rule.name));
    let verdict = Verdict::Deny { reason: texts.join("\n"), rule: Cow::Owned(rule) };
    let notice = state.untold(notes);
    let audit = Audit { next, also: keys.collect(), ..Audit::default() };
    // The denial stands whether or not it can be remembered.
    Outcome { verdict, memory: Memory::Note(state), notice, audit, ..Outcome::pass() }
}

/// The call holds the single-use satisfactions it needs until it has run.
fn reserve(judged: &[Judged<'_>], call: &Call, state: &mut State) {
    for place in judged {
        for rule in place.needed.iter().filter(|rule| rule.set.scope == Scope::SingleUse) {
            if let (Some(call), Some(mark)) = (&call.id, place.view.mark(rule)) {
                state.reserve(rule.name, mark.identity(), call);
            }
        }
    }
}

/// One line per size that has passed its warning since it was last below.
fn warnings(place: &Judged<'_>, state: &mut State) -> Vec<String> {
    let mut lines = Vec::new();
    for rule in &place.needed {
        let (Some(dynamic), Some(Ok(size))) = (rule.set.dynamic(), place.view.world.sizes.get(rule.name))
        else {
            continue;
        };
        let Some(warn) = dynamic.warn else { continue };
        if size.lines < warn {
            state.warned.remove(rule.name);
        } else if state.warned.insert(rule.name.to_owned()) {
            lines.push(wording::warning(rule.name, dynamic.block, size, warn));
        }
    }
    lines
}
