//! The rules: calls within two seconds wait together; a window over its safe line delays calls by its forecast; the user gets
//! a message about delays now and then, and an alert once per window that is nearly used up. Pure.

use std::time::Duration;

use pacing::{Call, DAY_SECS, Pace, Status, is_same_reset};
use shared::hook::{Effect, Input, Memory, Outcome, Verdict};
use shared::host::{HOUR, Places, Timestamp};
use shared::state::MACHINE;
use shared::switches::Turn;
use shared::usage::Line;

use crate::readings::Scene;
use crate::settings::Settings;
use crate::state::{Alert, Pending, Session, State, exact};
use crate::{CreditPacer, poll, wording};

/// Calls of one session that end within this time of the first of them are one batch: they ran side by side.
const BATCH: Duration = Duration::from_secs(2);

/// The next message about delays comes after this time.
const REPORT_AGAIN: Duration = Duration::from_secs(10 * 60);

/// The longest delay in headless sessions.
const HEADLESS_MAX: Duration = Duration::from_secs(60);

/// A session that is this old without a reading will get none: the first answer has come.
const READINGS_COME: Duration = Duration::from_secs(60);

/// Unchanged windows over their line are written down again after this time.
const LINE_AGAIN_SECS: i64 = 5 * 60;

type Decision = Outcome<State, Change>;

pub(crate) type Reply = shared::cli::Reply<Change>;

#[derive(Debug, Clone)]
pub struct Facts {
    /// A hash of the session's id.
    pub(crate) session: u64,
    /// The usage API is to be asked.
    pub(crate) poll: bool,
    pub(crate) event: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    /// A tool has run.
    Call {
        scene: Box<Scene>,
        /// The same by the user's own file, where a project's file has changed it.
        own: Option<Box<Scene>>,
        /// A hash of the prompt's id.
        prompt: u64,
        /// Nothing waits after this call.
        is_exempt: bool,
    },
    /// A prompt that is one of our commands, answered.
    Command(Reply),
    Start(Box<Scene>),
}

/// Effects beside messages and memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A process is started that asks the usage API.
    Poll,
    /// The windows over their safe line are written down for other hooks.
    Line(Line),
    Turn(Turn),
}

impl From<Turn> for Change {
    fn from(turn: Turn) -> Self {
        Self::Turn(turn)
    }
}

impl Effect for Change {
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String> {
        match self {
            Self::Poll => poll::start(),
            Self::Line(found) => {
                if let Some(store) = places.open_store() {
                    // After a failure it comes again: another process writes at the same moment, or a newer version has.
                    let _ = store.change::<Line>(MACHINE, |line| {
                        line.clone_from(&found);
                        true
                    });
                }
                Ok(())
            }
            Self::Turn(turn) => turn.carry_out(places, now),
        }
    }
}

pub(crate) fn decide(input: &Input<'_, CreditPacer>) -> Decision {
    let mut outcome = match &input.facts.event {
        What::Call { scene, .. } if input.switched_off => while_switched_off(input, scene),
        What::Call { scene, own, prompt, is_exempt } => {
            after_call(input, scene, own.as_deref(), *prompt, *is_exempt)
        }
        What::Command(reply) => reply.outcome(),
        What::Start(scene) => at_start(input, scene),
    };
    if input.facts.poll && !input.switched_off {
        outcome.effects.push(Change::Poll);
    }
    outcome
}

/// Nothing is learned, and an alert is given all the same.
fn while_switched_off(input: &Input<'_, CreditPacer>, scene: &Scene) -> Decision {
    let mut state = input.state.clone();
    let notice = state.alert(scene, input.settings, input.now);
    let cleared = state.report(over(None, input.now));
    let is_worth_it = notice.is_some() || cleared.is_some();
    let memory = if is_worth_it { Memory::Save(state) } else { Memory::Keep };
    Outcome { notice, memory, effects: cleared.into_iter().collect(), ..Outcome::pass() }
}

