//! The rules: which level is reported, when a record begins, what goes into it, and when it ends. Pure.

mod actions;

use std::collections::BTreeSet;

use shared::hook::{AuditEvent, Input, Memory, Outcome, Verdict};
use shared::host::DAY;
use shared::protocol::Event;

use crate::PauseRecorder;
use crate::brief::brief;
use crate::levels::Level;
use crate::material::Material;
use crate::models::Model;
use crate::observe::Facts;
use crate::occupancy::{Reading, Source};
use crate::record::Draft;
use crate::snapshot::{End, Ending};
use crate::state::{Compacting, State};
use crate::step::{Start, Step};
use crate::wording;

pub(crate) use actions::started;

/// The key of a session's last line that counts the actions the full record left out.
pub(crate) const NOT_RECORDED: &str = "not_recorded";

pub(crate) fn decide(input: &Input<'_, PauseRecorder>) -> Outcome<State, Step> {
    if let Some(reply) = &input.facts.answered {
        return reply.outcome();
    }
    let mut course = Course::of(input);
    course.follow_compaction();
    let reason = course.reason_to_begin();
    let new = course.climb();
    if let Some(reason) = reason {
        course.begin(reason);
    }
    course.record(&new);
    course.end();
    course.outcome(&new)
}

fn is_automatic(event: &Event) -> bool {
    matches!(event, Event::PreCompact { trigger } if trigger == "auto")
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

    /// Learns the context before a compaction. With a compaction the levels begin anew.
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
                self.state.told.clear();
                self.state.compacted = true;
            }
            Event::SessionStart { model: Some(model), .. } => self.state.model = Some(actions::word(model)),
            // The announced compaction has not come: work goes on, or the user asks for one.
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

    /// A record begins by itself once until the context falls: at its level, or where Claude Code is about to compact.
    fn reason_to_begin(&self) -> Option<&'static str> {
        let has_begun = self.is_recorded || self.state.told.contains(&Level::AutoPause);
        match () {
            () if has_begun || self.facts.sessions.is_none() => None,
            () if self.facts.is_high() => Some("auto_pause"),
            () => is_automatic(&self.input.request.event).then_some("compaction"),
        }
    }

    /// The levels that are reached for the first time since the context fell.
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

    fn begin(&mut self, reason: &str) {
        self.state.told.insert(Level::AutoPause);
        self.state.left_out = 0;
        self.is_recorded = true;
        let reading = self.facts.reading.as_ref();
        self.steps.push(Step::Start(Box::new(Start {
            session: self.session.to_owned(),
            transcript: self.input.request.call.transcript_path.clone(),
            first: started(self.session, reading, reason, self.input.now),
            then: Vec::new(),
        })));
    }

    /// Records what has happened.
    fn record(&mut self, new: &BTreeSet<Level>) {
        // A parallel call may have begun the record after this call looked for it.
        let may_have_begun =
            self.input.state.told.contains(&Level::AutoPause) && self.facts.sessions.is_some();
        if !self.is_recorded && !may_have_begun {
            return;
        }
        let crossed = actions::crossed(new, self.facts.reading.as_ref());
        let happened = actions::of(&self.input.request.event, &self.input.request.call);
        let (at, share) = (self.input.now, self.share());
        let mut drafts: Vec<Draft> =
            crossed.into_iter().chain(happened).map(|(kind, data)| Draft { kind, at, data, share }).collect();
        let is_over = matches!(self.input.request.event, Event::SessionEnd { .. });
        let Some(last) = drafts.last_mut() else { return };
        if is_over && self.state.left_out > 0 {
            last.data.insert(NOT_RECORDED.to_owned(), self.state.left_out.into());
        }
        // The last line of a session is always written: by it the next session knows that this one is over.
        if self.facts.record.as_ref().is_some_and(|active| active.is_full) && !is_over {
            self.state.left_out += drafts.len() as u64;
            return;
        }
        if let Some(Step::Start(start)) = self.steps.last_mut() {
            start.then = drafts;
            return;
        }
        self.steps.push(Step::Append { session: self.session.to_owned(), drafts });
    }

    /// A compaction leaves a snapshot and the record goes on. At the session's end the record ends.
    fn end(&mut self) {
        let ending = match &self.input.request.event {
            Event::PreCompact { .. } => Ending::GoesOn,
            Event::SessionEnd { .. } => Ending::Full,
            Event::SessionStart { .. } => return self.take_over(),
            _ => return,
        };
        if let Some(material) = self.facts.material.as_ref().filter(|_| self.is_recorded) {
            self.finish(ending, material.as_ref().clone());
        }
    }

    fn finish(&mut self, ending: Ending, material: Material) {
        let Some(sessions) = &self.facts.sessions else { return };
        self.steps.push(Step::Finish(Box::new(End {
            path: sessions.active_path(self.session),
            ending,
            material,
            at: self.input.now,
            left_out: self.state.left_out,
            commit: self.input.settings.git_commit,
        })));
    }

    fn take_over(&mut self) {
        let left = &self.facts.left;
        self.steps.extend(left.faults.iter().map(|why| Step::Fail { why: why.clone() }));
        if left.compress {
            let days = self.input.settings.compress_after_days.get();
            self.steps.push(Step::Compress { before: self.input.now.minus(DAY * days) });
        }
    }

    /// Reports the highest of the new levels, and the record where there is one.
    fn level(&self, new: &BTreeSet<Level>) -> Option<String> {
        let mut levels = new.clone();
        let highest = self.facts.thresholds.highest(&levels)?;
        if !self.is_recorded && self.facts.sessions.is_some() {
            levels.remove(&Level::AutoPause);
        }
        Some(wording::level(highest, &levels, self.facts.reading.as_ref()?, self.facts))
    }

    /// Reports the new level to the user, and at a session's start what earlier sessions have left.
    fn outcome(mut self, new: &BTreeSet<Level>) -> Outcome<State, Step> {
        let left = &self.facts.left;
        let mut verdict = Verdict::Pass;
        if let Some(unread) = left.unread.as_ref().filter(|_| !self.input.headless) {
            verdict = Verdict::Advise { text: brief(&unread.text, &unread.snapshot, &unread.path) };
            self.steps.push(Step::MarkRead { id: unread.snapshot.session_id.clone() });
        }
        let level = self.level(new);
        let audit_event = level.is_some().then(|| AuditEvent::Advised("levels".to_owned()));
        let orphans = (!left.orphans.is_empty()).then(|| wording::orphans(&left.orphans));
        let notice: Vec<String> = level.into_iter().chain(orphans).collect();
        let memory = match () {
            () if matches!(self.input.request.event, Event::SessionEnd { .. }) => Memory::Drop,
            () if self.state == *self.input.state => Memory::Keep,
            () => Memory::Note(self.state),
        };
        let notice = (!notice.is_empty()).then(|| notice.join("\n"));
        Outcome { verdict, notice, memory, audit_event, effects: self.steps, ..Outcome::pass() }
    }
}

#[cfg(test)]
mod tests;
