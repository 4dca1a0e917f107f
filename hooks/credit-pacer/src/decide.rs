//! The rules: calls within two seconds wait together; a window over its safe line delays calls by its forecast; the user is
//! told of delays now and then, and once per window that it is nearly used up. Pure.

use std::time::Duration;

use pacing::{Call, Pace, Question, Rules, Status, Window, WindowPace};
use shared::hook::{Input, Memory, Outcome, Verdict};
use shared::host::Timestamp;
use shared::usage::line::Line;

use crate::CreditPacer;
use crate::books::{DAY_SECS, is_cleaning_due};
use crate::database::Why;
use crate::effect::Change;
use crate::observe::{CallFacts, Facts, Scene, StartFacts};
use crate::settings::{Settings, by_project};
use crate::state::{Alert, Pending, Session, State, exact};
use crate::wording;

/// Calls of one session that end within this time of the first of them are one batch: they ran side by side.
const BATCH: Duration = Duration::from_secs(2);

/// A delay is told again after this time.
const TELL_AGAIN: Duration = Duration::from_secs(10 * 60);

/// The longest delay where nobody watches.
const HEADLESS_MAX: Duration = Duration::from_secs(60);

/// A session that is this old without a reading will get none: the first answer has come.
const READINGS_COME: Duration = Duration::from_secs(60);

/// Two readings of a reset that differ by at most this many seconds name the same window.
const SAME_RESET_SECS: i64 = 90;

pub(crate) fn decide(input: &Input<'_, CreditPacer>) -> Outcome<State, Change> {
    match input.facts {
        Facts::Call(facts) => after_call(input, facts),
        Facts::Command(reply) => reply.outcome(),
        Facts::Prompt { poll } => {
            Outcome { effects: polling(*poll && !input.switched_off), ..Outcome::pass() }
        }
        Facts::Start(facts) => at_start(input, facts),
        Facts::End { session } => at_end(input, *session),
    }
}

fn polling(poll: bool) -> Vec<Change> {
    poll.then_some(Change::Poll).into_iter().collect()
}

fn after_call(input: &Input<'_, CreditPacer>, facts: &CallFacts) -> Outcome<State, Change> {
    let mut state = input.state.clone();
    state.take_over();
    let alert = state.alert(&facts.scene, input.settings, input.now);
    if input.switched_off {
        // Nothing is learned while it is off: only an alert is worth remembering, and that nothing is over its line.
        let cleared = state.tell(over(None, input.now));
        let is_worth_it = alert.is_some() || cleared.is_some();
        let memory = if is_worth_it { Memory::Save(state) } else { Memory::Keep };
        return Outcome { notice: alert, memory, effects: cleared.into_iter().collect(), ..Outcome::pass() };
    }
    let mut effects = polling(facts.scene.poll);
    for snapshot in &facts.scene.snapshots {
        state.learned.read(snapshot);
    }
    if alert.is_some() {
        // An alert is told now, not after a delay of minutes: this one call does not wait.
        state.learn(facts.session, input.now);
        return Outcome { notice: alert, memory: Memory::Save(state), effects, ..Outcome::pass() };
    }
    let wait = state.wait(input, facts);
    effects.extend(wait.line.and_then(|found| state.tell(found)));
    let hint = wait.notice.or_else(|| state.hint(input, facts));
    let verdict = match wait.until {
        Some((until, window)) => Verdict::Sleep { until, rule: window.key().into() },
        None => Verdict::Pass,
    };
    Outcome { verdict, notice: hint, memory: Memory::Note(state), effects, ..Outcome::pass() }
}

/// The outcome for one call.
#[derive(Default)]
struct Wait {
    until: Option<(Timestamp, Window)>,
    notice: Option<String>,
    /// The windows over their safe line, if that was computed.
    line: Option<Line>,
}

impl State {
    /// The controller's answer at this moment.
    pub(crate) fn pace(&self, scene: &Scene, now: Timestamp) -> Pace {
        let question = Question { now: exact(now), snapshots: &scene.snapshots, learned: &self.learned };
        pacing::decide(&question, &scene.rules)
    }

