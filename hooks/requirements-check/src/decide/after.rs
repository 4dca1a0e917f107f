//! After a tool call that ran: what it made due, what it proved, which marks it used up, what it marked as met.

use serde_json::{Map, Value};
use shared::hook::{Input, Outcome, Verdict};

use super::{Answer, remember, rules, view};
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
    state.went_on();
    let mut changes = Vec::new();
    for rule in rules(input.settings) {
        // A line that fails may have done half of its work; any other tool that fails has done nothing.
        let has_done = facts.succeeded || facts.call.line.is_some();
        if has_done && rule.is_triggered_by(&facts.call) {
            state.triggered.insert(rule.name.to_owned());
        }
        if rule.kind() == Kind::Evidence && makes_due(&rule, facts, &view) {
            state.edited.insert(rule.name.to_owned());
        }
    }
    used_up(input, facts, &view, &mut state, &mut changes);
    proved(input, facts, &view, &mut state, &mut changes);
    if facts.succeeded {
        marked(input, facts, &view, &mut changes);
    }
    let verdict = match wording::after_planning(input, facts, &view) {
        Some(text) => Verdict::Advise { text },
        None => Verdict::Pass,
    };
    let notice = state.untold(&facts.world.notes);
    Outcome { verdict, notice, effects: changes, ..remember(input, state) }
}

/// The call changed a file the evidence is about.
fn makes_due(rule: &Rule<'_>, facts: &After, view: &View<'_>) -> bool {
    let call = &facts.call;
    if !call.is_edit() {
        return facts.changed.iter().any(|name| name == rule.name);
    }
    let Some(root) = view.world.here.root().or(view.world.root.as_deref()) else { return facts.succeeded };
    // An edit is made whole or not at all.
    facts.succeeded
        && call.file.as_deref().is_none_or(|file| evidence::is_about(rule, root, &view.world.cwd.join(file)))
}

/// Marks for one call: used up by a call that ran, free again after one that failed.
fn used_up(
    input: &Input<'_, RequirementsCheck>,
    facts: &After,
    view: &View<'_>,
    state: &mut State,
    changes: &mut Vec<Change>,
) {
    let Some(call) = facts.call.id.as_deref() else { return };
    if !facts.succeeded {
        state.release(call);
        return;
    }
    for (name, taken) in state.reserved_by(call) {
        state.spend(&name, taken);
        let Some(rule) = Rule::named(input.settings, &name) else { continue };
        // One that was set while the call ran is for the next.
        let Some(mark) = view.mark(&rule).filter(|mark| mark.identity() <= taken) else { continue };
        let own = Target::new(&view.world.here, &name, rule.set.scope, view.session);
        let everyones = view.world.branch.requirements.get(&name).and_then(|marks| marks.everyone.as_ref());
        let is_everyones = everyones.is_some_and(|everyones| everyones.identity() == mark.identity());
        let session = own.session.clone().filter(|_| !is_everyones);
        changes.push(Change::Clear(Target { session, ..own }));
    }
}

/// Commands that passed become evidence; one that failed takes the evidence away; one that does not count says why.
fn proved(
    input: &Input<'_, RequirementsCheck>,
    facts: &After,
    view: &View<'_>,
    state: &mut State,
    changes: &mut Vec<Change>,
) {
    let ended = facts.call.id.as_deref().map(|call| state.end(call)).unwrap_or_default();
    for rule in rules(input.settings).filter(|rule| rule.kind() == Kind::Evidence) {
        let Some(found) = evidence::command_of(&rule, &facts.call) else {
            let near = evidence::near_miss(&rule, &facts.call).filter(|_| facts.succeeded);
            state.uncounted.extend(near.map(|near| (rule.name.to_owned(), nearly(&near))));
            continue;
        };
        let uncounted = |why: String| uncounted(&found, why, view);
        let target = Target::new(&view.world.here, rule.name, rule.set.scope, view.session);
        if !facts.succeeded {
            changes.push(Change::Clear(target));
            let why = if facts.is_unfinished { "it was interrupted" } else { "it failed" };
            state.uncounted.insert(rule.name.to_owned(), uncounted(why.to_owned()));
            continue;
        }
        let run = ended.iter().find(|run| run.name == rule.name);
        if let Some(why) = evidence::not_counted(&rule, &found, facts, run.is_some()) {
            state.uncounted.insert(rule.name.to_owned(), uncounted(why));
        } else if let Some(run) = run {
            state.uncounted.remove(rule.name);
            let other = evidence::asked(&rule, &found);
            changes.push(Change::Set(target, Box::new(mark_of(run, other, input))));
        }
    }
}

/// What is kept of a run that proves nothing.
fn uncounted(found: &Found, why: String, view: &View<'_>) -> Uncounted {
    let root = view.world.here.root().or(view.world.root.as_deref());
    let line = found.line_in(root, &view.world.cwd);
    Uncounted { shown: found.shown.clone(), why, line }
}

/// What is kept of a run that is not one of those that are asked for.
fn nearly((shown, asked): &(String, String)) -> Uncounted {
    let why = "it is not one of the commands that count".to_owned();
    Uncounted { shown: shown.clone(), why, line: asked.clone() }
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

/// What a skill or `req satisfy` marks as met. A mark that is there and counts stays as it is.
fn marked(input: &Input<'_, RequirementsCheck>, facts: &After, view: &View<'_>, changes: &mut Vec<Change>) {
    for rule in rules(input.settings) {
        let Terms::Blocking(blocking) = &rule.set.terms else { continue };
        let by_skill = facts.call.skill.as_deref().filter(|skill| blocking.is_by_skill(skill));
        let by_command = facts.satisfied.iter().any(|name| name == rule.name) && !rule.set.is_the_users();
        let by = match by_skill {
            Some(_) => By::Skill,
            None if by_command => By::Agent,
            None => continue,
        };
        if rule.standing(view).is_met() {
            continue;
        }
        let metadata = Metadata { skill: by_skill.map(ToOwned::to_owned), ..Metadata::default() };
        let target = Target::new(&view.world.here, rule.name, rule.set.scope, view.session);
        changes.push(Change::Set(
            target,
            Box::new(Mark { metadata: metadata.at(input.now), ..Mark::new(by, input.now) }),
        ));
    }
}
