//! The repository's record of what was satisfied: one file per branch in `<git common dir>/requirements`, and one for all
//! branches. A satisfaction, evidence, an approval and a waiver are one kind of record, see [`By`].
//!
//! [`Satisfactions`] is one such file as plain data: no clock, no disk. `Folder` reads and changes the files. Nobody removes
//! a satisfaction of somebody else by the way: a change is made to the file as it is inside the lock, and names whose
//! satisfactions it is about.

mod folder;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use shared::digest;
use shared::host::Timestamp;
use shared::state::MAX_NAME;

use crate::settings::Scope;
pub use folder::{Failure, Folder};

/// The labels of all but branches have a space, which no branch can have.
const ALL_BRANCHES: &str = "all branches";
const NO_GIT: &str = "no git";
const DETACHED: &str = "detached at ";

/// The satisfactions of one branch, or of all branches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Satisfactions {
    version: String,
    /// The owner, see [`Key::label`].
    branch: String,
    /// In seconds since the epoch.
    pub updated_at: i64,
    /// By name; each has a satisfaction at least.
    pub requirements: BTreeMap<String, Requirement>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Requirement {
    /// The satisfaction that counts for every session.
    pub everyone: Option<Satisfaction>,
    /// Satisfactions of single sessions, by full id.
    pub sessions: BTreeMap<String, Satisfaction>,
}

impl Satisfactions {
    pub(crate) fn none_of(key: &Key) -> Self {
        Self { branch: key.label().into_owned(), ..Self::default() }
    }

    /// The satisfaction of `name`: the session's own or everyone's; under the scopes `branch` and `permanent` only everyone's.
    /// For `permanent` those of [`Key::Permanent`] are the ones to ask.
    pub fn find(&self, name: &str, scope: Scope, session: &str, now: Timestamp) -> Option<&Satisfaction> {
        let requirement = self.requirements.get(name)?;
        let own = requirement.sessions.get(session).filter(|_| scope.is_own());
        own.into_iter().chain(&requirement.everyone).find(|found| !found.is_expired(now))
    }

    /// Records `name` as satisfied for one session, by its full id, or for everyone, in place of the earlier satisfaction.
    pub fn set(&mut self, name: &str, session: Option<&str>, satisfaction: Satisfaction) {
        let requirement = self.requirements.entry(name.to_owned()).or_default();
        match session {
            Some(id) => drop(requirement.sessions.insert(id.to_owned(), satisfaction)),
            None => requirement.everyone = Some(satisfaction),
        }
    }

    /// Removes the session's satisfaction of `name`, or of everything, or everyone's; and nobody else's.
    pub fn clear(&mut self, name: Option<&str>, session: Option<&str>) {
        for (known, requirement) in &mut self.requirements {
            match session {
                _ if name.is_some_and(|name| name != known) => {}
                Some(id) => drop(requirement.sessions.remove(id)),
                None => requirement.everyone = None,
            }
        }
        self.drop_empty();
    }

    /// Drops the satisfactions of sessions that are older than `keep_secs`: nobody clears up behind a session that ended.
    fn forget_sessions(&mut self, keep_secs: u64, now: Timestamp) {
        for requirement in self.requirements.values_mut() {
            requirement.sessions.retain(|_, satisfaction| satisfaction.age_secs(now) <= keep_secs);
        }
        self.drop_empty();
    }

    fn drop_empty(&mut self) {
        let is_kept = |of: &Requirement| of.everyone.is_some() || !of.sessions.is_empty();
        self.requirements.retain(|_, requirement| is_kept(requirement));
    }

