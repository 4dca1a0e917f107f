//! The delay of a call. Pure and total.

use serde::Serialize;

use crate::forecast::Forecast;
use crate::learned::{Learned, PRIOR_CALLS};
use crate::line::{Line, Rules};
use crate::{Reading, Readings, Strategy, Window, seconds};

/// A reading may be this many seconds in the future. One from further away was made while the clock was wrong.
pub const CLOCK_PLAY_SECS: f64 = 90.0;

/// Above 1: save first, spend last.
const EXPONENT: f64 = 3.0;

/// Points of a limit that are kept back: readings are whole percents and lag behind.
const RESERVE: f64 = 1.5;

/// Calls wait once the expected calls exceed those that fit by so many times the share of the window that is left and the share that stays
/// unknown. The further ahead a forecast looks the less exact it is, and a later delay still suffices.
const DOUBT: f64 = 2.0;

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
    pub reading: Option<Reading>,
    pub line: Line,
    /// Usage above the safe line, in points; negative below.
    pub over_percent: f64,
    /// The delay that this window alone asks for, in seconds.
    pub delay_secs: f64,
    /// The forecast of a current window.
    pub fit: Option<Fit>,
}

/// Calls until the reset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    pub expected: f64,
    /// Calls that fit into the budget.
    pub fitting: f64,
    /// Calls wait once more than these are expected.
    pub waits_above: f64,
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

/// The delay at a moment in seconds since the epoch, by the newest readings and the knowledge from earlier calls and readings.
pub fn decide(now: f64, readings: &Readings, learned: &Learned, rules: &Rules) -> Pace {
    let mut windows = Window::ALL.map(|window| WindowPace::of(window, now, readings, rules));
    forecast(&mut windows, now, learned, rules);
    let delayed = windows.iter().filter(|pace| pace.delay_secs > 0.0);
    let constrained = delayed.max_by(|one, other| {
        one.delay_secs.total_cmp(&other.delay_secs).then(one.over_percent.total_cmp(&other.over_percent))
    });
    Pace {
        delay_secs: constrained.map_or(0.0, |pace| pace.delay_secs),
        strategy: constrained.map_or(Strategy::None, |pace| pace.strategy(rules)),
        constrained_window: constrained.map(|pace| pace.window),
        reason: match constrained {
            Some(pace) => pace.why(now, rules),
            None => windows.each_ref().map(|pace| pace.place(now, rules)).join("; "),
        },
        windows,
    }
}

/// Whether no window can be over its line, whatever the calendar says. Then nothing needs time zone or forecast.
pub fn is_clearly_within(readings: &Readings, rules: &Rules) -> bool {
    readings.iter().zip(rules.limits).all(|(reading, limit)| {
        let least_safe = limit.preload * rules.safety + rules.threshold;
        !limit.is_enabled || reading.is_none_or(|reading| reading.used_percent <= least_safe)
    })
}

/// Whether a window is over its line at a moment. Only then can a call wait, and a forecast is worth its time.
pub fn is_over(now: f64, readings: &Readings, rules: &Rules) -> bool {
    Window::ALL.iter().any(|window| WindowPace::of(*window, now, readings, rules).status == Status::Over)
}

fn is_current(reading: &Reading, now: f64, rules: &Rules) -> bool {
    let age = now - seconds(reading.at);
    seconds(reading.resets_at) > now && (-CLOCK_PLAY_SECS..=rules.stale_after).contains(&age)
}

impl WindowPace {
    /// The place of a window, without forecast and delay.
    fn of(window: Window, now: f64, readings: &Readings, rules: &Rules) -> Self {
        let reading = readings[window as usize];
        let running = reading.filter(|reading| seconds(reading.resets_at) > now);
        let line = running.map(|reading| rules.line(window, reading.resets_at, now)).unwrap_or_default();
        let over_percent = running.map_or(0.0, |reading| reading.used_percent - line.safe_percent);
        let status = match reading {
            _ if !rules.limits[window as usize].is_enabled => Status::Off,
            None => Status::Unknown,
            Some(reading) if !is_current(&reading, now, rules) => Status::Stale,
            Some(_) if over_percent > rules.threshold => Status::Over,
            Some(_) => Status::Ok,
        };
        Self { window, status, reading, line, over_percent, delay_secs: 0.0, fit: None }
    }

