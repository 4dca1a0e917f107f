//! The rules: calls within two seconds wait together; what is past the safe line is spread over the time that is left; the
//! user is told of delays now and then, and once per window that it is nearly used up. Pure.

mod past;

use std::time::Duration;

use shared::hook::{Given, Memory, Outcome, Verdict};
use shared::host::Timestamp;
use shared::usage::line::Line;

use crate::CreditPacer;
use crate::database::DecisionRow;
use crate::effect::{Change, Decision};
use crate::observe::{CallFacts, Facts, Scene, StartFacts};
use crate::pacing::{self, Call, Pace, Question, Rules, Status, Window, WindowPace};
use crate::settings::{Settings, by_project};
use crate::state::{Alert, Kept, Session, State};
use crate::wording;

/// Calls of one session that end within this time of the first of them are one batch: they ran side by side.
const BATCH: Duration = Duration::from_secs(2);

/// A delay is told again after so long.
const TELL_AGAIN: Duration = Duration::from_secs(10 * 60);

/// Where nobody watches, a delay is no longer than this.
const HEADLESS_MAX: Duration = Duration::from_secs(60);

/// A window's reset is told with this much play, in seconds.
const SAME_RESET_SECS: i64 = 90;

const DAY_SECS: i64 = 24 * 60 * 60;

pub(crate) fn decide(given: &Given<'_, CreditPacer>) -> Outcome<State, Change> {
    match given.facts {
        Facts::Call(facts) => after_call(given, facts),
        Facts::Command(reply) => reply.outcome(),
        Facts::Prompt { poll } => {
            Outcome { effects: polling(*poll && !given.switched_off), ..Outcome::pass() }
        }
        Facts::Start(facts) => at_start(given, facts),
        Facts::End { session } => at_end(given, *session),
    }
}

fn polling(poll: bool) -> Vec<Change> {
    poll.then_some(Change::Poll).into_iter().collect()
}

fn after_call(given: &Given<'_, CreditPacer>, facts: &CallFacts) -> Outcome<State, Change> {
    let mut state = given.state.clone();
    let alert = state.alert(&facts.scene, given.settings, given.now);
    let mut effects = polling(facts.scene.poll && !given.switched_off);
    if given.switched_off {
        // Nothing is counted while it is off; only an alert is worth remembering, and that nothing is past its line.
        let cleared = state.tell(past::found(None, given.now));
        let is_worth_it = alert.is_some() || cleared.is_some();
        effects.extend(cleared);
        let memory = if is_worth_it { Memory::Save(state) } else { Memory::Keep };
        return Outcome { notice: alert, memory, effects, ..Outcome::pass() };
    }
    if alert.is_some() {
        // What is urgent is told now, not after a delay of minutes: this one call does not wait.
        state.remember_call(Kept(given.now, facts.session, 0));
        return Outcome { notice: alert, memory: Memory::Save(state), effects, ..Outcome::pass() };
    }
    let wait = state.wait(given, facts);
    effects.extend(wait.decision.map(|row| Change::KeepDecision(Box::new(Decision(row)))));
    effects.extend(wait.line.and_then(|found| state.tell(found)));
    let verdict = match wait.until {
        Some((until, rule)) => Verdict::Sleep { until, rule: rule.into() },
        None => Verdict::Pass,
    };
    Outcome { verdict, notice: wait.notice, memory: Memory::Note(state), effects, ..Outcome::pass() }
}

