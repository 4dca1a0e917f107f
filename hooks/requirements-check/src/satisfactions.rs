//! The repository's record of what was satisfied: one file per branch in `<git common dir>/requirements`, and one for all
//! branches.
//!
//! [`BranchMarks`] is one such file as plain data, with what is asked of it and done to it: no clock, no disk.
//! `MarkFolder` reads and changes the files. Nobody removes a satisfaction of somebody else by the way: a change is made to
//! the file as it is inside the lock, and names whose satisfactions it is about.

mod folder;
mod key;
mod mark;
mod sessions;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use shared::host::Timestamp;

use crate::settings::Scope;
pub use folder::Listed;
pub(crate) use folder::{FolderError, MarkFolder};
pub use key::Key;
pub(crate) use mark::is_fresh;
pub use mark::{By, Mark, Metadata};
pub use sessions::resolve_session;

/// The satisfactions of one branch, or of all branches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BranchMarks {
    /// Whose marks these are, see [`Key::label`].
    pub(crate) branch: String,
    /// Root of the work tree they were changed from last.
    pub(crate) project: String,
    /// When the file was made, in seconds since the epoch.
    pub(crate) created_at: i64,
    /// When it was changed last, in seconds since the epoch.
    pub(crate) updated_at: i64,
    /// By name; each has a satisfaction at least.
    pub requirements: BTreeMap<String, Requirement>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Requirement {
    /// Its scope when it was marked last. Which satisfactions count is decided by the scope it is configured with.
    pub(crate) scope: Scope,
    /// The satisfaction that counts for every session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub everyone: Option<Mark>,
    /// Satisfactions of single sessions, by full id.
    pub sessions: BTreeMap<String, Mark>,
}

/// For whom a satisfaction counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder<'a> {
    /// For one session, by its full id.
    Session(&'a str),
    /// For every session.
    Everyone,
}

impl BranchMarks {
    /// No satisfactions yet.
    #[must_use]
    pub(crate) fn new(key: &Key) -> Self {
        Self { branch: key.label().into_owned(), ..Self::default() }
    }

    /// The satisfaction by which `name` is met: the session's own or everyone's; under the scopes `branch` and `permanent` only
    /// everyone's. For `permanent` the marks of [`Key::Permanent`] are the ones to ask.
    #[must_use]
    pub(crate) fn mark(&self, name: &str, scope: Scope, session: &str, now: Timestamp) -> Option<&Mark> {
        self.candidates(name, scope, session).find(|mark| !mark.is_expired(now))
    }

    /// Both satisfactions that can count for a session, its own first.
    fn candidates(&self, name: &str, scope: Scope, session: &str) -> impl Iterator<Item = &Mark> {
        let requirement = self.requirements.get(name);
        let everyones = requirement.and_then(|requirement| requirement.everyone.as_ref());
        let own = match scope {
            Scope::Session | Scope::SingleUse => self.own_mark(name, session),
            Scope::Branch | Scope::Permanent => None,
        };
        own.into_iter().chain(everyones)
    }

    fn own_mark(&self, name: &str, session: &str) -> Option<&Mark> {
        self.requirements.get(name)?.sessions.get(session)
    }

    /// Records `name` as satisfied, in place of the holder's earlier satisfaction.
    pub fn set(&mut self, name: &str, scope: Scope, holder: Holder<'_>, mark: Mark) {
        let requirement = self.requirements.entry(name.to_owned()).or_default();
        requirement.scope = scope;
        match holder {
            Holder::Session(id) => drop(requirement.sessions.insert(id.to_owned(), mark)),
            Holder::Everyone => requirement.everyone = Some(mark),
        }
    }

    /// Removes the holder's satisfaction of `name`, and nobody else's; whether there was one.
    pub fn clear(&mut self, name: &str, holder: Holder<'_>) -> bool {
        let cleared = self.requirements.get_mut(name).is_some_and(|requirement| requirement.clear(holder));
        self.drop_empty();
        cleared
    }

    /// Removes all of the holder's satisfactions, and nobody else's; how many there were.
    pub fn clear_all(&mut self, holder: Holder<'_>) -> usize {
        let cleared =
            self.requirements.values_mut().filter_map(|requirement| requirement.clear(holder).then_some(()));
        let count = cleared.count();
        self.drop_empty();
        count
    }

    /// Drops the satisfactions of sessions that are older than `keep_secs`: nobody clears up behind a session that ended.
    pub(crate) fn forget_sessions(&mut self, keep_secs: i64, now: Timestamp) {
        for requirement in self.requirements.values_mut() {
            requirement.sessions.retain(|_, mark| mark.age_secs(now) <= keep_secs);
        }
        self.drop_empty();
    }

    /// The sessions that have satisfactions here.
    #[must_use]
    pub(crate) fn sessions(&self) -> BTreeSet<&str> {
        let keys = self.requirements.values().flat_map(|requirement| requirement.sessions.keys());
        keys.map(String::as_str).collect()
    }

    fn drop_empty(&mut self) {
        self.requirements
            .retain(|_, requirement| requirement.everyone.is_some() || !requirement.sessions.is_empty());
    }
}

impl Requirement {
    fn clear(&mut self, holder: Holder<'_>) -> bool {
        match holder {
            Holder::Session(id) => self.sessions.remove(id).is_some(),
            Holder::Everyone => self.everyone.take().is_some(),
        }
    }
}

#[cfg(test)]
mod tests;
