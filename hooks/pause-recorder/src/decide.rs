//! The rules: what is told, when a record begins, what goes into it, and when it ends. Pure.

mod actions;

use std::collections::BTreeSet;
use std::time::Duration;

use shared::hook::{AuditEvent, Input, Memory, Outcome, Verdict};
use shared::protocol::Event;

use crate::PauseRecorder;
use crate::brief::brief;
use crate::command::Reply;
use crate::levels::Level;
use crate::models::Model;
use crate::observe::Facts;
use crate::occupancy::{Reading, Source};
use crate::record::Draft;
use crate::shelf::Fate;
use crate::snapshot::Ending;
use crate::state::{Compacting, State};
use crate::step::{End, Start, Step, Which, unrecorded};
use crate::wording;

pub(crate) use actions::started;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) fn decide(input: &Input<'_, PauseRecorder>) -> Outcome<State, Step> {
    if let Some(reply) = &input.facts.answered {
        return answered(input, reply);
    }
    let mut course = Course::of(input);
    course.follow_compaction();
    let reason = wanted(input.facts, &course.state, &input.request.event);
    let new = course.climb();
    course.begin(reason);
    course.record(&new);
    course.end();
    course.outcome(&new)
}

fn answered(input: &Input<'_, PauseRecorder>, reply: &Reply) -> Outcome<State, Step> {
    let state = after(&reply.effects, input);
    reply.outcome().remembering(if state == *input.state { Memory::Keep } else { Memory::Note(state) })
}

/// What the session's user does with its record by a word holds for this climb.
fn after(steps: &[Step], input: &Input<'_, PauseRecorder>) -> State {
    let mut state = input.state.clone();
    let own = input.facts.record.as_ref().map(|active| &active.record.path);
    for step in steps {
        match step {
            Step::Start(start) => (state.begun, state.dropped) = (Some(start.at), false),
            Step::Discard { record, .. } if own == Some(&record.path) => state.dropped = true,
            Step::Finish(end) if matches!(&end.which, Which::Record(record) if own == Some(&record.path)) => {
                state.dropped |= state.told.contains(&Level::AutoPause);
            }
            _ => {}
        }
    }
    state
}

pub(crate) fn is_automatic(event: &Event) -> bool {
    matches!(event, Event::PreCompact { trigger } if trigger == "auto")
}

/// Why a record is to begin at this event, if one is: its level is reached, or the client is about to compact. One that could
/// not begin is tried again at the next prompt or level, one that somebody else has ended at once; one that the session's own
/// user has dropped or ended is not, in this climb.
pub(crate) fn wanted(facts: &Facts, state: &State, event: &Event) -> Option<&'static str> {
    if facts.record.is_some() || facts.sessions.is_none() {
        return None;
    }
    let (is_compacted, is_high) = (is_automatic(event), facts.is_high());
    let is_first = is_high && !state.told.contains(&Level::AutoPause);
    if !is_first && (is_put_down(facts, state) || !(is_compacted || is_high)) {
        return None;
    }
    let has_news = || {
        let percent = facts.reading.as_ref().map_or(0.0, Reading::percent);
        !facts.thresholds.reached(percent).is_subset(&state.told)
    };
    let is_time = || is_compacted || matches!(event, Event::UserPromptSubmit { .. }) || has_news();
    let is_wanted = is_first
        || match (state.begun, facts.fate) {
            (None, _) | (Some(_), Some(Fate::Failed | Fate::Closed)) => is_time(),
            (Some(_), fate) => fate == Some(Fate::Ended),
        };
    let reason = if is_high && (is_first || !is_compacted) { "auto_pause" } else { "compaction" };
    is_wanted.then_some(reason)
}

/// The user has dropped this climb's record, or ended it, themselves or through Claude's shell: whoever wants another says so.
/// One that was ended before its level was reached is no reason against the one that begins there.
fn is_put_down(facts: &Facts, state: &State) -> bool {
    state.dropped
        || match facts.fate {
            Some(Fate::Dropped) => true,
            Some(Fate::Closed) => state.told.contains(&Level::AutoPause),
            _ => false,
        }
}

/// One event on its way through the rules.
struct Course<'a> {
    input: &'a Input<'a, PauseRecorder>,
    facts: &'a Facts,
    session: &'a str,
    state: State,
    steps: Vec<Step>,
    is_recorded: bool,
}