/// What a call waits for.
#[derive(Default)]
struct Wait {
    until: Option<(Timestamp, &'static str)>,
    notice: Option<String>,
    decision: Option<DecisionRow>,
    /// Which windows are past their safe line, where that was reckoned.
    line: Option<Line>,
}

impl State {
    /// What the arithmetic says at this moment, for this session.
    pub(crate) fn pace(&self, scene: &Scene, session: u64, now: Timestamp) -> Pace {
        let exact =
            |time: Timestamp| Duration::from_micros(time.micros().max(0).unsigned_abs()).as_secs_f64();
        let calls: Vec<Call> = self
            .calls
            .iter()
            .map(|Kept(at, of, slept_ms)| Call {
                at: exact(*at),
                session: if self.counts_as_asking(*of, *at, now) { session } else { *of },
                slept_secs: f64::from(*slept_ms) / 1000.0,
            })
            .collect();
        let question = Question {
            now: exact(now),
            session,
            snapshots: &scene.snapshots,
            calls: &calls,
            busy_slots: &self.busy_slots,
        };
        pacing::decide(&question, &scene.rules)
    }

    /// The window still asks for delays: what a batch waits for may be over before its time.
    fn is_over(&self, window: Window, scene: &Scene, session: u64, now: Timestamp) -> bool {
        if pacing::is_clearly_within(&scene.snapshots, &scene.rules) {
            return false;
        }
        let pace = self.pace(scene, session, now);
        let is_over = |found: &WindowPace| found.window == window && found.status == Status::Over;
        pace.windows.iter().any(is_over) && !scene.rules.is_quiet(pacing::seconds(seconds(now)))
    }

    /// Counts the call, and says until when it waits: with its batch, or by itself.
    fn wait(&mut self, given: &Given<'_, CreditPacer>, facts: &CallFacts) -> Wait {
        let now = given.now;
        let mut session = self.sessions.remove(&facts.session).unwrap_or_default();
        let is_same_turn = session.prompt == facts.prompt;
        // A batch of the future, or one that waits too long, is what a clock left that was set back.
        let longest = Duration::try_from_secs_f64(given.settings.longest_delay()).unwrap_or_default();
        let is_sound = session.batch <= now && session.until <= session.batch.plus(longest);
        let is_batch = is_same_turn && is_sound && (now.since(session.batch) < BATCH || now < session.until);
        let mut wait = Wait::default();
        let mut slept = Duration::ZERO;
        if facts.is_exempt {
            // It neither waits nor keeps those it runs beside from waiting.
        } else if is_batch {
            let window = session.window.filter(|_| now < session.until);
            let window = window.filter(|window| self.is_over(*window, &facts.scene, facts.session, now));
            wait.until = window.map(|window| (session.until, window.key()));
        } else {
            let Scene { snapshots, rules, .. } = &facts.scene;
            let is_idle = pacing::is_clearly_within(snapshots, rules);
            let pace = (!is_idle).then(|| self.pace(&facts.scene, facts.session, now));
            wait.line = Some(past::found(pace.as_ref(), now));
            let asked = pace
                .as_ref()
                .map(|pace| (pace, allowed(pace, &session, given.settings, given.headless, given.now)));
            slept = asked.map_or(Duration::ZERO, |(_, delay)| delay);
            session.batch = now;
            session.until = now.plus(slept);
            session.prompt = facts.prompt;
            session.window = None;
            if let Some((pace, delay)) = asked.filter(|(_, delay)| !delay.is_zero())
                && let Some(window) = pace.constrained_window
            {
                session.window = Some(window);
                wait.until = Some((session.until, window.key()));
                wait.notice = session.notice(pace, delay, given, rules);
                wait.decision = Some(row(given, pace, delay));
            }
        }
        session.last = now;
        session.remember_delay(now, slept);
        self.sessions.insert(facts.session, session);
        self.remember_call(Kept(now, facts.session, millis(slept)));
        wait
    }