    /// Counts the call, and says until when it waits: with its batch, or by itself.
    fn wait(&mut self, input: &Input<'_, CreditPacer>, facts: &CallFacts) -> Wait {
        let now = input.now;
        let mut session = self
            .sessions
            .remove(&facts.session)
            .unwrap_or_else(|| Session { since: now, ..Session::default() });
        let mut wait = Wait::default();
        if facts.is_exempt {
            // It neither waits nor keeps those it runs beside from waiting.
        } else if session.joins(facts.prompt, now, input.settings) {
            let window = session.window.filter(|_| now < session.until);
            wait.until = window
                .filter(|window| self.is_over(*window, &facts.scene, now))
                .map(|window| (session.until, window));
        } else {
            let is_idle = pacing::is_clearly_within(&facts.scene.snapshots, &facts.scene.rules);
            let pace = (!is_idle).then(|| self.pace(&facts.scene, now));
            wait.line = Some(over(pace.as_ref(), now));
            let delay = pace
                .as_ref()
                .map_or(Duration::ZERO, |pace| allowed(pace, &session, input.settings, input.headless, now));
            session.begin_batch(facts.prompt, now, delay);
            if let Some(pace) = pace.filter(|_| !delay.is_zero())
                && let Some(window) =
                    pace.windows.iter().find(|window| Some(window.window) == pace.constrained_window)
            {
                session.window = Some(window.window);
                session.pending = Some(Pending::of(window, &pace, now));
                wait.until = Some((session.until, window.window));
                wait.notice = session.notice(&pace, window, delay, input, &facts.scene.rules);
            }
        }
        session.last = now;
        let until = session.until;
        self.sessions.insert(facts.session, session);
        self.forget_silent(now);
        self.learn(facts.session, now);
        if wait.until.is_some() {
            self.learned.sleeps(facts.session, exact(until));
        }
        wait
    }

    fn learn(&mut self, session: u64, now: Timestamp) {
        self.learned.call(Call { at: exact(now), session, slept_secs: 0.0 });
    }

    /// The window still asks for delays: the reason of a batch's wait may end before its time.
    fn is_over(&self, window: Window, scene: &Scene, now: Timestamp) -> bool {
        !pacing::is_clearly_within(&scene.snapshots, &scene.rules)
            && !scene.rules.calendar.is_quiet(exact(now))
            && self
                .pace(scene, now)
                .windows
                .iter()
                .any(|found| found.window == window && found.status == Status::Over)
    }

    /// Once a day: that there are no readings, if a session has had an answer for long enough to have one.
    fn hint(&mut self, input: &Input<'_, CreditPacer>, facts: &CallFacts) -> Option<String> {
        let now = seconds(input.now);
        let is_due = !(self.hinted_at..self.hinted_at + DAY_SECS).contains(&now);
        let session = self.sessions.get(&facts.session)?;
        if facts.scene.usage.is_some() || !is_due || input.now.since(session.since) < READINGS_COME {
            return None;
        }
        self.hinted_at = now;
        Some(wording::no_readings(input.settings))
    }

    /// Windows that are nearly used up, once for each window and percentage.
    fn alert(&mut self, scene: &Scene, settings: &Settings, now: Timestamp) -> Option<String> {
        let usage = scene.usage.as_ref()?;
        let is_current = |resets_at: i64| now < Timestamp::from_secs(resets_at);
        self.alerts.retain(|alert| is_current(alert.resets_at + SAME_RESET_SECS));
        let mut told = Vec::new();
        for (name, window) in &usage.windows {
            let observed = Timestamp::from_secs(window.observed_at.max(usage.observed_at));
            let is_stale = now.since(observed) > Duration::from_secs(settings.stale_after_secs.get().into());
            if is_stale || !is_current(window.resets_at) {
                continue;
            }
            let reached = settings.alerts.iter().map(|percent| percent.get());
            let highest = reached.filter(|percent| window.used_percent >= f64::from(*percent)).max();
            let Some(percent) = highest else { continue };
            let is_same = |alert: &&Alert| {
                alert.window == *name && (alert.resets_at - window.resets_at).abs() <= SAME_RESET_SECS
            };
            if self.alerts.iter().filter(is_same).any(|alert| alert.percent >= percent) {
                continue;
            }
            self.alerts.push(Alert { window: name.clone(), resets_at: window.resets_at, percent });
            told.push(wording::alert(name, window, &scene.rules, seconds(now)));
        }
        (!told.is_empty()).then(|| told.join("\n"))
    }

    /// Writes down which windows are over their line, if that is news.
    fn tell(&mut self, found: Line) -> Option<Change> {
        if !self.line.is_news(&found) {
            return None;
        }
        self.line = if found.past.is_empty() { Line::default() } else { found.clone() };
        Some(Change::Line(found))
    }
}