impl<'a> Course<'a> {
    fn of(input: &'a Input<'a, PauseRecorder>) -> Self {
        Self {
            input,
            facts: input.facts,
            session: input.request.call.session_id.as_deref().unwrap_or_default(),
            state: input.state.clone(),
            steps: Vec::new(),
            is_recorded: input.facts.record.is_some(),
        }
    }

    fn share(&self) -> f64 {
        self.facts.reading.as_ref().map_or(0.0, Reading::share)
    }

    /// What is known before and after a compaction; the levels begin anew with it.
    fn follow_compaction(&mut self) {
        match &self.input.request.event {
            event if is_automatic(event) => {
                let reading = self.facts.reading.as_ref().filter(|reading| !reading.model.is_empty());
                self.state.compacting = reading
                    .map(|reading| Compacting { model: reading.model.clone(), tokens: reading.tokens });
            }
            // A compaction that was only announced does not come to this.
            Event::SessionStart { source, .. } if source == "compact" => {
                if let Some(Compacting { model, tokens }) = self.state.compacting.take() {
                    let learnt = Model { compacted_at: Some(tokens), ..Model::default() };
                    self.steps.push(Step::Learn { model, learnt });
                    self.state.learnt = None;
                }
                self.state.climb_anew();
                self.state.compacted = true;
            }
            Event::SessionStart { model: Some(model), .. } => self.state.model = Some(actions::word(model)),
            // One that was announced and has not come: work goes on, or the user asks for one.
            Event::PreCompact { .. }
            | Event::PostToolUse(_)
            | Event::UserPromptSubmit { .. }
            | Event::Stop(_) => self.state.compacting = None,
            _ => {}
        }
        let Some(reading) = &self.facts.reading else { return };
        self.state.learnt.clone_from(&self.facts.learnt);
        self.state.compacted &= reading.source != Source::Transcript;
        if let Some(window) = reading.new_window {
            self.state.learnt = None;
            let learnt = Model { window: Some(window), ..Model::default() };
            self.steps.push(Step::Learn { model: reading.model.clone(), learnt });
        }
    }

    /// The levels that are reached for the first time in this climb.
    fn climb(&mut self) -> BTreeSet<Level> {
        let Some(reading) = &self.facts.reading else { return BTreeSet::new() };
        let percent = reading.percent();
        if self.facts.thresholds.is_over(percent) {
            self.state.climb_anew();
        }
        let reached = self.facts.thresholds.reached(percent);
        let new: BTreeSet<Level> = reached.difference(&self.state.told).copied().collect();
        self.state.told.extend(&new);
        new
    }

    fn begin(&mut self, reason: Option<&str>) {
        if let Some(active) = &self.facts.record {
            self.state.dropped = false;
            // Begun by a word in a shell, or in an earlier climb.
            self.state.begun = self.state.begun.or(active.began);
        }
        self.state.dropped = is_put_down(self.facts, &self.state);
        let Some(reason) = reason else { return };
        // Its compaction must not begin another one.
        self.state.told.insert(Level::AutoPause);
        self.state.dropped = false;
        if let Some(why) = &self.facts.hindrance {
            self.state.begun = None;
            let session = Some(self.session.to_owned());
            self.steps.push(Step::Fail { session, why: unrecorded(why) });
            return;
        }
        self.is_recorded = true;
        self.state.begun = Some(self.input.now);
        self.state.left_out = 0;
        self.steps.push(Step::Start(Box::new(Start {
            session: self.session.to_owned(),
            transcript: self.input.request.call.transcript_path.clone(),
            at: self.input.now,
            data: actions::started(self.session, self.facts.reading.as_ref(), reason),
            share: self.share(),
            then: Vec::new(),
        })));
    }

    /// What has happened is written down.
    fn record(&mut self, new: &BTreeSet<Level>) {
        if !self.is_recorded && !self.has_begun() {
            return;
        }
        let crossed = actions::crossed(new, self.facts.reading.as_ref());
        let happened = actions::of(&self.input.request.event, &self.input.request.call);
        let (at, share) = (self.input.now, self.share());
        let drafts: Vec<Draft> =
            crossed.into_iter().chain(happened).map(|(kind, data)| Draft { kind, at, data, share }).collect();
        if drafts.is_empty() {
            return;
        }
        if self.facts.record.as_ref().is_some_and(|active| active.is_full) {
            self.state.left_out += drafts.len() as u64;
            return;
        }
        if let Some(Step::Start(start)) = self.steps.last_mut() {
            start.then = drafts;
            return;
        }
        self.steps.push(Step::Append { session: self.session.to_owned(), drafts });
    }

