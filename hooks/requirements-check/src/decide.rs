//! The rules, event by event. Pure: facts in, a verdict and changes out.

use std::borrow::Cow;
use std::path::PathBuf;

use shared::blocks::{self, TurnWork, never_blocked};
use shared::cli::Reply;
use shared::hook::{Audit, AuditEvent, Input, Memory, Outcome, Reaction, ReactionKind, Verdict};
use shared::protocol::Event;

use crate::RequirementsCheck;
use crate::call::Call;
use crate::change::{Change, Target};
use crate::evidence;
use crate::facts::{After, Before, Facts};
use crate::rails;
use crate::rule::Rule;
use crate::satisfactions::{By, Satisfaction};
use crate::settings::{Guard, Kind, Scope, Settings, Stop, Terms};
use crate::state::{Entry, Run, State, Uncounted};
use crate::strategy::Unsatisfied;
use crate::wording;
use crate::world::{View, World};

type HookInput<'a> = Input<'a, RequirementsCheck>;
type Answer = Outcome<State, Change>;

pub(crate) fn decide(input: &HookInput<'_>) -> Answer {
    match input.facts {
        Facts::Before(facts) => before(input, facts),
        Facts::After(facts) => after(input, facts),
        Facts::Prompt(world, answered) => prompt(input, world, answered.as_ref()),
        Facts::Stop(world, work) => stop(input, world, *work),
        Facts::Start(world, once) => start(input, world, once),
        Facts::End(world) => end(input, world),
    }
}

fn view<'a>(input: &'a HookInput<'_>, world: &'a World, call: Option<&'a str>) -> View<'a> {
    let session = input.request.call.session_id.as_deref();
    View { session, call, state: input.state, world, now: input.now }
}

fn advice(text: Option<String>) -> Verdict {
    text.map_or(Verdict::Pass, |text| Verdict::Advise { text })
}

/// A silent answer that remembers the state if it has changed.
fn remember(input: &HookInput<'_>, state: State) -> Answer {
    let memory = if state == *input.state { Memory::Keep } else { Memory::Note(state) };
    Outcome::pass().remembering(memory)
}

/// A denial or a block asks for these: the rule it goes by, and what the journal keeps.
fn asked<'a>(
    unsatisfied: impl Iterator<Item = &'a Unsatisfied<'a>> + Clone,
    next: Vec<String>,
    state: &mut State,
) -> (Cow<'static, str>, Audit) {
    let mut keys: Vec<String> = unsatisfied.clone().map(|unsatisfied| unsatisfied.rule.key()).collect();
    keys.dedup();
    let mut keys = keys.into_iter();
    let rule = keys.next().unwrap_or_default();
    state.ask(&rule, unsatisfied.map(|unsatisfied| unsatisfied.rule.name));
    (Cow::Owned(rule), Audit { next, also: keys.collect(), ..Audit::default() })
}

/// Outcomes of earlier denials and blocks, now that some requirements are satisfied.
fn reactions(
    input: &HookInput<'_>,
    view: &View<'_>,
    is_satisfied: impl Fn(&str) -> bool,
    state: &mut State,
) -> Vec<Reaction> {
    state.settle(|name| match Rule::named(input.settings, name) {
        // Switched off meanwhile.
        None => Some(ReactionKind::Overridden),
        Some(_) if !is_satisfied(name) => None,
        Some(rule) if view.exception(&rule).is_some() => Some(ReactionKind::Overridden),
        Some(_) => Some(ReactionKind::Followed),
    })
}

/// Before a call: requirements that it triggers and that are not satisfied deny it, all of them in one text.
fn before(input: &HookInput<'_>, facts: &Before) -> Answer {
    let Some(own) = facts.worlds.first() else { return Outcome::pass() };
    let effects = if facts.registers { sign_of_life(input, own) } else { Vec::new() };
    if let Some(verdict) = facts.breach.clone() {
        return Outcome { verdict, effects, audit: Audit::to(rails::INSTEAD), ..Outcome::pass() };
    }
    let judged: Vec<Judged<'_>> =
        facts.worlds.iter().map(|place| Judged::of(input, &facts.call, place)).collect();
    let unsatisfied = || judged.iter().flat_map(|place| &place.unsatisfied);
    let satisfied = || judged.iter().flat_map(|place| &place.satisfied);
    let is_satisfied = |name: &str| {
        satisfied().any(|rule| rule.name == name)
            && unsatisfied().all(|unsatisfied| unsatisfied.rule.name != name)
    };
    let mut state = input.state.clone();
    let followed = reactions(input, &view(input, own, None), is_satisfied, &mut state);
    let judge = if unsatisfied().next().is_some() { deny } else { allow };
    let answer = judge(input, facts, &judged, state);
    Outcome { effects, ..answer.with_reactions(followed) }
}

