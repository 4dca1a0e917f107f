//! The delay of a call. Pure and total.

use serde::Serialize;

use crate::forecast::{Forecast, SoFar};
use crate::learned::Learned;
use crate::line::Rules;
use crate::{Reading, Snapshot, Strategy, Window, newest, reason, seconds};

/// A reading may be this many seconds in the future. One from further away was made while the clock was wrong.
const CLOCK_PLAY_SECS: f64 = 90.0;

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
    /// What earlier calls and readings taught.
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
    /// Its newest reading and the time of that.
    pub reading: Option<(i64, Reading)>,
    /// The share of its time that is over, in percent.
    pub elapsed_percent: f64,
    /// The usage that is allowed by now, in percent.
    pub allowance_percent: f64,
    /// The allowance without the reserve.
    pub safe_percent: f64,
    /// Usage above the safe line, in points; negative below.
    pub over_percent: f64,
    /// The delay that it alone asks for, in seconds.
    pub delay_secs: f64,
    /// The forecast behind it, where the window is current.
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
    /// The settings switch it off.
    Off,
}

pub fn decide(question: &Question<'_>, rules: &Rules) -> Pace {
    let question =
        &Question { now: if crate::is_sane(question.now) { question.now } else { 0.0 }, ..*question };
    let mut windows = Window::ALL.map(|window| stand(window, question, rules));
    let is_quiet = rules.calendar.is_quiet(question.now);
    if windows.iter().any(|pace| matches!(pace.status, Status::Ok | Status::Over)) {
        estimate(&mut windows, question, rules);
    }
    if is_quiet {
        for pace in &mut windows {
            pace.delay_secs = 0.0;
        }
    }
    let delayed = windows.iter().filter(|pace| pace.delay_secs > 0.0);
    let constrained = delayed.max_by(|one, other| {
        one.delay_secs.total_cmp(&other.delay_secs).then(one.over_percent.total_cmp(&other.over_percent))
    });
    Pace {
        delay_secs: constrained.map_or(0.0, |pace| pace.delay_secs),
        strategy: constrained.map_or(Strategy::None, |pace| strategy(pace, rules)),
        constrained_window: constrained.map(|pace| pace.window),
        reason: reason::of(&windows, constrained, is_quiet, question.now, rules),
        windows,
    }
}

/// Whether no window can be over its line, whatever the calendar says. Then nothing needs time zone or forecast.
pub fn is_clearly_within(snapshots: &[Snapshot], rules: &Rules) -> bool {
    Window::ALL.into_iter().all(|window| {
        let used = newest(snapshots, window).map(|(_, reading)| reading.used());
        !rules.limit(window).is_enabled || used.is_none_or(|used| used <= rules.least_safe_percent(window))
    })
}

/// Where a window stands, without forecast and delay.
fn stand(window: Window, question: &Question<'_>, rules: &Rules) -> WindowPace {
    let reading = newest(question.snapshots, window);
    let mut pace = WindowPace {
        window,
        status: if rules.limit(window).is_enabled { Status::Unknown } else { Status::Off },
        reading,
        elapsed_percent: 0.0,
        allowance_percent: 0.0,
        safe_percent: 0.0,
        over_percent: 0.0,
        delay_secs: 0.0,
        fit: None,
    };
    let Some((at, reading)) = reading else { return pace };
    let now = question.now;
    let is_past = seconds(reading.resets_at) <= now;
    if !is_past {
        let line = rules.line(window, reading.resets_at, now);
        pace.elapsed_percent = line.elapsed_percent;
        pace.allowance_percent = line.allowance_percent;
        pace.safe_percent = line.safe_percent;
        pace.over_percent = reading.used() - line.safe_percent;
    }
    if pace.status != Status::Off {
        let age = now - seconds(at);
        pace.status = match () {
            () if is_past || age > rules.stale_after || age < -CLOCK_PLAY_SECS => Status::Stale,
            () if pace.over_percent > rules.threshold => Status::Over,
            () => Status::Ok,
        };
    }
    pace
}

struct Budget {
    resets_at: i64,
    fitting: f64,
    /// Calls that fit without the reserve.
    sparing: f64,
    /// Calls that fit into a whole window.
    whole: f64,
    so_far: SoFar,
    /// As many calls again as so far, at most, by the window's own time.
    again: f64,
}

