//! What is said.

use std::time::Duration;

use pacing::{Pace, Rules};
use shared::config::Origin;
use shared::usage;

use crate::history::spoken::duration;
use crate::settings::Settings;

/// After a delay: "waited 14 s. 5-hour limit: 62 % used at 14:10; at this pace ...". The first message of a session also names
/// the hook, the files of the project that decide about it (`first`, as [`by_files`] puts it), and how to end it.
pub(crate) fn waited(delay: Duration, why: &str, first: Option<&str>) -> String {
    let secs = whole_secs(delay);
    match first {
        Some(by) => format!(
            "credit-pacer: waited {secs} s so that your usage limits last. {why}{by}. credit-pacer status says more, Esc ends a \
             delay, credit-pacer off stops them."
        ),
        None => format!("credit-pacer: waited {secs} s. {why}."),
    }
}

/// "; set for this project: workdays (.claude/requirements.yaml:3)", of the keys that the project's files decide; nothing
/// where they decide none.
pub(crate) fn by_files(keys: impl Iterator<Item = (&'static str, Origin)>) -> String {
    let keys: Vec<String> = keys.map(|(key, origin)| format!("{key} ({origin})")).collect();
    if keys.is_empty() { String::new() } else { format!("; set for this project: {}", keys.join(", ")) }
}

/// At a session's start, if calls will wait.
pub(crate) fn likely(pace: &Pace, delay: Duration) -> String {
    format!(
        "credit-pacer: calls wait about {} s each for now. {} (credit-pacer status says more, credit-pacer off ends it)",
        whole_secs(delay).max(1),
        pace.reason
    )
}

fn whole_secs(delay: Duration) -> u64 {
    (delay + Duration::from_millis(500)).as_secs()
}

/// Without any reading: where readings come from.
pub(crate) fn no_readings(settings: &Settings) -> String {
    let api =
        if settings.usage_api.enabled { ", or from the usage API, which has not answered yet" } else { "" };
    format!(
        "credit-pacer: there are no usage readings, so nothing is delayed. They come from the status line, in a terminal with a \
         Pro or Max login, after the first answer (req hooks statusline sets it, where it is not set){api}"
    )
}

/// A window that is nearly used up: "credit-pacer: week 96 % used; resets Thu 16:00, in 4 d 3 h (pace-maker status)".
pub(crate) fn alert(name: &str, window: &usage::Window, rules: &Rules, now: i64) -> String {
    let used = whole(window.used_percent);
    let resets = rules.calendar.said(window.resets_at, now);
    let left = days_or_less(window.resets_at - now);
    let name = window_name(name);
    format!("credit-pacer: {name} {used} % used; resets {resets}, in {left} (pace-maker status)")
}

/// "4 d 3 h"; under a day "2 h 10 min", "25 min", "42 s".
fn days_or_less(secs: i64) -> String {
    match (secs / 86_400, secs % 86_400 / 3600) {
        (..=0, _) => duration(secs.max(0)),
        (days, 0) => format!("{days} d"),
        (days, hours) => format!("{days} d {hours} h"),
    }
}

/// A window as people call it; one that is not paced by, by the client's name.
fn window_name(name: &str) -> String {
    let known = pacing::Window::ALL.into_iter().find(|window| window.key() == name);
    known.map_or_else(|| name.replace('_', " "), |window| window.name().to_owned())
}

fn whole(percent: f64) -> String {
    format!("{percent:.0}")
}

#[cfg(test)]
mod tests {
    use super::days_or_less;

    #[test]
    fn a_reset_is_told_in_days_or_less() {
        for (secs, expected) in [
            (4 * 86_400 + 3 * 3600 + 59, "4 d 3 h"),
            (2 * 86_400 + 59, "2 d"),
            (86_399, "23 h 59 min"),
            (1500, "25 min"),
            (-1, "0 s"),
        ] {
            assert_eq!(days_or_less(secs), expected);
        }
    }
}
