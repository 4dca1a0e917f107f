//! One satisfaction: that something was satisfied, when, by whom, until when.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::host::Timestamp;

/// Something was satisfied.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mark {
    /// When, in seconds since the epoch.
    pub satisfied_at: i64,
    /// By whom or what.
    pub satisfied_by: By,
    /// From when on it does not count any more, in seconds since the epoch; `None`: it stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// What is known beside that.
    pub metadata: Metadata,
}

/// By whom or what something was satisfied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum By {
    /// Claude, through `req satisfy` in its shell.
    Agent,
    /// The user, on a command line or in a prompt.
    User,
    /// A skill that completed.
    Skill,
    /// A command that passed.
    Evidence,
    /// The user, for a while (`req approve`).
    Approval,
    /// The user, for a while and with a reason (`req waive`).
    Waiver,
    /// A word of a newer version; nobody in particular.
    Other(String),
}

impl By {
    /// The word in the file.
    #[must_use]
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

impl Default for By {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

impl From<String> for By {
    fn from(word: String) -> Self {
        let known = [Self::Agent, Self::User, Self::Skill, Self::Evidence, Self::Approval, Self::Waiver];
        known.into_iter().find(|by| by.word() == word).unwrap_or(Self::Other(word))
    }
}

impl From<By> for String {
    fn from(by: By) -> Self {
        by.word().to_owned()
    }
}

/// What is known of a satisfaction beside who and when. Everything is optional, and what this code does not know is kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// The user or agent who marked it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// `CLAUDE_CODE_ENTRYPOINT` of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entrypoint: Option<String>,
    /// The reason given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The skill that completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The command that passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What the files were like when the command started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Value>,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The key under which a satisfaction's time stands to the microsecond: two satisfactions of one second are two satisfactions.
const AT_MICROS: &str = "at_us";

impl Metadata {
    /// The same, with the time to the microsecond.
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        self.other.insert(AT_MICROS.to_owned(), now.micros().into());
        self
    }
}

impl Mark {
    /// Made now, to stay.
    #[must_use]
    pub fn new(satisfied_by: By, now: Timestamp) -> Self {
        Self { satisfied_at: epoch_secs(now), satisfied_by, ..Self::default() }
    }

    /// The same, for so many seconds.
    #[must_use]
    pub fn for_secs(self, secs: u64) -> Self {
        let expires_at = Some(self.satisfied_at.saturating_add_unsigned(secs));
        Self { expires_at, ..self }
    }

    /// By which it is told from an earlier and a later satisfaction of the same requirement: its time in microseconds.
    pub(crate) fn identity(&self) -> i64 {
        let exact = self.metadata.other.get(AT_MICROS).and_then(Value::as_i64);
        exact.unwrap_or_else(|| self.satisfied_at.saturating_mul(1_000_000))
    }

    /// Its time has come.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| epoch_secs(now) >= end)
    }

    /// How old it is; zero if the clock went back.
    #[must_use]
    pub fn age_secs(&self, now: Timestamp) -> i64 {
        epoch_secs(now).saturating_sub(self.satisfied_at).max(0)
    }
}

/// The satisfaction counts for a requirement whose satisfactions hold for `ttl_secs`; `None`: as long as they say themselves.
#[must_use]
pub(crate) fn is_fresh(mark: &Mark, ttl_secs: Option<u64>, now: Timestamp) -> bool {
    let within = |ttl| u64::try_from(mark.age_secs(now)).is_ok_and(|age| age < ttl);
    !mark.is_expired(now) && ttl_secs.is_none_or(within)
}

/// Whole seconds since the epoch, as they stand in the files.
pub(super) const fn epoch_secs(now: Timestamp) -> i64 {
    now.micros().div_euclid(1_000_000)
}
