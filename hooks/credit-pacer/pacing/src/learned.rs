//! Knowledge from calls and readings: the natural gap between calls, the cost of a call, and the habit.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::habit::Habit;
use crate::{Reading, Readings, Window, is_same_reset, seconds};

/// Calls of one session that end within this many seconds of the first one ran side by side: one step of work.
const STEP_SECS: f64 = 2.0;

/// A longer gap is an absence of the user, in seconds.
const ABSENT_SECS: f64 = 30.0 * 60.0;

/// The gap is an average over about this many gaps.
const GAPS: f64 = 40.0;

/// The gap of an unknown user, in seconds.
const USUAL_GAP_SECS: f64 = 20.0;

/// The cost is an average over about this many calls.
const CALLS: f64 = 1500.0;

/// Earlier knowledge counts as this many calls in a cost, so that the first percent decides nothing.
pub(crate) const PRIOR_CALLS: f64 = 20.0;

/// Readings are whole percents: one within this distance does not contradict the estimate.
const ROUNDING: f64 = 0.5;

/// A limit counts as reached from this usage on, in percent.
const REACHED: f64 = 99.5;

const ACCOUNTS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call {
    /// The end, in seconds since the epoch.
    pub at: f64,
    /// A hash of the session's id.
    pub session: u64,
    /// The delay, in seconds.
    pub slept_secs: f64,
}

/// The knowledge of the user and the accounts of this machine. All sessions share it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Learned {
    /// Natural seconds between two steps of a session, and how many gaps this is the average of.
    gap: (f64, f64),
    pub habit: Habit,
    sessions: BTreeMap<u64, Course>,
    /// The account in use first.
    accounts: VecDeque<Account>,
    /// When the newest limit that was reached resets.
    locked_until: i64,
}

/// When a session's newest step ended and until when it slept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Course {
    at: f64,
    until: f64,
}

/// The costs of a call, which differ from account to account.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Account {
    /// Calls since readings are known, the older the less.
    calls: f64,
    /// When the current 5-hour window's first call came, and the natural calls since then.
    pub(crate) window: (f64, f64),
    /// By [`Window`].
    meters: [Meter; 2],
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Meter {
    /// The newest reading's time.
    at: i64,
    /// The highest reading of this window.
    used: f64,
    resets_at: i64,
    /// The usage with the calls since the reading.
    estimate: f64,
    /// Points by which readings rose, the older the less.
    rises: f64,
}

impl Learned {
    /// Learns from a call. Calls come in the order of their time.
    pub fn call(&mut self, call: Call) {
        let course = self.sessions.entry(call.session).or_default();
        let is_same_step = (0.0..STEP_SECS).contains(&(call.at - course.at));
        if !is_same_step {
            let gap = (call.at - course.until.max(course.at)).max(0.0);
            if course.at > 0.0 && gap < ABSENT_SECS {
                let (mean, count) = self.gap;
                let count = (count + 1.0).min(GAPS);
                self.gap = (mean + (gap - mean) / count, count);
            }
            *course = Course { at: call.at, until: course.until.max(call.at) };
            self.sessions.retain(|_, course| (call.at - course.at).abs() < ABSENT_SECS);
            self.count(call.at, 1.0);
            if let Some(account) = self.accounts.front_mut() {
                account.charge();
            }
        }
        if call.slept_secs > 0.0 {
            self.slept(call);
        }
    }

    /// A session has slept after a call of that time, which kept calls from coming.
    pub fn slept(&mut self, Call { at, session, slept_secs }: Call) {
        if let Some(course) = self.sessions.get_mut(&session) {
            course.until = course.until.max(at + slept_secs);
        }
        self.count(at, slept_secs / self.gap_secs());
    }

