//! The recorded past: usage, delays, and each day in numbers. Pure but for [`look_back`].

use pacing::{DAY_SECS, Reading, Rules, Window, duration, newest, percent, seconds};
use shared::cli::Asker;

use crate::CreditPacer;
use crate::database::{self, DelayRow, Rows};
use crate::rules;

/// A time in seconds since the epoch. A day goes from its first second in the user's time zone to that of the next day: some
/// are 23 or 25 hours long.
pub(crate) type Span = std::ops::Range<i64>;

/// The last days, today included.
#[derive(Debug)]
pub(crate) struct Past {
    pub(crate) days: Vec<Span>,
    pub(crate) now: i64,
    /// By [`Window`], oldest first.
    readings: [Vec<Reading>; 2],
    delays: Vec<DelayRow>,
    rules: Rules,
}

/// The number of days that was typed, or the usual one.
pub(crate) fn days_of(words: &[&str], usual: u32) -> Option<u32> {
    match words {
        [] => Some(usual),
        ["--days", days] => days.parse().ok(),
        _ => None,
    }
}

/// The recorded usage of so many days, or of as many as are kept.
pub(crate) fn look_back(asker: &Asker<'_>, days: u32) -> Result<Past, String> {
    let settings = asker.section_in_force::<CreditPacer>()?.settings;
    let store = asker.store.ok_or("there is no state folder; set HOME")?;
    let (now, days) = (asker.host.now().secs(), days.clamp(1, settings.retention_days.get()).into());
    let since = now - (days + 8) * DAY_SECS;
    let rules = rules::between(&settings, since, now + 9 * DAY_SECS);
    Ok(Past::of(days, now, rules, database::since(store, since)?))
}

impl Past {
    /// The past out of rows that reach back a window's length before the days.
    pub(crate) fn of(days: i64, now: i64, rules: Rules, rows: Rows) -> Self {
        let zone = &rules.calendar.zone;
        let start = |day: i64| zone.moment(day.saturating_mul(DAY_SECS));
        let today = zone.day(now);
        let days: Vec<Span> =
            (0..days).rev().map(|back| start(today - back)..start(today - back + 1)).collect();
        let (mut readings, mut delays) = rows;
        for readings in &mut readings {
            readings.retain(|reading| reading.at <= now && reading.at < reading.resets_at);
        }
        let from = days.first().map_or(now, |day| day.start);
        delays.retain(|delay| delay.secs > 0 && (from..=now).contains(&delay.at));
        Self { days, now, readings, delays, rules }
    }

    pub(crate) fn span(&self) -> Span {
        let end = self.days.last().map_or(self.now, |day| day.end);
        self.days.first().map_or(self.now, |day| day.start)..end
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.delays.is_empty()
            && Window::ALL.iter().all(|window| self.highest(*window, &self.span()).is_none())
    }

    /// The time of a column, of so many that share the span.
    pub(crate) fn time(&self, columns: u16, column: u16) -> Span {
        let Span { start, end } = self.span();
        let begin = |column: u16| start + (end - start).saturating_mul(column.into()) / i64::from(columns);
        begin(column)..begin(column + 1)
    }

    /// Whether a call waited for this limit in a column.
    pub(crate) fn has_delay(&self, window: Window, columns: u16, column: u16) -> bool {
        let time = self.time(columns, column);
        let mut own = self.delays.iter().filter(|delay| delay.window.as_deref() == Some(window.key()));
        own.any(|delay| time.contains(&delay.at))
    }

    /// Usage and safe line in a column, in percent; the line by the settings of today.
    pub(crate) fn at(&self, window: Window, columns: u16, column: u16) -> Option<(f64, f64)> {
        let time = self.time(columns, column);
        let reading = self.highest(window, &time)?;
        let at = seconds(time.end.min(reading.resets_at).min(self.now) - 1);
        Some((reading.used_percent, self.rules.line(window, reading.resets_at, at).safe_percent))
    }

    /// The last reading until then, if its window goes on.
    pub(crate) fn held(&self, window: Window, at: i64) -> Option<Reading> {
        let readings = &self.readings[window as usize];
        let until = readings.partition_point(|reading| reading.at <= at);
        newest(&readings[..until]).filter(|reading| reading.resets_at > at)
    }

    /// The highest reading that holds within a time. Nothing holds in the future.
    pub(crate) fn highest(&self, window: Window, time: &Span) -> Option<Reading> {
        let held = self.held(window, time.start).filter(|_| time.start < self.now);
        let within =
            self.readings[window as usize].iter().filter(|reading| time.contains(&reading.at)).copied();
        let all = held.into_iter().chain(within);
        all.max_by(|one, other| one.used_percent.total_cmp(&other.used_percent))
    }

    /// A day in words: its date, the highest usage of each limit, the number of delays and their sum.
    pub(crate) fn row(&self, day: &Span) -> [String; 4] {
        let dash = || "–".to_owned();
        let highest =
            |window| self.highest(window, day).map_or_else(dash, |reading| percent(reading.used_percent));
        let [five_hour, weekly] = Window::ALL.map(highest);
        let delays: Vec<i64> =
            self.delays.iter().filter(|delay| day.contains(&delay.at)).map(|delay| delay.secs).collect();
        let summary = || format!("{}, {}", delays.len(), duration(delays.iter().sum()));
        [self.date(day.start), five_hour, weekly, if delays.is_empty() { dash() } else { summary() }]
    }

    /// `Mon 16 Nov`.
    pub(crate) fn date(&self, at: i64) -> String {
        self.rules.calendar.shown(at, "%a %-d %b")
    }

    /// `Mon 16 Nov 14:03`.
    pub(crate) fn date_and_time(&self, at: i64) -> String {
        self.rules.calendar.shown(at, "%a %-d %b %H:%M")
    }
}

#[cfg(test)]
pub(crate) mod tests;
