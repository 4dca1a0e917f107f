//! The arithmetic of pacing: readings, calls and settings in, a delay out. Pure; recomputed from raw readings on every call.
//!
//! For each enabled window: what may be used by now (`line`, by working time: `clock`), how far what is used is past that,
//! what a call costs (`cost`), and how far apart calls must be for the rest to last (`delay`). The largest delay wins.
//! `reason` says so.

mod clock;
mod cost;
mod delay;
mod line;
mod reason;

use std::fmt;

use serde::{Deserialize, Serialize};

use cost::History;

pub(crate) use clock::{seconds, whole_seconds};
pub(crate) use line::Rules;

/// A window's reset is told with this much play, in seconds.
const SAME_RESET_SECS: u64 = 90;

/// A reading may be so far in the future, in seconds: one from further was made while the clock was wrong.
const CLOCK_PLAY_SECS: f64 = 90.0;

/// A window of credits that can be paced by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Window {
    /// Five hours by the wall clock.
    FiveHour,
    /// Seven days, of which working time counts.
    SevenDay,
}

impl Window {
    /// Both, the shorter one first.
    pub(crate) const ALL: [Self; 2] = [Self::FiveHour, Self::SevenDay];

    /// The client's name of it, which is also the key in the settings.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::FiveHour => "five_hour",
            Self::SevenDay => "seven_day",
        }
    }

    /// What people call it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::FiveHour => "5 hours",
            Self::SevenDay => "week",
        }
    }

    /// From one reset to the next, in seconds.
    pub(crate) const fn length_secs(self) -> i64 {
        match self {
            Self::FiveHour => 5 * 3600,
            Self::SevenDay => 7 * 24 * 3600,
        }
    }
}

/// What is used of a window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reading {
    /// 0 to 100; more if the client says so.
    pub(crate) used_percent: f64,
    /// When it begins anew, in seconds since the epoch.
    pub(crate) resets_at: i64,
}

/// What was read at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// When the numbers were true, in seconds since the epoch.
    pub(crate) at: i64,
    /// Five hours.
    pub(crate) five_hour: Option<Reading>,
    /// Seven days.
    pub(crate) seven_day: Option<Reading>,
}

/// A tool call that was made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Call {
    /// When it ended, in seconds since the epoch.
    pub(crate) at: f64,
    /// By which session: a hash of its id.
    pub(crate) session: u64,
    /// How long it was delayed, in seconds.
    pub(crate) slept_secs: f64,
}

/// What a delay is computed from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'a> {
    /// Now, in seconds since the epoch.
    pub(crate) now: f64,
    /// The session that asks: a hash of its id.
    pub(crate) session: u64,
    /// The readings, newest last; may be thinned.
    pub(crate) snapshots: &'a [Snapshot],
    /// The calls of all sessions, newest last, without the current one.
    pub(crate) calls: &'a [Call],
    /// Ten-minute slots since the epoch in which there was a call, over the last week or more, ascending.
    pub(crate) busy_slots: &'a [i64],
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pace {
    /// The next request waits for so long, in seconds; 0: not at all.
    pub(crate) delay_secs: f64,
    /// A word for how hard it is.
    pub(crate) strategy: Strategy,
    /// The window that asks for it; none without a delay.
    pub(crate) constrained_window: Option<Window>,
    /// One sentence for people.
    pub(crate) reason: String,
    /// Each window by itself.
    pub(crate) windows: [WindowPace; 2],
}

/// A window by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WindowPace {
    /// Which.
    pub(crate) window: Window,
    /// How it stands.
    pub(crate) status: Status,
    /// Its newest reading and when that was true; none if there is none.
    pub(crate) reading: Option<(i64, Reading)>,
    /// The share of its time that is over, in percent.
    pub(crate) elapsed_percent: f64,
    /// What may be used by now, in percent.
    pub(crate) allowance_percent: f64,
    /// The same without the reserve.
    pub(crate) safe_percent: f64,
    /// How far what is used is past that, in points; negative below.
    pub(crate) over_percent: f64,
    /// What it alone asks for, in seconds.
    pub(crate) delay_secs: f64,
}

