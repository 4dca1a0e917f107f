//! The rules: which level is reported, when a record begins, what goes into it, and when it ends. Pure.

use std::collections::BTreeSet;

use shared::hook::{AuditEvent, Input, Memory, Outcome, Verdict};
use shared::protocol::Event;

use crate::PauseRecorder;
use crate::actions::{self, started};
use crate::levels::Level;
use crate::observe::Facts;
use crate::occupancy::{Reading, Source, is_automatic_compaction};
use crate::record::{Action, NOT_RECORDED};
use crate::state::{Compaction, State};
use crate::step::{End, Step};
use crate::wording;

pub(crate) fn decide(input: &Input<'_, PauseRecorder>) -> Outcome<State, Step> {
    if let Some(reply) = &input.facts.answered {
        return reply.outcome();
    }
    let is_recorded = input.facts.record.is_some();
    let mut course = Course { input, state: input.state.clone(), steps: Vec::new(), is_recorded };
    course.follow_compaction();
    let reason = course.reason_to_begin();
    let new = course.climb();
    course.record(reason, &new);
    course.end();
    course.outcome(&new)
}

/// One event on its way through the rules.
struct Course<'a> {
    input: &'a Input<'a, PauseRecorder>,
    state: State,
    steps: Vec<Step>,
    is_recorded: bool,
}

impl Course<'_> {
    fn event(&self) -> &Event {
        &self.input.request.event
    }

    fn session(&self) -> String {
        self.input.request.call.session_id.clone().unwrap_or_default()
    }

    /// Learns the context before a compaction. With a compaction the levels begin anew.
    fn follow_compaction(&mut self) {
        let reading = self.input.facts.reading.as_ref();
        if let Some(reading) = reading {
            self.state.learnt.clone_from(&self.input.facts.learnt);
            self.state.compacted &= reading.source != Source::Transcript;
        }
        match (&self.input.request.event, reading) {
            (event, Some(Reading { model, tokens, .. }))
                if is_automatic_compaction(event) && !model.is_empty() =>
            {
                self.steps.push(Step::Learn(Compaction { model: model.clone(), tokens: *tokens }));
            }
            (Event::SessionStart { source, .. }, _) if source == "compact" => {
                self.state.learnt = None;
                self.state.told.clear();
                self.state.compacted = true;
            }
            (Event::SessionStart { model: Some(model), .. }, _) => {
                self.state.model = Some(actions::word(model));
            }
            _ => {}
        }
    }

    /// A record begins by itself once until the context falls: at its level, or where Claude Code is about to compact.
    fn reason_to_begin(&self) -> Option<&'static str> {
        let has_begun = self.is_recorded || self.state.told.contains(&Level::AutoPause);
        if has_begun || self.input.facts.sessions.is_none() {
            return None;
        }
        let Facts { reading, thresholds, .. } = self.input.facts;
        match reading {
            Some(reading) if reading.percent() >= thresholds.of(Level::AutoPause) => Some("auto_pause"),
            _ => is_automatic_compaction(self.event()).then_some("compaction"),
        }
    }

    /// The levels that are reached for the first time since the context fell.
    fn climb(&mut self) -> BTreeSet<Level> {
        let Some(reading) = &self.input.facts.reading else { return BTreeSet::new() };
        let thresholds = &self.input.facts.thresholds;
        if thresholds.is_over(reading.percent()) {
            self.state.told.clear();
        }
        let reached = thresholds.reached(reading.percent());
        let new: BTreeSet<Level> = reached.difference(&self.state.told).copied().collect();
        self.state.told.extend(&new);
        new
    }

    /// Begins the record for this reason, and records what has happened.
    fn record(&mut self, reason: Option<&str>, new: &BTreeSet<Level>) {
        let facts = self.input.facts;
        if reason.is_some() {
            self.state.told.insert(Level::AutoPause);
        }
        // A parallel call may have begun the record after this call looked for it.
        let may_have_begun = self.input.state.told.contains(&Level::AutoPause) && facts.sessions.is_some();
        if reason.is_none() && !self.is_recorded && !may_have_begun {
            return;
        }
        let share = facts.reading.as_ref().map_or(0.0, Reading::share);
        let crossed = actions::crossed(new, facts.reading.as_ref());
        let happened = crossed.into_iter().chain(actions::of(self.event(), &self.input.request.call));
        let now = self.input.now;
        let mut actions: Vec<Action> =
            happened.map(|(kind, data)| Action::new(kind, now, data, share)).collect();
        let session = self.session();
        if let Some(reason) = reason {
            self.is_recorded = true;
            actions.insert(0, started(&session, facts.reading.as_ref(), reason, now));
            let transcript = self.input.request.call.transcript_path.clone();
            self.steps.push(Step::Start { session, transcript, actions });
            return;
        }
        let Some(last) = actions.last_mut() else { return };
        let max_bytes = u64::from(self.input.settings.max_record_mib.get()) * 1024 * 1024;
        let is_full = facts.record.as_ref().is_some_and(|record| record.bytes >= max_bytes);
        // The line before a snapshot is always written: it has the number of those that were left out, and by a session's last line
        // the next session knows that this one is over.
        let is_needed = matches!(self.event(), Event::SessionEnd { .. } | Event::PreCompact { .. });
        if is_full && !is_needed {
            self.state.left_out += actions.len() as u64;
            return;
        }
        if self.state.left_out > 0 {
            last.data.insert(NOT_RECORDED.to_owned(), self.state.left_out.into());
            self.state.left_out = 0;
        }
        self.steps.push(Step::Append { session, actions });
    }

    /// A compaction leaves a snapshot and the record goes on. At the session's end the record ends.
    fn end(&mut self) {
        if let Some(end) = self.input.facts.end.as_ref().filter(|_| self.is_recorded) {
            self.steps.push(Step::Finish(Box::new(End { at: self.input.now, ..*end.clone() })));
        }
    }

    /// Reports the highest of the new levels with the record it begins, and at a session's start what earlier sessions have left.
    fn outcome(mut self, new: &BTreeSet<Level>) -> Outcome<State, Step> {
        let facts = self.input.facts;
        let is_of_record = new.contains(&Level::AutoPause) && (self.is_recorded || facts.sessions.is_none());
        let recorded = is_of_record.then(|| wording::recorded(facts.sessions.as_ref()));
        let highest = facts.thresholds.highest(new).zip(facts.reading.as_ref());
        let level = highest.map(|(level, reading)| wording::level(level, reading, recorded.as_deref()));
        let audit_event = level.is_some().then(|| AuditEvent::Advised("levels".to_owned()));
        let notice: Vec<String> = level.into_iter().chain(facts.notices.iter().cloned()).collect();
        let notice = (!notice.is_empty()).then(|| notice.join("\n"));
        let mut verdict = Verdict::Pass;
        // A session that nobody watches leaves the snapshot to the next one.
        if let Some((id, brief)) = facts.unread.clone().filter(|_| !self.input.headless) {
            verdict = Verdict::Advise { text: brief };
            self.steps.push(Step::MarkRead { id });
        }
        let memory = match self.event() {
            Event::SessionEnd { .. } => Memory::Drop,
            _ if self.state == *self.input.state => Memory::Keep,
            _ => Memory::Note(self.state),
        };
        Outcome { verdict, notice, memory, audit_event, effects: self.steps, ..Outcome::pass() }
    }
}

#[cfg(test)]
mod tests;
