//! What is said.

use std::time::Duration;

use shared::config::Origin;
use shared::usage;

use crate::history::spoken::duration;
use crate::pacing::{self, Pace, Rules, WindowPace};
use crate::settings::Settings;

/// After a delay: "paced 42 s: week 61 % used, 52 % planned by now; resets Fri 16:00".
///
/// The first of a session also says who speaks, what it is for, which files of the project have a say in it (`first`, as
/// [`by_files`] puts it), and what ends it.
pub(crate) fn paced(
    pace: &Pace,
    delay: Duration,
    first: Option<&str>,
    rules: &Rules,
    now: i64,
) -> Option<String> {
    let window = pace.windows.iter().find(|window| Some(window.window) == pace.constrained_window)?;
    let (secs, standing) = (whole_secs(delay), standing(window, rules, now));
    Some(if let Some(by) = first {
        let still = rules.standstill_clause(window, pacing::seconds(now));
        format!(
            "credit-pacer: paced {secs} s so that your credits last: {standing}{still}{by}. credit-pacer status says more, Esc ends \
             a delay, credit-pacer off stops them."
        )
    } else {
        format!("paced {secs} s: {standing}")
    })
}

/// "; set for this project: workdays (.claude/requirements.yaml:3)", of the keys that the project's files decide; nothing
/// where they decide none.
pub(crate) fn by_files(keys: impl Iterator<Item = (&'static str, Origin)>) -> String {
    let keys: Vec<String> = keys.map(|(key, origin)| format!("{key} ({origin})")).collect();
    if keys.is_empty() { String::new() } else { format!("; set for this project: {}", keys.join(", ")) }
}

/// At a session's start, where calls would wait: for how long, and why.
pub(crate) fn likely(pace: &Pace, delay: Duration, rules: &Rules, now: i64) -> String {
    let delaying = pace.windows.iter().filter(|window| window.delay_secs > 0.0);
    let windows: Vec<String> = delaying.map(|window| standing(window, rules, now)).collect();
    format!(
        "credit-pacer: calls wait about {} s each for now: {} (credit-pacer status says more, credit-pacer off ends it)",
        whole_secs(delay).max(1),
        windows.join("; ")
    )
}

fn whole_secs(delay: Duration) -> u64 {
    (delay + Duration::from_millis(500)).as_secs()
}

/// At a session's start, without any reading: where they come from.
pub(crate) fn no_readings(settings: &Settings) -> String {
    let api = if settings.usage_api.enabled { ", or the usage API, which has not answered yet" } else { "" };
    format!(
        "credit-pacer: no readings of the credits used, so nothing is paced: they come from the status line, in a terminal \
         with a Pro or Max login (req hooks statusline sets it){api}"
    )
}

/// A window that is nearly used up: "credit-pacer: week 96 % used; resets Thu 16:00, in 4 d 3 h (pace-maker status)".
pub(crate) fn alert(name: &str, window: &usage::Window, rules: &Rules, now: i64) -> String {
    let used = whole(window.used_percent);
    let resets = rules.local(window.resets_at, now);
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

/// "week 61 % used, 52 % planned by now; resets Fri 16:00".
fn standing(window: &WindowPace, rules: &Rules, now: i64) -> String {
    let name = window.window.name();
    let Some((_, reading)) = window.reading else { return name.to_owned() };
    format!(
        "{name} {} % used, {} % planned by now; resets {}",
        whole(reading.used_percent),
        whole(window.safe_percent),
        rules.local(reading.resets_at, now)
    )
}

/// A window as people call it; one that is not paced by, by the client's name.
fn window_name(name: &str) -> String {
    let known = crate::pacing::Window::ALL.into_iter().find(|window| window.key() == name);
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
