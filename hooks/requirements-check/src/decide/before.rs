//! Before a tool call: requirements that it triggers and that are not satisfied deny it, all of them in one text.

use shared::hook::{Audit, Memory, Outcome, Verdict};

use super::{Answer, HookInput, advice, asked, reactions, remember, sign_of_life, view};
use crate::call::Call;
use crate::evidence::order::{self, Late};
use crate::rails;
use crate::rule::Rule;
use crate::settings::{Guard, Kind, Scope, Terms};
use crate::state::State;
use crate::view::View;
use crate::view::{Before, World};
use crate::wording::{self, Unmet};

pub(super) fn a_call(input: &HookInput<'_>, facts: &Before) -> Answer {
    let Some(own) = facts.places.first() else { return Outcome::pass() };
    let effects = if facts.registers { sign_of_life(input, own) } else { Vec::new() };
    if let Some(verdict) = facts.breach.clone() {
        return Outcome { verdict, effects, audit: Audit::to(rails::INSTEAD), ..Outcome::pass() };
    }
    let call = &facts.call;
    let judged: Vec<Judged<'_>> = facts.places.iter().map(|place| Judged::of(input, call, place)).collect();
    let is_open = |name: &str| judged.iter().flat_map(Judged::open).any(|open| open == name);
    let met = || judged.iter().flat_map(|place| &place.satisfied);
    let is_satisfied = |name: &str| !is_open(name) && met().any(|rule| rule.name == name);
    let mut state = input.state.clone();
    let followed = reactions(input, &view(input, own, None), is_satisfied, &mut state);
    let answer = if judged.iter().any(|place| !place.unmet.is_empty() || !place.late.is_empty()) {
        deny(input, facts, &judged, state)
    } else {
        allow(input, facts, &judged, state)
    };
    Outcome { effects, ..answer.with_reactions(followed) }
}

/// What the call needs in one work tree.
struct Judged<'a> {
    view: View<'a>,
    satisfied: Vec<Rule<'a>>,
    unmet: Vec<Unmet<'a>>,
    /// Not satisfied either, but the satisfaction could not be kept: asking for it would deny for ever.
    hopeless: Vec<&'a str>,
    /// Satisfied, but perhaps not any more when the line comes to what needs it.
    late: Vec<(Rule<'a>, Late)>,
}

impl<'a> Judged<'a> {
    fn of(input: &'a HookInput<'_>, call: &'a Call, world: &'a World) -> Self {
        let view = view(input, world, call.id.as_deref());
        let (mut satisfied, mut unmet, mut hopeless, mut late) =
            <(Vec<_>, Vec<_>, Vec<_>, Vec<_>)>::default();
        let needed = Rule::all(input.settings)
            .filter(|rule| world.judged.iter().any(|name| name == rule.name))
            .filter(|rule| !order::is_own_proof(rule, call) && !is_outside(rule, call, &view));
        for rule in needed {
            match rule.standing(&view) {
                Err(_) if !can_be_kept(&rule, input, &view) => hopeless.push(rule.name),
                Err(why) => unmet.push((rule, why)),
                Ok(_) if view.exception(&rule).is_some() => satisfied.push(rule),
                Ok(_) => match order::late(&rule, call, view.world) {
                    Some(why) => late.push((rule, why)),
                    None => satisfied.push(rule),
                },
            }
        }
        Self { view, satisfied, unmet, hopeless, late }
    }

    fn denying(&self) -> impl Iterator<Item = Rule<'a>> {
        self.unmet.iter().map(|(rule, _)| *rule).chain(self.late.iter().map(|(rule, _)| *rule))
    }

    fn open(&self) -> impl Iterator<Item = &'a str> {
        self.denying().map(|rule| rule.name).chain(self.hopeless.iter().copied())
    }
}

fn can_be_kept(rule: &Rule<'_>, input: &HookInput<'_>, view: &View<'_>) -> bool {
    match rule.kind() {
        Kind::Blocking => view.world.can_satisfy,
        // A run counts through the session's state.
        Kind::Evidence => view.world.can_prove && input.state_is_usable,
        Kind::Dynamic | Kind::Guard => true,
    }
}

/// A file outside of any work tree is on no branch.
fn is_outside(rule: &Rule<'_>, call: &Call, view: &View<'_>) -> bool {
    let (Some(root), Some(file)) = (view.world.worktree_root(), &call.file) else { return false };
    matches!(rule.set.terms, Terms::Guard(Guard::ProtectedBranch(_)))
        && !view.world.cwd.join(file).starts_with(root)
}

fn deny(input: &HookInput<'_>, facts: &Before, judged: &[Judged<'_>], mut state: State) -> Answer {
    let (mut texts, mut next) = (Vec::new(), Vec::new());
    for place in judged {
        if !place.unmet.is_empty() {
            let told = wording::denial(&facts.call, &place.view, &place.unmet, input.origin);
            texts.push(told.text);
            next.extend(told.steps);
        }
        if !place.late.is_empty() {
            texts.push(order::words(&facts.call, &place.late));
        }
    }
    let late = judged.iter().flat_map(|place| &place.late).next();
    next.extend(late.map(|(_, late)| late.step.to_owned()));
    let denying: Vec<Rule<'_>> = judged.iter().flat_map(Judged::denying).collect();
    let (rule, audit) = asked(&denying, next, &mut state);
    let verdict = Verdict::Deny { reason: texts.join("\n"), rule };
    let notice = judged.first().and_then(|own| state.untold(&own.view.world.notes));
    // The denial stands whether or not it can be remembered.
    Outcome { verdict, memory: Memory::Note(state), notice, audit, ..Outcome::pass() }
}

fn allow(input: &HookInput<'_>, facts: &Before, judged: &[Judged<'_>], mut state: State) -> Answer {
    let mut notes: Vec<String> = judged.iter().take(1).flat_map(|own| own.view.world.notes.clone()).collect();
    let mut warnings = Vec::new();
    for place in judged {
        if !place.hopeless.is_empty() {
            notes.push(wording::cannot_be_kept(place.view.world, &place.hopeless));
        }
        for rule in &place.satisfied {
            warnings.extend(warning(rule, &place.view, &mut state));
            // The call holds the single-use satisfactions it needs until it has run.
            let is_held = rule.set.scope == Scope::SingleUse;
            if let (true, Some(call), Some(held)) = (is_held, &facts.call.id, place.view.satisfaction(rule)) {
                state.reserve(rule.name, held.identity(), call);
            }
        }
    }
    for run in &facts.runs {
        state.begin(run.clone());
    }
    let notice = state.untold(&notes);
    let verdict = advice((!warnings.is_empty()).then(|| warnings.join("\n")));
    Outcome { verdict, notice, ..remember(input, state) }
}

/// The text about a size that has passed its warning, once until it is below again.
fn warning(rule: &Rule<'_>, view: &View<'_>, state: &mut State) -> Option<String> {
    let (dynamic, size) = (rule.set.dynamic()?, view.world.sizes.get(rule.name)?.as_ref().ok()?);
    if dynamic.warn.is_none_or(|warn| size.lines < warn) {
        state.warned.remove(rule.name);
        return None;
    }
    let is_new = state.warned.insert(rule.name.to_owned());
    wording::warning(rule.name, dynamic, size).filter(|_| is_new)
}
