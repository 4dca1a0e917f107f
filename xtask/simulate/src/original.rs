//! The formula of claude-pace-maker 1.3.1 (MIT), for comparison: one window only, the one further from its line; weekends
//! by UTC; the remaining time by the calendar; a delay from the ratio of two rates and two tables of constants.

use pacing::{Reading, Readings, Window, seconds};

use crate::demand::{DAY, HOUR};
use crate::world::length;

/// The share of what is allowed by now that may be used.
const SAFETY: f64 = 0.95;
const PRELOAD_PERCENT: f64 = 10.0;
const MIN_DELAY_SECS: f64 = 5.0;
const MAX_DELAY_SECS: f64 = 350.0;

/// The delay of a call, by the readings of both windows: the one that is further past its line decides.
pub(crate) fn delay_secs(now: f64, readings: &Readings) -> f64 {
    let read = Window::ALL.into_iter().zip(readings);
    let asked = read.filter_map(|(window, reading)| Some(asked(window, reading.as_ref()?, now)));
    asked.max_by(|one, other| one.0.total_cmp(&other.0)).map_or(0.0, |(_, delay)| delay)
}

/// How far a window is past its line, without the reserve, and the delay that it asks for.
fn asked(window: Window, reading: &Reading, now: f64) -> (f64, f64) {
    let (ends, length, used) = (seconds(reading.resets_at), length(window), reading.used_percent);
    let (begins, hours_left) = (ends - length, ((ends - now) / HOUR).max(0.0));
    let elapsed = match window {
        Window::FiveHour => (now - begins).clamp(0.0, length) / length,
        Window::SevenDay => weekday_secs(begins, now) / weekday_secs(begins, ends),
    };
    let allowance = (elapsed * 100.0).max(PRELOAD_PERCENT);
    let left = if used < SAFETY * 100.0 { SAFETY * 100.0 - used } else { (100.0 - used) * 0.5 };
    // The rate that would last, by that so far.
    let ratio = left / hours_left * (elapsed * length / HOUR) / used;
    let factor = match hours_left {
        ..1.0 => 60.0,
        ..3.0 => 40.0,
        _ => 20.0,
    };
    let spread = (MIN_DELAY_SECS * (1.0 / ratio - 1.0) * factor).floor().min(MAX_DELAY_SECS);
    // Saturday and Sunday, by UTC: 1970 began on a Thursday.
    let is_weekend = (now / DAY + 3.0).rem_euclid(7.0) >= 5.0;
    let is_over = used > allowance * SAFETY;
    let delay = match is_over {
        _ if is_over && is_weekend || hours_left <= 0.0 => MAX_DELAY_SECS,
        true if ratio < 0.95 && spread > MIN_DELAY_SECS => spread,
        _ => 0.0,
    };
    (used - allowance, delay)
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
    use super::delay_secs;
    use pacing::Reading;

    /// Monday 2026-01-05 00:00 UTC.
    const MONDAY: i64 = 1_767_571_200;

    #[test]
    fn delays_are_those_of_the_original() {
        for (hours, five_hour, week, expected) in [
            // Allowance 50 %, safe 47.5 %, burn 0.5952 %/h over 84 scaled hours, 45 % left in 108 h: r = 0.7.
            (60, None, 50.0, 42.0),
            (60, None, 47.0, 0.0),
            (60, None, 97.0, 350.0),
            // Half of five hours: 60 % against 50 %, 24 %/h against 35 % in 2.5 h: r = 0.5833.
            (60, Some(60.0), 10.0, 142.0),
            // A weekend's day over the line waits the longest.
            (130, None, 96.0, 350.0),
        ] {
            let now = MONDAY + hours * 3600;
            let readings = [
                five_hour.map(|used| Reading::new(now, used, now + 9000)),
                Some(Reading::new(now, week, MONDAY + 7 * 86_400)),
            ];
            let delay: f64 = delay_secs(pacing::seconds(now), &readings);
            assert!((delay - expected).abs() < f64::EPSILON, "{hours} {five_hour:?} {week:?}: {delay}");
        }
    }
}