/// The requirements that the call needs in one work tree.
struct Judged<'a> {
    view: View<'a>,
    satisfied: Vec<Rule<'a>>,
    unsatisfied: Vec<Unsatisfied<'a>>,
    /// Not satisfied either, but the satisfaction could not be kept: asking for it would deny for ever.
    hopeless: Vec<&'a str>,
}

impl<'a> Judged<'a> {
    fn of(input: &'a HookInput<'_>, call: &'a Call, world: &'a World) -> Self {
        let view = view(input, world, call.id.as_deref());
        let line = call.line.as_ref();
        let (mut satisfied, mut unsatisfied, mut hopeless) = (Vec::new(), Vec::new(), Vec::new());
        let needed = Rule::all(input.settings)
            .filter(|rule| world.judged.iter().any(|name| name == rule.name))
            .filter(|rule| line.is_none() || !evidence::is_own_proof(rule, call))
            .filter(|rule| !is_outside(rule, call, &view));
        for rule in needed {
            if rule.standing(&view).is_err() && !can_be_kept(&rule, input, &view) {
                hopeless.push(rule.name);
                continue;
            }
            let judged = line.filter(|_| view.exception(&rule).is_none());
            let late = judged.and_then(|line| evidence::late(&rule, call, line, world));
            match Unsatisfied::of(rule, late, &view) {
                Some(found) => unsatisfied.push(found),
                None => satisfied.push(rule),
            }
        }
        Self { view, satisfied, unsatisfied, hopeless }
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
    for Judged { view, unsatisfied, .. } in judged.iter().filter(|place| !place.unsatisfied.is_empty()) {
        let (text, steps) = wording::denial(&facts.call, view, unsatisfied, input.origin);
        texts.push(text);
        next.extend(steps);
    }
    let (rule, audit) = asked(judged.iter().flat_map(|place| &place.unsatisfied), next, &mut state);
    let verdict = Verdict::Deny { reason: texts.join("\n"), rule };
    let notice = judged.first().and_then(|own| state.unreported(&own.view.world.notes));
    Outcome { verdict, notice, audit, ..remember(input, state) }
}

fn allow(input: &HookInput<'_>, facts: &Before, judged: &[Judged<'_>], mut state: State) -> Answer {
    let mut notes: Vec<String> = judged.iter().take(1).flat_map(|own| own.view.world.notes.clone()).collect();
    let mut warnings = Vec::new();
    for Judged { view, satisfied, hopeless, .. } in judged {
        if !hopeless.is_empty() {
            notes.push(wording::cannot_be_kept(view.world, hopeless));
        }
        for rule in satisfied {
            warnings.extend(warning(rule, view, &mut state));
            // The call holds the single-use satisfactions it needs until it has run.
            let is_held = rule.set.scope == Scope::SingleUse;
            if let (true, Some(call), Some(held)) = (is_held, view.call, view.satisfaction(rule)) {
                state.reserve(rule.name, held.identity(), call);
            }
        }
    }
    for run in &facts.runs {
        state.begin(run.clone());
    }
    let notice = state.unreported(&notes);
    let verdict = advice((!warnings.is_empty()).then(|| warnings.join("\n")));
    Outcome { verdict, notice, ..remember(input, state) }
}

