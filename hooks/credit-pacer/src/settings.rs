//! The settings. The defaults are in config/defaults.yaml, the common keys in `shared::config`. Hours, days and a time zone are
//! written as text: a wrong one is found while the file is read, so that the level below counts.

use chrono::NaiveDate;
use pacing::{Hours, Window};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use shared::config::{Bounded, Decimal, Fault, LayerKind, Sources, load};
use shared::hook::Hook;
use shared::switches::Position;

use crate::CreditPacer;

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
    /// Percent of a limit at which you get an alert, once per window, also after `credit-pacer off`.
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

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Day {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

/// A span of a day, as in `09:00-17:30`, or over midnight, as in `22:00-06:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, title = "hours such as 09:00-17:30", extend("minLength" = 1, "pattern" = HOURS))]
pub struct HoursOfDay(#[schemars(with = "String")] pub(crate) Hours);

/// Days, ends included, as in `2026-12-24` or `2026-12-24..2027-01-01`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(
    inline,
    title = "a day such as 2026-12-24, or days such as 2026-12-24..2027-01-01",
    extend("minLength" = 1, "pattern" = DAYS)
)]
pub struct DayRange(
    /// The first and the last one, in days since 1970-01-01.
    pub(crate) (i64, i64),
);

/// A time zone: `system`, or a known name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(
    inline,
    title = "system, or a time zone such as Europe/Berlin",
    extend("minLength" = 1, "pattern" = "^[A-Za-z0-9_+/-]+$")
)]
pub struct Zone(
    /// The named zone; `None` for the machine's own.
    #[schemars(with = "String")]
    pub(crate) Option<chrono_tz::Tz>,
);

/// One value, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a value as in the manual, or a list of them")]
pub enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}

const HOURS: &str = "^([01]?[0-9]|2[0-3]):[0-5][0-9]-(([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00)$";

const DAYS: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(\.\.[0-9]{4}-[0-9]{2}-[0-9]{2})?$";

const MINUTES_OF_DAY: u16 = 24 * 60;

impl<T> OneOrMore<T> {
    /// All of them.
    pub(crate) const fn as_slice(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::More(list) => list.as_slice(),
        }
    }
}

impl TryFrom<String> for HoursOfDay {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let ends = text.split_once('-').and_then(|(from, to)| minute_of_day(from).zip(minute_of_day(to)));
        ends.filter(|(from, to)| from != to && *from < MINUTES_OF_DAY)
            .map(|(from, to)| Self(Hours { from, to }))
            .ok_or("not hours such as 09:00-17:30")
    }
}

/// `9:05`, `17:30`, `24:00`.
fn minute_of_day(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    let is_time = hour <= 24 && minute < 60 && hour * 60 + minute <= MINUTES_OF_DAY;
    is_time.then_some(hour * 60 + minute)
}

impl TryFrom<String> for DayRange {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let (first, last) = text.split_once("..").unwrap_or((&text, &text));
        let range = date(first).zip(date(last)).filter(|(first, last)| first <= last);
        range.map(Self).ok_or("not a day such as 2026-12-24")
    }
}

/// In days since 1970-01-01.
fn date(text: &str) -> Option<i64> {
    let date: NaiveDate = text.parse().ok()?;
    Some(date.signed_duration_since(NaiveDate::default()).num_days())
}

impl TryFrom<String> for Zone {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let zone = if text == "system" { Ok(None) } else { text.parse().map(Some) };
        zone.map(Self).map_err(|_| "not a time zone such as Europe/Berlin")
    }
}

#[cfg(test)]
mod tests;
