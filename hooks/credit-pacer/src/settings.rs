//! What can be set. The defaults are in config/defaults.yaml, the common keys in `shared::config`. The original tool's own
//! names are taken as well.

mod over_defaults;
mod written;

use pacing::Window;
use schemars::JsonSchema;
use serde::Deserialize;
use shared::config::{Bounded, Decimal, LayerKind, Origin, SettingFault};

pub use written::{Day, DayRange, HoursOfDay, OneOrMore, Zone};

/// The section `credit-pacer`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// So much of what is allowed by now may be used, in percent: the rest is a reserve, because readings lag behind.
    pub safety_buffer_pct: Decimal<1, 100>,
    /// Points above the safe line before calls are delayed.
    pub threshold_pct: Decimal<0, 100>,
    /// Delays shorter than this are skipped, in seconds.
    pub base_delay_secs: Decimal<0, 350>,
    /// A longer delay is cut to this, in seconds; the client gives the hook 360.
    pub max_delay_secs: Decimal<0, 350>,
    /// All delays of a session in any hour together, in seconds. Empty: no limit.
    pub max_total_delay_per_hour_secs: Option<Bounded<0, 3600>>,
    /// Times of day at which nothing is delayed, as in `["22:00-06:00"]`.
    pub quiet_hours: OneOrMore<HoursOfDay>,
    /// An older reading says nothing about now, in seconds.
    pub stale_after_secs: Bounded<60, 86_400>,
    /// The time zone of working days: `system`, or a name as in `Europe/Berlin`.
    pub timezone: Zone,
    /// The days you work.
    pub workdays: OneOrMore<Day>,
    /// The hours you work on them, as in `["09:00-12:30", "13:30-18:00"]`. Empty: all day.
    pub work_hours: OneOrMore<HoursOfDay>,
    /// Days off: `2026-12-24`, or `2026-12-24..2027-01-01`, ends included.
    pub holidays: OneOrMore<DayRange>,
    /// The window of five hours.
    pub five_hour: WindowSettings,
    /// The window of seven days.
    pub seven_day: WindowSettings,
    /// At so many percent used you are told, once per window, even while pacing is switched off.
    pub alerts: Vec<Bounded<1, 100>>,
    /// What was used when is kept for so many days.
    pub retention_days: Bounded<1, 3650>,
    /// The status line.
    pub statusline: StatusLine,
    /// The usage API.
    pub usage_api: UsageApi,

    /// The original tool's name of `threshold_pct`. Where it stands, it counts.
    pub threshold_percent: Option<Decimal<0, 100>>,
    /// The original tool's name of `base_delay_secs`. Where it stands, it counts.
    pub base_delay: Option<Decimal<0, 350>>,
    /// The original tool's name of `max_delay_secs`. Where it stands, it counts.
    pub max_delay: Option<Decimal<0, 350>>,
    /// The original tool's way to say `seven_day.preload_pct`: in hours of 120. Where it stands, it counts.
    pub preload_hours: Option<Decimal<0, 120>>,
    /// The original tool's name of `five_hour.enabled`. Where it stands, it counts.
    pub five_hour_limit_enabled: Option<bool>,
    /// The original tool's name of `seven_day.enabled`. Where it stands, it counts.
    pub weekly_limit_enabled: Option<bool>,
}

/// One window.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowSettings {
    /// Calls are paced by this window.
    pub enabled: bool,
    /// So much may be used from its beginning on, in percent.
    pub preload_pct: Decimal<0, 100>,
}

/// The status line.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusLine {
    /// A command of yours that prints below ours what it is given: the status line you had before.
    pub chain: Option<String>,
}

/// The usage API.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UsageApi {
    /// It is asked, with the login of Claude Code: to use that elsewhere may be against the terms of your plan.
    pub enabled: bool,
    /// Where it is.
    pub url: String,
    /// It is asked at most once in so many seconds, by all sessions together.
    pub interval_secs: Bounded<300, 86_400>,
    /// The original tool's name of `interval_secs`. Where it stands, it counts.
    pub poll_interval: Option<Bounded<300, 86_400>>,
}

