//! Working time, in the user's time zone. Pure: the offsets of the zone come from the caller, so nothing is looked up here.

use chrono::DateTime;

use crate::{seconds, whole_seconds};

/// Seconds of a day whose clocks do not change.
pub const DAY_SECS: i64 = 86_400;

/// The offsets of a time zone around now. The default is UTC.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Zone(
    /// Since when an offset holds, ascending from the beginning of time on. Seconds east of UTC.
    pub Vec<(i64, i64)>,
);

/// A span of a day in minutes since midnight. It ends on the next day if `to` is before `from`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hours {
    pub from: u16,
    /// The minute after the last one; 1440 is midnight.
    pub to: u16,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Calendar {
    pub zone: Zone,
    /// Monday first.
    pub workdays: [bool; 7],
    /// Spans of a working day; none: all day.
    pub work_hours: Vec<Hours>,
    /// Days off, in days since 1970-01-01, ends included.
    pub days_off: Vec<(i64, i64)>,
    /// Spans of each day in which nothing is delayed.
    pub quiet_hours: Vec<Hours>,
}

impl Zone {
    fn offset(&self, at: i64) -> i64 {
        self.0.iter().rfind(|(from, _)| *from <= at).map_or(0, |(_, offset)| *offset)
    }

    /// The time that the clocks show, in seconds since 1970-01-01 00:00 of the zone.
    pub fn local(&self, at: i64) -> i64 {
        at.saturating_add(self.offset(at))
    }

    /// The day on the calendar, in days since 1970-01-01.
    pub fn day(&self, at: i64) -> i64 {
        self.local(at).div_euclid(DAY_SECS)
    }

    /// When the clocks show this: the first time if they do twice, the moment they are put forward if they never do.
    pub fn moment(&self, local: i64) -> i64 {
        let ends = self.0.iter().skip(1).map(|(from, _)| *from).chain([i64::MAX]);
        let moments = self.0.iter().map(|(from, offset)| local.saturating_sub(*offset).max(*from));
        moments.zip(ends).find(|(moment, end)| moment < end).map_or(local, |(moment, _)| moment)
    }
}

impl Hours {
    fn on(self, day: i64, zone: &Zone) -> (i64, i64) {
        let shown = |day: i64, minute: u16| zone.moment(day * DAY_SECS + i64::from(minute) * 60);
        (shown(day, self.from), shown(day + i64::from(self.to < self.from), self.to))
    }
}

impl Calendar {
    /// The working time between two moments, in spans that are ascending and apart. Hours over midnight belong to the day on
    /// which they begin.
    pub(crate) fn working(&self, from: i64, to: i64) -> Vec<(i64, i64)> {
        let hours =
            if self.work_hours.is_empty() { &[Hours { from: 0, to: 1440 }][..] } else { &self.work_hours };
        let days = self.zone.day(from).saturating_sub(1)..=self.zone.day(to);
        let workdays = days.filter(|day| self.is_workday(*day));
        let spans = workdays.flat_map(|day| hours.iter().map(move |hours| hours.on(day, &self.zone)));
        let mut spans: Vec<(i64, i64)> = spans.collect();
        spans.sort_unstable();
        let mut last = from;
        for (start, end) in &mut spans {
            *start = last.max(*start).min(to);
            *end = (*end).clamp(*start, to);
            last = *end;
        }
        spans
    }

    pub fn is_workday(&self, day: i64) -> bool {
        let is_off = self.days_off.iter().any(|(first, last)| (*first..=*last).contains(&day));
        // The epoch began on a Thursday.
        let weekday = usize::try_from((day + 3).rem_euclid(7)).unwrap_or(0);
        self.workdays[weekday] && !is_off
    }

    /// Whether nothing may be delayed at this time of day.
    pub fn is_quiet(&self, now: f64) -> bool {
        let (now, today) = (whole_seconds(now), self.zone.day(whole_seconds(now)));
        let spans =
            [today - 1, today].map(|day| self.quiet_hours.iter().map(move |hours| hours.on(day, &self.zone)));
        spans.into_iter().flatten().any(|(from, to)| (from..to).contains(&now))
    }

    /// A moment for people: `Fri 16:00`, or `Fri 4 Dec 16:00` if it is more than six days away, where the name of the day comes again.
    pub fn said(&self, at: i64, now: i64) -> String {
        let is_near = at.abs_diff(now) <= 6 * DAY_SECS.unsigned_abs();
        self.shown(at, if is_near { "%a %H:%M" } else { "%a %-d %b %H:%M" })
    }

    /// A moment as the user's clocks and calendar show it, in a format of chrono.
    pub fn shown(&self, at: i64, format: &str) -> String {
        let local = DateTime::from_timestamp(self.zone.local(at), 0).unwrap_or_default();
        local.format(format).to_string()
    }
}

/// The part of spans before a moment, in seconds.
pub(crate) fn until(spans: &[(i64, i64)], now: f64) -> f64 {
    let over = |(start, end): &(i64, i64)| (now - seconds(*start)).clamp(0.0, seconds(end - start));
    spans.iter().map(over).sum()
}
