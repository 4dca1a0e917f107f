//! The messages, and numbers as people read them.

use std::time::Duration;

use pacing::{Pace, Rules};
use shared::usage;

use crate::settings::Settings;

/// After a delay: "waited 14 s. 5-hour limit: 62 % used at 14:10; at this pace ...". The first message of a session (`first`)
/// also names the hook, the keys that files of the project decide (`by_project`), and how to end it.
pub(crate) fn waited(delay: Duration, why: &str, first: Option<&str>) -> String {
    let secs = whole_secs(delay);
    match first {
        Some(by_project) => format!(
            "credit-pacer: waited {secs} s so that your usage limits last. {why}{by_project}. credit-pacer status says more, Esc \
             ends a delay, credit-pacer off stops them."
        ),
        None => format!("credit-pacer: waited {secs} s. {why}."),
    }
}

/// At a session's start, if calls will wait.
pub(crate) fn likely(pace: &Pace, delay: Duration) -> String {
    format!(
        "credit-pacer: calls wait about {} s each for now. {} (credit-pacer status says more, credit-pacer off ends it)",
        whole_secs(delay).max(1),
        pace.reason
    )
}

/// The delay in whole seconds, rounded.
pub(crate) const fn whole_secs(delay: Duration) -> u64 {
    delay.saturating_add(Duration::from_millis(500)).as_secs()
}

/// The sources of readings.
pub(crate) const SOURCES: &str = "they come from the status line, in a terminal with a Pro or Max login, after the first \
                                  answer (req hooks statusline sets it, where it is not set)";

/// Without any reading.
pub(crate) fn no_readings(settings: &Settings) -> String {
    let api =
        if settings.usage_api.enabled { ", or from the usage API, which has not answered yet" } else { "" };
    format!("credit-pacer: there are no usage readings, so nothing is delayed; {SOURCES}{api}")
}

/// A window that is nearly used up: "credit-pacer: weekly limit 96 % used; resets Thu 16:00, in 4 d 3 h (pace-maker status)".
pub(crate) fn alert(name: &str, window: &usage::Window, rules: &Rules, now: i64) -> String {
    let known = pacing::Window::ALL.into_iter().find(|window| window.key() == name);
    let name = known.map_or_else(|| name.replace('_', " "), |window| window.name().to_owned());
    let (used, resets) = (window.used_percent, rules.calendar.said(window.resets_at, now));
    let left = days_or_less(window.resets_at - now);
    format!("credit-pacer: {name} {used:.0} % used; resets {resets}, in {left} (pace-maker status)")
}

/// "4 d 3 h"; under a day "2 h 10 min", "25 min", "42 s".
fn days_or_less(secs: i64) -> String {
    match (secs / 86_400, secs % 86_400 / 3600) {
        (..=0, _) => duration(secs.max(0)),
        (days, 0) => format!("{days} d"),
        (days, hours) => format!("{days} d {hours} h"),
    }
}

/// `42 s`, `3 min 5 s`, `25 min`, `2 h 10 min`: a part that is small beside the rest is left out.
pub(crate) fn duration(secs: i64) -> String {
    let (hours, minutes, seconds) = (secs / 3600, secs % 3600 / 60, secs % 60);
    match (hours, minutes, seconds) {
        (0, 0, _) => format!("{seconds} s"),
        (0, 10.., _) | (0, _, 0) => format!("{minutes} min"),
        (0, ..) => format!("{minutes} min {seconds} s"),
        (_, 0, _) => format!("{hours} h"),
        _ => format!("{hours} h {minutes} min"),
    }
}

/// `61 %`, or `61.5 %`.
pub(crate) fn percent(number: f64) -> String {
    format!("{} %", pacing::percent(number, true))
}

#[cfg(test)]
mod tests {
    use super::{days_or_less, duration, percent};

    #[test]
    fn numbers_are_short() {
        for (secs, expected) in
            [(0, "0 s"), (60, "1 min"), (185, "3 min 5 s"), (3659, "1 h"), (7800, "2 h 10 min")]
        {
            assert_eq!(duration(secs), expected);
        }
        for (secs, expected) in [
            (4 * 86_400 + 3 * 3600 + 59, "4 d 3 h"),
            (2 * 86_400 + 59, "2 d"),
            (86_399, "23 h 59 min"),
            (-1, "0 s"),
        ] {
            assert_eq!(days_or_less(secs), expected);
        }
        for (number, expected) in [(0.0, "0 %"), (61.46, "61.5 %"), (99.97, "100 %"), (130.0, "130 %")] {
            assert_eq!(percent(number), expected);
        }
    }
}
