//! The delay of a call. Pure and total.

use serde::Serialize;

use crate::forecast::{Forecast, SoFar};
use crate::learned::Learned;
use crate::line::Rules;
use crate::{Reading, Snapshot, Strategy, Window, newest, reason, seconds};

/// A reading may be this many seconds in the future. One from further away was made while the clock was wrong.
pub const CLOCK_PLAY_SECS: f64 = 90.0;

/// Above 1: save first, spend last.
const EXPONENT: f64 = 2.5;

/// Points of a limit that are kept back: readings are whole percents and lag behind.
const RESERVE: f64 = 2.0;

/// Calls wait once the expected calls are this many times those that fit: no forecast is more exact than that, and a later delay
/// still suffices. For the 5-hour and the weekly limit.
const CERTAIN: [f64; 2] = [1.6, 2.0];

#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Now, in seconds since the epoch.
    pub now: f64,
    /// Readings, newest last; may be thinned.
    pub snapshots: &'a [Snapshot],
    /// Knowledge from earlier calls and readings.
    pub learned: &'a Learned,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Pace {
    /// The delay of the next request in seconds; 0: none.
    pub delay_secs: f64,
    pub strategy: Strategy,
    pub constrained_window: Option<Window>,
    pub reason: String,
    pub windows: [WindowPace; 2],
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowPace {
    pub window: Window,
    pub status: Status,
    /// The newest reading and its time.
    pub reading: Option<(i64, Reading)>,
    /// The share of the window's time that is over, in percent.
    pub elapsed_percent: f64,
    /// The usage that is allowed by now, in percent.
    pub allowance_percent: f64,
    /// The allowance without the reserve.
    pub safe_percent: f64,
    /// Usage above the safe line, in points; negative below.
    pub over_percent: f64,
    /// The delay that this window alone asks for, in seconds.
    pub delay_secs: f64,
    /// The forecast of a current window.
    pub fit: Option<Fit>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Calls that are expected until the reset.
    pub expected: f64,
    /// Calls that fit into the budget.
    pub fitting: f64,
    /// When the budget ends at the expected pace.
    pub ends_at: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// At or under the safe line.
    Ok,
    Over,
    /// The reading is too old, or its window has ended.
    Stale,
    /// There is no reading.
    Unknown,
    /// The settings switch the window off.
    Off,
}

pub fn decide(question: &Question<'_>, rules: &Rules) -> Pace {
    let now = if crate::is_sane(question.now) { question.now } else { 0.0 };
    let question = &Question { now, ..*question };
    let mut windows = Window::ALL.map(|window| stand(window, question, rules));
    let is_quiet = rules.calendar.is_quiet(now);
    if windows.iter().any(|pace| matches!(pace.status, Status::Ok | Status::Over)) {
        estimate(&mut windows, question, rules, is_quiet);
    }
    let delayed = windows.iter().filter(|pace| pace.delay_secs > 0.0);
    let constrained = delayed.max_by(|one, other| {
        one.delay_secs.total_cmp(&other.delay_secs).then(one.over_percent.total_cmp(&other.over_percent))
    });
    Pace {
        delay_secs: constrained.map_or(0.0, |pace| pace.delay_secs),
        strategy: constrained.map_or(Strategy::None, |pace| strategy(pace, rules)),
        constrained_window: constrained.map(|pace| pace.window),
        reason: reason::of(&windows, constrained, is_quiet, now, rules),
        windows,
    }
}

/// Whether no window can be over its line, whatever the calendar says. Then nothing needs time zone or forecast.
pub fn is_clearly_within(snapshots: &[Snapshot], rules: &Rules) -> bool {
    Window::ALL.into_iter().all(|window| {
        let limit = rules.limit(window);
        let least_safe = limit.preload * rules.safety + rules.threshold;
        !limit.is_enabled || newest(snapshots, window).is_none_or(|(_, reading)| reading.used() <= least_safe)
    })
}

fn is_current(at: i64, reading: &Reading, now: f64, rules: &Rules) -> bool {
    let age = now - seconds(at);
    seconds(reading.resets_at) > now && (-CLOCK_PLAY_SECS..=rules.stale_after).contains(&age)
}

/// The place of a window, without forecast and delay.
fn stand(window: Window, question: &Question<'_>, rules: &Rules) -> WindowPace {
    let (now, reading) = (question.now, newest(question.snapshots, window));
    let is_running = |(_, reading): &(i64, Reading)| seconds(reading.resets_at) > now;
    let line = reading.filter(is_running).map(|(_, reading)| rules.line(window, reading.resets_at, now));
    let line = line.unwrap_or_default();
    let over_percent = match reading.filter(is_running) {
        Some((_, reading)) => reading.used() - line.safe_percent,
        None => 0.0,
    };
    let status = match reading {
        _ if !rules.limit(window).is_enabled => Status::Off,
        None => Status::Unknown,
        Some((at, reading)) if !is_current(at, &reading, now, rules) => Status::Stale,
        Some(_) if over_percent > rules.threshold => Status::Over,
        Some(_) => Status::Ok,
    };
    WindowPace {
        window,
        status,
        reading,
        elapsed_percent: line.elapsed_percent,
        allowance_percent: line.allowance_percent,
        safe_percent: line.safe_percent,
        over_percent,
        delay_secs: 0.0,
        fit: None,
    }
}

