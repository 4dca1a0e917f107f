//! The rules: calls within two seconds wait together; a window over its safe line delays calls by its forecast; the user gets
//! a message about delays now and then, and an alert once per window that is nearly used up. Pure.

use std::time::Duration;

use pacing::{Call, Pace, Question, Status, Window, WindowPace};
use shared::hook::{Input, Memory, Outcome, Verdict};
use shared::host::Timestamp;
use shared::usage::line::Line;
use shared::usage::{self, SAME_RESET_SECS};

use crate::CreditPacer;
use crate::books::{DAY_SECS, is_cleaning_due};
use crate::database::Why;
use crate::effect::Change;
use crate::observe::{Facts, Scene};
use crate::poll::secs;
use crate::settings::{Settings, by_project};
use crate::state::{Alert, Pending, Session, State, exact};
use crate::wording;

/// Calls of one session that end within this time of the first of them are one batch: they ran side by side.
const BATCH: Duration = Duration::from_secs(2);

/// The next message about delays comes after this time.
const TELL_AGAIN: Duration = Duration::from_secs(10 * 60);

/// The longest delay where nobody watches.
const HEADLESS_MAX: Duration = Duration::from_secs(60);

/// A session that is this old without a reading will get none: the first answer has come.
const READINGS_COME: Duration = Duration::from_secs(60);

type Decision = Outcome<State, Change>;

pub(crate) fn decide(input: &Input<'_, CreditPacer>) -> Decision {
    match input.facts {
        Facts::Call { scene, .. } if input.switched_off => while_switched_off(input, scene),
        Facts::Call { scene, prompt, is_exempt } => after_call(input, scene, *prompt, *is_exempt),
        Facts::Command(reply) => reply.outcome(),
        Facts::Prompt { poll } => Outcome { effects: polling(input, *poll), ..Outcome::pass() },
        Facts::Start(scene) => at_start(input, scene),
        Facts::End { session } => at_end(input, *session),
    }
}

fn polling(input: &Input<'_, CreditPacer>, poll: bool) -> Vec<Change> {
    if poll && !input.switched_off { vec![Change::Poll] } else { Vec::new() }
}

/// Nothing is learned, and an alert is given all the same.
fn while_switched_off(input: &Input<'_, CreditPacer>, scene: &Scene) -> Decision {
    let mut state = input.state.clone();
    let notice = state.alert(scene, input.settings, input.now);
    let cleared = state.tell(over(None, input.now));
    let is_worth_it = notice.is_some() || cleared.is_some();
    let memory = if is_worth_it { Memory::Save(state) } else { Memory::Keep };
    Outcome { notice, memory, effects: cleared.into_iter().collect(), ..Outcome::pass() }
}

fn after_call(input: &Input<'_, CreditPacer>, scene: &Scene, prompt: u64, is_exempt: bool) -> Decision {
    let (mut state, now) = (input.state.clone(), input.now);
    let mut effects = polling(input, scene.poll);
    scene.snapshots.iter().for_each(|snapshot| state.learned.read(snapshot));
    if let Some(alert) = state.alert(scene, input.settings, now) {
        // An alert comes now, not after a delay of minutes: this one call does not wait.
        state.count(scene.session, now);
        return Outcome { notice: Some(alert), memory: Memory::Save(state), effects, ..Outcome::pass() };
    }
    let new = || Session { since: now, ..Session::default() };
    let mut session = state.sessions.remove(&scene.session).unwrap_or_else(new);
    let mut notice = None;
    let mut waits_for = None;
    if is_exempt {
        // It neither waits nor keeps those it runs beside from waiting.
    } else if session.joins(prompt, now, input.settings) {
        let window = session.pending.map(|pending| pending.window).filter(|_| now < session.until);
        waits_for = window.filter(|window| state.is_over(*window, scene, now));
    } else {
        let pace = (!scene.is_clearly_within()).then(|| state.pace(scene, now));
        effects.extend(state.tell(over(pace.as_ref(), now)));
        session.begin_batch(prompt, now);
        if let Some((pace, window)) = pace.as_ref().and_then(|pace| Some((pace, constrained(pace)?))) {
            let delay = allowed(pace, Some(&session), input.settings, input.headless, now);
            if !delay.is_zero() {
                session.waits(pace, window, now, delay);
                notice = session.notice(pace, window, delay, input, scene);
                waits_for = Some(window.window);
            }
        }
    }
    session.last = now;
    let until = session.until;
    notice = notice.or_else(|| state.hint(input, scene, &session));
    state.sessions.insert(scene.session, session);
    state.forget_silent(now);
    state.count(scene.session, now);
    let verdict = waits_for.map_or(Verdict::Pass, |window| {
        state.learned.sleeps(scene.session, exact(until));
        Verdict::Sleep { until, rule: window.key().into() }
    });
    Outcome { verdict, notice, memory: Memory::Note(state), effects, ..Outcome::pass() }
}

impl State {
    /// The controller's answer at this moment.
    pub(crate) fn pace(&self, scene: &Scene, now: Timestamp) -> Pace {
        let question = Question { now: exact(now), snapshots: &scene.snapshots, learned: &self.learned };
        pacing::decide(&question, &scene.rules)
    }

    fn count(&mut self, session: u64, now: Timestamp) {
        self.learned.call(Call { at: exact(now), session, slept_secs: 0.0 });
    }

    /// The window still asks for delays: the reason of a batch's delay may end before its time.
    fn is_over(&self, window: Window, scene: &Scene, now: Timestamp) -> bool {
        let is_it = |found: &WindowPace| found.window == window && found.status == Status::Over;
        !scene.is_clearly_within()
            && !scene.rules.calendar.is_quiet(exact(now))
            && self.pace(scene, now).windows.iter().any(is_it)
    }

