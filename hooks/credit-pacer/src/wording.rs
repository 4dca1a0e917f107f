//! The messages.

use std::time::Duration;

use pacing::{Pace, duration};
use shared::usage;

use crate::readings::paced;
use crate::settings::Settings;

/// After a delay: "waited 14 s. 5-hour limit: 62 % used at 14:10; at this pace ...". The first message of a session also says
/// what for, and how to end it.
pub(crate) fn waited(delay: Duration, why: &str, is_first: bool) -> String {
    let secs = delay.as_secs_f64();
    if !is_first {
        return format!("credit-pacer: waited {secs:.0} s. {why}.");
    }
    format!(
        "credit-pacer: waited {secs:.0} s so that your usage limits last. {why}. credit-pacer status says more, Esc ends a delay, \
         credit-pacer off stops them."
    )
}

/// At a session's start, if calls will wait.
pub(crate) fn likely(pace: &Pace, delay: Duration) -> String {
    format!(
        "credit-pacer: calls wait about {:.0} s each for now. {} (credit-pacer status says more, credit-pacer off ends it)",
        delay.as_secs_f64().max(1.0),
        pace.reason
    )
}

/// The sources of readings.
pub(crate) const SOURCES: &str = "readings come from the status line, in a terminal with a Pro or Max login, after the first \
                                  answer (req hooks statusline sets it, where it is not set)";

/// Without any reading.
pub(crate) fn no_readings(settings: &Settings) -> String {
    let api =
        if settings.usage_api.enabled { ", or from the usage API, which has not answered yet" } else { "" };
    format!("credit-pacer: there are no usage readings, so nothing is delayed; {SOURCES}{api}")
}

/// A window that is nearly used up: "credit-pacer: weekly limit 96 % used; resets in 4 d 3 h (credit-pacer status)".
pub(crate) fn alert(name: &str, window: &usage::Window, now: i64) -> String {
    let name = paced(name).map_or_else(|| name.replace('_', " "), |window| window.name().to_owned());
    let (used, left) = (window.used_percent, duration(window.resets_at - now));
    format!("credit-pacer: {name} {used:.0} % used; resets in {left} (credit-pacer status)")
}
