//! One satisfaction: that something was satisfied, when, by whom, until when.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::host::Timestamp;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Satisfaction {
    /// In seconds since the epoch.
    pub satisfied_at: i64,
    pub satisfied_by: By,
    /// From when on it does not count any more, in seconds since the epoch; `None`: it stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    pub metadata: Metadata,
}

/// By whom or what something was satisfied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Claude, through `req satisfy` in its shell.
    #[default]
    Agent,
    /// The user, on a command line or in a prompt.
    User,
    Skill,
    Evidence,
    /// The user, for a while (`req approve`).
    Approval,
    /// The user, for a while and with a reason (`req waive`).
    Waiver,
    /// A word of a newer version; nobody in particular.
    #[serde(untagged)]
    Other(String),
}

impl By {
    pub fn word(&self) -> &str {
        match self {
            Self::Agent => "agent",
            Self::User => "user",
            Self::Skill => "skill",
            Self::Evidence => "evidence",
            Self::Approval => "approval",
            Self::Waiver => "waiver",
            Self::Other(word) => word,
        }
    }
}

/// Details of a satisfaction. All are optional, and unknown ones are kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// `user` or `agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// `CLAUDE_CODE_ENTRYPOINT` of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entrypoint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Digest of the files when the command started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Value>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The key under which the time stands to the microsecond: two satisfactions of one second are two satisfactions.
const AT_MICROS: &str = "at_us";

impl Metadata {
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        self.other.insert(AT_MICROS.to_owned(), now.micros().into());
        self
    }
}

impl Satisfaction {
    /// Made now, to stay.
    pub fn new(satisfied_by: By, now: Timestamp) -> Self {
        Self { satisfied_at: epoch_secs(now), satisfied_by, ..Self::default() }
    }

    /// The same, for so many seconds.
    pub fn for_secs(self, secs: u64) -> Self {
        let expires_at = Some(self.satisfied_at.saturating_add_unsigned(secs));
        Self { expires_at, ..self }
    }

    /// The time in microseconds, which tells this satisfaction from others of the same requirement.
    pub(crate) fn identity(&self) -> i64 {
        let exact = self.metadata.other.get(AT_MICROS).and_then(Value::as_i64);
        exact.unwrap_or_else(|| self.satisfied_at.saturating_mul(1_000_000))
    }

    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| epoch_secs(now) >= end)
    }

    /// Zero if the clock went back.
    pub fn age_secs(&self, now: Timestamp) -> i64 {
        epoch_secs(now).saturating_sub(self.satisfied_at).max(0)
    }
}

/// The satisfaction counts for a requirement whose satisfactions hold for `ttl_secs`; `None`: as long as they say themselves.
pub(crate) fn is_fresh(satisfaction: &Satisfaction, ttl_secs: Option<u64>, now: Timestamp) -> bool {
    let age = satisfaction.age_secs(now).unsigned_abs();
    !satisfaction.is_expired(now) && ttl_secs.is_none_or(|ttl| age < ttl)
}

/// Whole seconds since the epoch, as they stand in the files.
pub(super) const fn epoch_secs(now: Timestamp) -> i64 {
    now.micros().div_euclid(1_000_000)
}