    /// The record had begun, but was not seen: this call has ended at the same time as the one that began it. Where it was
    /// dropped since, nothing is there to be appended to.
    fn has_begun(&self) -> bool {
        self.input.state.told.contains(&Level::AutoPause) && self.facts.sessions.is_some()
    }

    /// A compaction leaves a snapshot and the record goes on; with the session it ends. Records of others end when their
    /// sessions have.
    fn end(&mut self) {
        match &self.input.request.event {
            Event::PreCompact { .. } if self.is_recorded => {
                if let Some(material) = &self.facts.material {
                    self.finish(Ending::GoesOn, material.as_ref().clone());
                }
            }
            Event::SessionEnd { .. } => match (&self.facts.record, &self.facts.material) {
                (Some(_), Some(material)) => self.finish(Ending::Full, material.as_ref().clone()),
                (Some(_), None) => {
                    let (session, left_out) = (self.session.to_owned(), self.state.left_out);
                    self.steps.push(Step::LeaveForLater { session, left_out });
                }
                (None, _) => {}
            },
            Event::SessionStart { .. } => self.take_over(),
            _ => {}
        }
    }

    fn finish(&mut self, ending: Ending, material: crate::material::Material) {
        self.steps.push(Step::Finish(Box::new(End {
            which: Which::Session(self.session.to_owned()),
            ending,
            material,
            at: self.input.now,
            left_out: self.state.left_out,
            commit: self.input.settings.git_commit,
            by_own_word: false,
        })));
    }

    /// What is left of earlier sessions, and of this one where it goes on.
    fn take_over(&mut self) {
        let left = &self.facts.left;
        if self.facts.record.is_some() {
            self.steps.push(Step::GoOn { session: self.session.to_owned() });
        }
        for why in &left.faults {
            self.steps.push(Step::Fail { session: None, why: why.clone() });
        }
        if left.compress {
            let days = self.input.settings.compress_after_days.get();
            self.steps.push(Step::Compress { before: self.input.now.minus(DAY * days) });
        }
    }

    /// The highest of the new levels. That the session is recorded is only said where it is.
    fn level(&self, new: &BTreeSet<Level>) -> Option<String> {
        let is_auto_pause =
            |step: &Step| matches!(step, Step::Start(start) if start.data["reason"] == "auto_pause");
        let begins = self.steps.iter().any(is_auto_pause);
        let mut levels = new.clone();
        levels.extend(begins.then_some(Level::AutoPause));
        let highest = self.facts.thresholds.highest(&levels)?;
        if !self.is_recorded && self.facts.sessions.is_some() {
            levels.remove(&Level::AutoPause);
        }
        Some(wording::level(highest, &levels, self.facts.reading.as_ref()?, self.facts))
    }

    /// What is said: the highest of the new levels, and at a session's start what was left.
    fn outcome(mut self, new: &BTreeSet<Level>) -> Outcome<State, Step> {
        let left = &self.facts.left;
        let mut verdict = Verdict::Pass;
        if let Some(tell) = left.tell.as_ref().filter(|_| !self.input.headless) {
            verdict = Verdict::Advise { text: brief(&tell.text, &tell.snapshot, &tell.path) };
            self.steps.push(Step::MarkRead { id: tell.id.clone() });
        }
        let told = self.level(new);
        let audit_event = told.is_some().then(|| AuditEvent::Advised("levels".to_owned()));
        let orphans = (!left.orphans.is_empty()).then(|| wording::orphans(&left.orphans));
        let notice: Vec<String> = told.into_iter().chain(orphans).collect();
        let is_over = matches!(self.input.request.event, Event::SessionEnd { .. });
        let memory = match () {
            () if is_over => Memory::Drop,
            () if self.state == *self.input.state => Memory::Keep,
            () => Memory::Note(self.state),
        };
        let notice = (!notice.is_empty()).then(|| notice.join("\n"));
        Outcome { verdict, notice, memory, audit_event, effects: self.steps, ..Outcome::pass() }
    }
}

#[cfg(test)]
mod tests;
