//! Points in time as whole microseconds, and where they are read. Formatted as RFC 3339 for
//! the journal, and as local time for people.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

pub const HOUR: Duration = Duration::from_secs(60 * 60);

pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Microseconds since 1970-01-01 UTC. Microseconds, because two processes of one tool call start within one millisecond.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(1_000_000))
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Whole seconds since the epoch.
    pub const fn secs(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// How long after `earlier` this is; zero if the clock went back in between.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(micros(duration)))
    }

    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(micros(duration)))
    }

    /// `2026-11-21T07:46:38.681Z`.
    pub fn rfc3339(self) -> String {
        chrono::DateTime::from_timestamp_micros(self.0)
            .map(|time| time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true))
            .unwrap_or_default()
    }

    /// Reads what [`Self::rfc3339`] writes; `None` if it is no such time.
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        let time = chrono::DateTime::parse_from_rfc3339(text).ok()?;
        Some(Self(time.timestamp_micros()))
    }

    /// `2026-11-21 08:46:38`, where the reader's clock hangs: for people.
    pub fn local(self) -> String {
        let time = chrono::DateTime::from_timestamp_micros(self.0);
        time.map(|time| time.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M:%S").to_string())
            .unwrap_or_default()
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        Self(time.duration_since(UNIX_EPOCH).map_or(0, micros))
    }
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> Self {
        UNIX_EPOCH + Duration::from_micros(u64::try_from(time.0).unwrap_or(0))
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// For `#[serde(with)]`: a time as RFC 3339.
pub mod rfc3339 {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Timestamp;

    pub fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&at.rfc3339())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(deserializer)?;
        Timestamp::from_rfc3339(&text).ok_or_else(|| D::Error::custom("no time"))
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Clock {
    System,
    /// A test's own time, which stands still.
    Fixed(Timestamp),
}

impl Clock {
    pub fn now(self) -> Timestamp {
        match self {
            Self::System => SystemTime::now().into(),
            Self::Fixed(time) => time,
        }
    }
}
