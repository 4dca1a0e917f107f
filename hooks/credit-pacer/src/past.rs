//! The recorded past: the usage of each limit, the delays, and each day in numbers. Pure but for [`look_back`].

use pacing::{
    DAY_SECS, DAYS, MONTHS, Reading, Rules, Window, date, duration, is_same_reset, seconds, weekday,
};
use shared::host::{Host, Places};
use shared::run::configure;
use shared::switches::Position;

use crate::database::{self, DelayRow, Rows};
use crate::state::secs;
use crate::wording::{UNREADABLE, percent};
use crate::{CreditPacer, rules};

/// A time in seconds since the epoch. A day goes from its first second in the user's time zone to that of the next day: some
/// are 23 or 25 hours long.
pub(crate) type Span = std::ops::Range<i64>;

/// The last days, today included.
#[derive(Debug)]
pub(crate) struct Past {
    pub(crate) days: Vec<Span>,
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

/// Where nothing is recorded.
pub(crate) const NOTHING: &str = "Usage comes from the status line of a session in a terminal with a Pro or Max login \
                                  (`req hooks statusline` sets it up), or from the usage API (`usage_api.enabled`).";

/// The number of days that was typed, or the usual one.
pub(crate) fn days_of(words: &[&str], usual: u32) -> Option<u32> {
    match words {
        [] => Some(usual),
        ["--days", days] => days.parse().ok(),
        _ => None,
    }
}

/// The recorded usage of so many days, or of as many as are kept.
pub(crate) fn look_back(host: &Host, days: u32) -> Result<Past, String> {
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let section = configure::<CreditPacer>(&places.sources(host.environment.home.as_deref()), Position::Auto);
    let settings = section.ok_or(UNREADABLE)?.settings;
    let store = places.open_store().ok_or("there is no state folder; set HOME")?;
    let days = days.clamp(1, settings.retention_days.get());
    let now = secs(host.now());
    let since = now - (i64::from(days) + 8) * DAY_SECS;
    let zone_name = rules::zone_name(&settings).unwrap_or_else(|| "local time".to_owned());
    let rules = rules::between(&settings, since, now + 9 * DAY_SECS);
    Ok(Past::of(days, now, (rules, zone_name), database::since(&store, since)?))
}

impl Past {
    /// The past out of rows that reach back a window's length before the days.
    pub(crate) fn of(days: u32, now: i64, (rules, zone_name): (Rules, String), rows: Rows) -> Self {
        let zone = &rules.calendar.zone;
        let start = |day: i64| zone.moment(day.saturating_mul(DAY_SECS));
        let today = zone.day(now);
        let days: Vec<Span> =
            (0..i64::from(days)).rev().map(|back| start(today - back)..start(today - back + 1)).collect();
        let from = days.first().map_or(now, |day| day.start);
        let ([five_hour, seven_day], mut delays) = rows;
        delays.retain(|delay| delay.secs > 0 && (from..=now).contains(&delay.at));
        let course = |(window, readings)| {
            let mut runs = runs(readings, now);
            runs.retain(|run| run.until > from);
            Course { window, runs }
        };
        let courses = [(Window::FiveHour, five_hour), (Window::SevenDay, seven_day)].map(course);
        Self { days, now, zone_name, courses, delays, rules }
    }

    pub(crate) fn span(&self) -> Span {
        let end = self.days.last().map_or(self.now, |day| day.end);
        self.days.first().map_or(self.now, |day| day.start)..end
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.delays.is_empty() && self.courses.iter().all(|course| course.runs.is_empty())
    }

    /// The share of the span that a moment comes after.
    pub(crate) fn share(&self, at: i64) -> f64 {
        let Span { start, end } = self.span();
        (seconds(at - start) / seconds((end - start).max(1))).clamp(0.0, 1.0)
    }

    /// When a column begins of so many that share the span.
    pub(crate) fn begin(&self, columns: usize, column: usize) -> i64 {
        let whole = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let Span { start, end } = self.span();
        start + (end - start).saturating_mul(whole(column)) / whole(columns)
    }

    /// Usage and safe line in a column, in percent; the line by the settings of today.
    pub(crate) fn at(&self, course: &Course, columns: usize, column: usize) -> Option<(f64, f64)> {
        let time = self.begin(columns, column)..self.begin(columns, column + 1);
        let (run, used) = course.highest_run(&time)?;
        let at = seconds(time.end.min(run.until) - 1);
        Some((used, self.rules.line(course.window, run.resets_at, at).safe_percent))
    }

    /// The highest usage of each limit on a day, in percent.
    pub(crate) fn highest_on(&self, day: &Span) -> [Option<f64>; 2] {
        self.courses.each_ref().map(|course| course.highest(day))
    }

    /// The number of delays on a day, and their sum in seconds.
    pub(crate) fn delays_on(&self, day: &Span) -> (usize, i64) {
        let delays = self.delays.iter().filter(|delay| day.contains(&delay.at));
        delays.fold((0, 0), |(count, secs), delay| (count + 1, secs + delay.secs))
    }

    /// A day in words: its date, the highest usage of each limit, the number of delays and their sum.
    pub(crate) fn row(&self, day: &Span) -> [String; 4] {
        let dash = || "–".to_owned();
        let [five_hour, weekly] = self.highest_on(day).map(|highest| highest.map_or_else(dash, percent));
        let delays = match self.delays_on(day) {
            (0, _) => dash(),
            (count, secs) => format!("{count}, {}", duration(secs)),
        };
        [self.date(day.start), five_hour, weekly, delays]
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
        match runs.iter_mut().rev().find(|run| is_same_reset(run.resets_at, resets_at)) {
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
    pub(crate) fn highest(&self, time: &Span) -> Option<f64> {
        self.highest_run(time).map(|(_, used)| used)
    }

    /// The window with the highest usage within a time, and that usage.
    fn highest_run(&self, time: &Span) -> Option<(&Run, f64)> {
        let held = self.runs.iter().filter(|run| run.until > time.start);
        let read = held.filter_map(|run| {
            let until = run.points.iter().take_while(|(at, _)| *at < time.end);
            Some((run, until.last()?.1))
        });
        read.max_by(|(_, one), (_, other)| one.total_cmp(other))
    }
}

impl Run {
    /// The usage in the end, in percent.
    pub(crate) fn highest(&self) -> f64 {
        self.points.last().map_or(0.0, |(_, used)| *used)
    }
}

#[cfg(test)]
pub(crate) mod tests;
