//! Texts that must be more than text: hours, days, a time zone. A wrong one is caught where the file is read, so that the
//! level below counts.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use chrono::NaiveDate;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{SeqAccessDeserializer, StrDeserializer};
use serde::de::{self, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Day {
    /// Monday.
    Mon,
    /// Tuesday.
    Tue,
    /// Wednesday.
    Wed,
    /// Thursday.
    Thu,
    /// Friday.
    Fri,
    /// Saturday.
    Sat,
    /// Sunday.
    Sun,
}

/// A span of a day, as in `09:00-17:30`, or over midnight, as in `22:00-06:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct HoursOfDay {
    /// In minutes since midnight.
    pub(crate) from: u16,
    /// In minutes since midnight, 1440 for its end; before `from`: on the next day. Never the same.
    pub(crate) to: u16,
}

/// Days, ends included, as in `2026-12-24` or `2026-12-24..2027-01-01`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct DayRange {
    /// In days since 1970-01-01.
    pub(crate) first: i64,
    /// Included.
    pub(crate) last: i64,
}

/// A time zone: `system`, or a name that is known.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Zone(String);

/// One value, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(untagged)]
pub enum OneOrMore<T> {
    /// One.
    One(T),
    /// A list.
    More(Vec<T>),
}

/// The machine's own time zone.
const SYSTEM: &str = "system";

/// What can be one value of a list, and is written as text.
pub trait Written {
    /// How it is written, for who has it wrong.
    const EXPECTED: &'static str;
}

impl Written for Day {
    const EXPECTED: &'static str = "a day of the week as in \"mon\"";
}

impl Written for HoursOfDay {
    const EXPECTED: &'static str = "a time range as in \"22:00-06:00\"";
}

impl Written for DayRange {
    const EXPECTED: &'static str = "a day as in \"2026-12-24\"";
}

/// A time of day, hours with one digit or two.
const TIME_PATTERN: &str = "([01]?[0-9]|2[0-3]):[0-5][0-9]";

const DATE_PATTERN: &str = "[0-9]{4}-[0-9]{2}-[0-9]{2}";

const MINUTES_OF_DAY: u16 = 24 * 60;

impl Day {
    /// All of them, Monday first, as they are written.
    pub(crate) const WEEK: [(Self, &str); 7] = [
        (Self::Mon, "mon"),
        (Self::Tue, "tue"),
        (Self::Wed, "wed"),
        (Self::Thu, "thu"),
        (Self::Fri, "fri"),
        (Self::Sat, "sat"),
        (Self::Sun, "sun"),
    ];
}

impl Zone {
    /// It is the machine's own.
    pub(crate) fn is_system(&self) -> bool {
        self.0 == SYSTEM
    }

    /// The zone's name, or `system`.
    pub(crate) fn name(&self) -> &str {
        &self.0
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

impl<'de, T: Deserialize<'de> + Written> Deserialize<'de> for OneOrMore<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader(PhantomData))
    }
}

/// Says of a wrong value what is expected, which serde does not of an untagged enum.
struct Reader<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Written> Visitor<'de> for Reader<T> {
    type Value = OneOrMore<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}, or a list of them", T::EXPECTED)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        let one = T::deserialize(StrDeserializer::<E>::new(text));
        one.map(OneOrMore::One).map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        let list = Vec::deserialize(SeqAccessDeserializer::new(list));
        list.map(OneOrMore::More).map_err(|error| de::Error::custom(format_args!("{error}; expected {self}")))
    }
}

impl<'de, T: Deserialize<'de> + Written> fmt::Display for Reader<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expecting(formatter)
    }
}

impl TryFrom<String> for HoursOfDay {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let hours = text.split_once('-').and_then(|(from, to)| {
            let from = minute_of_day(from).filter(|from| *from < MINUTES_OF_DAY)?;
            Some(Self { from, to: minute_of_day(to)? }).filter(|hours| hours.from != hours.to)
        });
        hours.ok_or("not hours such as 09:00-17:30")
    }
}

/// `9:05`, `17:30`, `24:00`.
fn minute_of_day(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u16>().ok());
    let is_written_so = (1..=2).contains(&hour.len()) && minute.len() == 2;
    let (hour, minute) = (number(hour)??, number(minute)??);
    let sum = hour * 60 + minute;
    (is_written_so && minute < 60 && sum <= MINUTES_OF_DAY).then_some(sum)
}

impl TryFrom<String> for DayRange {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let (first, last) = text.split_once("..").unwrap_or((&text, &text));
        let range = date(first).zip(date(last)).filter(|(first, last)| first <= last);
        range.map(|(first, last)| Self { first, last }).ok_or("not a day such as 2026-12-24")
    }
}

/// In days since 1970-01-01.
fn date(text: &str) -> Option<i64> {
    let is_written_so =
        text.len() == "2026-12-24".len() && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
    let date: NaiveDate = if is_written_so { text.parse().ok()? } else { return None };
    Some(date.signed_duration_since(NaiveDate::default()).num_days())
}

impl TryFrom<String> for Zone {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_known = text == SYSTEM || text.parse::<chrono_tz::Tz>().is_ok();
        if is_known { Ok(Self(text)) } else { Err("not a time zone such as Europe/Berlin") }
    }
}

macro_rules! text_schema {
    ($type:ty, $name:literal, $title:literal, $pattern:expr) => {
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "title": $title, "minLength": 1, "pattern": $pattern })
            }
        }
    };
}

text_schema!(
    HoursOfDay,
    "HoursOfDay",
    "hours such as 09:00-17:30",
    format!("^{TIME_PATTERN}-({TIME_PATTERN}|24:00)$")
);
text_schema!(
    DayRange,
    "DayRange",
    "a day such as 2026-12-24, or days such as 2026-12-24..2027-01-01",
    format!("^{DATE_PATTERN}(\\.\\.{DATE_PATTERN})?$")
);
text_schema!(Zone, "Zone", "system, or a time zone such as Europe/Berlin", "^[A-Za-z0-9_+/-]+$");

#[cfg(test)]
mod tests;