/// The text about a size that has passed its warning, once until it is below again.
fn warning(rule: &Rule<'_>, view: &View<'_>, state: &mut State) -> Option<String> {
    let (dynamic, size) = (rule.set.dynamic()?, view.world.sizes.get(rule.name)?.as_ref().ok()?);
    let Some(warn) = dynamic.warn.filter(|warn| size.lines >= *warn) else {
        state.warned.remove(rule.name);
        return None;
    };
    let is_new = state.warned.insert(rule.name.to_owned());
    let text = format!(
        "requirements-check: {}: {} changed lines against {}, warned from {warn} on; calls are denied from {} on. \
         Plan to finish and merge what is there.",
        rule.name, size.lines, size.base, dynamic.block
    );
    is_new.then_some(text)
}

/// After a call that ran: what it made due, what it proved, which single-use satisfactions it used up, what it satisfied.
fn after(input: &HookInput<'_>, facts: &After) -> Answer {
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
    let notice = ended.state.unreported(&facts.world.notes);
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
            self.facts.changed.contains_key(rule.name) && !evidence::only_switches(rule, call)
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
            self.state.uncounted.insert(world.run_of(rule.name), Uncounted { shown, why, line });
            return None;
        };
        if world.elsewhere.is_some() {
            let (shown, why) = (found.shown.clone(), "it ran in another work tree".to_owned());
            let line = found.set.typed().unwrap_or_default().to_owned();
            self.state.uncounted.insert(rule.name.to_owned(), Uncounted { shown, why, line });
        }
        let why = if facts.succeeded {
            found.not_counted(rule, facts, run.is_some())
        } else {
            let is_alone = facts.call.commands().len() == 1;
            let failed = if is_alone { "it failed" } else { "its line failed" };
            Some(if facts.is_unfinished { "it was interrupted" } else { failed }.to_owned())
        };
        if let Some(why) = why {
            let line = found.line_in(world);
            self.state.uncounted.insert(world.run_of(rule.name), Uncounted { shown: found.shown, why, line });
            return (!facts.succeeded).then(|| Change::Clear(self.target(rule)));
        }
        self.state.uncounted.remove(&world.run_of(rule.name));
        let run = run?.clone();
        let mut satisfaction = Satisfaction::new(By::Evidence, self.input.now);
        let metadata = &mut satisfaction.metadata;
        (metadata.command, metadata.fingerprint) = (Some(run.command), Some(run.files));
        metadata.asked = Some(evidence::asked_by(rule, found.set));
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
        let satisfaction = Satisfaction::new(by, now);
        Some(Change::Set(self.target(rule), Box::new(satisfaction)))
    }

    fn after_planning(&self) -> Option<String> {
        if self.facts.call.tool != "ExitPlanMode" || !self.facts.succeeded {
            return None;
        }
        let unsatisfied =
            Unsatisfied::all(Rule::all(self.input.settings).filter(Rule::is_for_calls), &self.view);
        (!unsatisfied.is_empty())
            .then(|| wording::after_planning(&self.view, &unsatisfied, self.input.origin))
    }
}

/// The end of a turn: what this session made due and is not satisfied now blocks the stop once, all of it in one text.
fn stop(input: &HookInput<'_>, world: &World, work: TurnWork) -> Answer {
    let Event::Stop(stop) = &input.request.event else { return Outcome::pass() };
    let view = view(input, world, None);
    let unsatisfied = Unsatisfied::all(due(input.settings, &view), &view);
    let is_unsatisfied = |name: &str| unsatisfied.iter().any(|unsatisfied| unsatisfied.rule.name == name);
    let is_satisfied =
        |name: &str| !is_unsatisfied(name) && due(input.settings, &view).any(|rule| rule.name == name);
    let mut state = input.state.clone();
    let followed = reactions(input, &view, is_satisfied, &mut state);
    if unsatisfied.is_empty() {
        return remember(input, state).with_reactions(followed);
    }
    let (call, blocks, started) = (&input.request.call, input.blocks, input.started);
    if input.headless {
        return Outcome::allow("stops of headless sessions are not blocked");
    }
    if let Some(reason) = never_blocked(&blocks::StopFacts { call, stop, work, blocks, started }) {
        return Outcome::allow(reason);
    }
    if input.blocks.own > 0 {
        let given_up = state.settle(|name| is_unsatisfied(name).then_some(ReactionKind::Overridden));
        let audit_event = Some(AuditEvent::Allowed("blocked once for this prompt already"));
        let answer = Outcome { audit_event, ..remember(input, state) };
        return answer.with_reactions(followed).with_reactions(given_up);
    }
    let (reason, steps) = wording::stop(&view, &unsatisfied, input.origin);
    let (rule, audit) = asked(unsatisfied.iter(), steps, &mut state);
    let verdict = Verdict::Block { reason, rule };
    Outcome { verdict, audit, ..remember(input, state) }.with_reactions(followed)
}

