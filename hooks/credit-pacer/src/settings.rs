//! The settings. The defaults are in config/defaults.yaml, the common keys in `shared::config`.

mod written;

use pacing::Window;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use shared::config::{Bounded, Decimal, Fault, LayerKind, Sources, load};
use shared::hook::Hook;
use shared::switches::Position;

use crate::CreditPacer;

pub use written::{Day, DayRange, HoursOfDay, OneOrMore, Zone};

/// The section `credit-pacer`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The safe share of the usage that is allowed by now, in percent. The rest is a reserve, because readings lag behind.
    pub safety_buffer_pct: Decimal<1, 100>,
    /// Points above the safe line before calls are delayed.
    pub threshold_pct: Decimal<0, 100>,
    /// The shortest delay, in seconds. A shorter one is skipped.
    pub base_delay_secs: Decimal<0, 350>,
    /// The longest delay, in seconds. Claude Code gives the hook 360.
    pub max_delay_secs: Decimal<0, 350>,
    /// The longest time of all delays of a session in any hour, in seconds. Empty: no limit.
    pub max_total_delay_per_hour_secs: Option<Bounded<0, 3600>>,
    /// Times of day at which nothing is delayed, as in `["22:00-06:00"]`.
    pub quiet_hours: OneOrMore<HoursOfDay>,
    /// The age from which on a reading no longer counts, in seconds.
    pub stale_after_secs: Bounded<60, 86_400>,
    /// The time zone of working days: `system`, or a name as in `Europe/Berlin`.
    pub timezone: Zone,
    /// The days you work.
    pub workdays: OneOrMore<Day>,
    /// The hours you work on them, as in `["09:00-12:30", "13:30-18:00"]`. Empty: all day.
    pub work_hours: OneOrMore<HoursOfDay>,
    /// Days off: `2026-12-24`, or `2026-12-24..2027-01-01`, ends included.
    pub holidays: OneOrMore<DayRange>,
    /// The 5-hour limit.
    pub five_hour: WindowSettings,
    /// The weekly limit.
    pub seven_day: WindowSettings,
    /// Percent of a limit at which you get an alert, once per window, even while pacing is switched off.
    pub alerts: Vec<Bounded<1, 100>>,
    /// The history of usage and delays is kept for so many days.
    pub retention_days: Bounded<1, 3650>,
    /// The status line.
    pub statusline: StatusLine,
    /// The usage API.
    pub usage_api: UsageApi,
}

/// One window.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowSettings {
    /// Calls are delayed for this limit.
    pub enabled: bool,
    /// The usage that is allowed from the beginning of the window on, in percent.
    pub preload_pct: Decimal<0, 100>,
}

/// The status line.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusLine {
    /// The command of the status line you had before. Its output is shown below ours.
    pub chain: Option<String>,
}

/// The usage API.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UsageApi {
    /// The hook asks the usage API, with the login of Claude Code. To use that login elsewhere may be against the terms of your plan.
    pub enabled: bool,
    /// The address.
    pub url: String,
    /// The shortest time between two requests of all sessions together, in seconds.
    pub interval_secs: Bounded<300, 86_400>,
}

impl Settings {
    pub(crate) const fn window(&self, window: Window) -> WindowSettings {
        match window {
            Window::FiveHour => self.five_hour,
            Window::SevenDay => self.seven_day,
        }
    }

    /// The built-in defaults with these entries over them, maps key by key. `enabled: false` switches both windows off.
    pub(crate) fn over_defaults(entries: &Map<String, Value>) -> Result<Self, String> {
        let text = json!({ CreditPacer::NAME: entries }).to_string();
        let instead = Some((LayerKind::Global, text));
        let sources = Sources { global: Some("settings".into()), instead, ..Sources::default() };
        let section = load::<Self>(CreditPacer::section(), &sources, Position::Auto)
            .ok_or("the built-in defaults cannot be read")?;
        if let Some(problem) = section.problems.first() {
            let key = problem.key.trim_start_matches("credit-pacer.");
            return Err(match &problem.fault {
                Fault::Expected(what) => format!("{key}: expected {what}"),
                fault => format!("{key}: {fault}"),
            });
        }
        let mut settings = section.settings;
        settings.five_hour.enabled &= section.enabled;
        settings.seven_day.enabled &= section.enabled;
        Ok(settings)
    }
}

#[cfg(test)]
mod tests;
