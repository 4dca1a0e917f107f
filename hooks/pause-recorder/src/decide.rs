//! The rules: which level is reported, when a record begins, what goes into it, and when it ends. Pure.

use std::collections::BTreeSet;

use shared::hook::{AuditEvent, Input, Memory, Outcome, Verdict};
use shared::protocol::Event;

use crate::PauseRecorder;
use crate::actions::{self, started};
use crate::levels::{Compaction, Level, State, Thresholds};
use crate::observe::Facts;
use crate::occupancy::{Reading, Source, is_automatic_compaction};
use crate::record::{Action, NOT_RECORDED, Sessions};
use crate::step::{End, Ending, Step};
use crate::text::full;

pub(crate) fn decide(input: &Input<'_, PauseRecorder>) -> Outcome<State, Step> {
    let facts = input.facts;
    if let Some(reply) = &facts.answered {
        return reply.outcome();
    }
    let compacted_at = facts.reading.as_ref().and_then(Reading::compaction_percent);
    let thresholds = Thresholds::new(input.settings, compacted_at);
    let (state, is_recorded) = (input.state.clone(), facts.record.is_some());
    let mut course = Course { input, facts, thresholds, state, steps: Vec::new(), is_recorded };
    course.follow_compaction();
    let reason = course.reason_to_begin();
    let new = course.new_levels();
    course.record(reason, &new);
    course.end();
    course.outcome(&new)
}

/// One event on its way through the rules.
struct Course<'a> {
    input: &'a Input<'a, PauseRecorder>,
    facts: &'a Facts,
    thresholds: Thresholds,
    state: State,
    steps: Vec<Step>,
    is_recorded: bool,
}

