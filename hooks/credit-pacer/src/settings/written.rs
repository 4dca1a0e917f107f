//! Values that are written as text: hours, days, a time zone. A wrong one is found while the file is read, so that the level
//! below counts.

use chrono::NaiveDate;
use pacing::Hours;
use schemars::JsonSchema;
use serde::Deserialize;

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
pub struct Zone(#[schemars(with = "String")] Option<chrono_tz::Tz>);

/// One value, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a value as in the manual, or a list of them")]
pub enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}

const HOURS: &str = "^([01]?[0-9]|2[0-3]):[0-5][0-9]-(([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00)$";

const DAYS: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(\.\.[0-9]{4}-[0-9]{2}-[0-9]{2})?$";

/// The machine's own time zone.
const SYSTEM: &str = "system";

const MINUTES_OF_DAY: u16 = 24 * 60;

impl Day {
    /// The days from Monday on.
    pub(crate) const WEEK: [Self; 7] =
        [Self::Mon, Self::Tue, Self::Wed, Self::Thu, Self::Fri, Self::Sat, Self::Sun];
}

impl Zone {
    /// The named zone; `None` for the machine's own.
    pub(crate) const fn named(&self) -> Option<chrono_tz::Tz> {
        self.0
    }
}

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
        let zone = if text == SYSTEM { Ok(None) } else { text.parse().map(Some) };
        zone.map(Self).map_err(|_| "not a time zone such as Europe/Berlin")
    }
}

#[cfg(test)]
mod tests;