struct Budget {
    resets_at: i64,
    /// Calls that fit.
    fitting: f64,
    /// Calls that fit without the reserve.
    sparing: f64,
    /// Calls that fit into a whole window.
    whole: f64,
    so_far: SoFar,
    /// As many calls again as so far, at most, by the window's own time.
    again: f64,
}

impl Budget {
    /// The budget of a window with a current reading.
    fn of(pace: &WindowPace, learned: &Learned, rules: &Rules, now: f64) -> Option<Self> {
        let (_, reading) = pace.reading.filter(|(at, reading)| is_current(*at, reading, now, rules))?;
        let line = rules.line(pace.window, reading.resets_at, now);
        let used = learned.estimate(pace.window, &reading);
        let average = used * learned.gap_secs() / line.elapsed.max(600.0);
        let cost = learned.cost(pace.window, average).max(1e-6);
        let (first, counted) = learned.window();
        let began = seconds(reading.resets_at - pace.window.length_secs());
        // Usage of which no call is known counts as well: another device, or a time before this tool.
        let is_known = first >= began - 90.0 && 2.0 * counted * cost >= used;
        let (calls, since) = if is_known { (counted, first) } else { (used / cost, began) };
        Some(Self {
            resets_at: reading.resets_at,
            fitting: (100.0 - used).max(0.0) / cost,
            sparing: (100.0 - RESERVE - used).max(0.0) / cost,
            whole: 100.0 / cost,
            so_far: SoFar { calls, secs: (now - since).max(60.0) },
            again: used / cost * line.left / (line.elapsed + line.left).max(600.0),
        })
    }
}

/// Forecast and delay of each current window.
fn estimate(windows: &mut [WindowPace; 2], question: &Question<'_>, rules: &Rules, is_quiet: bool) {
    let (now, learned) = (question.now, question.learned);
    let budgets = windows.map(|pace| Budget::of(&pace, learned, rules, now));
    let [five, seven] = &budgets;
    let resets = [five, seven].map(|budget| budget.as_ref().map(|budget| budget.resets_at));
    let so_far =
        five.as_ref().or(seven.as_ref()).map_or(SoFar { calls: 0.0, secs: 60.0 }, |budget| budget.so_far);
    let again = seven.as_ref().map_or(0.0, |budget| budget.again);
    let forecast = Forecast::of(learned, rules, now, (so_far, again), resets);
    let gap = learned.gap_secs();
    let most = 1.0 + rules.longest_delay / gap;
    let five_hour_caps =
        five.as_ref().map_or((f64::INFINITY, f64::INFINITY), |five| (five.fitting, five.whole));
    for ((pace, budget), certain) in windows.iter_mut().zip(&budgets).zip(CERTAIN) {
        let Some(budget) = budget else { continue };
        let caps = (pace.window == Window::SevenDay).then_some(five_hour_caps);
        let expected = through(&forecast, caps, 1.0);
        let ends_at = ends_at(&forecast, budget.fitting, budget.resets_at);
        pace.fit = Some(Fit { expected, fitting: budget.fitting, ends_at });
        if pace.status == Status::Over && !is_quiet && expected > certain * budget.sparing {
            let stretch = stretch(&forecast, caps, budget.sparing, most);
            let delay = (gap * (stretch.powf(EXPONENT) - 1.0)).min(rules.longest_delay);
            let delay = delay.min(seconds(budget.resets_at) - now);
            pace.delay_secs = if delay < rules.shortest_delay { 0.0 } else { delay };
        }
    }
}

/// Calls that come through at a stretch of the gaps; with the caps of the current and of later 5-hour windows for the week.
fn through(forecast: &Forecast, caps: Option<(f64, f64)>, stretch: f64) -> f64 {
    let now = forecast.now / stretch;
    let Some((fitting, whole)) = caps else { return now };
    now.min(fitting) + forecast.later.iter().map(|calls| (calls / stretch).min(whole)).sum::<f64>()
}

/// How much gaps are to be stretched for the calls to fit: 1 or more.
pub fn stretch(forecast: &Forecast, caps: Option<(f64, f64)>, fitting: f64, most: f64) -> f64 {
    if through(forecast, caps, 1.0) <= fitting {
        return 1.0;
    }
    let (mut low, mut high) = (1.0, most);
    for _ in 0..30 {
        let middle = f64::midpoint(low, high);
        if through(forecast, caps, middle) > fitting { low = middle } else { high = middle }
    }
    high
}

/// When the calls that fit are made, if that is before the reset.
fn ends_at(forecast: &Forecast, fitting: f64, resets_at: i64) -> Option<i64> {
    let mut calls = 0.0;
    let mut within = forecast.slots.iter().take_while(|(end, _)| *end <= resets_at);
    let last = within.find(|(_, expected)| {
        calls += expected;
        calls > fitting
    });
    last.map(|(end, _)| *end)
}

fn strategy(pace: &WindowPace, rules: &Rules) -> Strategy {
    match pace.over_percent {
        _ if pace.delay_secs >= rules.longest_delay => Strategy::Emergency,
        over if over < 5.0 => Strategy::Minimal,
        over if over < 20.0 => Strategy::Gradual,
        _ => Strategy::Aggressive,
    }
}
