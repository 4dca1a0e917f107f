//! The rules: which level is reported, when a record begins, what goes into it, and when it ends. Pure.

mod actions;

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use shared::hook::{AuditEvent, Input, Memory, Outcome, Verdict};
use shared::host::DAY;
use shared::protocol::Event;

use crate::PauseRecorder;
use crate::levels::Level;
use crate::observe::Facts;
use crate::occupancy::{Reading, Source};
use crate::reading::is_automatic_compaction;
use crate::record::{Action, Kind};
use crate::state::{Compaction, State};
use crate::step::{End, Ending, Step};
use crate::wording;

pub(crate) use actions::started;

/// The key of a session's last line that counts the actions the full record left out.
pub(crate) const NOT_RECORDED: &str = "not_recorded";

pub(crate) fn decide(input: &Input<'_, PauseRecorder>) -> Outcome<State, Step> {
    if let Some(reply) = &input.facts.answered {
        return reply.outcome();
    }
    let mut course = Course {
        input,
        facts: input.facts,
        session: input.request.call.session_id.as_deref().unwrap_or_default(),
        state: input.state.clone(),
        steps: Vec::new(),
        is_recorded: input.facts.record.is_some(),
    };
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

/// One event on its way through the rules.
struct Course<'a> {
    input: &'a Input<'a, PauseRecorder>,
    facts: &'a Facts,
    session: &'a str,
    state: State,
    steps: Vec<Step>,
    is_recorded: bool,
}

impl Course<'_> {
    fn event(&self) -> &Event {
        &self.input.request.event
    }

    /// Learns the context before a compaction. With a compaction the levels begin anew.
    fn follow_compaction(&mut self) {
        let reading = self.facts.reading.as_ref();
        match &self.input.request.event {
            event if is_automatic_compaction(event) => {
                let known = reading.filter(|reading| !reading.model.is_empty());
                self.state.compacting =
                    known.map(|reading| Compaction { model: reading.model.clone(), tokens: reading.tokens });
            }
            // A compaction that was only announced does not come to this.
            Event::SessionStart { source, .. } if source == "compact" => {
                if let Some(Compaction { model, tokens }) = self.state.compacting.take() {
                    self.steps.push(Step::Learn { model, tokens });
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
        if let Some(reading) = reading {
            self.state.learnt.clone_from(&self.facts.learnt);
            self.state.compacted &= reading.source != Source::Transcript;
        }
    }

    /// A record begins by itself once until the context falls: at its level, or where Claude Code is about to compact.
    fn reason_to_begin(&self) -> Option<&'static str> {
        if self.is_recorded || self.state.told.contains(&Level::AutoPause) || self.facts.sessions.is_none() {
            return None;
        }
        let is_compacting = is_automatic_compaction(self.event());
        if self.facts.is_high() { Some("auto_pause") } else { is_compacting.then_some("compaction") }
    }

    /// The levels that are reached for the first time since the context fell.
    fn climb(&mut self) -> BTreeSet<Level> {
        let Some(reading) = &self.facts.reading else { return BTreeSet::new() };
        if self.facts.thresholds.is_over(reading.percent()) {
            self.state.told.clear();
        }
        let reached = self.facts.thresholds.reached(reading.percent());
        let new: BTreeSet<Level> = reached.difference(&self.state.told).copied().collect();
        self.state.told.extend(&new);
        new
    }

    fn begin(&mut self, reason: &str) {
        self.state.told.insert(Level::AutoPause);
        if let Some(why) = &self.facts.obstacle {
            self.steps.push(Step::Fail { why: wording::not_begun(why) });
            return;
        }
        self.state.left_out = 0;
        self.is_recorded = true;
        self.steps.push(Step::Start {
            session: self.session.to_owned(),
            transcript: self.input.request.call.transcript_path.clone(),
            first: Box::new(started(self.session, self.facts.reading.as_ref(), reason, self.input.now)),
            then: Vec::new(),
        });
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
        let happened = actions::of(self.event(), &self.input.request.call);
        let mut actions: Vec<Action> =
            crossed.into_iter().chain(happened).map(|(kind, data)| self.action(kind, data)).collect();
        let is_over = matches!(self.event(), Event::SessionEnd { .. });
        let Some(last) = actions.last_mut() else { return };
        if is_over && self.state.left_out > 0 {
            last.data.insert(NOT_RECORDED.to_owned(), self.state.left_out.into());
        }
        // The last line of a session is always written: by it the next session knows that this one is over.
        if self.facts.is_full && !is_over {
            self.state.left_out += actions.len() as u64;
        } else if let Some(Step::Start { then, .. }) = self.steps.last_mut() {
            *then = actions;
        } else {
            self.steps.push(Step::Append { session: self.session.to_owned(), actions });
        }
    }

    fn action(&self, kind: Kind, data: Map<String, Value>) -> Action {
        let share = self.facts.reading.as_ref().map_or(0.0, Reading::share);
        Action { kind, at: self.input.now, session_id: String::new(), data, share }
    }

    /// A compaction leaves a snapshot and the record goes on. At the session's end the record ends. At a session's start the hook
    /// takes over from earlier ones.
    fn end(&mut self) {
        let left = &self.facts.left;
        self.steps.extend(left.faults.iter().map(|why| Step::Fail { why: why.clone() }));
        if left.compress {
            let days = self.input.settings.compress_after_days.get();
            self.steps.push(Step::Compress { before: self.input.now.minus(DAY * days) });
        }
        let ending = match self.event() {
            Event::PreCompact { .. } => Ending::GoesOn,
            Event::SessionEnd { .. } => Ending::Full,
            _ => return,
        };
        let material = self.facts.material.as_ref().filter(|_| self.is_recorded);
        let (Some(material), Some(sessions)) = (material, &self.facts.sessions) else { return };
        self.steps.push(Step::Finish(Box::new(End {
            path: sessions.active_path(self.session),
            ending,
            material: material.as_ref().clone(),
            at: self.input.now,
            left_out: self.state.left_out,
            commit: self.input.settings.git_commit,
        })));
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
        // A session that nobody watches leaves the snapshot to the next one.
        if let Some(unread) = left.unread.as_ref().filter(|_| !self.input.headless) {
            verdict = Verdict::Advise { text: unread.brief.clone() };
            self.steps.push(Step::MarkRead { id: unread.id.clone() });
        }
        let level = self.level(new);
        let audit_event = level.is_some().then(|| AuditEvent::Advised("levels".to_owned()));
        let orphans = (!left.orphans.is_empty()).then(|| wording::orphans(&left.orphans));
        let notice: Vec<String> = level.into_iter().chain(orphans).collect();
        let notice = (!notice.is_empty()).then(|| notice.join("\n"));
        let memory = if matches!(self.event(), Event::SessionEnd { .. }) {
            Memory::Drop
        } else if self.state == *self.input.state {
            Memory::Keep
        } else {
            Memory::Note(self.state)
        };
        Outcome { verdict, notice, memory, audit_event, effects: self.steps, ..Outcome::pass() }
    }
}

#[cfg(test)]
mod tests;
