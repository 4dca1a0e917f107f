//! What a session has done, as far as requirements ask: which calls needed something, which edits made evidence due, which
//! runs are under way, which marks are taken. Marks themselves are the repository's (`marks`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::hook::{Reaction, ReactionKind, Remembered};
use shared::host::Timestamp;

use crate::wording::hash;

/// The same denial within this time is a parallel one: a model that tries again takes longer.
const PARALLEL_FOR: Duration = Duration::from_secs(1);

/// So many runs under way are remembered.
const MAX_RUNS: usize = 64;

/// What a session has done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// Requirements that a call which ran needed.
    pub(crate) triggered: BTreeSet<String>,
    /// Evidence that an edit made due.
    pub(crate) edited: BTreeSet<String>,
    /// Marks for one call, taken by a call.
    reserved: BTreeMap<String, Reservation>,
    /// Marks for one call that are used, by their identity.
    spent: BTreeMap<String, i64>,
    /// Commands under way that may become evidence, the newest last.
    runs: VecDeque<Run>,
    /// Per evidence the last run that did not count.
    pub(crate) uncounted: BTreeMap<String, Uncounted>,
    /// The last denial.
    denied: Option<Denied>,
    /// Refusals and blocks of which it is open what becomes of them: the rule they were given with, and the requirements
    /// that are still asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    asked: BTreeMap<String, BTreeSet<String>>,
    /// Dynamic requirements past their warning.
    pub(crate) warned: BTreeSet<String>,
    /// What the user has been told, by hash: once is enough.
    told: BTreeSet<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Reservation {
    call: String,
    /// The mark, by its identity: one that is set later is free.
    #[serde(default)]
    mark: i64,
}

/// A command under way that may become evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// The call.
    pub(crate) call: String,
    /// The requirement.
    pub(crate) name: String,
    /// The command, as it is shown.
    pub(crate) command: String,
    /// The files when it began, by the digest of their fingerprint.
    pub(crate) files: String,
}

/// A run that did not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Uncounted {
    /// The command.
    pub(crate) shown: String,
    /// Why not.
    pub(crate) why: String,
    /// The line with which it would.
    pub(crate) line: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Denied {
    text: u64,
    at: Timestamp,
}

impl Remembered for State {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("{session}-requirements.json"))
    }
}

impl State {
    /// The mark of that identity is used up, or taken by another call than `call`.
    pub(crate) fn is_spent(&self, name: &str, mark: i64, call: Option<&str>) -> bool {
        let is_used = self.spent.get(name).is_some_and(|spent| *spent >= mark);
        let is_taken = |taken: &Reservation| taken.mark >= mark && Some(taken.call.as_str()) != call;
        is_used || self.reserved.get(name).is_some_and(is_taken)
    }

    /// Takes the mark for a call that is about to run, until it has.
    pub(crate) fn reserve(&mut self, name: &str, mark: i64, call: &str) {
        let reservation = Reservation { call: call.to_owned(), mark };
        self.reserved.insert(name.to_owned(), reservation);
    }

    /// The requirements whose mark the call has taken, and which mark that is.
    pub(crate) fn reserved_by(&self, call: &str) -> Vec<(String, i64)> {
        let taken = self.reserved.iter().filter(|(_, taken)| taken.call == call);
        taken.map(|(name, taken)| (name.clone(), taken.mark)).collect()
    }

    /// The call has run: its mark is used up.
    pub(crate) fn spend(&mut self, name: &str, mark: i64) {
        self.reserved.remove(name);
        self.spent.insert(name.to_owned(), mark);
    }

    /// The call has failed: its mark is free again.
    pub(crate) fn release(&mut self, call: &str) {
        self.reserved.retain(|_, taken| taken.call != call);
    }

    /// The user has the word again, so no call runs any more: one that never came back was stopped.
    pub(crate) fn release_all(&mut self) {
        self.reserved.clear();
    }

    /// A command begins that may become evidence.
    pub(crate) fn begin(&mut self, run: Run) {
        while self.runs.len() >= MAX_RUNS {
            self.runs.pop_front();
        }
        self.runs.push_back(run);
    }

    /// The run of a call for a requirement.
    pub(crate) fn running(&self, call: &str, name: &str) -> Option<&Run> {
        self.runs.iter().find(|run| run.call == call && run.name == name)
    }

    /// The runs of a call that has ended.
    pub(crate) fn end(&mut self, call: &str) -> Vec<Run> {
        let (ended, running): (VecDeque<Run>, _) = self.runs.drain(..).partition(|run| run.call == call);
        self.runs = running;
        ended.into()
    }

    /// Of these notes those the user has not been told in this session; they count as told from now on.
    pub(crate) fn untold(&mut self, notes: &[String]) -> Option<String> {
        let fresh: Vec<&str> =
            notes.iter().filter(|note| self.told.insert(hash(note))).map(String::as_str).collect();
        (!fresh.is_empty()).then(|| fresh.join("\n"))
    }

    /// A refusal or a block, by its rule, asks for these requirements.
    pub(crate) fn ask<'a>(&mut self, rule: &str, names: impl Iterator<Item = &'a str>) {
        self.asked.insert(rule.to_owned(), names.map(ToOwned::to_owned).collect());
    }

    /// What has become of refusals and blocks, each once: followed when all they ask for is done, overridden as soon as
    /// something of it is. `of` knows of a requirement what has become of it.
    pub(crate) fn settle(&mut self, of: impl Fn(&str) -> Option<ReactionKind>) -> Vec<Reaction> {
        let mut reactions = Vec::new();
        self.asked.retain(|rule, names| {
            let is_overridden = names.iter().any(|name| of(name) == Some(ReactionKind::Overridden));
            names.retain(|name| of(name).is_none());
            let how = if is_overridden { ReactionKind::Overridden } else { ReactionKind::Followed };
            let is_open = !is_overridden && !names.is_empty();
            reactions.extend((!is_open).then(|| how.of(rule.clone())));
            is_open
        });
        reactions
    }

    /// Something has run since the last denial, so that the next one stands beside none.
    pub(crate) fn went_on(&mut self) {
        self.denied = None;
    }

    /// Notes a denial; true if the same was given a moment ago, to a parallel call.
    pub(crate) fn denies_again(&mut self, text: u64, now: Timestamp) -> bool {
        let again =
            self.denied.as_ref().is_some_and(|last| last.text == text && now.since(last.at) < PARALLEL_FOR);
        if !again {
            self.denied = Some(Denied { text, at: now });
        }
        again
    }

    /// The next denial is told in full.
    pub fn forget_denial(&mut self) {
        self.denied = None;
    }
}

#[cfg(test)]
mod tests;