fn budget(pace: &WindowPace, learned: &Learned, rules: &Rules, now: f64) -> Option<Budget> {
    let is_current = |(at, reading): &(i64, Reading)| {
        let age = now - seconds(*at);
        seconds(reading.resets_at) > now && age <= rules.stale_after && age >= -CLOCK_PLAY_SECS
    };
    let (_, reading) = pace.reading.filter(is_current)?;
    let line = rules.line(pace.window, reading.resets_at, now);
    let used = learned.estimate(pace.window, &reading);
    let average = used * learned.gap_secs() / line.elapsed.max(600.0);
    let cost = learned.cost(pace.window, average).max(1e-6);
    let left = |kept: f64| (100.0 - kept - used).max(0.0) / cost;
    let (first, counted) = learned.window();
    let began = seconds(reading.resets_at - pace.window.length_secs());
    // Usage of which no call is known counts as well: another device, or a time before this tool.
    let is_known = first >= began - 90.0 && 2.0 * counted * cost >= used;
    let (calls, since) = if is_known { (counted, first) } else { (used / cost, began) };
    let secs = (now - since).max(60.0);
    let again = used / cost * line.left / (line.elapsed + line.left).max(600.0);
    Some(Budget {
        resets_at: reading.resets_at,
        fitting: left(0.0),
        sparing: left(RESERVE),
        whole: 100.0 / cost,
        again,
        so_far: SoFar { calls, secs },
    })
}

/// Forecast and delay of each current window.
fn estimate(windows: &mut [WindowPace; 2], question: &Question<'_>, rules: &Rules) {
    let (now, learned) = (question.now, question.learned);
    let budgets = windows.map(|pace| budget(&pace, learned, rules, now));
    let [five, seven] = &budgets;
    let resets = [five, seven].map(|budget| budget.as_ref().map(|budget| budget.resets_at));
    let so_far =
        five.as_ref().or(seven.as_ref()).map_or(SoFar { calls: 0.0, secs: 60.0 }, |budget| budget.so_far);
    let again = seven.as_ref().map_or(0.0, |budget| budget.again);
    let forecast = Forecast::of(learned, rules, now, (so_far, again), resets);
    let gap = learned.gap_secs();
    let most = 1.0 + rules.longest_delay / gap;
    let of_five = |calls: fn(&Budget) -> f64| five.as_ref().map_or(f64::INFINITY, calls);
    let caps = (of_five(|five| five.fitting), of_five(|five| five.whole));
    for (pace, budget) in windows.iter_mut().zip(&budgets) {
        let Some(budget) = budget else { continue };
        let caps = (pace.window == Window::SevenDay).then_some(caps);
        let [five_hour, seven_day] = CERTAIN;
        let certain = if pace.window == Window::FiveHour { five_hour } else { seven_day };
        let expected = through(&forecast, caps, 1.0);
        pace.fit = Some(Fit {
            expected,
            fitting: budget.fitting,
            ends_at: ends_at(&forecast, budget.fitting, budget.resets_at),
        });
        if pace.status == Status::Over && expected > certain * budget.sparing {
            let delay = delay_of(gap, stretch(&forecast, caps, budget.sparing, most), rules);
            let delay = delay.min(seconds(budget.resets_at) - now);
            pace.delay_secs = if delay < rules.shortest_delay { 0.0 } else { delay };
        }
    }
}

pub fn delay_of(gap: f64, stretch: f64, rules: &Rules) -> f64 {
    (gap * (stretch.powf(EXPONENT) - 1.0)).min(rules.longest_delay)
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
    let within = forecast.slots.iter().take_while(|(end, _)| *end <= resets_at);
    within
        .map(|(end, expected)| {
            calls += expected;
            (*end, calls)
        })
        .find(|(_, calls)| *calls > fitting)
        .map(|(end, _)| end)
}

fn strategy(pace: &WindowPace, rules: &Rules) -> Strategy {
    match pace.over_percent {
        _ if pace.delay_secs >= rules.longest_delay => Strategy::Emergency,
        over if over < 5.0 => Strategy::Minimal,
        over if over < 20.0 => Strategy::Gradual,
        _ => Strategy::Aggressive,
    }
}
