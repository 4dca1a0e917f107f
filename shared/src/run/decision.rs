//! One decision: observed without a lock, made and saved under the session's lock, then written to the journal.

use std::fmt::Display;

use super::{Invocation, lines, sleep};
use crate::blocks::{self, BlockCount};
use crate::config::Section;
use crate::hook::{
    Audit, AuditEvent, Context, Effect, Hook, Input, Memory, Outcome, Reaction, ReactionKind, Remembered,
    Verdict,
};
use crate::host::Timestamp;
use crate::journal::Record;
use crate::protocol::{Answer, Event};
use crate::state::is_off;
use crate::switches::{Position, Switches};

pub(super) struct Decision<'d, H: Hook> {
    pub(super) call: &'d Invocation<'d>,
    pub(super) section: &'d Section<H::Settings>,
}

type Decided = (Answer, Audit);

type OutcomeOf<H> = Outcome<<H as Hook>::State, <H as Hook>::Effect>;

/// Why a decision does not hold.
enum Failure {
    /// The session's state cannot be read or locked.
    StateUnusable(String),
    /// The decision counts something, and the count cannot be written: a gate that cannot count could block forever.
    NotKept(String),
}

fn unusable(error: impl Display) -> Failure {
    Failure::StateUnusable(error.to_string())
}

fn not_kept(error: impl Display) -> Failure {
    Failure::NotKept(error.to_string())
}

