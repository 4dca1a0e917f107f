//! What was, out of the rows that were kept: how much of each window was used when, what was delayed, and each day in
//! numbers. Pure.

use std::collections::BTreeSet;

use crate::database::{DecisionRow, SnapshotRow};
use crate::history::span::{Day, Span};
use pacing::{Strategy, Window};

/// Two times of reset so close to each other are the same, in seconds: the client rounds them.
const SAME_RESET_SECS: u64 = 90;

/// More than that is a slip of whoever told it.
const MAX_PERCENT: f64 = 990.0;

/// No window that is known of ends as far off, in seconds: such a time is a slip of whoever told it.
const FARTHEST_RESET_SECS: u64 = 366 * 24 * 3600;

/// What happened in a span.
#[derive(Debug, Clone)]
pub(crate) struct Past {
    /// When.
    pub(crate) span: Span,
    /// Use of each window.
    pub(crate) courses: [Course; 2],
    /// What was delayed, oldest first.
    pub(crate) delays: Vec<Delay>,
    /// When the user was told that a window came to a percentage, oldest first.
    pub(crate) alerts: Vec<i64>,
    /// The first thing that is known of it, or of the week before it.
    recorded_since: Option<i64>,
}

/// How much of a window was used when.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Course {
    /// Which.
    pub(crate) window: Window,
    /// From reset to reset, oldest first.
    pub(crate) runs: Vec<Run>,
}

/// A window from its first reading to its reset.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    /// When it ends, in seconds since the epoch.
    pub(crate) resets_at: i64,
    /// When so many percent were used: both rise.
    pub(crate) points: Vec<(i64, f64)>,
    /// The last reading holds until then: its reset, the first reading of another account, or now.
    pub(crate) until: i64,
}

/// A stretch of time in which a session was made to wait.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Delay {
    /// Since when, in seconds since the epoch.
    pub(crate) at: i64,
    /// For how long, in seconds.
    pub(crate) secs: i64,
    /// The window that asked for it.
    pub(crate) window: Option<Window>,
    /// What was used of it, in percent.
    pub(crate) used: Option<f64>,
    /// What might be used by then, in percent.
    pub(crate) safe: Option<f64>,
    /// How hard it was.
    pub(crate) strategy: Strategy,
}

/// A day in numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DayInNumbers {
    /// Which.
    pub(crate) day: Day,
    /// The highest use of each window, in percent; none if nobody saw it.
    pub(crate) highest: [Option<f64>; 2],
    /// So often a session was delayed.
    pub(crate) delays: usize,
    /// All that together, in seconds.
    pub(crate) delayed_secs: i64,
    /// So many alerts.
    pub(crate) alerts: usize,
}

impl Past {
    /// Out of rows that reach back a window's length before the span. Alerts are given at those percentages.
    pub(crate) fn of(
        span: Span,
        snapshots: &[SnapshotRow],
        decisions: &[DecisionRow],
        alerts: &[u32],
    ) -> Self {
        let courses = Window::ALL.map(|window| Course::of(window, snapshots, span.now));
        let runs = || courses.iter().flat_map(|course| &course.runs);
        let reached =
            runs().flat_map(|run| alerts.iter().filter_map(|percent| run.reached_at(f64::from(*percent))));
        // What is reached at once is told in one message.
        let alerts: BTreeSet<i64> = reached.filter(|at| span.holds(*at)).collect();
        let mut delays = delays(decisions);
        let begins = runs().filter_map(|run| Some(run.points.first()?.0));
        let recorded_since = begins.chain(delays.iter().map(|delay| delay.at)).min();
        delays.retain(|delay| span.holds(delay.at));
        let alerts = alerts.into_iter().collect();
        let mut past = Self { span, courses, delays, alerts, recorded_since };
        let from = past.span.from();
        for course in &mut past.courses {
            course.runs.retain(|run| run.until > from);
        }
        past
    }

    /// There is nothing to show.
    pub(crate) fn is_empty(&self) -> bool {
        self.delays.is_empty() && self.courses.iter().all(|course| course.runs.is_empty())
    }

    /// The first day of which something is recorded, where days before it are looked back on too.
    pub(crate) fn first_recorded_day(&self) -> Option<Day> {
        let (first, later) = self.span.days.split_first()?;
        let since = self.recorded_since.filter(|since| *since >= first.to)?;
        later.iter().find(|day| since < day.to).copied()
    }

    /// All delays together, in seconds.
    pub(crate) fn delayed_secs(&self) -> i64 {
        self.delays.iter().map(|delay| delay.secs).sum()
    }

    /// Each day, oldest first.
    pub(crate) fn days(&self) -> Vec<DayInNumbers> {
        self.span.days.iter().map(|day| self.day(*day)).collect()
    }

