//! The recorded past: the usage of each limit, the delays, and each day in numbers. Pure.

use crate::database::DelayRow;
use crate::wording::{duration, percent};
use pacing::{DAY_SECS, DAYS, MONTHS, Reading, Rules, Window, date, seconds, weekday};

/// A day in the user's time zone, from its first second to that of the next day: some are 23 or 25 hours long.
pub(crate) type Day = std::ops::Range<i64>;

/// The last days, today included.
#[derive(Debug)]
pub(crate) struct Past {
    pub(crate) days: Vec<Day>,
    pub(crate) now: i64,
    pub(crate) zone_name: String,
    pub(crate) courses: [Course; 2],
    pub(crate) delays: Vec<DelayRow>,
    rules: Rules,
}

/// The usage of a limit.
#[derive(Debug)]
pub(crate) struct Course {
    pub(crate) window: Window,
    pub(crate) runs: Vec<Run>,
}

/// A window from its first reading to its reset.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    pub(crate) resets_at: i64,
    /// Time and usage of each rise.
    pub(crate) points: Vec<(i64, f64)>,
    /// The end of the last reading: its reset, the first reading of another account, or now.
    pub(crate) until: i64,
}

impl Past {
    /// The past out of rows that reach back a window's length before the days.
    pub(crate) fn of(
        days: u32,
        now: i64,
        (rules, zone_name): (Rules, String),
        [five_hour, seven_day]: [Vec<(i64, Reading)>; 2],
        mut delays: Vec<DelayRow>,
    ) -> Self {
        let zone = &rules.calendar.zone;
        let start = |day: i64| zone.moment(day.saturating_mul(DAY_SECS));
        let today = zone.day(now);
        let days: Vec<Day> =
            (0..i64::from(days)).rev().map(|back| start(today - back)..start(today - back + 1)).collect();
        let from = days.first().map_or(now, |day| day.start);
        delays.retain(|delay| delay.secs > 0 && (from..=now).contains(&delay.at));
        let courses =
            [(Window::FiveHour, five_hour), (Window::SevenDay, seven_day)].map(|(window, readings)| {
                let mut runs = runs(readings, now);
                runs.retain(|run| run.until > from);
                Course { window, runs }
            });
        Self { days, now, zone_name, courses, delays, rules }
    }

    pub(crate) fn from(&self) -> i64 {
        self.days.first().map_or(self.now, |day| day.start)
    }

    pub(crate) fn to(&self) -> i64 {
        self.days.last().map_or(self.now, |day| day.end)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.delays.is_empty() && self.courses.iter().all(|course| course.runs.is_empty())
    }

    /// The safe line of a window at a moment, in percent, by the settings of today.
    pub(crate) fn safe_at(&self, window: Window, resets_at: i64, at: i64) -> f64 {
        self.rules.safe_at(window, resets_at, seconds(at))
    }

    /// The highest usage of each limit on a day, in percent.
    pub(crate) fn highest_on(&self, day: &Day) -> [Option<f64>; 2] {
        self.courses.each_ref().map(|course| course.highest(day))
    }

    /// The number of delays on a day, and their sum in seconds.
    pub(crate) fn delays_on(&self, day: &Day) -> (usize, i64) {
        let delays = self.delays.iter().filter(|delay| day.contains(&delay.at));
        delays.fold((0, 0), |(count, secs), delay| (count + 1, secs + delay.secs))
    }

    /// A day in words: its date, the highest usage of each limit, the number of delays, and their sum.
    pub(crate) fn row(&self, day: &Day) -> [String; 5] {
        let dash = || "–".to_owned();
        let [five_hour, weekly] = self.highest_on(day).map(|highest| highest.map_or_else(dash, percent));
        let (count, sum) = match self.delays_on(day) {
            (0, _) => (dash(), dash()),
            (count, secs) => (count.to_string(), duration(secs)),
        };
        [self.date(day.start), five_hour, weekly, count, sum]
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

/// The readings, oldest first, by window. One of a window that has ended says nothing, nor does one that is yet to come. Usage
/// never falls within a window: a lower reading is an older one.
fn runs(mut readings: Vec<(i64, Reading)>, now: i64) -> Vec<Run> {
    readings.sort_by_key(|(at, _)| *at);
    let mut runs: Vec<Run> = Vec::new();
    for (at, reading) in readings.into_iter().filter(|(at, reading)| *at < reading.resets_at && *at <= now) {
        let (used, resets_at) = (reading.used(), reading.resets_at);
        let is_same =
            |run: &&mut Run| Reading { used_percent: 0.0, resets_at: run.resets_at }.is_same_window(&reading);
        match runs.iter_mut().rev().find(is_same) {
            Some(run) if used > run.highest() => run.points.push((at, used)),
            Some(_) => {}
            None => runs.push(Run { resets_at, points: vec![(at, used)], until: resets_at.min(now) }),
        }
    }
    let starts: Vec<i64> = runs.iter().skip(1).filter_map(|run| Some(run.points.first()?.0)).collect();
    for (run, next) in runs.iter_mut().zip(starts) {
        let last = run.points.last().map_or(next, |(at, _)| *at);
        run.until = run.until.min(next.max(last));
    }
    runs
}

impl Course {
    /// The highest usage within a time; `None` without a reading.
    pub(crate) fn highest(&self, time: &Day) -> Option<f64> {
        self.highest_run(time).map(|(_, used)| used)
    }

    /// The window with the highest usage within a time, and that usage.
    pub(crate) fn highest_run(&self, time: &Day) -> Option<(&Run, f64)> {
        let held = self.runs.iter().filter(|run| run.until > time.start);
        let read = held.filter_map(|run| Some((run, run.used_at(time.end - 1)?)));
        read.max_by(|(_, one), (_, other)| one.total_cmp(other))
    }
}

impl Run {
    /// The usage in the end, in percent.
    pub(crate) fn highest(&self) -> f64 {
        self.points.last().map_or(0.0, |(_, used)| *used)
    }

    /// The usage at a moment; `None` before the first reading.
    fn used_at(&self, at: i64) -> Option<f64> {
        let after = self.points.partition_point(|(read_at, _)| *read_at <= at);
        after.checked_sub(1).and_then(|index| self.points.get(index)).map(|(_, used)| *used)
    }
}