/// How a window stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// At or under the safe line.
    Ok,
    /// Over it; or used up before the target, by what the calls since the reading cost.
    Over,
    /// The reading is too old, or its window has ended.
    Stale,
    /// There is no reading.
    Unknown,
    /// It is not paced by.
    Off,
}

/// A word for how hard calls are delayed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Strategy {
    /// Not at all.
    #[default]
    None,
    /// Less than 5 points over the safe line.
    Minimal,
    /// Less than 20.
    Gradual,
    /// 20 and more.
    Aggressive,
    /// Nothing is left before 95 %: the longest delay.
    Emergency,
}

impl fmt::Display for Strategy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Gradual => "gradual",
            Self::Aggressive => "aggressive",
            Self::Emergency => "emergency",
        })
    }
}

/// Decides. Pure and total.
pub(crate) fn decide(question: &Question<'_>, rules: &Rules) -> Pace {
    let question = &Question { now: if question.now.is_finite() { question.now } else { 0.0 }, ..*question };
    let mut windows = Window::ALL.map(|window| stand(window, question, rules));
    let is_over = windows.iter().any(|pace| pace.status == Status::Over);
    let is_quiet = is_over && rules.is_quiet(question.now);
    if is_over && !is_quiet {
        let history = History::of(question);
        for pace in &mut windows {
            pace.delay_secs = delay::of(pace, question, &history, rules);
        }
    }
    let delayed = windows.iter().filter(|pace| pace.delay_secs > 0.0);
    let constrained = delayed.max_by(|one, other| {
        one.delay_secs.total_cmp(&other.delay_secs).then(one.over_percent.total_cmp(&other.over_percent))
    });
    Pace {
        delay_secs: constrained.map_or(0.0, |pace| pace.delay_secs),
        strategy: constrained.map_or(Strategy::None, |pace| Strategy::of(pace, rules)),
        constrained_window: constrained.map(|pace| pace.window),
        reason: reason::of(&windows, constrained, is_quiet, question.now, rules),
        windows,
    }
}

/// No window can be over its line, whatever the calendar says: what is used is within what may be used from a window's
/// beginning on. Then there is nothing to decide, and nobody needs to look at time zone and history.
pub(crate) fn is_clearly_within(snapshots: &[Snapshot], rules: &Rules) -> bool {
    Window::ALL.into_iter().all(|window| {
        let used = newest(snapshots, window).map(|(_, reading)| reading.used());
        !rules.is_enabled(window) || used.is_none_or(|used| used <= rules.least_safe_percent(window))
    })
}

/// The newest reading of a window. Within one window what is used never goes down: a lower reading is an older one.
fn newest(snapshots: &[Snapshot], window: Window) -> Option<(i64, Reading)> {
    let mut readings =
        snapshots.iter().rev().filter_map(|snapshot| Some((snapshot.at, snapshot.of(window)?)));
    let (at, newest) = readings.next()?;
    let same = readings.map(|(_, reading)| reading).filter(|reading| reading.is_same_window(&newest));
    let used_percent = same.map(|reading| reading.used_percent).fold(newest.used_percent, f64::max);
    Some((at, Reading { used_percent, ..newest }))
}

/// How a window stands, without its delay.
fn stand(window: Window, question: &Question<'_>, rules: &Rules) -> WindowPace {
    let reading = newest(question.snapshots, window);
    let mut pace = WindowPace {
        window,
        status: if rules.is_enabled(window) { Status::Unknown } else { Status::Off },
        reading,
        elapsed_percent: 0.0,
        allowance_percent: 0.0,
        safe_percent: 0.0,
        over_percent: 0.0,
        delay_secs: 0.0,
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
        pace.status = if is_past || age > rules.stale_after || age < -CLOCK_PLAY_SECS {
            Status::Stale
        } else if pace.over_percent > rules.threshold {
            Status::Over
        } else {
            Status::Ok
        };
    }
    pace
}

impl Strategy {
    fn of(pace: &WindowPace, rules: &Rules) -> Self {
        let used = pace.reading.map_or(0.0, |(_, reading)| reading.used());
        match pace.over_percent {
            _ if used >= rules.target() => Self::Emergency,
            over if over < 5.0 => Self::Minimal,
            over if over < 20.0 => Self::Gradual,
            _ => Self::Aggressive,
        }
    }
}

#[cfg(test)]
mod tests;