/// The keys by which it is decided whether a call waits, and for how long, as paths within the section.
const DECIDING: [&str; 22] = [
    "headless",
    "safety_buffer_pct",
    "threshold_pct",
    "threshold_percent",
    "base_delay_secs",
    "base_delay",
    "max_delay_secs",
    "max_delay",
    "max_total_delay_per_hour_secs",
    "quiet_hours",
    "stale_after_secs",
    "timezone",
    "workdays",
    "work_hours",
    "holidays",
    "five_hour.enabled",
    "five_hour_limit_enabled",
    "five_hour.preload_pct",
    "seven_day.enabled",
    "weekly_limit_enabled",
    "seven_day.preload_pct",
    "preload_hours",
];

/// Which of the keys that decide about delays a file of the project decides, by where each key comes from.
pub(crate) fn by_project(
    origin: &dyn Fn(&str) -> Option<Origin>,
) -> impl Iterator<Item = (&'static str, Origin)> {
    let set = DECIDING.into_iter().filter_map(|key| Some((key, origin(key)?)));
    set.filter(|(_, origin)| matches!(origin.layer, LayerKind::Project | LayerKind::Local))
}

/// The working hours of a week of five whole days, by which the original tool counts its preload.
const PRELOAD_HOURS: f64 = 120.0;

impl Settings {
    /// So many points above the safe line are let pass.
    pub(crate) fn threshold_points(&self) -> f64 {
        self.threshold_percent.unwrap_or(self.threshold_pct).get()
    }

    /// Delays shorter than this are skipped, in seconds.
    pub(crate) fn shortest_delay(&self) -> f64 {
        self.base_delay.unwrap_or(self.base_delay_secs).get()
    }

    /// A longer delay is cut to this, in seconds.
    pub(crate) fn longest_delay(&self) -> f64 {
        self.max_delay.unwrap_or(self.max_delay_secs).get()
    }

    /// What keeps delays from ever being, though each key is right by itself. A longest delay of 0 is a way to have none.
    pub(crate) fn faults(&self) -> Vec<SettingFault> {
        let longest = self.longest_delay();
        if longest <= 0.0 || longest >= self.shortest_delay() {
            return Vec::new();
        }
        let longest = if self.max_delay.is_some() { "max_delay" } else { "max_delay_secs" };
        let shortest = if self.base_delay.is_some() { "base_delay" } else { "base_delay_secs" };
        vec![SettingFault {
            path: vec![longest.to_owned()],
            what: format!("is below {shortest}, so nothing is ever delayed: lower {shortest} too"),
        }]
    }

    /// The window is paced by.
    pub(crate) fn is_paced_by(&self, window: Window) -> bool {
        match window {
            Window::FiveHour => self.five_hour_limit_enabled.unwrap_or(self.five_hour.enabled),
            Window::SevenDay => self.weekly_limit_enabled.unwrap_or(self.seven_day.enabled),
        }
    }

    /// The key that decides whether the window is paced by, as a path within the section.
    pub(crate) fn enabled_key(&self, window: Window) -> String {
        match window {
            Window::FiveHour if self.five_hour_limit_enabled.is_some() => {
                "five_hour_limit_enabled".to_owned()
            }
            Window::SevenDay if self.weekly_limit_enabled.is_some() => "weekly_limit_enabled".to_owned(),
            _ => format!("{}.enabled", window.key()),
        }
    }

    /// So much of the window may be used from its beginning on, in percent.
    pub(crate) fn preload_percent(&self, window: Window) -> f64 {
        match (window, self.preload_hours) {
            (Window::FiveHour, _) => self.five_hour.preload_pct.get(),
            (Window::SevenDay, None) => self.seven_day.preload_pct.get(),
            (Window::SevenDay, Some(hours)) => hours.get() / PRELOAD_HOURS * 100.0,
        }
    }
}

impl UsageApi {
    /// It is asked at most once in so many seconds.
    pub(crate) fn least_interval_secs(&self) -> u32 {
        self.poll_interval.unwrap_or(self.interval_secs).get()
    }
}

#[cfg(test)]
mod tests;