    pub fn sessions(&self) -> BTreeSet<&str> {
        let ids = self.requirements.values().flat_map(|requirement| requirement.sessions.keys());
        ids.map(String::as_str).collect()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Satisfaction {
    /// In seconds since the epoch.
    pub satisfied_at: i64,
    pub satisfied_by: By,
    /// From when on it does not count any more, in seconds since the epoch; `None`: it stays.
    pub expires_at: Option<i64>,
    pub metadata: Metadata,
}

/// By whom or what something was satisfied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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
}

impl By {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::User => "user",
            Self::Skill => "skill",
            Self::Evidence => "evidence",
            Self::Approval => "approval",
            Self::Waiver => "waiver",
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// The time to the microsecond: two satisfactions of one second are two satisfactions.
    at_us: Option<i64>,
    /// `CLAUDE_CODE_ENTRYPOINT` of the session.
    pub entrypoint: Option<String>,
    pub note: Option<String>,
    pub command: Option<String>,
    /// Digest of the files when the command started, and the time.
    pub fingerprint: Option<String>,
    /// The setting that asked for the command: the file may ask for something else by tomorrow.
    pub asked: Option<String>,
}

impl Satisfaction {
    /// Made now, to stay.
    pub fn new(satisfied_by: By, now: Timestamp) -> Self {
        let metadata = Metadata { at_us: Some(now.micros()), ..Metadata::default() };
        Self { satisfied_at: now.secs(), satisfied_by, metadata, ..Self::default() }
    }

    pub fn with(mut self, change: impl FnOnce(&mut Metadata)) -> Self {
        change(&mut self.metadata);
        self
    }

    pub fn for_secs(self, secs: u64) -> Self {
        let expires_at = Some(self.satisfied_at.saturating_add_unsigned(secs));
        Self { expires_at, ..self }
    }

    /// Tells this satisfaction from others of the same requirement.
    pub(crate) fn identity(&self) -> i64 {
        self.metadata.at_us.unwrap_or_else(|| self.satisfied_at.saturating_mul(1_000_000))
    }

    fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| now.secs() >= end)
    }

    /// Zero if the clock went back.
    fn age_secs(&self, now: Timestamp) -> u64 {
        now.secs().saturating_sub(self.satisfied_at).max(0).unsigned_abs()
    }

    /// It counts for a requirement whose satisfactions hold for `ttl_secs`; `None`: as long as they say themselves.
    pub(crate) fn is_fresh(&self, ttl_secs: Option<u64>, now: Timestamp) -> bool {
        ttl_secs.is_none_or(|ttl| self.age_secs(now) < ttl)
    }
}

/// The owner of satisfactions.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// A branch by its short name (`feature/auth`), also one without a commit yet.
    Branch(String),
    /// A detached HEAD by its commit.
    Detached(String),
    /// A project without git.
    #[default]
    NoGit,
    /// All branches of the repository.
    Permanent,
}

impl Key {
    /// The value of `branch` in the file.
    pub(crate) fn label(&self) -> Cow<'_, str> {
        match self {
            Self::Branch(name) => Cow::Borrowed(name),
            Self::Detached(commit) => Cow::Owned(format!("{DETACHED}{commit}")),
            Self::NoGit => Cow::Borrowed(NO_GIT),
            Self::Permanent => Cow::Borrowed(ALL_BRANCHES),
        }
    }

    fn of_label(label: &str) -> Self {
        match (label, label.strip_prefix(DETACHED)) {
            (ALL_BRANCHES, _) => Self::Permanent,
            (NO_GIT, _) => Self::NoGit,
            (_, Some(commit)) => Self::Detached(commit.to_owned()),
            (branch, None) => Self::Branch(branch.to_owned()),
        }
    }

    /// As much of the name as leaves room for a hash and for endings that writers add.
    fn file_name(&self) -> String {
        let label = self.label();
        let name = match self {
            Self::Branch(name) => name,
            Self::Detached(commit) => &format!("detached-{commit}"),
            Self::NoGit => "no-git",
            Self::Permanent => "permanent",
        };
        let slug = |char: char| match char {
            '/' | '\\' => '-',
            '-' | '_' => char,
            other if other.is_alphanumeric() => other,
            // A dot is never left: behind it stands the hash.
            _ => '_',
        };
        let mut slug: String = name.chars().map(slug).collect();
        while slug.len() > MAX_NAME / 2 {
            slug.pop();
        }
        format!("{slug}.{}.json", digest::hex(label.as_bytes(), 8))
    }
}

#[cfg(test)]
mod tests;
