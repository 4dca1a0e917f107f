//! What is remembered: the buckets, and per agent the turn it is in. File `<session>-buckets.json`; the buckets stand under
//! `_buckets` as in the Python tool of the same name, whose keys were `<session>::<skill>`.
//!
//! It stays small whatever a session does: what equals nothing remembered is dropped, and beyond a bound what was used
//! longest ago.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::Timestamp;
use shared::state::file_key;

use crate::bucket::{Bucket, Rate};
use crate::loops::Loops;

/// More buckets, or more agents, are not kept.
const MAX_ENTRIES: usize = 64;

/// An agent of another prompt that has made no call for so long is forgotten.
const AGENT_FORGOTTEN_AFTER: Duration = Duration::from_secs(600);

/// The main session, where a subagent's id would stand.
const MAIN: &str = "main";

/// The buckets and agents of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// By `<agent>::<skill>`; no agent's name has a colon.
    #[serde(rename = "_buckets")]
    buckets: BTreeMap<String, Bucket>,
    /// By agent.
    agents: BTreeMap<String, Agent>,
}

/// What an agent is at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// The prompt it works for, by a hash of its id. The rest holds for this prompt only.
    pub(crate) prompt: u64,
    /// The skill it called last.
    pub(crate) skill: Option<String>,
    /// What its last calls were like.
    pub(crate) loops: Loops,
    /// When it made its last call.
    pub(crate) last: Timestamp,
}

impl Remembered for State {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("{session}-buckets.json"))
    }
}

/// The name under which an agent is remembered; `None` is the main session.
pub(crate) fn agent_key(agent_id: Option<&str>) -> String {
    agent_id.map_or_else(|| MAIN.to_owned(), file_key)
}

/// The name under which a bucket is remembered.
pub(crate) fn bucket_key(agent: &str, skill: &str) -> String {
    format!("{agent}::{skill}")
}

impl State {
    /// The bucket of that name, if it is remembered.
    pub(crate) fn bucket(&self, key: &str) -> Option<&Bucket> {
        self.buckets.get(key)
    }

    /// What an agent is at for this prompt.
    pub(crate) fn agent(&self, agent: &str, prompt: u64) -> Option<&Agent> {
        self.agents.get(agent).filter(|found| found.prompt == prompt)
    }

    /// The skill an agent works under for this prompt: its own, else the main session's, which started the work.
    pub(crate) fn skill(&self, agent: &str, prompt: u64) -> Option<&str> {
        let of = |agent| self.agent(agent, prompt)?.skill.as_deref();
        of(agent).or_else(|| of(MAIN))
    }

    /// With what has become of one agent and one bucket, and without what need not be remembered any more.
    /// `rate_of` knows the limits under a skill.
    #[must_use]
    pub(crate) fn with(
        &self,
        (agent_key, agent): (String, Agent),
        (bucket_key, bucket): (String, Bucket),
        rate_of: impl Fn(&str) -> Rate,
    ) -> Self {
        let (now, prompt) = (agent.last, agent.prompt);
        let mut next = self.clone();
        next.buckets.insert(bucket_key.clone(), bucket);
        next.agents.insert(agent_key.clone(), agent);
        next.buckets.retain(|key, bucket| {
            let skill = key.split_once("::").map_or("", |(_, skill)| skill);
            !bucket.is_as_new(rate_of(skill), now)
        });
        next.agents
            .retain(|_, agent| agent.prompt == prompt || now.since(agent.last) <= AGENT_FORGOTTEN_AFTER);
        drop_oldest(&mut next.buckets, |key| key == bucket_key, Bucket::last);
        // Subagents ask for the main session's skill, however long ago it made its last call.
        drop_oldest(&mut next.agents, |key| key == agent_key || key == MAIN, |agent| agent.last);
        next
    }
}

/// Drops what was used longest ago until the rest is within the bound, but nothing that `stays`.
fn drop_oldest<T>(
    entries: &mut BTreeMap<String, T>,
    stays: impl Fn(&str) -> bool,
    last: impl Fn(&T) -> Timestamp,
) {
    while entries.len() > MAX_ENTRIES {
        let droppable = entries.iter().filter(|(key, _)| !stays(key));
        let oldest = droppable.min_by_key(|(_, entry)| last(entry)).map(|(key, _)| key.clone());
        let Some(oldest) = oldest else { return };
        entries.remove(&oldest);
    }
}

#[cfg(test)]
mod tests;