    fn count(&mut self, at: f64, natural: f64) {
        self.habit.add(at, natural, self.locked_until);
        let Some(account) = self.accounts.front_mut() else { return };
        let (first, calls) = account.window;
        let reset = seconds(account.meters[0].resets_at);
        let is_over = (first < reset && at >= reset) || at - first >= seconds(Window::FiveHour.length_secs());
        account.window = if first <= 0.0 || is_over { (at, natural) } else { (first, calls + natural) };
    }

    /// Learns from readings. They come in the order of their time; a known one changes nothing.
    pub fn read(&mut self, readings: &Readings) {
        let Some(at) = readings.iter().flatten().map(|reading| reading.at).max() else { return };
        // An account is known by the resets of its windows. One whose windows have all ended is taken up again.
        let is_of = |account: &Account| account.is_of(readings) || account.has_ended(readings, at);
        let account = self.accounts.iter().position(is_of).and_then(|index| self.accounts.remove(index));
        self.accounts.push_front(account.unwrap_or_default());
        self.accounts.truncate(ACCOUNTS);
        for (meter, reading) in self.accounts[0].meters.iter_mut().zip(readings) {
            let Some(reading) = reading else { continue };
            meter.read(reading);
            if reading.used_percent >= REACHED {
                self.locked_until = self.locked_until.max(reading.resets_at);
            }
        }
    }

    /// The account in use.
    pub(crate) fn account(&self) -> Account {
        self.accounts.front().copied().unwrap_or_default()
    }

    /// Natural seconds between two calls of a session.
    pub fn gap_secs(&self) -> f64 {
        let (mean, count) = self.gap;
        if count > 0.0 { mean.max(1.0) } else { USUAL_GAP_SECS }
    }
}

impl Account {
    fn is_of(&self, readings: &Readings) -> bool {
        let is_same = |(meter, reading): (&Meter, &Option<Reading>)| {
            reading.is_some_and(|reading| meter.is_same(&reading))
        };
        self.meters.iter().zip(readings).any(is_same)
    }

    fn has_ended(&self, readings: &Readings, at: i64) -> bool {
        self.meters.iter().zip(readings).all(|(meter, reading)| reading.is_none() || meter.resets_at <= at)
    }

    /// Adds the cost of a call to the estimates.
    fn charge(&mut self) {
        self.calls = self.calls * (1.0 - 1.0 / CALLS) + 1.0;
        for meter in &mut self.meters {
            meter.estimate += meter.rises / (self.calls + PRIOR_CALLS);
            meter.rises *= 1.0 - 1.0 / CALLS;
        }
    }

    /// Points of a window that a call costs. `average` is the usage of the whole window so far, per call that fits into its
    /// elapsed time.
    pub(crate) fn cost(&self, window: Window, average: f64) -> f64 {
        (self.meters[window as usize].rises + PRIOR_CALLS * average) / (self.calls + PRIOR_CALLS)
    }

    /// The usage of a window now: the reading, and the calls since then as far as it does not contradict them.
    pub(crate) fn estimate(&self, window: Window, reading: &Reading) -> f64 {
        let meter = Some(self.meters[window as usize]).filter(|meter| meter.is_same(reading));
        meter.map_or(reading.used_percent, |meter| meter.estimate.max(reading.used_percent - ROUNDING))
    }
}

impl Meter {
    const fn is_same(&self, reading: &Reading) -> bool {
        is_same_reset(self.resets_at, reading.resets_at)
    }

    fn read(&mut self, &Reading { at, used_percent: used, resets_at }: &Reading) {
        let is_same = is_same_reset(self.resets_at, resets_at);
        if at < self.at || (at == self.at && is_same && used <= self.used) {
            return;
        }
        if is_same {
            self.rises += (used - self.used).max(0.0);
            self.used = used.max(self.used);
            self.estimate = self.estimate.clamp(self.used - ROUNDING, self.used + ROUNDING);
        } else {
            // The usage before the first reading of all is somebody else's.
            self.rises += if self.at > 0 { used } else { 0.0 };
            (self.used, self.estimate) = (used, used);
        }
        (self.at, self.resets_at) = (at, resets_at);
    }
}
