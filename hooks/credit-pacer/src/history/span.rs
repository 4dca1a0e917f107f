//! The days that are looked back on, in the user's time zone: some are 23 or 25 hours long.

use pacing::{Calendar, DAY_SECS, Rules, date, weekday};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Whole days, the last of them today.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    /// The days, oldest first.
    pub(crate) days: Vec<Day>,
    /// Now, in seconds since the epoch.
    pub(crate) now: i64,
    calendar: Calendar,
    zone_name: String,
}

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Day {
    /// Days since 1970-01-01.
    pub(crate) date: i64,
    /// Its first second since the epoch.
    pub(crate) from: i64,
    /// The first of the next day.
    pub(crate) to: i64,
}

impl Span {
    /// So many days, with today.
    pub(crate) fn last_days(days: u32, now: i64, rules: &Rules, zone_name: &str) -> Self {
        let calendar = rules.calendar.clone();
        let today = calendar.zone.day(now);
        let begin = |day: i64| calendar.zone.moment(day.saturating_mul(DAY_SECS));
        let dates = (0..i64::from(days)).rev().map(|back| today - back);
        let days = dates.map(|date| Day { date, from: begin(date), to: begin(date + 1) }).collect();
        Self { days, now, calendar, zone_name: zone_name.to_owned() }
    }

    /// Its first second since the epoch.
    pub(crate) fn from(&self) -> i64 {
        self.days.first().map_or(self.now, |day| day.from)
    }

    /// The first second after it.
    pub(crate) fn to(&self) -> i64 {
        self.days.last().map_or(self.now, |day| day.to)
    }

    /// It is in the past, and in one of the days.
    pub(crate) fn holds(&self, at: i64) -> bool {
        (self.from()..=self.now).contains(&at)
    }

    /// The name of the zone for people.
    pub(crate) fn zone_name(&self) -> &str {
        &self.zone_name
    }

    /// `14:03`.
    pub(crate) fn clock(&self, at: i64) -> String {
        self.calendar.time(at)
    }

    /// `Mon 16 Nov 14:03`.
    pub(crate) fn date_and_clock(&self, at: i64) -> String {
        format!("{} {}", weekday_and_date(self.calendar.zone.day(at)), self.clock(at))
    }
}

impl Day {
    /// `Mon 16`.
    pub(crate) fn weekday_and_day(&self) -> String {
        format!("{} {}", &pacing::DAYS[weekday(self.date)][..3], date(self.date).2)
    }

    /// `16 Nov`.
    pub(crate) fn day_and_month(&self) -> String {
        let (_, month, day) = date(self.date);
        format!("{day} {}", &MONTHS[month - 1][..3])
    }

    /// `Mon 16 Nov`.
    pub(crate) fn weekday_and_date(&self) -> String {
        weekday_and_date(self.date)
    }

    /// `16 November 2026`.
    pub(crate) fn in_full(&self) -> String {
        let (year, month, day) = date(self.date);
        format!("{day} {} {year}", MONTHS[month - 1])
    }
}

fn weekday_and_date(day: i64) -> String {
    let (_, month, of_month) = date(day);
    format!("{} {of_month} {}", &pacing::DAYS[weekday(day)][..3], &MONTHS[month - 1][..3])
}
