//! After a tool call that ran: what it made due, what it proved, which single-use satisfactions it used up, what it satisfied.

use shared::hook::{Input, Outcome};

use super::{Answer, advice, remember, view};
use crate::RequirementsCheck;
use crate::change::{Change, Target};
use crate::evidence;
use crate::facts::After;
use crate::rule::Rule;
use crate::satisfactions::{By, Metadata, Satisfaction};
use crate::settings::{Kind, Terms};
use crate::state::{Run, State, Uncounted};
use crate::view::View;
use crate::wording::{self, Unmet};

pub(super) fn a_call(input: &Input<'_, RequirementsCheck>, facts: &After) -> Answer {
    let view = view(input, &facts.world, facts.call.id.as_deref());
    let mut state = input.state.clone();
    let mut effects = used_up(input, facts, &view, &mut state);
    let ended = facts.call.id.as_deref().map(|call| state.end(call)).unwrap_or_default();
    // A line that fails may have done half of its work; any other tool that fails has done nothing.
    let has_acted = facts.succeeded || facts.call.line.is_some();
    for rule in Rule::all(input.settings) {
        if has_acted && rule.is_triggered_by(&facts.call) {
            state.triggered.insert(rule.name.to_owned());
        }
        if rule.kind() == Kind::Evidence {
            if makes_due(&rule, facts, &view) {
                state.edited.insert(rule.name.to_owned());
            }
            let run = ended.iter().find(|run| run.name == rule.name);
            effects.extend(proved(&rule, run, input, facts, &view, &mut state));
        }
        effects.extend(satisfied(&rule, input, facts, &view));
    }
    let verdict = advice(after_planning(input, facts, &view));
    let notice = state.untold(&facts.world.notes);
    Outcome { verdict, notice, effects, ..remember(input, state) }
}

fn target(rule: &Rule<'_>, view: &View<'_>) -> Target {
    Target::new(&view.world.here, rule.name, rule.set.scope, view.session)
}

/// The call changed a file the evidence is about.
fn makes_due(rule: &Rule<'_>, facts: &After, view: &View<'_>) -> bool {
    let call = &facts.call;
    if !call.is_edit() {
        return facts.changed.iter().any(|name| name == rule.name);
    }
    let is_about =
        |file| view.world.top().is_none_or(|root| evidence::is_about(rule, root, &view.world.cwd.join(file)));
    facts.succeeded && call.file.as_deref().is_none_or(is_about)
}

/// Single-use satisfactions: used up by a call that succeeded, free again after one that failed.
fn used_up(
    input: &Input<'_, RequirementsCheck>,
    facts: &After,
    view: &View<'_>,
    state: &mut State,
) -> Vec<Change> {
    let Some(call) = facts.call.id.as_deref() else { return Vec::new() };
    if !facts.succeeded {
        state.release(call);
        return Vec::new();
    }
    let clear = |(name, held): (String, i64)| {
        let rule = Rule::named(input.settings, &name)?;
        // One that was set while the call ran is for the next call.
        view.satisfaction(&rule).filter(|found| found.identity() <= held)?;
        let mut target = target(&rule, view);
        let own = &view.world.branch.requirements.get(&name)?.sessions;
        target.session = target.session.filter(|session| own.contains_key(session));
        Some(Change::Clear(target))
    };
    state.spend(call).into_iter().filter_map(clear).collect()
}

/// A command that passed becomes evidence, one that failed removes it, one that does not count leaves its reason.
fn proved(
    rule: &Rule<'_>,
    run: Option<&Run>,
    input: &Input<'_, RequirementsCheck>,
    facts: &After,
    view: &View<'_>,
    state: &mut State,
) -> Option<Change> {
    let Some(found) = evidence::command_of(rule, &facts.call) else {
        let (shown, line) = evidence::near_miss(rule, &facts.call).filter(|_| facts.succeeded)?;
        let why = "it is not one of the commands that count".to_owned();
        state.uncounted.insert(rule.name.to_owned(), Uncounted { shown, why, line });
        return None;
    };
    let why = if facts.succeeded {
        evidence::not_counted(rule, &found, facts, run.is_some())
    } else {
        Some(if facts.is_unfinished { "it was interrupted" } else { "it failed" }.to_owned())
    };
    if let Some(why) = why {
        let line = found.line_in(view.world.top(), &view.world.cwd);
        state.uncounted.insert(rule.name.to_owned(), Uncounted { shown: found.shown, why, line });
        return (!facts.succeeded).then(|| Change::Clear(target(rule, view)));
    }
    state.uncounted.remove(rule.name);
    let metadata = Metadata {
        command: Some(run?.command.clone()),
        fingerprint: Some(run?.files.clone().into()),
        other: evidence::asked(rule, &found),
        ..Metadata::default()
    };
    Some(Change::Set(
        target(rule, view),
        Box::new(Satisfaction { metadata, ..Satisfaction::new(By::Evidence, input.now) }),
    ))
}

/// A skill or `req satisfy` satisfies the requirement, unless it is satisfied already.
fn satisfied(
    rule: &Rule<'_>,
    input: &Input<'_, RequirementsCheck>,
    facts: &After,
    view: &View<'_>,
) -> Option<Change> {
    let Terms::Blocking(blocking) = &rule.set.terms else { return None };
    let skill = facts.call.skill.clone().filter(|skill| blocking.is_by_skill(skill));
    let by_command = facts.satisfied.iter().any(|name| name == rule.name) && !rule.set.is_the_users();
    if !facts.succeeded || (skill.is_none() && !by_command) || rule.standing(view).is_ok() {
        return None;
    }
    let by = if skill.is_some() { By::Skill } else { By::Agent };
    let metadata = Metadata { skill, ..Metadata::default() }.at(input.now);
    Some(Change::Set(
        target(rule, view),
        Box::new(Satisfaction { metadata, ..Satisfaction::new(by, input.now) }),
    ))
}

fn after_planning(input: &Input<'_, RequirementsCheck>, facts: &After, view: &View<'_>) -> Option<String> {
    if facts.call.tool != "ExitPlanMode" || !facts.succeeded {
        return None;
    }
    let rules = Rule::all(input.settings).filter(Rule::is_for_calls);
    let unmet: Vec<Unmet<'_>> = rules.filter_map(|rule| Some((rule, rule.standing(view).err()?))).collect();
    (!unmet.is_empty()).then(|| wording::after_planning(view, &unmet, input.origin))
}