    /// Reports once a day that there are no readings, if a session has had an answer for long enough to have one.
    fn hint(&mut self, input: &Input<'_, CreditPacer>, scene: &Scene, session: &Session) -> Option<String> {
        let now = secs(input.now);
        let is_due = !(self.hinted_at..self.hinted_at + DAY_SECS).contains(&now);
        if scene.usage.is_some() || !is_due || input.now.since(session.since) < READINGS_COME {
            return None;
        }
        self.hinted_at = now;
        Some(wording::no_readings(input.settings))
    }

    /// Reports windows that are nearly used up, once for each window and percentage.
    fn alert(&mut self, scene: &Scene, settings: &Settings, now: Timestamp) -> Option<String> {
        let (usage, now) = (scene.usage.as_ref()?, secs(now));
        self.alerts.retain(|alert| now < alert.resets_at + SAME_RESET_SECS);
        let mut alerts = Vec::new();
        for (name, window) in &usage.windows {
            let age = now - window.observed_at.max(usage.observed_at);
            let is_current = age <= settings.stale_after_secs.get().into() && now < window.resets_at;
            let reached = settings.alerts.iter().map(|percent| percent.get());
            let reached = reached.filter(|percent| is_current && window.used_percent >= f64::from(*percent));
            let Some(percent) = reached.max() else { continue };
            if self.alerts.iter().any(|alert| alert.covers(name, window, percent)) {
                continue;
            }
            self.alerts.push(Alert { window: name.clone(), resets_at: window.resets_at, percent });
            alerts.push(wording::alert(name, window, &scene.rules, now));
        }
        (!alerts.is_empty()).then(|| alerts.join("\n"))
    }

    /// Writes down the windows over their line, if that is news.
    fn tell(&mut self, found: Line) -> Option<Change> {
        if !self.line.is_news(&found) {
            return None;
        }
        self.line = if found.past.is_empty() { Line::default() } else { found.clone() };
        Some(Change::Line(found))
    }
}

impl Alert {
    fn covers(&self, name: &str, window: &usage::Window, percent: u32) -> bool {
        let is_same = self.window == name && (self.resets_at - window.resets_at).abs() <= SAME_RESET_SECS;
        is_same && self.percent >= percent
    }
}

fn constrained(pace: &Pace) -> Option<&WindowPace> {
    pace.windows.iter().find(|window| Some(window.window) == pace.constrained_window)
}

/// The windows over their safe line, for other hooks that use the same limits.
fn over(pace: Option<&Pace>, now: Timestamp) -> Line {
    let windows = pace.iter().flat_map(|pace| &pace.windows).filter(|window| window.status == Status::Over);
    let past =
        windows.filter_map(|window| Some((window.window.key().to_owned(), window.reading?.1.resets_at)));
    Line { at: secs(now), past: past.collect() }
}

/// The delay as it is applied: no longer than an hour may hold, shorter where nobody watches.
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
    let slept = session.map_or(Duration::ZERO, |session| session.slept_lately(now));
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

    fn begin_batch(&mut self, prompt: u64, now: Timestamp) {
        (self.batch, self.until, self.prompt) = (now, now, prompt);
    }

    fn waits(&mut self, pace: &Pace, window: &WindowPace, now: Timestamp, delay: Duration) {
        self.until = now.plus(delay);
        let used = window.reading.map(|(_, reading)| reading.used_percent);
        let why = Why { used, safe: Some(window.safe_percent), strategy: pace.strategy };
        self.pending = Some(Pending { at: now, window: window.window, why });
    }

    /// The message about this delay: at the first one, at another strategy, or after ten minutes.
    fn notice(
        &mut self,
        pace: &Pace,
        window: &WindowPace,
        delay: Duration,
        input: &Input<'_, CreditPacer>,
        scene: &Scene,
    ) -> Option<String> {
        if self.told_strategy == pace.strategy && input.now.since(self.told) < TELL_AGAIN {
            return None;
        }
        let is_first = self.told == Timestamp::default();
        (self.told, self.told_strategy) = (input.now, pace.strategy);
        let first = is_first.then(|| {
            by_project(input.origin).map_or_else(String::new, |by_project| format!("; {by_project}"))
        });
        Some(wording::waited(delay, &window.why(exact(input.now), &scene.rules), first.as_deref()))
    }
}

/// At a session's start: whether calls will wait.
fn at_start(input: &Input<'_, CreditPacer>, scene: &Scene) -> Decision {
    let (mut state, now) = (input.state.clone(), input.now);
    if is_cleaning_due(state.cleaned_at, secs(now)) {
        state.cleaned_at = secs(now);
    }
    let pace = state.pace(scene, now);
    let session = state.sessions.get(&scene.session);
    let delay = allowed(&pace, session, input.settings, input.headless, now);
    let waits = !delay.is_zero() && !input.switched_off;
    let notice = waits.then(|| wording::likely(&pace, delay));
    Outcome { notice, memory: Memory::Note(state), effects: polling(input, scene.poll), ..Outcome::pass() }
}

fn at_end(input: &Input<'_, CreditPacer>, session: u64) -> Decision {
    let mut state = input.state.clone();
    state.learned.end(session);
    let memory = if state.sessions.remove(&session).is_some() { Memory::Note(state) } else { Memory::Keep };
    Outcome { memory, ..Outcome::pass() }
}

#[cfg(test)]
mod tests;
