//! What is said.

use std::time::Duration;

use shared::usage;

use crate::pacing::{Pace, Rules, Status, WindowPace};
use crate::settings::Settings;

/// After a delay: "paced 42 s: week 61 % used, 52 % planned by now; resets Fri 16:00".
pub(crate) fn paced(pace: &Pace, delay: Duration, rules: &Rules, now: i64) -> Option<String> {
    let window = pace.windows.iter().find(|window| Some(window.window) == pace.constrained_window)?;
    let secs = (delay + Duration::from_millis(500)).as_secs();
    Some(format!("paced {secs} s: {}", standing(window, rules, now)))
}

/// At a session's start, over the safe line: what is to be expected.
pub(crate) fn likely(pace: &Pace, rules: &Rules, now: i64) -> String {
    let over = pace.windows.iter().filter(|window| window.status == Status::Over);
    let windows: Vec<String> = over.map(|window| standing(window, rules, now)).collect();
    format!(
        "credit-pacer: calls will be delayed today: {} (pace-maker status says more, pace-maker off ends it)",
        windows.join("; ")
    )
}

/// At a session's start, without any reading: where they come from.
pub(crate) fn no_readings(settings: &Settings) -> String {
    let api = if settings.usage_api.enabled { ", or the usage API, which has not answered yet" } else { "" };
    format!(
        "credit-pacer: no readings of the credits used, so nothing is paced: they come from the status line, in a terminal \
         with a Pro or Max login (req hooks statusline sets it){api}"
    )
}

/// A window that is nearly used up.
pub(crate) fn alert(name: &str, window: &usage::Window, rules: &Rules, now: i64) -> String {
    let used = whole(window.used_percent);
    let resets = rules.local(window.resets_at, now);
    format!("credit-pacer: {} {used} % used; resets {resets}", window_name(name))
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
