//! The formula of claude-pace-maker 1.3.1 (MIT), for comparison: one window only, the one further from its line; weekends
//! by UTC; the remaining time by the calendar; a delay from the ratio of two rates and two tables of constants.

use pacing::{Reading, Window};

/// The share of what is allowed by now that may be used.
const SAFETY: f64 = 0.95;

const PRELOAD_PERCENT: f64 = 10.0;

const MIN_DELAY_SECS: f64 = 5.0;

const MAX_DELAY_SECS: f64 = 350.0;

const HOUR: f64 = 3600.0;

const DAY: f64 = 24.0 * HOUR;

/// How long a call waits, in seconds.
pub(crate) fn delay_secs(now: f64, five_hour: Option<Reading>, seven_day: Option<Reading>) -> f64 {
    let read = [(Window::FiveHour, five_hour), (Window::SevenDay, seven_day)];
    let lines = read.into_iter().filter_map(|(window, reading)| Line::of(window, reading?, now));
    let furthest = lines.max_by(|one, other| one.deviation().total_cmp(&other.deviation()));
    furthest.map_or(0.0, |line| line.delay_secs(now))
}

/// A window against its line.
struct Line {
    used: f64,
    /// What may be used by now, in percent.
    allowance: f64,
    /// The share of the window that is over, in percent.
    elapsed: f64,
    hours: f64,
    remaining_hours: f64,
}

impl Line {
    fn of(window: Window, reading: Reading, now: f64) -> Option<Self> {
        let hours = match window {
            Window::FiveHour => 5.0,
            Window::SevenDay => 168.0,
        };
        let ends = f64::from(u32::try_from(reading.resets_at).ok()?);
        let begins = ends - hours * HOUR;
        let elapsed = match window {
            Window::FiveHour => (now - begins).clamp(0.0, hours * HOUR) / (hours * HOUR) * 100.0,
            Window::SevenDay => weekday_secs(begins, now) / weekday_secs(begins, ends) * 100.0,
        };
        let remaining_hours = ((ends - now) / HOUR).max(0.0);
        let allowance = elapsed.max(PRELOAD_PERCENT);
        Some(Self { used: reading.used_percent, allowance, elapsed, hours, remaining_hours })
    }

    /// How far it is past its line, without the reserve.
    fn deviation(&self) -> f64 {
        self.used - self.allowance
    }

    fn delay_secs(&self, now: f64) -> f64 {
        let is_over = self.used > self.allowance * SAFETY;
        if is_over && is_weekend(now) || self.remaining_hours <= 0.0 {
            return MAX_DELAY_SECS;
        }
        let elapsed_hours = self.elapsed / 100.0 * self.hours;
        if !is_over {
            return 0.0;
        }
        let burn = if elapsed_hours > 0.0 { self.used / elapsed_hours } else { 0.0 };
        let left = SAFETY * 100.0 - self.used;
        let target = if left > 0.0 { left } else { (100.0 - self.used) * 0.5 } / self.remaining_hours;
        let ratio = if burn > 0.0 { target / burn } else { 1.0 };
        let factor = match self.remaining_hours {
            ..1.0 => 60.0,
            ..3.0 => 40.0,
            _ => 20.0,
        };
        let delay = if ratio <= 0.0 {
            MAX_DELAY_SECS
        } else if ratio >= 0.95 {
            0.0
        } else {
            (MIN_DELAY_SECS * (1.0 / ratio - 1.0) * factor).floor().clamp(MIN_DELAY_SECS, MAX_DELAY_SECS)
        };
        if delay <= MIN_DELAY_SECS { 0.0 } else { delay }
    }
}

/// Saturday and Sunday, by UTC. 1970 began on a Thursday.
fn is_weekend(now: f64) -> bool {
    (now / DAY + 3.0).rem_euclid(7.0) >= 5.0
}

/// The seconds between two moments that are not on a weekend.
fn weekday_secs(from: f64, to: f64) -> f64 {
    let before = |moment: f64| {
        let days = moment / DAY + 3.0;
        let weeks = (days / 7.0).floor();
        weeks * 5.0 + (days - weeks * 7.0).min(5.0)
    };
    (before(to) - before(from)).max(0.0) * DAY
}

#[cfg(test)]
mod tests {
    use super::delay_secs as delay;
    use pacing::Reading;

    /// Monday 2026-01-05 00:00 UTC.
    const MONDAY: f64 = 1_767_571_200.0;

    const HOUR: f64 = 3600.0;

    #[test]
    fn delays_are_those_of_the_original() {
        let week = |used_percent| Some(Reading { used_percent, resets_at: 1_767_571_200 + 7 * 86_400 });
        let wednesday = MONDAY + 60.0 * HOUR;
        // Allowance 50 %, safe 47.5 %, burn 0.5952 %/h over 84 scaled hours, 45 % left in 108 h: r = 0.7.
        assert!((delay(wednesday, None, week(50.0)) - 42.0).abs() < f64::EPSILON);
        assert!(delay(wednesday, None, week(47.0)).abs() < f64::EPSILON);
        assert!((delay(wednesday, None, week(97.0)) - 350.0).abs() < f64::EPSILON);
        let five = |used_percent| Some(Reading { used_percent, resets_at: 1_767_571_200 + 60 * 3600 + 9000 });
        // Half of five hours: 60 % against 50 %, 24 %/h against 35 % in 2.5 h: r = 0.5833.
        assert!((delay(wednesday, five(60.0), week(10.0)) - 142.0).abs() < f64::EPSILON);
        // A weekend's day over the line waits the longest.
        assert!((delay(MONDAY + 130.0 * HOUR, None, week(96.0)) - 350.0).abs() < f64::EPSILON);
    }
}