/// `own`: the scene by the user's own file. Other hooks read the line in every project, so no project decides on it.
fn after_call(
    input: &Input<'_, CreditPacer>,
    scene: &Scene,
    own: Option<&Scene>,
    prompt: u64,
    is_exempt: bool,
) -> Decision {
    let (mut state, now, id) = (input.state.clone(), input.now, input.facts.session);
    state.learned.read(&scene.readings);
    if let Some(alert) = state.alert(scene, input.settings, now) {
        // An alert comes now, not after a delay of minutes: this one call does not wait.
        state.count(id, now);
        return Outcome { notice: Some(alert), memory: Memory::Save(state), ..Outcome::pass() };
    }
    let mut session = state.sessions.remove(&id).unwrap_or(Session { since: now, ..Session::default() });
    let (mut notice, mut effects) = (None, Vec::new());
    // An exempt call neither waits nor keeps those it runs beside from waiting.
    if !is_exempt && !session.joins(prompt, now, input.settings) {
        (session.batch, session.until, session.prompt) = (now, now, prompt);
        let pace = state.pace_over(scene, now);
        let line = own.map_or_else(|| pace.clone(), |own| state.pace_over(own, now));
        effects.extend(state.report(over(line.as_ref(), now)));
        notice = pace.and_then(|pace| session.wait(&pace, input, scene));
    }
    session.last = now;
    let (until, pending) = (session.until, session.pending);
    notice = notice.or_else(|| state.hint(input, scene, &session));
    state.sessions.insert(id, session);
    state.sessions.retain(|_, session| now.since(session.last) < HOUR);
    state.count(id, now);
    let waits = pending.filter(|_| now < until && !is_exempt);
    let rule = |pending: Pending| pending.window.key().into();
    let verdict = waits.map_or(Verdict::Pass, |pending| Verdict::Sleep { until, rule: rule(pending) });
    Outcome { verdict, notice, memory: Memory::Note(state), effects, ..Outcome::pass() }
}

impl State {
    /// The controller's answer at this moment.
    pub(crate) fn pace(&self, scene: &Scene, now: Timestamp) -> Pace {
        pacing::decide(exact(now), &scene.readings, &self.learned, &scene.rules)
    }

    /// The same where a window is over its line.
    fn pace_over(&self, scene: &Scene, now: Timestamp) -> Option<Pace> {
        let is_over = !scene.is_clearly_within && pacing::is_over(exact(now), &scene.readings, &scene.rules);
        is_over.then(|| self.pace(scene, now))
    }

    fn count(&mut self, session: u64, now: Timestamp) {
        self.learned.call(Call { at: exact(now), session, slept_secs: 0.0 });
    }

    /// Reports once a day that there are no readings, if a session has had an answer for long enough to have one.
    fn hint(&mut self, input: &Input<'_, CreditPacer>, scene: &Scene, session: &Session) -> Option<String> {
        let now = input.now.secs();
        let is_due = !(self.hinted_at..self.hinted_at.saturating_add(DAY_SECS)).contains(&now);
        if scene.usage.is_some() || !is_due || input.now.since(session.since) < READINGS_COME {
            return None;
        }
        self.hinted_at = now;
        Some(wording::no_readings(input.settings))
    }

    /// Reports windows that are nearly used up, once for each window and percentage.
    fn alert(&mut self, scene: &Scene, settings: &Settings, now: Timestamp) -> Option<String> {
        let (usage, now) = (scene.usage.as_ref()?, now.secs());
        self.alerts.retain(|alert| now < alert.resets_at || is_same_reset(alert.resets_at, now));
        let mut alerts = Vec::new();
        for (name, window) in &usage.windows {
            let age = now - window.observed_at;
            let is_current = age <= settings.stale_after_secs.get().into() && now < window.resets_at;
            let reached = settings.alerts.iter().map(|percent| percent.get());
            let reached = reached.filter(|percent| is_current && window.used_percent >= f64::from(*percent));
            let Some(percent) = reached.max() else { continue };
            let is_given = self.alerts.iter().any(|alert| {
                let is_same = alert.window == *name && is_same_reset(alert.resets_at, window.resets_at);
                is_same && alert.percent >= percent
            });
            if !is_given {
                self.alerts.push(Alert { window: name.clone(), resets_at: window.resets_at, percent });
                alerts.push(wording::alert(name, window, now));
            }
        }
        (!alerts.is_empty()).then(|| alerts.join("\n"))
    }