    fn day(&self, day: Day) -> DayInNumbers {
        let is_in = |at: i64| (day.from..day.to).contains(&at);
        let delays: Vec<&Delay> = self.delays.iter().filter(|delay| is_in(delay.at)).collect();
        DayInNumbers {
            day,
            highest: [0, 1].map(|index: usize| self.courses.get(index)?.highest(day.from, day.to)),
            delays: delays.len(),
            delayed_secs: delays.iter().map(|delay| delay.secs).sum(),
            alerts: self.alerts.iter().filter(|at| is_in(**at)).count(),
        }
    }
}

impl Course {
    fn of(window: Window, snapshots: &[SnapshotRow], now: i64) -> Self {
        let mut seen: Vec<(i64, f64, i64)> =
            snapshots.iter().filter_map(|row| reading(row, window)).collect();
        seen.sort_by_key(|(at, ..)| *at);
        let mut runs: Vec<Run> = Vec::new();
        // A reading of a window that has ended says nothing any more, nor does one that is yet to come.
        for (at, used, resets_at) in
            seen.into_iter().filter(|(at, _, resets_at)| at < resets_at && *at <= now)
        {
            let is_same = |run: &&mut Run| run.resets_at.abs_diff(resets_at) <= SAME_RESET_SECS;
            match runs.iter_mut().rev().find(is_same) {
                Some(run) => run.add(at, used),
                None => runs.push(Run { resets_at, points: vec![(at, used)], until: resets_at.min(now) }),
            }
        }
        let begins: Vec<i64> = runs.iter().skip(1).filter_map(|run| Some(run.points.first()?.0)).collect();
        for (run, next) in runs.iter_mut().zip(begins) {
            let last = run.points.last().map_or(next, |(at, _)| *at);
            run.until = run.until.min(next.max(last));
        }
        Self { window, runs }
    }

    /// The highest use between two times; `None` if nobody saw it.
    pub(crate) fn highest(&self, from: i64, to: i64) -> Option<f64> {
        let held = self.runs.iter().filter(|run| run.until > from);
        held.filter_map(|run| run.used_at(to - 1)).reduce(f64::max)
    }

    /// The highest use of all.
    pub(crate) fn peak(&self) -> Option<f64> {
        self.runs.iter().map(Run::highest).reduce(f64::max)
    }
}

impl Run {
    /// Within one window what is used never goes down: a lower reading is an old one.
    fn add(&mut self, at: i64, used: f64) {
        if self.points.last().is_none_or(|(_, last)| used > *last) {
            self.points.push((at, used));
        }
    }

    /// What is used in the end.
    pub(crate) fn highest(&self) -> f64 {
        self.points.last().map_or(0.0, |(_, used)| *used)
    }

    /// What was used at a time; `None` before the first reading.
    pub(crate) fn used_at(&self, at: i64) -> Option<f64> {
        let after = self.points.partition_point(|(seen, _)| *seen <= at);
        after.checked_sub(1).and_then(|index| self.points.get(index)).map(|(_, used)| *used)
    }

    fn reached_at(&self, percent: f64) -> Option<i64> {
        self.points.iter().find(|(_, used)| *used >= percent).map(|(at, _)| *at)
    }
}

fn reading(row: &SnapshotRow, window: Window) -> Option<(i64, f64, i64)> {
    let (used, resets_at) = match window {
        Window::FiveHour => (row.five_hour_util?, row.five_hour_resets_at?),
        Window::SevenDay => (row.seven_day_util?, row.seven_day_resets_at?),
    };
    let is_near = resets_at.abs_diff(row.observed_at) <= FARTHEST_RESET_SECS;
    (used.is_finite() && is_near).then(|| (row.observed_at, used.clamp(0.0, MAX_PERCENT), resets_at))
}

/// What was delayed, oldest first. Calls that ran side by side wait side by side: what overlaps in a session is one delay.
fn delays(decisions: &[DecisionRow]) -> Vec<Delay> {
    let mut kept: Vec<&DecisionRow> =
        decisions.iter().filter(|row| row.should_throttle && row.delay_seconds > 0).collect();
    kept.sort_by(|one, other| (&one.session_id, one.timestamp).cmp(&(&other.session_id, other.timestamp)));
    let mut delays: Vec<(&str, Delay)> = Vec::new();
    for row in kept {
        match delays.last_mut() {
            Some((session, delay))
                if *session == row.session_id && row.timestamp < delay.at.saturating_add(delay.secs) =>
            {
                delay.secs = delay.secs.max(row.timestamp - delay.at + secs(row));
            }
            _ => delays.push((&row.session_id, Delay::of(row))),
        }
    }
    let mut delays: Vec<Delay> = delays.into_iter().map(|(_, delay)| delay).collect();
    delays.sort_by_key(|delay| delay.at);
    delays
}

/// No delay is longer than a day: a longer one is a slip of the database.
fn secs(row: &DecisionRow) -> i64 {
    row.delay_seconds.min(24 * 3600)
}

impl Delay {
    fn of(row: &DecisionRow) -> Self {
        Self {
            at: row.timestamp,
            secs: secs(row),
            window: row.window,
            used: row.used,
            safe: row.safe,
            strategy: row.strategy,
        }
    }
}

#[cfg(test)]
mod tests;
