//! After a tool call that ran: what it made due, what it proved, which single-use satisfactions it used up, what it satisfied.

use shared::hook::Outcome;

use super::{Answer, HookInput, advice, remember, view};
use crate::change::{Change, Target};
use crate::evidence;
use crate::rule::Rule;
use crate::satisfactions::{By, Satisfaction};
use crate::settings::{Kind, Terms};
use crate::state::{Run, State, Uncounted};
use crate::view::After;
use crate::view::View;
use crate::wording::{self, Unmet};

pub(super) fn a_call(input: &HookInput<'_>, facts: &After) -> Answer {
    let view = view(input, &facts.world, facts.call.id.as_deref());
    let mut ended = Ended { input, facts, view, state: input.state.clone() };
    let mut effects = ended.used_up();
    let runs = facts.call.id.as_deref().map(|call| ended.state.end(call)).unwrap_or_default();
    for rule in Rule::all(input.settings) {
        ended.note_what_is_due(&rule);
        effects.extend(ended.proved(&rule, runs.iter().find(|run| run.name == rule.name)));
        effects.extend(ended.satisfied(&rule));
    }
    let verdict = advice(ended.after_planning());
    let notice = ended.state.untold(&facts.world.notes);
    Outcome { verdict, notice, effects, ..remember(input, ended.state) }
}

struct Ended<'a> {
    input: &'a HookInput<'a>,
    facts: &'a After,
    view: View<'a>,
    state: State,
}

impl Ended<'_> {
    fn target(&self, rule: &Rule<'_>) -> Target {
        Target::new(self.view.world, rule.name, rule.set.scope, self.view.session)
    }

    fn note_what_is_due(&mut self, rule: &Rule<'_>) {
        let (call, world) = (&self.facts.call, self.view.world);
        let is_about =
            |file| world.top().is_none_or(|root| evidence::is_about(rule, root, &world.cwd.join(file)));
        let is_changed = if call.is_edit() {
            self.facts.succeeded && call.file.as_deref().is_none_or(is_about)
        } else {
            self.facts.changed.iter().any(|name| name == rule.name)
        };
        // A line that fails may have done half of its work; any other tool that fails has done nothing.
        let is_triggered = (self.facts.succeeded || call.line.is_some()) && rule.is_triggered_by(call);
        if is_triggered || (is_changed && rule.kind() == Kind::Evidence) {
            self.state.due.insert(rule.name.to_owned());
        }
    }

    /// Single-use satisfactions: used up by a call that succeeded, free again after one that failed.
    fn used_up(&mut self) -> Vec<Change> {
        let Some(call) = self.facts.call.id.as_deref() else { return Vec::new() };
        if !self.facts.succeeded {
            self.state.release(call);
            return Vec::new();
        }
        let spent = self.state.spend(call);
        let clear = |(name, held): (String, i64)| {
            let rule = Rule::named(self.input.settings, &name)?;
            // A satisfaction that was set while the call ran is for the next call.
            self.view.satisfaction(&rule).filter(|found| found.identity() <= held)?;
            let mut target = self.target(&rule);
            let own = &self.view.world.branch.requirements.get(&name)?.sessions;
            target.session = target.session.filter(|session| own.contains_key(session));
            Some(Change::Clear(target))
        };
        spent.into_iter().filter_map(clear).collect()
    }

    /// A command that passed becomes evidence, one that failed removes it, one that does not count leaves its reason.
    fn proved(&mut self, rule: &Rule<'_>, run: Option<&Run>) -> Option<Change> {
        let (facts, world) = (self.facts, self.view.world);
        let Some(found) = evidence::command_of(rule, &facts.call) else {
            let (shown, line) = evidence::near_miss(rule, &facts.call).filter(|_| facts.succeeded)?;
            let why = "it is not one of the commands that count".to_owned();
            self.state.uncounted.insert(rule.name.to_owned(), Uncounted { shown, why, line });
            return None;
        };
        let why = if facts.succeeded {
            found.not_counted(rule, facts, run.is_some())
        } else {
            Some(if facts.is_unfinished { "it was interrupted" } else { "it failed" }.to_owned())
        };
        if let Some(why) = why {
            let line = found.line_in(world);
            self.state.uncounted.insert(rule.name.to_owned(), Uncounted { shown: found.shown, why, line });
            return (!facts.succeeded).then(|| Change::Clear(self.target(rule)));
        }
        self.state.uncounted.remove(rule.name);
        let mut run = run?.clone();
        if facts.changed.iter().any(|name| name == rule.name) {
            // It passed on other files than those that were noted, and on others than those of now. No files are like that.
            run.files.insert_str(0, "changed while it ran: ");
        }
        let satisfaction = Satisfaction::new(By::Evidence, self.input.now).with(|metadata| {
            (metadata.command, metadata.fingerprint) = (Some(run.command), Some(run.files));
            metadata.asked = Some(evidence::asked_by(rule, found.set));
        });
        Some(Change::Set(self.target(rule), Box::new(satisfaction)))
    }

    /// A skill or `req satisfy` satisfies the requirement, unless it is satisfied already.
    fn satisfied(&self, rule: &Rule<'_>) -> Option<Change> {
        let (facts, now) = (self.facts, self.input.now);
        let Terms::Blocking(blocking) = &rule.set.terms else { return None };
        let skill = facts.call.skill.as_ref().filter(|skill| blocking.is_by_skill(skill));
        let by_command = facts.satisfied.iter().any(|name| name == rule.name) && !rule.set.is_the_users();
        if !facts.succeeded || (skill.is_none() && !by_command) || rule.standing(&self.view).is_ok() {
            return None;
        }
        let by = if skill.is_some() { By::Skill } else { By::Agent };
        Some(Change::Set(self.target(rule), Box::new(Satisfaction::new(by, now))))
    }

    fn after_planning(&self) -> Option<String> {
        if self.facts.call.tool != "ExitPlanMode" || !self.facts.succeeded {
            return None;
        }
        let rules = Rule::all(self.input.settings).filter(Rule::is_for_calls);
        let unmet: Vec<Unmet<'_>> =
            rules.filter_map(|rule| Some((rule, rule.standing(&self.view).err()?))).collect();
        (!unmet.is_empty()).then(|| wording::after_planning(&self.view, &unmet, self.input.origin))
    }
}
