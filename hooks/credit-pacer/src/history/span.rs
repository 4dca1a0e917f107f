//! The days that are looked back on, in the user's time zone: some are 23 or 25 hours long.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Whole days, the last of them today.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    /// The days, oldest first.
    pub(crate) days: Vec<Day>,
    /// Now, in seconds since the epoch.
    pub(crate) now: i64,
    zone: TimeZone,
}

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Day {
    /// Its date.
    pub(crate) date: Date,
    /// Its first second since the epoch.
    pub(crate) from: i64,
    /// The first of the next day.
    pub(crate) to: i64,
}

impl Span {
    /// So many days, with today. Days the calendar does not have are left out.
    pub(crate) fn last_days(days: u32, now: i64, zone: TimeZone) -> Self {
        let today = moment(now).to_zoned(zone.clone()).date();
        let dates =
            (0..days).rev().filter_map(|back| today.checked_sub(jiff::Span::new().try_days(back).ok()?).ok());
        let days = dates.filter_map(|date| {
            let (from, to) = (begin(date, &zone)?, begin(date.tomorrow().ok()?, &zone)?);
            Some(Day { date, from, to })
        });
        Self { days: days.collect(), now, zone }
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

    /// Some of its days, in the same zone and at the same time.
    pub(crate) fn part(&self, days: &[Day]) -> Self {
        Self { days: days.to_vec(), now: self.now, zone: self.zone.clone() }
    }

    /// The name of the zone, as people know it.
    pub(crate) fn zone_name(&self) -> &str {
        self.zone.iana_name().unwrap_or("local time")
    }

    /// `14:03`.
    pub(crate) fn clock(&self, at: i64) -> String {
        self.format("%H:%M", at)
    }

    /// `Mon 16 Nov 14:03`.
    pub(crate) fn date_and_clock(&self, at: i64) -> String {
        self.format("%a %-d %b %H:%M", at)
    }

    fn format(&self, format: &str, at: i64) -> String {
        moment(at).to_zoned(self.zone.clone()).strftime(format).to_string()
    }
}

impl Day {
    /// `Mon 16`.
    pub(crate) fn weekday_and_day(&self) -> String {
        self.date.strftime("%a %-d").to_string()
    }

    /// `16 Nov`.
    pub(crate) fn day_and_month(&self) -> String {
        self.date.strftime("%-d %b").to_string()
    }

    /// `Mon 16 Nov`.
    pub(crate) fn weekday_and_date(&self) -> String {
        self.date.strftime("%a %-d %b").to_string()
    }

    /// `16 November 2026`.
    pub(crate) fn in_full(&self) -> String {
        self.date.strftime("%-d %B %Y").to_string()
    }
}

fn moment(at: i64) -> Timestamp {
    Timestamp::from_second(at).unwrap_or(if at < 0 { Timestamp::MIN } else { Timestamp::MAX })
}

/// The first second of a day. Where clocks are put forward at midnight, the day begins later.
fn begin(date: Date, zone: &TimeZone) -> Option<i64> {
    let begins = zone.to_ambiguous_timestamp(date.to_datetime(jiff::civil::Time::midnight())).compatible();
    begins.ok().map(Timestamp::as_second)
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::Span;

    fn hours(zone: &str, now: &str, days: u32) -> Vec<(String, i64)> {
        let now: jiff::Timestamp = now.parse().unwrap();
        let span = Span::last_days(days, now.as_second(), TimeZone::get(zone).unwrap());
        assert!(span.days.windows(2).all(|pair| pair[0].to == pair[1].from));
        span.days.iter().map(|day| (day.weekday_and_date(), (day.to - day.from) / 3600)).collect()
    }

    #[test]
    fn a_day_is_as_long_as_its_clock_says() {
        for (zone, now, expected) in [
            ("Europe/Berlin", "2026-10-25T22:59:59Z", [("Sat 24 Oct", 24), ("Sun 25 Oct", 25)]),
            ("Europe/Berlin", "2026-03-29T21:59:59Z", [("Sat 28 Mar", 24), ("Sun 29 Mar", 23)]),
            ("Pacific/Auckland", "2026-11-21T11:00:00Z", [("Sat 21 Nov", 24), ("Sun 22 Nov", 24)]),
            // Clocks are put forward at midnight, and the day begins at one.
            ("America/Santiago", "2026-09-06T12:00:00Z", [("Sat 5 Sep", 24), ("Sun 6 Sep", 23)]),
        ] {
            let expected = expected.map(|(day, hours)| (day.to_owned(), hours));
            assert_eq!(hours(zone, now, 2), expected, "{zone} {now}");
        }
    }

    #[test]
    fn today_is_the_last_day_and_lies_partly_ahead() {
        let now = 1_763_942_400;
        let span = Span::last_days(1, now, TimeZone::UTC);
        assert_eq!((span.from(), span.to()), (now - now % 86_400, now - now % 86_400 + 86_400));
        assert!(span.holds(now) && !span.holds(now + 1) && !span.holds(span.from() - 1));
    }

    #[test]
    fn a_time_no_calendar_has_gives_no_day_and_no_panic() {
        for now in [i64::MIN, i64::MAX] {
            let span = Span::last_days(3, now, TimeZone::UTC);
            assert!(span.from() <= span.to());
            assert!(!span.date_and_clock(now).is_empty());
        }
    }
}