    fn strategy(&self, rules: &Rules) -> Strategy {
        match self.over_percent {
            _ if self.delay_secs >= rules.longest_delay => Strategy::Emergency,
            over if over < 5.0 => Strategy::Minimal,
            over if over < 20.0 => Strategy::Gradual,
            _ => Strategy::Aggressive,
        }
    }
}

struct Budget {
    resets_at: i64,
    used: f64,
    /// Points for a call.
    cost: f64,
    /// The calls of the current 5-hour window, and its seconds.
    so_far: (f64, f64),
    /// As many calls again as so far, at most, by the window's own time.
    again: f64,
}

impl Budget {
    /// The budget of a window with a current reading.
    fn of(pace: &WindowPace, learned: &Learned, rules: &Rules, now: f64) -> Option<Self> {
        let reading = pace.reading.filter(|reading| is_current(reading, now, rules))?;
        let (line, account) = (pace.line, learned.account());
        let used = account.estimate(pace.window, &reading);
        let average = used * learned.gap_secs() / line.elapsed.max(600.0);
        let past_cost = account.cost(pace.window, average).max(1e-6);
        let (first, counted) = account.window;
        let began = seconds(reading.resets_at - pace.window.length_secs());
        // Usage without a known call counts as well: another device, or a time before this tool.
        let is_known = first >= began - 90.0 && 2.0 * counted * past_cost >= used;
        let (calls, since, cost) = if is_known {
            // The cost of this window's calls says most about those to come.
            (counted, first, (used + PRIOR_CALLS * past_cost) / (counted + PRIOR_CALLS))
        } else {
            (used / past_cost, began, past_cost)
        };
        Some(Self {
            resets_at: reading.resets_at,
            used,
            cost,
            so_far: (calls, (now - since).max(60.0)),
            again: used / cost * line.left / (line.elapsed + line.left).max(600.0),
        })
    }

    /// Calls that fit if so many points are kept back.
    fn fitting(&self, reserve: f64) -> f64 {
        (100.0 - reserve - self.used).max(0.0) / self.cost
    }
}

/// Forecast and delay of each current window.
fn forecast(windows: &mut [WindowPace; 2], now: f64, learned: &Learned, rules: &Rules) {
    let budgets = windows.map(|pace| Budget::of(&pace, learned, rules, now));
    let [five, seven] = &budgets;
    let Some(first) = five.as_ref().or(seven.as_ref()) else { return };
    let resets = [five, seven].map(|budget| budget.as_ref().map(|budget| budget.resets_at));
    let again = seven.as_ref().map_or(0.0, |budget| budget.again);
    let forecast = Forecast::of(learned, rules, now, (first.so_far, again), resets);
    let is_quiet = rules.calendar.is_quiet(now);
    let gap = learned.gap_secs();
    let most = 1.0 + rules.longest_delay / gap;
    let unbounded = (f64::INFINITY, f64::INFINITY);
    let five_hour_caps = five.as_ref().map_or(unbounded, |five| (five.fitting(0.0), 100.0 / five.cost));
    for (pace, budget) in windows.iter_mut().zip(&budgets) {
        let Some(budget) = budget else { continue };
        let left = seconds(budget.resets_at) - now;
        let share_left = (left / seconds(pace.window.length_secs())).min(1.0);
        let share_unknown = match pace.window {
            // Nobody knows when a burst ends; of the weekly habit one day out of the days known is unknown.
            Window::FiveHour => 0.5,
            Window::SevenDay => 1.0 / f64::from(learned.habit.days().max(1)),
        };
        let doubt = DOUBT * (share_left + share_unknown);
        let caps = (pace.window == Window::SevenDay).then_some(five_hour_caps);
        let expected = through(&forecast, caps, 1.0);
        let (fitting, sparing) = (budget.fitting(0.0), budget.fitting(RESERVE));
        let (ends_at, waits_above) = (forecast.ends_at(fitting, budget.resets_at), (1.0 + doubt) * sparing);
        pace.fit = Some(Fit { expected, fitting, waits_above, ends_at });
        if pace.status == Status::Over && !is_quiet && expected > waits_above {
            let stretch = stretch(&forecast, caps, sparing, most);
            let delay = (gap * (stretch.powf(EXPONENT) - 1.0)).min(rules.longest_delay).min(left);
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
