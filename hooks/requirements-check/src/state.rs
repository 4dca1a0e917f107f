//! What a session has done, as far as requirements ask: which calls triggered something, which edits made evidence due, which
//! runs are under way, which single-use satisfactions are taken. Satisfactions themselves are the repository's.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use shared::digest;
use shared::hook::{Reaction, ReactionKind, Remembered};

const MAX_RUNS: usize = 64;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// Requirements that a call which ran needed, and evidence whose files were changed: they are due at the end of a turn.
    #[serde(alias = "edited")]
    pub(crate) due: BTreeSet<String>,
    /// Single-use satisfactions that are taken.
    taken: BTreeMap<String, Taken>,
    /// Commands under way that may become evidence, the newest last.
    runs: Vec<Run>,
    /// Per evidence the last run that did not count.
    pub(crate) uncounted: BTreeMap<String, Uncounted>,
    /// Denials and blocks whose outcome is not known yet: their rule, and the requirements still asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    asked: BTreeMap<String, BTreeSet<String>>,
    /// Dynamic requirements past their warning.
    pub(crate) warned: BTreeSet<String>,
    /// Notices the user has read, by hash.
    told: BTreeSet<u64>,
}

/// A satisfaction by its identity: a later one of the same requirement is free.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Taken {
    identity: i64,
    /// The running call that holds it; none if it is used up.
    by: Option<String>,
}

/// A command under way that may become evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) call: String,
    /// The requirement.
    pub(crate) name: String,
    /// The command, secrets masked.
    pub(crate) command: String,
    /// Digest of the files when the command began, and the time.
    pub(crate) files: String,
}

/// A run that did not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Uncounted {
    pub(crate) shown: String,
    pub(crate) why: String,
    /// The line with which it would count.
    pub(crate) line: String,
}

impl Remembered for State {
    const FILE: &'static str = "*-requirements.json";
}

impl State {
    /// The satisfaction of that identity is used up, or held by another call than `call`.
    pub(crate) fn is_spent(&self, name: &str, identity: i64, call: Option<&str>) -> bool {
        let taken = self.taken.get(name).filter(|taken| taken.identity >= identity);
        taken.is_some_and(|taken| taken.by.is_none() || taken.by.as_deref() != call)
    }

    pub(crate) fn reserve(&mut self, name: &str, identity: i64, call: &str) {
        self.taken.insert(name.to_owned(), Taken { identity, by: Some(call.to_owned()) });
    }

    /// A call has succeeded: the satisfactions it held are used up. Returns them with their identities.
    pub(crate) fn spend(&mut self, call: &str) -> Vec<(String, i64)> {
        let held = self.taken.iter_mut().filter(|(_, taken)| taken.by.as_deref() == Some(call));
        let spend = |(name, taken): (&String, &mut Taken)| {
            taken.by = None;
            (name.clone(), taken.identity)
        };
        held.map(spend).collect()
    }

    /// A call has failed: the satisfactions it held are free again.
    pub(crate) fn release(&mut self, call: &str) {
        self.taken.retain(|_, taken| taken.by.as_deref() != Some(call));
    }

    /// The user has typed a prompt, so no call runs any more.
    pub(crate) fn release_all(&mut self) {
        self.taken.retain(|_, taken| taken.by.is_none());
    }

    pub(crate) fn begin(&mut self, run: Run) {
        self.runs.drain(..(self.runs.len() + 1).saturating_sub(MAX_RUNS));
        self.runs.push(run);
    }

    pub(crate) fn running(&self, call: &str, name: &str) -> Option<&Run> {
        self.runs.iter().find(|run| run.call == call && run.name == name)
    }

    /// Takes out the runs of a call that has ended.
    pub(crate) fn end(&mut self, call: &str) -> Vec<Run> {
        self.runs.extract_if(.., |run| run.call == call).collect()
    }

    /// Those notices that the user has not read in this session, as one; from now on they count as read.
    pub(crate) fn untold(&mut self, notes: &[String]) -> Option<String> {
        let fresh = notes.iter().filter(|note| self.told.insert(digest::number(note)));
        let fresh: Vec<&str> = fresh.map(String::as_str).collect();
        (!fresh.is_empty()).then(|| fresh.join("\n"))
    }

    /// A denial or a block, by its rule, asks for these requirements.
    pub(crate) fn ask<'a>(&mut self, rule: &str, names: impl Iterator<Item = &'a str>) {
        self.asked.insert(rule.to_owned(), names.map(ToOwned::to_owned).collect());
    }

    /// Outcomes of denials and blocks, each once: followed when all they ask for is done, overridden as soon as one
    /// requirement is. `of` knows the outcome of a requirement.
    pub(crate) fn settle(&mut self, of: impl Fn(&str) -> Option<ReactionKind>) -> Vec<Reaction> {
        let mut reactions = Vec::new();
        self.asked.retain(|rule, names| {
            let is_overridden = names.iter().any(|name| of(name) == Some(ReactionKind::Overridden));
            names.retain(|name| of(name).is_none());
            if !is_overridden && !names.is_empty() {
                return true;
            }
            let how = if is_overridden { ReactionKind::Overridden } else { ReactionKind::Followed };
            reactions.push(how.of(rule.clone()));
            false
        });
        reactions
    }
}

#[cfg(test)]
mod tests;
