//! The rules: what is told, when a record begins, what goes into it, and when it ends. Pure.

mod actions;

use std::collections::BTreeSet;
use std::time::Duration;

use shared::hook::{Given, Memory, Outcome, Verdict};
use shared::protocol::Event;

use crate::PauseRecorder;
use crate::brief::brief;
use crate::levels::Level;
use crate::models::Model;
use crate::observe::{Due, Facts};
use crate::occupancy::{Reading, Source};
use crate::record::Draft;
use crate::snapshot::Ending;
use crate::state::{Compacting, State};
use crate::step::{End, Start, Step, Whose};
use crate::wording;

pub(crate) use actions::started;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) fn decide(given: &Given<'_, PauseRecorder>) -> Outcome<State, Step> {
    if let Some(reply) = &given.facts.answered {
        return answered(reply);
    }
    let mut course = Course::of(given);
    course.follow_compaction();
    let new = course.climb();
    course.begin(&new);
    course.record(&new);
    course.end();
    course.outcome(&new)
}

fn answered(reply: &crate::command::Reply) -> Outcome<State, Step> {
    let text = reply.text.clone();
    let verdict = if reply.is_for_model { Verdict::Advise { text } } else { Verdict::Reply { text } };
    Outcome { verdict, effects: reply.steps.clone(), ..Outcome::pass() }
}

/// One event on its way through the rules.
struct Course<'a> {
    given: &'a Given<'a, PauseRecorder>,
    facts: &'a Facts,
    session: &'a str,
    state: State,
    steps: Vec<Step>,
    is_recorded: bool,
}

impl<'a> Course<'a> {
    fn of(given: &'a Given<'a, PauseRecorder>) -> Self {
        Self {
            given,
            facts: given.facts,
            session: given.input.call.session_id.as_deref().unwrap_or_default(),
            state: given.state.clone(),
            steps: Vec::new(),
            is_recorded: given.facts.record.is_some(),
        }
    }

    fn share(&self) -> f64 {
        self.facts.reading.as_ref().map_or(0.0, Reading::share)
    }