impl<'a> Course<'a> {
    const fn event(&self) -> &'a Event {
        &self.input.request.event
    }

    fn session(&self) -> String {
        self.input.request.call.session_id.clone().unwrap_or_default()
    }

    /// Learns the context before a compaction. With a compaction the levels begin anew.
    fn follow_compaction(&mut self) {
        let known = self.facts.reading.as_ref().filter(|reading| !reading.model.is_empty());
        let compaction = |tokens: fn(&Reading) -> u64| {
            known.map(|reading| Compaction { model: reading.model.clone(), tokens: tokens(reading) })
        };
        if let Some(reading) = &self.facts.reading {
            self.state.learnt = compaction(|reading| reading.compacted_at);
            self.state.compacted &= reading.source != Source::Transcript;
        }
        match self.event() {
            event if is_automatic_compaction(event) => {
                self.steps.extend(compaction(|reading| reading.tokens).map(Step::Learn));
            }
            Event::SessionStart { source, .. } if source == "compact" => {
                self.state.learnt = None;
                self.state.told.clear();
                self.state.compacted = true;
            }
            Event::SessionStart { model: Some(model), .. } => {
                self.state.model = Some(actions::word(model));
            }
            _ => {}
        }
    }

    /// A record begins by itself once until the context falls: at its level, or where Claude Code is about to compact.
    fn reason_to_begin(&self) -> Option<&'static str> {
        let has_begun = self.is_recorded || self.state.told.contains(&Level::AutoPause);
        if has_begun || self.facts.sessions.is_none() {
            return None;
        }
        match &self.facts.reading {
            Some(reading) if reading.percent() >= self.thresholds.of(Level::AutoPause) => Some("auto_pause"),
            _ => is_automatic_compaction(self.event()).then_some("compaction"),
        }
    }

    /// The levels that are reached for the first time since the context fell.
    fn new_levels(&mut self) -> BTreeSet<Level> {
        let Some(reading) = &self.facts.reading else { return BTreeSet::new() };
        if self.thresholds.is_over(reading.percent()) {
            self.state.told.clear();
        }
        let reached = self.thresholds.reached(reading.percent());
        let new: BTreeSet<Level> = reached.difference(&self.state.told).copied().collect();
        self.state.told.extend(&new);
        new
    }

    /// Begins the record for this reason, and records what has happened.
    fn record(&mut self, reason: Option<&str>, new: &BTreeSet<Level>) {
        // A parallel call may have begun the record after this call looked for it.
        let has_begun = self.input.state.told.contains(&Level::AutoPause) && self.facts.sessions.is_some();
        if reason.is_none() && !self.is_recorded && !has_begun {
            return;
        }
        let (reading, now) = (self.facts.reading.as_ref(), self.input.now);
        let share = reading.map_or(0.0, Reading::share);
        let session = self.session();
        let call = &self.input.request.call;
        let begins = reason.map(|reason| started(&session, reading, reason, now));
        let happened = actions::crossed(new, reading).into_iter().chain(actions::of(self.event(), call));
        let happened = happened.map(|(kind, data)| Action::new(kind, now, data, share));
        let mut actions: Vec<Action> = begins.into_iter().chain(happened).collect();
        if reason.is_some() {
            self.is_recorded = true;
            self.state.told.insert(Level::AutoPause);
        } else if self.is_left_out() {
            self.state.left_out += actions.len() as u64;
            return;
        }
        let Some(last) = actions.last_mut() else { return };
        if self.state.left_out > 0 {
            last.data.insert(NOT_RECORDED.to_owned(), self.state.left_out.into());
            self.state.left_out = 0;
        }
        self.steps.push(Step::Append { session, transcript: call.transcript_path.clone(), actions });
    }

    /// The record is full. The line before a snapshot is always written: it has the number of those that were left out, and by a
    /// session's last line the next session knows that this one is over.
    fn is_left_out(&self) -> bool {
        let max_bytes = u64::from(self.input.settings.max_record_mib.get()) * 1024 * 1024;
        let is_full = self.facts.record.as_ref().is_some_and(|record| record.bytes >= max_bytes);
        is_full && !matches!(self.event(), Event::SessionEnd { .. } | Event::PreCompact { .. })
    }

    /// A compaction leaves a snapshot and the record goes on. At the session's end the record ends.
    fn end(&mut self) {
        let ending = match self.event() {
            Event::PreCompact { .. } => Ending::GoesOn,
            Event::SessionEnd { .. } => Ending::WithSession,
            _ => return,
        };
        if let Some(sessions) = self.facts.sessions.as_ref().filter(|_| self.is_recorded) {
            self.steps.push(Step::Finish(End {
                path: sessions.active_path(&self.session()),
                transcript: self.input.request.call.transcript_path.clone(),
                ending,
                at: self.input.now,
                commit: self.input.settings.git_commit,
            }));
        }
    }

    /// Reports the highest of the new levels with the record it begins, and at a session's start what earlier sessions have left.
    fn outcome(mut self, new: &BTreeSet<Level>) -> Outcome<State, Step> {
        let facts = self.facts;
        let is_of_record = new.contains(&Level::AutoPause) && (self.is_recorded || facts.sessions.is_none());
        let recorded = if is_of_record { recorded(facts.sessions.as_ref()) } else { String::new() };
        let highest = new.last().zip(facts.reading.as_ref());
        let level = highest.map(|(level, reading)| reached(*level, reading) + &recorded);
        let audit_event = level.is_some().then(|| AuditEvent::Advised("levels".to_owned()));
        let notice: Vec<String> = level.into_iter().chain(facts.notices.iter().cloned()).collect();
        let notice = (!notice.is_empty()).then(|| notice.join("\n"));
        let mut verdict = Verdict::Pass;
        // A headless session leaves the snapshot to the next one.
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

fn reached(level: Level, reading: &Reading) -> String {
    let hint = match level {
        Level::Warning => "; a good moment to finish this piece, or for /compact",
        Level::Critical => "; next to nothing is left: finish, or /compact",
        Level::Caution | Level::AutoPause => "",
    };
    let full = full(reading.percent(), reading.tokens, reading.window);
    format!("pause-recorder: the context is {full}{hint}")
}

/// The level at which a record begins is reached.
fn recorded(sessions: Option<&Sessions>) -> String {
    match sessions.map(Sessions::told) {
        Some(folder) => format!(
            "; this session is recorded in {folder}. A new session can go on from it; `pause-recorder discard` drops it"
        ),
        None => "; it is not recorded: there is no project folder to keep it in".to_owned(),
    }
}

#[cfg(test)]
mod tests;
