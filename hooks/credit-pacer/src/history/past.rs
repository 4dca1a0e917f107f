//! The recorded past: the usage of each limit, the delays, and each day in numbers. Pure.

use crate::database::{DelayRow, SnapshotRow};
use pacing::{DAY_SECS, DAYS, MONTHS, Rules, SAME_RESET_SECS, Window, date, seconds, weekday};

/// No higher usage is real, in percent.
const MAX_PERCENT: f64 = 990.0;

/// No reset is further from its reading, in seconds.
const FARTHEST_RESET_SECS: u64 = 366 * 24 * 3600;

/// What happened on some days, the last of them today.
#[derive(Debug, Clone)]
pub(crate) struct Past {
    /// The days, oldest first.
    pub(crate) days: Vec<Day>,
    /// Now, in seconds since the epoch.
    pub(crate) now: i64,
    /// The name of the time zone.
    pub(crate) zone_name: String,
    /// The usage of each limit.
    pub(crate) courses: [Course; 2],
    /// The delays, oldest first.
    pub(crate) delays: Vec<Delay>,
    rules: Rules,
}

/// A day in the user's time zone: some are 23 or 25 hours long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Day {
    /// Its first second since the epoch.
    pub(crate) from: i64,
    /// The first of the next day.
    pub(crate) to: i64,
}

/// The usage of a limit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Course {
    /// Which one.
    pub(crate) window: Window,
    /// From reset to reset, oldest first.
    pub(crate) runs: Vec<Run>,
}

/// A window from its first reading to its reset.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    /// In seconds since the epoch.
    pub(crate) resets_at: i64,
    /// Time and usage of each rise.
    pub(crate) points: Vec<(i64, f64)>,
    /// The last reading holds until then: its reset, the first reading of another account, or now.
    pub(crate) until: i64,
}

/// A delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Delay {
    /// When it began, in seconds since the epoch.
    pub(crate) at: i64,
    /// In seconds.
    pub(crate) secs: i64,
    /// The limit that asked for it.
    pub(crate) window: Option<Window>,
}

/// A day in numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DayInNumbers {
    /// Which one.
    pub(crate) day: Day,
    /// The highest usage of each limit, in percent.
    pub(crate) highest: [Option<f64>; 2],
    /// How often calls were delayed.
    pub(crate) delays: usize,
    /// All delays together, in seconds.
    pub(crate) delayed_secs: i64,
}

impl Past {
    /// Out of rows that reach back a window's length before the days.
    pub(crate) fn of(
        days: u32,
        now: i64,
        rules: Rules,
        zone_name: String,
        snapshots: &[SnapshotRow],
        delays: &[DelayRow],
    ) -> Self {
        let zone = &rules.calendar.zone;
        let begin = |day: i64| zone.moment(day.saturating_mul(DAY_SECS));
        let today = zone.day(now);
        let days = (0..i64::from(days)).rev().map(|back| today - back);
        let days = days.map(|day| Day { from: begin(day), to: begin(day + 1) }).collect();
        let courses = Window::ALL.map(|window| Course::of(window, snapshots, now));
        let mut past = Self { days, now, zone_name, courses, delays: apart(delays), rules };
        let from = past.from();
        past.delays.retain(|delay| (from..=now).contains(&delay.at));
        for course in &mut past.courses {
            course.runs.retain(|run| run.until > from);
        }
        past
    }

    /// The first second of the days.
    pub(crate) fn from(&self) -> i64 {
        self.days.first().map_or(self.now, |day| day.from)
    }

    /// The first second after them.
    pub(crate) fn to(&self) -> i64 {
        self.days.last().map_or(self.now, |day| day.to)
    }

    /// Nothing is recorded.
    pub(crate) fn is_empty(&self) -> bool {
        self.delays.is_empty() && self.courses.iter().all(|course| course.runs.is_empty())
    }

    /// The safe line of a window at a moment, in percent, by the settings of today.
    pub(crate) fn safe_at(&self, window: Window, resets_at: i64, at: i64) -> f64 {
        self.rules.safe_at(window, resets_at, seconds(at))
    }

    /// Each day, oldest first.
    pub(crate) fn in_numbers(&self) -> Vec<DayInNumbers> {
        let in_numbers = |day: &Day| {
            let delays: Vec<&Delay> =
                self.delays.iter().filter(|delay| (day.from..day.to).contains(&delay.at)).collect();
            DayInNumbers {
                day: *day,
                highest: self.courses.each_ref().map(|course| course.highest(day.from, day.to)),
                delays: delays.len(),
                delayed_secs: delays.iter().map(|delay| delay.secs).sum(),
            }
        };
        self.days.iter().map(in_numbers).collect()
    }

    /// `Mon 16 Nov`.
    pub(crate) fn date(&self, at: i64) -> String {
        let day = self.rules.calendar.zone.day(at);
        let (_, month, of_month) = date(day);
        format!("{} {of_month} {}", &DAYS[weekday(day)][..3], MONTHS[month - 1])
    }

    /// `Mon 16 Nov 14:03`.
    pub(crate) fn date_and_time(&self, at: i64) -> String {
        format!("{} {}", self.date(at), self.rules.calendar.time(at))
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

    /// The highest usage between two moments; `None` without a reading.
    pub(crate) fn highest(&self, from: i64, to: i64) -> Option<f64> {
        let held = self.runs.iter().filter(|run| run.until > from);
        held.filter_map(|run| run.used_at(to - 1)).reduce(f64::max)
    }
}

impl Run {
    /// Within one window usage never falls: a lower reading is an older one.
    fn add(&mut self, at: i64, used: f64) {
        if self.points.last().is_none_or(|(_, last)| used > *last) {
            self.points.push((at, used));
        }
    }

    /// The usage in the end, in percent.
    pub(crate) fn highest(&self) -> f64 {
        self.points.last().map_or(0.0, |(_, used)| *used)
    }

    /// The usage at a moment; `None` before the first reading.
    pub(crate) fn used_at(&self, at: i64) -> Option<f64> {
        let after = self.points.partition_point(|(seen, _)| *seen <= at);
        after.checked_sub(1).and_then(|index| self.points.get(index)).map(|(_, used)| *used)
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

/// The delays, oldest first. Parallel calls wait together: delays of a session that overlap are one.
fn apart(rows: &[DelayRow]) -> Vec<Delay> {
    let mut rows: Vec<&DelayRow> = rows.iter().filter(|row| row.secs > 0).collect();
    rows.sort_by(|one, other| (&one.session_id, one.timestamp).cmp(&(&other.session_id, other.timestamp)));
    let mut delays: Vec<(&str, Delay)> = Vec::new();
    for row in rows {
        let secs = row.secs.min(DAY_SECS);
        match delays.last_mut() {
            Some((session, delay))
                if *session == row.session_id && row.timestamp < delay.at.saturating_add(delay.secs) =>
            {
                delay.secs = delay.secs.max(row.timestamp - delay.at + secs);
            }
            _ => delays.push((&row.session_id, Delay { at: row.timestamp, secs, window: row.window })),
        }
    }
    let mut delays: Vec<Delay> = delays.into_iter().map(|(_, delay)| delay).collect();
    delays.sort_by_key(|delay| delay.at);
    delays
}

#[cfg(test)]
mod tests;