/// The requirements this session has made due, of the scopes that are verified; of locked ones also by the user's own file.
pub(crate) fn due<'a>(settings: &'a Settings, view: &View<'_>) -> impl Iterator<Item = Rule<'a>> {
    let own = view.world.own_stop.as_ref();
    Rule::all(settings).filter(move |rule| {
        let verifies = |stop: &Stop| stop.verify_requirements && stop.verify_scopes.contains(&rule.set.scope);
        let is_verified = verifies(&settings.hooks.stop)
            || own.is_some_and(|(stop, locked)| rule.is_locked(locked) && verifies(stop));
        // A single-use satisfaction is used up by the end of a turn, as intended.
        let can_lapse =
            matches!(rule.kind(), Kind::Blocking | Kind::Dynamic) && rule.set.scope != Scope::SingleUse;
        is_verified && (rule.is_for_stops() || can_lapse) && view.state.due.contains(rule.name)
    })
}

/// A session's start.
fn start(input: &HookInput<'_>, world: &World, once: &[(String, PathBuf)]) -> Answer {
    let Event::SessionStart { source, .. } = &input.request.event else { return Outcome::pass() };
    let is_told =
        input.settings.hooks.session_start.inject_context && Rule::all(input.settings).next().is_some();
    let is_short = matches!(source.as_str(), "compact" | "resume");
    let text = is_told.then(|| wording::at_start(input.settings, &view(input, world, None), is_short));
    let mut effects = sign_of_life(input, world);
    let mut state = input.state.clone();
    let mut notes: Vec<String> = state.unreported(&world.notes).into_iter().collect();
    for (text, file) in once.iter().filter(|_| !world.environment.is_headless()) {
        notes.push(text.clone());
        effects.push(Change::Reported(file.clone()));
    }
    let notice = (!notes.is_empty()).then(|| notes.join("\n"));
    Outcome { verdict: advice(text), notice, effects, ..remember(input, state) }
}

fn prompt(input: &HookInput<'_>, world: &World, answered: Option<&Reply<Change>>) -> Answer {
    let mut effects = sign_of_life(input, world);
    if let Some(answered) = answered {
        effects.extend(answered.effects.iter().cloned());
        let verdict = Verdict::Reply { text: answered.text.clone() };
        return Outcome { verdict, effects, ..Outcome::pass() };
    }
    let mut state = input.state.clone();
    state.release_all();
    Outcome { effects, ..remember(input, state) }
}

fn end(input: &HookInput<'_>, world: &World) -> Answer {
    let Some(session) = &input.request.call.session_id else { return Outcome::pass() };
    let mut effects = vec![Change::Forget(session.clone())];
    let is_cleared = matches!(&input.request.event, Event::SessionEnd { reason } if reason == "clear");
    if !is_cleared && !input.settings.hooks.session_end.clear_session_state {
        // A resumed session has the same id.
        return Outcome { effects, ..Outcome::pass() };
    }
    if Rule::all(input.settings).next().is_some() {
        let own = Target::new(world, "", Scope::Session, Some(session));
        effects.push(Change::Clear(Target { name: None, ..own }));
    }
    Outcome { effects, ..Outcome::pass().remembering(Memory::Drop) }
}

/// None without state: `shared` drops an answer that has effects then, and a gate must hold.
fn sign_of_life(input: &HookInput<'_>, world: &World) -> Vec<Change> {
    let session = input.request.call.session_id.clone().filter(|_| input.state_is_usable);
    let alive = |(session, project)| {
        Change::Alive(Box::new(Entry {
            session,
            project,
            branch: world.branch().map(ToOwned::to_owned),
            is_headless: world.environment.is_headless(),
            started_at: input.now.secs(),
            touched: input.now,
        }))
    };
    session.zip(world.places.root.clone()).map(alive).into_iter().collect()
}

#[cfg(test)]
mod tests;
