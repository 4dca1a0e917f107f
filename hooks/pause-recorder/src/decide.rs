//! The rules: which level is reported, when a record begins, what goes into it, and when it ends. Pure.

use std::collections::BTreeSet;

use shared::hook::{AuditEvent, Input, Memory, Outcome, Verdict};
use shared::protocol::Event;

use crate::PauseRecorder;
use crate::actions::{self, share, started};
use crate::observe::Facts;
use crate::occupancy::{LEVELS, Level, Reading, State, is_automatic_compaction};
use crate::record::{Action, NOT_RECORDED};
use crate::step::{End, Ending, Step};
use crate::text::word;

/// The points below the lowest level at which the levels begin anew.
const LEVELS_RESTART_BELOW: f64 = 10.0;

pub(crate) fn decide(input: &Input<'_, PauseRecorder>) -> Outcome<State, Step> {
    let facts = input.facts;
    if let Some(reply) = &facts.answered {
        return reply.outcome();
    }
    let (state, is_recorded) = (input.state.clone(), facts.record.is_some());
    let mut course = Course { input, facts, state, steps: Vec::new(), is_recorded };
    course.follow_compaction();
    let new = course.new_levels();
    let reason = course.reason_to_begin(&new);
    course.record(reason, &new);
    course.end();
    course.outcome(&new)
}

/// One event on its way through the rules.
struct Course<'a> {
    input: &'a Input<'a, PauseRecorder>,
    facts: &'a Facts,
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

    /// A record began by itself since the context last fell, or a parallel call has begun it just now.
    fn has_begun(&self) -> bool {
        self.is_recorded || self.input.state.reported.contains(&Level::AutoPause)
    }

    /// Learns the context before a compaction. With a compaction the levels begin anew.
    fn follow_compaction(&mut self) {
        if let Some(reading) = &self.facts.reading {
            let Reading { model, tokens, compacted_at, .. } = reading.clone();
            // While `compacted` is set, a reading is that of a new reply.
            self.state.compacted = false;
            self.state.compacted_at = Some((model.clone(), compacted_at));
            if is_automatic_compaction(self.event()) {
                self.steps.push(Step::Learn { model, tokens });
            }
        }
        match self.event() {
            Event::SessionStart { source, .. } if source == "compact" => {
                self.state.compacted_at = None;
                self.state.reported.clear();
                self.state.compacted = true;
            }
            Event::SessionStart { model: Some(model), .. } => {
                self.state.model = Some(word(model));
            }
            _ => {}
        }
    }

    /// The levels that are reached for the first time since the context fell.
    fn new_levels(&mut self) -> BTreeSet<Level> {
        let Some(reading) = &self.facts.reading else { return BTreeSet::new() };
        let (percent, compacted_at) = (reading.percent(), reading.compaction_percent());
        let at = |level: &Level| level.percent(self.input.settings, compacted_at);
        if LEVELS.iter().all(|level| percent < at(level) - LEVELS_RESTART_BELOW) {
            self.state.reported.clear();
        }
        let is_new = |level: &Level| percent >= at(level) && !self.state.reported.contains(level);
        let new: BTreeSet<Level> = LEVELS.into_iter().filter(is_new).collect();
        self.state.reported.extend(&new);
        new
    }

    /// A record begins by itself once until the context falls: at its level, or where Claude Code is about to compact.
    fn reason_to_begin(&self, new: &BTreeSet<Level>) -> Option<&'static str> {
        match new.contains(&Level::AutoPause) {
            _ if self.has_begun() => None,
            true => Some("auto_pause"),
            false => is_automatic_compaction(self.event()).then_some("compaction"),
        }
    }

    /// Begins the record for this reason, and records what has happened.
    fn record(&mut self, reason: Option<&str>, new: &BTreeSet<Level>) {
        if reason.is_none() && !self.has_begun() {
            return;
        }
        let (reading, now, call) = (self.facts.reading.as_ref(), self.input.now, &self.input.request.call);
        let session = self.session();
        let begins = reason.map(|reason| started(&session, reading, reason, now));
        let happened = actions::crossed(new, reading).into_iter().chain(actions::of(self.event(), call));
        let happened = happened.map(|(kind, data)| Action::new(kind, now, data, share(reading)));
        let mut actions: Vec<Action> = begins.into_iter().chain(happened).collect();
        if reason.is_some() {
            self.is_recorded = true;
            self.state.reported.insert(Level::AutoPause);
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
        if self.is_recorded {
            self.steps.push(Step::Finish(End {
                path: self.facts.sessions.active_path(&self.session()),
                ending,
                at: self.input.now,
                commit: self.input.settings.git_commit,
            }));
        }
    }

    /// Reports the highest of the new levels with the record it begins, and at a session's start what earlier sessions have left.
    fn outcome(mut self, new: &BTreeSet<Level>) -> Outcome<State, Step> {
        let facts = self.facts;
        let highest = new.last().zip(facts.reading.as_ref());
        let level = highest.map(|(level, reading)| {
            let recorded = new.contains(&Level::AutoPause).then(|| {
                format!(
                    "; this session is recorded in {}. A new session can go on from it; `pause-recorder discard` drops it",
                    facts.sessions.named(&facts.sessions.dir)
                )
            });
            reached(*level, reading) + &recorded.unwrap_or_default()
        });
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
    format!("pause-recorder: the context is {}{hint}", reading.words())
}

#[cfg(test)]
mod tests;