impl<H: Hook> Decision<'_, H> {
    /// The answer, and what the user must know about the state.
    pub(super) fn answer(&self) -> (Answer, Option<String>) {
        let context = Context {
            request: self.call.request,
            settings: &self.section.settings,
            places: &self.call.places,
            host: self.call.host,
            locked: &self.section.locked,
            store: self.call.store.as_ref(),
        };
        let Some(facts) = H::observe(&context) else { return (Answer::default(), None) };
        let ((answer, audit), failure) = match self.under_lock(&facts) {
            Ok(decided) => (decided, None),
            Err(Failure::StateUnusable(why)) => (self.without_state(&facts), Some(why)),
            Err(Failure::NotKept(why)) => (Decided::default(), Some(why)),
        };
        if let Some(why) = &failure {
            self.error(why);
        }
        let answer = match self.traced(answer.verdict, audit) {
            Verdict::Sleep { until, rule } => self.sleep(until, &rule, answer.notice),
            verdict => Answer { verdict, ..answer },
        };
        (answer, failure.map(|why| format!("{}: the session's state is not used: {why}", H::NAME)))
    }

    /// Loads, decides, saves, counts: under the session's lock where something is remembered.
    fn under_lock(&self, facts: &H::Facts) -> Result<Decided, Failure> {
        let file = self.call.store.as_ref().zip(self.call.session()).and_then(|(store, session)| {
            let session = if H::State::MACHINE_WIDE { "" } else { session };
            Some((store, session, store.session_file::<H::State>(session)?))
        });
        let Some((store, session, file)) = file else {
            let outcome = self.outcome(facts, &H::State::default(), true);
            return match outcome.memory {
                Memory::Save(_) => Err(not_kept("there is no state folder")),
                Memory::Keep | Memory::Note(_) | Memory::Drop => self.carried_out(outcome),
            };
        };
        let critical = || {
            let state = store.load(&file).map_err(unusable)?;
            let outcome = self.outcome(facts, &state, true);
            match &outcome.memory {
                Memory::Keep => {}
                Memory::Save(state) => store.save(&file, session, state).map_err(not_kept)?,
                Memory::Note(state) => {
                    if let Err(error) = store.save(&file, session, state) {
                        self.error(error);
                    }
                }
                Memory::Drop => store.forget(&file),
            }
            self.carried_out(outcome)
        };
        store.locked(&file, critical).map_err(unusable)?
    }

    /// Decides with empty state. Gives a verdict that needs neither state nor effects, and no notice, which would come each time.
    fn without_state(&self, facts: &H::Facts) -> Decided {
        let outcome = self.outcome(facts, &H::State::default(), false);
        let needs_state = matches!(outcome.memory, Memory::Save(_))
            || matches!(outcome.verdict, Verdict::Sleep { .. })
            || !outcome.effects.is_empty();
        if needs_state {
            return Decided::default();
        }
        self.carried_out(Outcome { notice: None, ..outcome }).unwrap_or_default()
    }

    fn outcome(&self, facts: &H::Facts, state: &H::State, state_is_usable: bool) -> OutcomeOf<H> {
        let call = self.call;
        let prompt_id = call.request.call.prompt_id.as_deref();
        let blocks = match (&call.store, call.session(), &call.request.event) {
            (Some(store), Some(session), Event::Stop(_)) => {
                blocks::read(store, session).count(prompt_id, H::NAME)
            }
            _ => BlockCount::default(),
        };
        H::decide(&Input {
            request: call.request,
            facts,
            state,
            state_is_usable,
            settings: &self.section.settings,
            blocks,
            started: call.host.started,
            now: call.host.now(),
            headless: call.is_headless(self.section),
            switched_off: self.section.is_switched_off(),
            origin: &|key| self.section.origin(key),
        })
    }

    /// Carries out the effects of a decision, and counts its block or denial for the other hooks.
    fn carried_out(&self, outcome: OutcomeOf<H>) -> Result<Decided, Failure> {
        for Reaction { rule, how } in &outcome.audit.reactions {
            let rule = Some(self.section.in_file(rule));
            self.call.journal::<H>(Record { what: how.word().to_owned(), rule, ..Record::default() });
        }
        match &outcome.audit_event {
            Some(AuditEvent::Allowed(why)) => self.call.journal::<H>(Record::of("let-go", *why)),
            Some(AuditEvent::Advised(rule)) => {
                let text = outcome.notice.clone().unwrap_or_default();
                self.journal(rule, Record::of("advise", text));
            }
            None => {}
        }
        let now = self.call.host.now();
        let done = outcome.effects.into_iter().map(|effect| effect.carry_out(&self.call.places, now));
        let failed = lines(done.filter_map(Result::err).inspect(|error| self.error(error)));
        let answer = match (outcome.verdict, failed) {
            // A command that was not carried out must not say that it was.
            (Verdict::Reply { .. }, Some(failed)) => {
                let text = format!("{failed}\nIt was not carried out.");
                Answer { verdict: Verdict::Reply { text }, notice: outcome.notice }
            }
            (verdict, failed) => Answer { verdict, notice: lines(outcome.notice.into_iter().chain(failed)) },
        };
        self.count(&answer.verdict, &outcome.audit)?;
        Ok((answer, outcome.audit))
    }

    /// Counts a blocked stop, or it is not spoken. A denial stands without its mark, which only saves others a model call.
    fn count(&self, verdict: &Verdict, audit: &Audit) -> Result<(), Failure> {
        let (Some(store), Some(session)) = (&self.call.store, self.call.session()) else { return Ok(()) };
        let prompt_id = self.call.request.call.prompt_id.as_deref();
        let is_followed = || audit.reactions.iter().any(|reaction| reaction.how == ReactionKind::Followed);
        match (verdict, &self.call.request.event) {
            (Verdict::Block { .. }, Event::Stop(stop)) => {
                let (message, now) = (stop.last_assistant_message.as_deref(), self.call.host.now());
                blocks::record_stop(store, session, prompt_id, message, H::NAME, now).map_err(not_kept)?;
            }
            (Verdict::Pass, Event::Stop(_)) if is_followed() => {
                let _ = blocks::record_followed(store, session, prompt_id, H::NAME);
            }
            (Verdict::Deny { .. }, Event::PreToolUse(tool)) => {
                let denied = tool.tool_use_id.as_deref().map(|id| blocks::record_deny(store, session, id));
                if let Some(Err(error)) = denied {
                    self.error(error);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds to a denial or block where its rule is set, and journals the verdict; a sleep is journaled when it is over.
    fn traced(&self, mut verdict: Verdict, audit: Audit) -> Verdict {
        let what = verdict.word();
        match &mut verdict {
            Verdict::Pass | Verdict::Sleep { .. } => {}
            // At a session's start Claude can neither follow nor override a rule yet.
            Verdict::Advise { text } if self.call.is_starting() => {
                self.call.journal::<H>(Record::of("tell", &*text));
            }
            Verdict::Advise { text } => self.call.journal::<H>(Record::of(what, &*text)),
            Verdict::Reply { .. } => {
                self.call.journal::<H>(Record { what: what.to_owned(), ..Record::default() });
            }
            Verdict::Deny { reason, rule }
            | Verdict::Ask { reason, rule }
            | Verdict::Block { reason, rule } => {
                // A reason for several rules names the place of each itself.
                let place = self.section.origin(rule).map(|origin| origin.to_string());
                if let Some(place) = place.filter(|place| !reason.contains(place)) {
                    *reason = format!("{reason}\n({}: {place})", self.section.in_file(rule));
                }
                let also = audit.also.iter().map(|rule| self.section.in_file(rule)).collect();
                let place = |rule| self.section.origin(rule).map(|origin| origin.with_layer());
                let also_where = audit.also.iter().map(|rule| place(rule).unwrap_or_default()).collect();
                let next = audit.next;
                self.journal(rule, Record { also, also_where, next, ..Record::of(what, &*reason) });
            }
        }
        verdict
    }

    /// Sleeps, keeps in the journal for how long, and gives the notice if the sleep came to its end.
    fn sleep(&self, until: Timestamp, rule: &str, notice: Option<String>) -> Answer {
        let call = self.call;
        let is_still_wanted = || {
            call.store.as_ref().is_none_or(|store| {
                let switch = Switches::read(store).position(H::NAME, call.session());
                switch != Position::Off && !is_off(store.dir(), call.host.now())
            })
        };
        let slept = sleep::until(until, call.host.clock, is_still_wanted);
        H::slept(&call.places, call.session(), call.host.now());
        let slept_ms = u64::try_from(slept.duration.as_millis()).ok();
        let text = slept.cut_short.map(str::to_owned).or_else(|| notice.clone());
        self.journal(rule, Record { what: "sleep".to_owned(), text, slept_ms, ..Record::default() });
        Answer { verdict: Verdict::Pass, notice: notice.filter(|_| slept.cut_short.is_none()) }
    }

    fn error(&self, error: impl Display) {
        self.call.journal::<H>(Record::of("error", error.to_string()));
    }

    fn journal(&self, rule: &str, record: Record) {
        let origin = self.section.origin(rule);
        self.call.journal::<H>(Record {
            rule: Some(self.section.in_file(rule)),
            layer: origin.as_ref().map(|origin| origin.layer.word().to_owned()),
            r#where: origin.map(|origin| origin.to_string()),
            ..record
        });
    }
}
