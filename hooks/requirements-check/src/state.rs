//! The session's own memory: requirements that are due, runs under way, single-use satisfactions that are taken. Satisfactions
//! themselves are the repository's.
//!
//! [`Registry`]: the live sessions, one state file each, whose time is the last sign of life. No process is looked for: the one
//! that starts a hook is often a shell that is gone a moment later.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::digest;
use shared::hook::{Reaction, ReactionKind, Remembered};
use shared::host::Timestamp;
use shared::state::Store;

const MAX_RUNS: usize = 64;
/// A session that gave no sign of life for longer is taken for ended.
const LIVE_FOR: Duration = Duration::from_secs(15 * 60);
/// Before tool calls a sign of life is noted so often.
const TOUCH_EVERY: Duration = Duration::from_secs(60);

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
    /// Per evidence and work tree the last run that did not count, see [`crate::world::World::run_of`].
    pub(crate) uncounted: BTreeMap<String, Uncounted>,
    /// Denials and blocks whose outcome is not known yet: their rule, and the requirements still asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    asked: BTreeMap<String, BTreeSet<String>>,
    /// Dynamic requirements past their warning.
    pub(crate) warned: BTreeSet<String>,
    /// Notices the user has read, by hash.
    #[serde(alias = "told")]
    reported: BTreeSet<u64>,
}

/// A satisfaction by its identity: a later one of the same requirement is free.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Taken {
    identity: i64,
    /// The running call that holds it; none if it is used up.
    by: Option<String>,
}

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
        let spent = self.taken.iter_mut().filter_map(|(name, taken)| {
            taken.by.take_if(|by| by == call)?;
            Some((name.clone(), taken.identity))
        });
        spent.collect()
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
    pub(crate) fn unreported(&mut self, notes: &[String]) -> Option<String> {
        let fresh = notes.iter().filter(|note| self.reported.insert(digest::number(note)));
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
            let is_settled = is_overridden || names.is_empty();
            let how = if is_overridden { ReactionKind::Overridden } else { ReactionKind::Followed };
            reactions.extend(is_settled.then(|| how.of(rule.clone())));
            !is_settled
        });
        reactions
    }
}

#[derive(Debug, Clone)]
pub struct Registry(Store);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// Full id.
    pub session: String,
    /// Root of the work tree. Another work tree of the same repository is another project.
    pub project: PathBuf,
    /// At the last sign of life; `None` without one.
    pub branch: Option<String>,
    /// Nobody watches.
    pub is_headless: bool,
    /// In seconds since the epoch.
    pub started_at: i64,
    /// The last sign of life, to the minute. Not in the file: it is the file's time.
    #[serde(skip)]
    pub touched: Timestamp,
}

impl Remembered for Entry {
    const FILE: &'static str = "*-session.json";
}

impl Registry {
    pub fn new(state_dir: &Path) -> Self {
        Self(Store::at(state_dir))
    }

    /// Notes a sign of life of a session, and where it is now. A failure is of no consequence: the next one tries again.
    pub(crate) fn note(&self, entry: &Entry) {
        let _ = self.0.change(&entry.session, |known: &mut Entry| {
            let started_at = if known.session.is_empty() { entry.started_at } else { known.started_at };
            *known = Entry { started_at, ..entry.clone() };
            true
        });
    }

    /// No sign of life for so long that one is due. A time in the future (the clock went back) is as stale as an old one.
    pub(crate) fn is_quiet(&self, session: &str, now: Timestamp) -> bool {
        let last = self.0.session_file::<Entry>(session).and_then(|file| modified(&file));
        last.is_none_or(|last| last > now || now.since(last) >= TOUCH_EVERY)
    }

    pub(crate) fn forget(&self, session: &str) {
        self.0.drop_state::<Entry>(session);
    }

    pub fn entry(&self, session: &str) -> Option<Entry> {
        self.0.read(session)
    }

    /// The live sessions of a work tree, whoever asks among them, in order of their ids. Runs that nobody watches have an
    /// entry, so that their commands know their project, and are no sessions beside others.
    pub fn live(&self, project: &Path, now: Timestamp) -> Vec<Entry> {
        let mut live = self.entries(|last| now.since(last) <= LIVE_FOR);
        live.retain(|entry| entry.project == project && !entry.is_headless);
        live
    }

    pub fn all(&self) -> Vec<Entry> {
        self.entries(|_| true)
    }

    /// Only files of the wanted times are read: there may be thousands of sessions that ended long ago.
    fn entries(&self, is_wanted: impl Fn(Timestamp) -> bool) -> Vec<Entry> {
        let files = fs::read_dir(self.0.dir()).into_iter().flatten().flatten();
        let entries = files.filter_map(|file| {
            file.file_name().to_str()?.strip_suffix(Entry::FILE.trim_start_matches('*'))?;
            let touched = modified(&file.path()).filter(|last| is_wanted(*last))?;
            Some(Entry { touched, ..self.0.peek(&file.path())? })
        });
        let mut entries: Vec<Entry> = entries.collect();
        entries.sort_by(|one, other| one.session.cmp(&other.session));
        entries
    }
}

/// When the file was changed last.
pub(crate) fn modified(file: &Path) -> Option<Timestamp> {
    let metadata = fs::symlink_metadata(file).ok().filter(fs::Metadata::is_file)?;
    metadata.modified().ok().map(Timestamp::from)
}

#[cfg(test)]
mod tests;