    /// What is known before and after a compaction; the levels begin anew with it.
    fn follow_compaction(&mut self) {
        match &self.given.input.event {
            Event::PreCompact { trigger } if trigger == "auto" => {
                let reading = self.facts.reading.as_ref().filter(|reading| !reading.model.is_empty());
                self.state.compacting = reading
                    .map(|reading| Compacting { model: reading.model.clone(), tokens: reading.tokens });
            }
            // A compaction that was only announced does not come to this.
            Event::SessionStart { source, .. } if source == "compact" => {
                if let Some(Compacting { model, tokens }) = self.state.compacting.take() {
                    let learnt = Model { compacted_at: Some(tokens), ..Model::default() };
                    self.steps.push(Step::Learn { model, learnt });
                }
                self.state.told.clear();
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
        self.state.compacted &= reading.source != Source::Transcript;
        if let Some(window) = reading.new_window {
            let learnt = Model { window: Some(window), ..Model::default() };
            self.steps.push(Step::Learn { model: reading.model.clone(), learnt });
        }
    }

    /// The levels that are reached for the first time in this climb.
    fn climb(&mut self) -> BTreeSet<Level> {
        let Some(reading) = &self.facts.reading else { return BTreeSet::new() };
        let percent = reading.percent();
        if self.facts.thresholds.is_over(percent) {
            self.state.told.clear();
        }
        let reached = self.facts.thresholds.reached(percent);
        let new: BTreeSet<Level> = reached.difference(&self.state.told).copied().collect();
        self.state.told.extend(&new);
        new
    }

    /// The record begins when its level is reached, or when the client is about to compact.
    fn begin(&mut self, new: &BTreeSet<Level>) {
        let is_compacted =
            matches!(&self.given.input.event, Event::PreCompact { trigger } if trigger == "auto");
        let reason = match () {
            () if new.contains(&Level::AutoPause) => "auto_pause",
            () if is_compacted => "compaction",
            () => return,
        };
        if self.is_recorded || self.facts.sessions.is_none() {
            return;
        }
        self.is_recorded = true;
        // Its compaction must not begin another one.
        self.state.told.insert(Level::AutoPause);
        self.state.left_out = 0;
        self.steps.push(Step::Start(Box::new(Start {
            session: self.session.to_owned(),
            transcript: self.given.input.call.transcript_path.clone(),
            at: self.given.now,
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
        let happened = actions::of(&self.given.input.event, &self.given.input.call);
        let (at, share) = (self.given.now, self.share());
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
        self.given.state.told.contains(&Level::AutoPause) && self.facts.sessions.is_some()
    }

    /// A compaction leaves a snapshot and the record goes on; with the session it ends. Records of others end when their
    /// sessions have.
    fn end(&mut self) {
        match &self.given.input.event {
            Event::PreCompact { .. } if self.is_recorded => {
                if let Some(material) = &self.facts.material {
                    self.finish(Ending::GoesOn, material.as_ref().clone());
                }
            }
            Event::SessionEnd { .. } => match (&self.facts.record, &self.facts.material) {
                (Some(_), Some(material)) => self.finish(Ending::Full, material.as_ref().clone()),
                (Some(active), None) => {
                    let (id, left_out) = (active.id.clone(), self.state.left_out);
                    self.steps.push(Step::LeaveForLater { id, left_out });
                }
                (None, _) => {}
            },
            Event::SessionStart { .. } => self.end_those_of_others(),
            _ => {}
        }
    }

    fn finish(&mut self, ending: Ending, material: crate::material::Material) {
        self.steps.push(Step::Finish(Box::new(End {
            whose: Whose::Session(self.session.to_owned()),
            ending,
            material,
            at: self.given.now,
            left_out: self.state.left_out,
            commit: self.given.settings.git_commit,
        })));
    }

    fn end_those_of_others(&mut self) {
        let left = &self.facts.left;
        if self.facts.record.is_some() {
            self.steps.push(Step::GoOn { session: self.session.to_owned() });
        }
        for Due { record, material, at, left_out, .. } in left.due.clone() {
            self.steps.push(Step::Finish(Box::new(End {
                whose: Whose::Record(record),
                ending: Ending::Full,
                material,
                at,
                left_out,
                commit: self.given.settings.git_commit,
            })));
        }
        if left.compress {
            let days = self.given.settings.compress_after_days.get();
            self.steps.push(Step::Compress { before: self.given.now.minus(DAY * days) });
        }
    }

    /// What is said: the highest of the new levels, and at a session's start what was left.
    fn outcome(mut self, new: &BTreeSet<Level>) -> Outcome<State, Step> {
        let left = &self.facts.left;
        let mut verdict = Verdict::Pass;
        if let Some(tell) = left.tell.as_ref().filter(|_| !self.given.headless) {
            verdict = Verdict::Advise { text: brief(&tell.text, &tell.snapshot, &tell.path) };
            self.steps.push(Step::MarkRead { id: tell.snapshot.session_id.clone() });
        }
        let climbed = self.facts.thresholds.highest(new).zip(self.facts.reading.as_ref());
        let told = climbed.map(|(level, reading)| wording::level(level, new, reading, self.facts));
        let orphans = (!left.orphans.is_empty()).then(|| wording::orphans(&left.orphans));
        let notice: Vec<String> = told.into_iter().chain(orphans).collect();
        let is_over = matches!(self.given.input.event, Event::SessionEnd { .. });
        let memory = match () {
            () if is_over => Memory::Drop,
            () if self.state == *self.given.state => Memory::Keep,
            () => Memory::Note(self.state),
        };
        let notice = (!notice.is_empty()).then(|| notice.join("\n"));
        Outcome { verdict, notice, memory, effects: self.steps, ..Outcome::pass() }
    }
}

#[cfg(test)]
mod tests;