    /// Writes down the windows over their line if they are others than before, and after a while: an old file counts no longer than
    /// a reading.
    fn report(&mut self, found: Line) -> Option<Change> {
        let is_old = !(self.line.at..self.line.at.saturating_add(LINE_AGAIN_SECS)).contains(&found.at);
        if self.line.past == found.past && (found.past.is_empty() || !is_old) {
            return None;
        }
        self.line = found.clone();
        Some(Change::Line(found))
    }
}

/// The windows over their safe line, for other hooks that use the same limits.
fn over(pace: Option<&Pace>, now: Timestamp) -> Line {
    let windows = pace.iter().flat_map(|pace| &pace.windows).filter(|window| window.status == Status::Over);
    let past = windows.filter_map(|window| Some((window.window.key().to_owned(), window.reading?.resets_at)));
    Line { at: now.secs(), past: past.collect() }
}

/// The delay as it is applied: no longer than an hour may hold, shorter in headless sessions.
pub(crate) fn allowed(
    pace: &Pace,
    session: Option<&Session>,
    settings: &Settings,
    headless: bool,
    now: Timestamp,
) -> Duration {
    let delay = Duration::try_from_secs_f64(pace.delay_secs).unwrap_or_default();
    let delay = if headless { delay.min(HEADLESS_MAX) } else { delay };
    let Some(limit) = settings.max_total_delay_per_hour_secs else { return delay };
    let delays = session.iter().flat_map(|session| &session.delays);
    let lately = delays.filter(|(at, _)| *at <= now && now.since(*at) < HOUR);
    let slept = lately.map(|(_, millis)| Duration::from_millis((*millis).into())).sum();
    delay.min(Duration::from_secs(limit.get().into()).saturating_sub(slept))
}

impl Session {
    /// The call belongs to the current batch. A batch of the future, or one that waits too long, is left over from a clock that
    /// was set back.
    fn joins(&self, prompt: u64, now: Timestamp, settings: &Settings) -> bool {
        let longest = Duration::try_from_secs_f64(settings.max_delay_secs.get()).unwrap_or_default();
        let is_sound = self.batch <= now && self.until <= self.batch.plus(longest);
        self.prompt == prompt && is_sound && (now.since(self.batch) < BATCH || now < self.until)
    }

    /// A new batch waits if a window asks for it. The message comes with the first delay, with another strategy, and after
    /// ten minutes.
    fn wait(&mut self, pace: &Pace, input: &Input<'_, CreditPacer>, scene: &Scene) -> Option<String> {
        let now = input.now;
        let window = pace.windows.iter().find(|window| Some(window.window) == pace.constrained_window)?;
        let delay = allowed(pace, Some(self), input.settings, input.headless, now);
        if delay.is_zero() {
            return None;
        }
        self.until = now.plus(delay);
        self.pending = Some(Pending {
            at: now,
            window: window.window,
            used_percent: window.reading.map_or(0.0, |reading| reading.used_percent),
            safe_percent: window.line.safe_percent,
            strategy: pace.strategy,
        });
        if self.reported_strategy == pace.strategy && now.since(self.reported) < REPORT_AGAIN {
            return None;
        }
        let is_first = self.reported == Timestamp::default();
        (self.reported, self.reported_strategy) = (now, pace.strategy);
        Some(wording::waited(delay, &window.why(exact(now), &scene.rules), is_first))
    }
}

/// At a session's start: whether calls will wait.
fn at_start(input: &Input<'_, CreditPacer>, scene: &Scene) -> Decision {
    let (state, now) = (input.state, input.now);
    let pace = state.pace(scene, now);
    let session = state.sessions.get(&input.facts.session);
    let delay = allowed(&pace, session, input.settings, input.headless, now);
    let waits = !delay.is_zero() && !input.switched_off;
    let notice = waits.then(|| wording::likely(&pace, delay));
    Outcome { notice, ..Outcome::pass() }
}

#[cfg(test)]
mod tests;