/// The windows over their safe line, for other hooks that use the same limits.
fn over(pace: Option<&Pace>, now: Timestamp) -> Line {
    let windows = pace.iter().flat_map(|pace| &pace.windows).filter(|window| window.status == Status::Over);
    let past =
        windows.filter_map(|window| Some((window.window.key().to_owned(), window.reading?.1.resets_at)));
    Line { at: seconds(now), past: past.collect() }
}

/// The delay as it is applied: no longer than an hour may hold, shorter where nobody watches.
pub(crate) fn allowed(
    pace: &Pace,
    session: &Session,
    settings: &Settings,
    headless: bool,
    now: Timestamp,
) -> Duration {
    let asked = Duration::try_from_secs_f64(pace.delay_secs).unwrap_or_default();
    let capped = if headless { asked.min(HEADLESS_MAX) } else { asked };
    let Some(limit) = settings.max_total_delay_per_hour_secs else { return capped };
    capped.min(Duration::from_secs(limit.get().into()).saturating_sub(session.slept_lately(now)))
}

impl Session {
    /// The call belongs to the current batch. A batch of the future, or one that waits too long, is left over from a clock that
    /// was set back.
    fn joins(&self, prompt: u64, now: Timestamp, settings: &Settings) -> bool {
        let longest = Duration::try_from_secs_f64(settings.longest_delay()).unwrap_or_default();
        let is_sound = self.batch <= now && self.until <= self.batch.plus(longest);
        self.prompt == prompt && is_sound && (now.since(self.batch) < BATCH || now < self.until)
    }

    fn begin_batch(&mut self, prompt: u64, now: Timestamp, delay: Duration) {
        self.batch = now;
        self.until = now.plus(delay);
        self.prompt = prompt;
        self.window = None;
    }

    /// The message about this delay: at the first one, at another strategy, or after ten minutes.
    fn notice(
        &mut self,
        pace: &Pace,
        window: &WindowPace,
        delay: Duration,
        input: &Input<'_, CreditPacer>,
        rules: &Rules,
    ) -> Option<String> {
        let is_due = self.told_strategy != pace.strategy || input.now.since(self.told) >= TELL_AGAIN;
        if !is_due {
            return None;
        }
        let is_first = self.told == Timestamp::default();
        self.told = input.now;
        self.told_strategy = pace.strategy;
        let first = is_first.then(|| wording::by_files(by_project(input.origin)));
        Some(wording::waited(delay, &window.why(exact(input.now), rules), first.as_deref()))
    }
}

impl Pending {
    fn of(window: &WindowPace, pace: &Pace, at: Timestamp) -> Self {
        let used = window.reading.map(|(_, reading)| reading.used_percent);
        let why = Why { used, safe: Some(window.safe_percent), strategy: pace.strategy };
        Self { at, window: Some(window.window), why }
    }
}

fn at_start(input: &Input<'_, CreditPacer>, facts: &StartFacts) -> Outcome<State, Change> {
    let mut state = input.state.clone();
    state.take_over();
    let now = seconds(input.now);
    if is_cleaning_due(state.cleaned_at, now) {
        state.cleaned_at = now;
    }
    let notice = if input.switched_off { None } else { state.likely(input, facts) };
    let effects = polling(facts.scene.poll && !input.switched_off);
    Outcome { notice, memory: Memory::Note(state), effects, ..Outcome::pass() }
}

impl State {
    /// At a session's start, if calls will wait.
    fn likely(&self, input: &Input<'_, CreditPacer>, facts: &StartFacts) -> Option<String> {
        let pace = self.pace(&facts.scene, input.now);
        let new = Session::default();
        let session = self.sessions.get(&facts.session).unwrap_or(&new);
        let delay = allowed(&pace, session, input.settings, input.headless, input.now);
        (!delay.is_zero()).then(|| wording::likely(&pace, delay))
    }
}

fn at_end(input: &Input<'_, CreditPacer>, session: u64) -> Outcome<State, Change> {
    let mut state = input.state.clone();
    state.learned.end(session);
    let memory = if state.sessions.remove(&session).is_some() { Memory::Note(state) } else { Memory::Keep };
    Outcome { memory, ..Outcome::pass() }
}

/// Whole seconds since the epoch.
fn seconds(time: Timestamp) -> i64 {
    time.micros().div_euclid(1_000_000)
}

#[cfg(test)]
mod tests;
