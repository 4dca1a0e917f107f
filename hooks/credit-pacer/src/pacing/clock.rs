//! Working time: which seconds of a window are worked in, in the user's time zone, by the days and hours they say.

use std::sync::OnceLock;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};

use crate::settings::{Day, DayRange, HoursOfDay, Settings, Zone};

/// A time farther off than this many days is told with its date, because the name of a day comes again.
const DAYS_BY_NAME: f64 = 6.0;

const DAY_SECS: f64 = 86_400.0;

/// When work is done.
#[derive(Debug, Clone)]
pub(super) struct Clock {
    zone: Zone,
    /// Found when it is needed: most calls need no calendar, and looking costs files.
    found: OnceLock<TimeZone>,
    workdays: Vec<Day>,
    work_hours: Vec<HoursOfDay>,
    holidays: Vec<DayRange>,
    quiet_hours: Vec<HoursOfDay>,
}

/// Why no work is done at a moment, as the settings say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Off {
    /// It is none of the days of work; the day's name.
    Weekday(String),
    /// It is a day off.
    Holiday,
    /// It is none of the hours of work.
    Hours,
}

/// Spans of time, from and to, ascending and apart, in seconds since the epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spans(Vec<(i64, i64)>);

impl Clock {
    pub(super) fn of(settings: &Settings) -> Self {
        let hours = settings.work_hours.as_slice();
        Self {
            zone: settings.timezone.clone(),
            found: OnceLock::new(),
            workdays: settings.workdays.as_slice().to_vec(),
            work_hours: if hours.is_empty() { vec![HoursOfDay::ALL_DAY] } else { hours.to_vec() },
            holidays: settings.holidays.as_slice().to_vec(),
            quiet_hours: settings.quiet_hours.as_slice().to_vec(),
        }
    }

    fn zone(&self) -> &TimeZone {
        self.found.get_or_init(|| self.zone.find())
    }

    /// The working time from one moment to another. Hours over midnight belong to the day on which they begin. Empty where
    /// the calendar does not reach.
    pub(super) fn working(&self, from: i64, to: i64) -> Spans {
        let (Some(first), Some(last)) = (self.local(from), self.local(to)) else { return Spans(Vec::new()) };
        let mut spans = Vec::new();
        let mut day = first.date().yesterday().ok();
        while let Some(date) = day.filter(|date| *date <= last.date()) {
            if self.is_workday(date) {
                spans.extend(self.work_hours.iter().filter_map(|hours| self.span(date, *hours)));
            }
            day = date.tomorrow().ok();
        }
        Spans::within(spans, from, to)
    }

    fn is_workday(&self, date: Date) -> bool {
        let is_off = self.holidays.iter().any(|days| days.contains(date));
        !is_off && self.workdays.iter().any(|day| day.is(date.weekday()))
    }

    /// Why a moment is in no working time.
    pub(super) fn why_off(&self, at: i64) -> Option<Off> {
        let local = self.local(at)?;
        let date = local.date();
        Some(if self.is_workday(date) {
            Off::Hours
        } else if self.holidays.iter().any(|days| days.contains(date)) {
            Off::Holiday
        } else {
            Off::Weekday(local.strftime("%A").to_string())
        })
    }

    fn span(&self, date: Date, hours: HoursOfDay) -> Option<(i64, i64)> {
        let last = if hours.is_over_midnight() { date.tomorrow().ok()? } else { date };
        Some((self.moment(date, hours.from)?, self.moment(last, hours.to)?))
    }

    /// When the clocks show this minute of a day: the first time where they do so twice, the moment they are put forward
    /// where they never do.
    fn moment(&self, date: Date, minute: u16) -> Option<i64> {
        let (hour, minute) = (i8::try_from(minute / 60).ok()?, i8::try_from(minute % 60).ok()?);
        let shown = if hour == 24 {
            date.tomorrow().ok()?.to_datetime(Time::midnight())
        } else {
            date.at(hour, minute, 0, 0)
        };
        let zone = self.zone();
        let ambiguous = zone.to_ambiguous_timestamp(shown);
        let is_skipped = matches!(ambiguous.offset(), AmbiguousOffset::Gap { .. });
        let moment = ambiguous.earlier().ok()?;
        let forward = if is_skipped { zone.following(moment).next() } else { None };
        Some(forward.map_or(moment, |transition| transition.timestamp()).as_second())
    }

    fn local(&self, at: i64) -> Option<DateTime> {
        Timestamp::from_second(at).ok().map(|at| self.zone().to_datetime(at))
    }

    /// Nothing is to be delayed at this time of day.
    pub(super) fn is_quiet(&self, now: i64) -> bool {
        if self.quiet_hours.is_empty() {
            return false;
        }
        let Some(time) = self.local(now).map(DateTime::time) else { return false };
        let minute = u16::from(time.hour().unsigned_abs()) * 60 + u16::from(time.minute().unsigned_abs());
        self.quiet_hours.iter().any(|hours| hours.contains(minute))
    }

    /// A moment as people say it: `Fri 16:00`, or `Fri 4 Dec 16:00` if it is more than six days off.
    pub(super) fn said(&self, at: i64, now: i64) -> Option<String> {
        let format = if seconds(at.saturating_sub(now)).abs() > DAYS_BY_NAME * DAY_SECS {
            "%a %-d %b %H:%M"
        } else {
            "%a %H:%M"
        };
        self.local(at).map(|local| local.strftime(format).to_string())
    }
}

impl Spans {
    fn within(mut spans: Vec<(i64, i64)>, from: i64, to: i64) -> Self {
        spans.sort_unstable();
        let mut apart: Vec<(i64, i64)> = Vec::with_capacity(spans.len());
        for (start, end) in spans {
            let (start, end) = (start.max(from), end.min(to));
            match apart.last_mut() {
                _ if start >= end => {}
                Some((_, last)) if start <= *last => *last = end.max(*last),
                _ => apart.push((start, end)),
            }
        }
        Self(apart)
    }

    /// All together, in seconds.
    pub(super) fn total(&self) -> f64 {
        self.0.iter().map(|(start, end)| seconds(end - start)).sum()
    }

    /// What of it is over at a moment, in seconds.
    pub(super) fn until(&self, now: f64) -> f64 {
        let over = |(start, end): &(i64, i64)| (now - seconds(*start)).clamp(0.0, seconds(end - start));
        self.0.iter().map(over).sum()
    }

    /// When it goes on, if it stands still at this moment and goes on at all.
    pub(super) fn goes_on(&self, at: i64) -> Option<i64> {
        if self.contains(at) {
            return None;
        }
        self.0.iter().map(|(start, _)| *start).find(|start| *start > at)
    }

    /// The moment is in it.
    pub(super) fn contains(&self, at: i64) -> bool {
        self.0.iter().any(|(start, end)| (*start..*end).contains(&at))
    }
}

/// Seconds to calculate with. Beyond 2^53, far from any calendar, they are rounded.
#[expect(clippy::cast_precision_loss, reason = "rounded far from any calendar only")]
pub(crate) const fn seconds(whole: i64) -> f64 {
    whole as f64
}

/// The whole seconds of a moment.
#[expect(clippy::cast_possible_truncation, reason = "beyond the bounds it is the bound")]
pub(crate) fn whole_seconds(moment: f64) -> i64 {
    moment.floor() as i64
}

#[cfg(test)]
mod tests;
