//! After a tool call that ran: what it made due, what it proved, which single-use satisfactions it used up, what it satisfied.

use serde_json::{Map, Value};
use shared::hook::{Input, Outcome};

use super::{Answer, advice, remember, view};
use crate::RequirementsCheck;
use crate::change::{Change, Target};
use crate::evidence::{self, Found};
use crate::facts::After;
use crate::rule::Rule;
use crate::satisfactions::{By, Mark, Metadata};
use crate::settings::{Kind, Terms};
use crate::state::{Run, State, Uncounted};
use crate::view::View;
use crate::wording;

pub(super) fn a_call(input: &Input<'_, RequirementsCheck>, facts: &After) -> Answer {
    let view = view(input, &facts.world, facts.call.id.as_deref());
    let mut state = input.state.clone();
    // A line that fails may have done half of its work; any other tool that fails has done nothing.
    let has_acted = facts.succeeded || facts.call.line.is_some();
    for rule in Rule::all(input.settings) {
        if has_acted && rule.is_triggered_by(&facts.call) {
            state.triggered.insert(rule.name.to_owned());
        }
        if rule.kind() == Kind::Evidence && makes_due(&rule, facts, &view) {
            state.edited.insert(rule.name.to_owned());
        }
    }
    let mut changes = used_up(input, facts, &view, &mut state);
    changes.extend(proved(input, facts, &view, &mut state));
    if facts.succeeded {
        changes.extend(Rule::all(input.settings).filter_map(|rule| satisfied(&rule, input, facts, &view)));
    }
    let verdict = advice(wording::after_planning(input, facts, &view));
    let notice = state.untold(&facts.world.notes);
    Outcome { verdict, notice, effects: changes, ..remember(input, state) }
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
        let mark = view.mark(&rule).filter(|mark| mark.identity() <= held)?;
        let own = target(&rule, view);
        let everyones = view.world.branch.requirements.get(&name).and_then(|marks| marks.everyone.as_ref());
        let is_everyones = everyones.is_some_and(|everyones| everyones.identity() == mark.identity());
        let session = own.session.clone().filter(|_| !is_everyones);
        Some(Change::Clear(Target { session, ..own }))
    };
    state.spend(call).into_iter().filter_map(clear).collect()
}

/// A command that passed becomes evidence, one that failed removes it, one that does not count leaves its reason.
fn proved(
    input: &Input<'_, RequirementsCheck>,
    facts: &After,
    view: &View<'_>,
    state: &mut State,
) -> Vec<Change> {
    let ended = facts.call.id.as_deref().map(|call| state.end(call)).unwrap_or_default();
    let mut changes = Vec::new();
    for rule in Rule::all(input.settings).filter(|rule| rule.kind() == Kind::Evidence) {
        let Some(found) = evidence::command_of(&rule, &facts.call) else {
            let near = evidence::near_miss(&rule, &facts.call).filter(|_| facts.succeeded);
            state.uncounted.extend(near.map(|near| (rule.name.to_owned(), nearly(near))));
            continue;
        };
        let run = ended.iter().find(|run| run.name == rule.name);
        let why = if facts.succeeded {
            evidence::not_counted(&rule, &found, facts, run.is_some())
        } else {
            changes.push(Change::Clear(target(&rule, view)));
            Some(if facts.is_unfinished { "it was interrupted" } else { "it failed" }.to_owned())
        };
        match (why, run) {
            (Some(why), _) => {
                state.uncounted.insert(rule.name.to_owned(), uncounted(&found, why, view));
            }
            (None, Some(run)) => {
                state.uncounted.remove(rule.name);
                let mark = mark_of(run, evidence::asked(&rule, &found), input);
                changes.push(Change::Set(target(&rule, view), Box::new(mark)));
            }
            (None, None) => {}
        }
    }
    changes
}

fn uncounted(found: &Found, why: String, view: &View<'_>) -> Uncounted {
    let line = found.line_in(view.world.top(), &view.world.cwd);
    Uncounted { shown: found.shown.clone(), why, line }
}

/// A command that resembles what is asked for.
fn nearly((shown, line): (String, String)) -> Uncounted {
    Uncounted { shown, why: "it is not one of the commands that count".to_owned(), line }
}

fn mark_of(run: &Run, other: Map<String, Value>, input: &Input<'_, RequirementsCheck>) -> Mark {
    let metadata = Metadata {
        command: Some(run.command.clone()),
        fingerprint: Some(run.files.clone().into()),
        other,
        ..Metadata::default()
    };
    Mark { metadata, ..Mark::new(By::Evidence, input.now) }
}

/// A skill or `req satisfy` satisfies the requirement, unless it is satisfied already.
fn satisfied(
    rule: &Rule<'_>,
    input: &Input<'_, RequirementsCheck>,
    facts: &After,
    view: &View<'_>,
) -> Option<Change> {
    let Terms::Blocking(blocking) = &rule.set.terms else { return None };
    let skill = facts.call.skill.as_deref().filter(|skill| blocking.is_by_skill(skill));
    let by_command = facts.satisfied.iter().any(|name| name == rule.name) && !rule.set.is_the_users();
    let by = match skill {
        Some(_) => By::Skill,
        None if by_command => By::Agent,
        None => return None,
    };
    if rule.standing(view).is_met() {
        return None;
    }
    let metadata = Metadata { skill: skill.map(ToOwned::to_owned), ..Metadata::default() };
    let mark = Mark { metadata: metadata.at(input.now), ..Mark::new(by, input.now) };
    Some(Change::Set(target(rule, view), Box::new(mark)))
}