    /// What a session's start tells: how long calls wait, or, once a day, that there is nothing to pace by.
    fn told_at_start(&mut self, given: &Given<'_, CreditPacer>, facts: &StartFacts) -> Option<String> {
        let pace = self.pace(&facts.scene, facts.session, given.now);
        let now = seconds(given.now);
        if pace.windows.iter().all(|window| matches!(window.status, Status::Unknown | Status::Off)) {
            let is_due = !(self.hinted_at..self.hinted_at + DAY_SECS).contains(&now);
            self.hinted_at = if is_due { now } else { self.hinted_at };
            return is_due.then(|| wording::no_readings(given.settings));
        }
        let new = Session::default();
        let session = self.sessions.get(&facts.session).unwrap_or(&new);
        let delay = allowed(&pace, session, given.settings, given.headless, given.now);
        (!delay.is_zero()).then(|| wording::likely(&pace, delay, &facts.scene.rules, now))
    }

    /// What is to be told of windows that are nearly used up, once for each window and percentage.
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
}

/// The delay as it is applied: not in quiet hours, not above what an hour may hold, shorter where nobody watches.
pub(crate) fn allowed(
    pace: &Pace,
    session: &Session,
    settings: &Settings,
    headless: bool,
    now: Timestamp,
) -> Duration {
    let asked = Duration::try_from_secs_f64(pace.delay_secs).unwrap_or_default();
    let capped = if headless { asked.min(HEADLESS_MAX) } else { asked };
    match settings.max_total_delay_per_hour_secs {
        Some(limit) => {
            let left = Duration::from_secs(limit.get().into()).saturating_sub(session.slept_lately(now));
            capped.min(left)
        }
        None => capped,
    }
}

impl Session {
    /// What is told of this delay: the first, another strategy, or after ten minutes.
    fn notice(
        &mut self,
        pace: &Pace,
        delay: Duration,
        given: &Given<'_, CreditPacer>,
        rules: &Rules,
    ) -> Option<String> {
        let is_due = self.told_strategy != pace.strategy || given.now.since(self.told) >= TELL_AGAIN;
        if !is_due {
            return None;
        }
        let is_first = self.told == Timestamp::default();
        self.told = given.now;
        self.told_strategy = pace.strategy;
        let first = is_first.then(|| wording::by_files(by_project(given.origin)));
        wording::paced(pace, delay, first.as_deref(), rules, seconds(given.now))
    }
}

fn at_start(given: &Given<'_, CreditPacer>, facts: &StartFacts) -> Outcome<State, Change> {
    let mut state = given.state.clone();
    let mut effects = polling(facts.scene.poll && !given.switched_off);
    let now = seconds(given.now);
    if state.cleaned_at + DAY_SECS <= now || now < state.cleaned_at {
        state.cleaned_at = now;
        let kept = i64::from(given.settings.retention_days.get()) * DAY_SECS;
        effects.push(Change::CleanUp { before: now - kept });
    }
    let notice = if given.switched_off { None } else { state.told_at_start(given, facts) };
    Outcome { notice, memory: Memory::Note(state), effects, ..Outcome::pass() }
}

/// What an ended session has used stays; it no longer shares what is left.
fn at_end(given: &Given<'_, CreditPacer>, session: u64) -> Outcome<State, Change> {
    let mut state = given.state.clone();
    let memory = if state.end(session) { Memory::Note(state) } else { Memory::Keep };
    Outcome { memory, ..Outcome::pass() }
}

fn row(given: &Given<'_, CreditPacer>, pace: &Pace, delay: Duration) -> DecisionRow {
    let window = pace.windows.iter().find(|window| Some(window.window) == pace.constrained_window);
    DecisionRow {
        timestamp: seconds(given.now),
        should_throttle: true,
        delay_seconds: i64::try_from((delay + Duration::from_millis(500)).as_secs()).unwrap_or(i64::MAX),
        session_id: given.input.call.session_id.clone().unwrap_or_default(),
        window: pace.constrained_window,
        used: window.and_then(|window| window.reading).map(|(_, reading)| reading.used_percent),
        safe: window.map(|window| window.safe_percent),
        strategy: pace.strategy,
    }
}

/// In whole seconds since the epoch.
fn seconds(time: Timestamp) -> i64 {
    time.micros().div_euclid(1_000_000)
}

fn millis(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
