//! The repository's record of what was satisfied: one file per branch in `<git common dir>/requirements`, and one for all
//! branches. A satisfaction, evidence, an approval and a waiver are one kind of record, see [`By`].
//!
//! [`Satisfactions`] is one such file as plain data: no clock, no disk. `Folder` reads and changes the files. Nobody removes
//! a satisfaction of somebody else by the way: a change is made to the file as it is inside the lock, and names whose
//! satisfactions it is about.

mod folder;
mod key;
mod satisfaction;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use shared::host::Timestamp;

pub use crate::registry::resolve_session;
use crate::settings::Scope;
pub use folder::Listed;
pub(crate) use folder::{Failure, Folder};
pub use key::Key;
pub(crate) use satisfaction::is_fresh;
pub use satisfaction::{By, Metadata, Satisfaction};

/// The version that is written. Raised when a field is added, because an older writer would drop it.
const VERSION: u32 = 2;

/// The satisfactions of one branch, or of all branches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Satisfactions {
    version: String,
    /// The owner, see [`Key::label`].
    pub(crate) branch: String,
    /// Root of the work tree they were changed from last.
    pub(crate) project: String,
    /// In seconds since the epoch.
    pub(crate) created_at: i64,
    /// In seconds since the epoch.
    pub(crate) updated_at: i64,
    /// By name; each has a satisfaction at least.
    pub requirements: BTreeMap<String, Requirement>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Requirement {
    /// The scope when it was satisfied last. The configured scope decides which satisfactions count.
    pub(crate) scope: Scope,
    /// The satisfaction that counts for every session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub everyone: Option<Satisfaction>,
    /// Satisfactions of single sessions, by full id.
    pub sessions: BTreeMap<String, Satisfaction>,
}

/// For whom a satisfaction counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder<'a> {
    /// For one session, by its full id.
    Session(&'a str),
    Everyone,
}

fn is_newer(version: &str) -> bool {
    version.parse().is_ok_and(|version: u32| version > VERSION)
}

impl Satisfactions {
    pub(crate) fn none_of(key: &Key) -> Self {
        Self { version: VERSION.to_string(), branch: key.label().into_owned(), ..Self::default() }
    }

    fn is_newer(&self) -> bool {
        is_newer(&self.version)
    }

    /// The satisfaction of `name`: the session's own or everyone's; under the scopes `branch` and `permanent` only everyone's.
    /// For `permanent` those of [`Key::Permanent`] are the ones to ask.
    pub(crate) fn find(
        &self,
        name: &str,
        scope: Scope,
        session: &str,
        now: Timestamp,
    ) -> Option<&Satisfaction> {
        let requirement = self.requirements.get(name)?;
        let is_own = matches!(scope, Scope::Session | Scope::SingleUse);
        let own = requirement.sessions.get(session).filter(|_| is_own);
        own.into_iter().chain(&requirement.everyone).find(|found| !found.is_expired(now))
    }

    /// Records `name` as satisfied, in place of the holder's earlier satisfaction.
    pub fn set(&mut self, name: &str, scope: Scope, holder: Holder<'_>, satisfaction: Satisfaction) {
        let requirement = self.requirements.entry(name.to_owned()).or_default();
        requirement.scope = scope;
        match holder {
            Holder::Session(id) => drop(requirement.sessions.insert(id.to_owned(), satisfaction)),
            Holder::Everyone => requirement.everyone = Some(satisfaction),
        }
    }

    /// Removes the holder's satisfaction of `name`, or of everything, and nobody else's.
    pub fn clear(&mut self, name: Option<&str>, holder: Holder<'_>) {
        let named = |known: &String| name.is_none_or(|name| name == known);
        for (_, requirement) in self.requirements.iter_mut().filter(|(known, _)| named(known)) {
            match holder {
                Holder::Session(id) => drop(requirement.sessions.remove(id)),
                Holder::Everyone => requirement.everyone = None,
            }
        }
        self.drop_empty();
    }

    /// Drops the satisfactions of sessions that are older than `keep_secs`: nobody clears up behind a session that ended.
    fn forget_sessions(&mut self, keep_secs: i64, now: Timestamp) {
        for requirement in self.requirements.values_mut() {
            requirement.sessions.retain(|_, satisfaction| satisfaction.age_secs(now) <= keep_secs);
        }
        self.drop_empty();
    }

    /// The sessions that have satisfactions here.
    pub(crate) fn sessions(&self) -> BTreeSet<&str> {
        let ids = self.requirements.values().flat_map(|requirement| requirement.sessions.keys());
        ids.map(String::as_str).collect()
    }

    fn drop_empty(&mut self) {
        self.requirements
            .retain(|_, requirement| requirement.everyone.is_some() || !requirement.sessions.is_empty());
    }
}

#[cfg(test)]
mod tests;
