//! The memory: the buckets, and the turn of each agent. File `<session>-buckets.json`; the buckets stand under `_buckets` as in the
//! Python tool of the same name, whose keys were `<session>::<skill>`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::Timestamp;
use shared::state::file_key;

use crate::limits::{Bucket, Loops};

/// More buckets, or more agents, are not kept: those used longest ago go.
const MAX_ENTRIES: usize = 64;

/// The name of the main session, where a subagent's id would stand.
const MAIN: &str = "main";

/// The buckets and agents of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// By `<agent>::<skill>`; no agent's name has a colon.
    #[serde(rename = "_buckets")]
    pub(crate) buckets: BTreeMap<String, Bucket>,
    agents: BTreeMap<String, Agent>,
}

/// The turn of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Agent {
    /// A hash of the prompt's id. The rest holds for this prompt only.
    pub(crate) prompt: u64,
    pub(crate) skill: Option<String>,
    pub(crate) loops: Loops,
    /// The time of the agent's last call.
    pub(crate) last: Timestamp,
}

impl Remembered for State {
    const FILE: &'static str = "*-buckets.json";
}

/// The name of an agent; `None` is the main session.
pub(crate) fn agent_key(agent_id: Option<&str>) -> String {
    agent_id.map_or_else(|| MAIN.to_owned(), file_key)
}

/// The name of a bucket.
pub(crate) fn bucket_key(agent: &str, skill: &str) -> String {
    format!("{agent}::{skill}")
}

impl State {
    /// The turn of an agent, if it is of this prompt.
    pub(crate) fn agent(&self, agent: &str, prompt: u64) -> Option<&Agent> {
        self.agents.get(agent).filter(|found| found.prompt == prompt)
    }

    /// The skill an agent works under for this prompt: its own, else that of the main session, which started the work.
    pub(crate) fn skill(&self, agent: &str, prompt: u64) -> Option<&str> {
        [agent, MAIN].into_iter().find_map(|agent| self.agent(agent, prompt)?.skill.as_deref())
    }

    /// The state with a new value of one agent and one bucket.
    #[must_use]
    pub(crate) fn with(&self, (name, agent): (String, Agent), (key, bucket): (String, Bucket)) -> Self {
        let mut next = self.clone();
        next.buckets.insert(key.clone(), bucket);
        next.agents.insert(name.clone(), agent);
        drop_oldest(&mut next.buckets, &[&key], |bucket| bucket.last);
        // Subagents ask for the main session's skill, however long ago it made its last call.
        drop_oldest(&mut next.agents, &[&name, MAIN], |agent| agent.last);
        next
    }
}

/// Drops the entry that was used longest ago beyond the bound, but none of those that stay.
fn drop_oldest<T>(entries: &mut BTreeMap<String, T>, stay: &[&str], last: fn(&T) -> Timestamp) {
    while entries.len() > MAX_ENTRIES {
        let droppable = entries.iter().filter(|(key, _)| !stay.contains(&key.as_str()));
        let oldest = droppable.min_by_key(|(_, entry)| last(entry)).map(|(key, _)| key.clone());
        let Some(oldest) = oldest else { return };
        entries.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use shared::host::Timestamp;

    use super::{Agent, MAX_ENTRIES, State, agent_key, bucket_key};
    use crate::limits::{Bucket, Rate};

    /// The state after one call of this agent under this skill, for this prompt.
    fn called(state: &State, agent: Option<&str>, skill: &str, prompt: u64, secs: i64) -> State {
        let (agent, now) = (agent_key(agent), Timestamp::from_secs(secs));
        let key = bucket_key(&agent, skill);
        let bucket = Bucket::full(Rate { capacity: 60.0, refill_per_sec: 0.0 }, now);
        let skill = Some(skill.to_owned());
        state.with((agent, Agent { prompt, skill, last: now, ..Agent::default() }), (key, bucket))
    }

    #[test]
    fn no_two_agents_and_skills_share_a_name() {
        let keys =
            [(None, "a"), (Some("a"), "a"), (Some("a::b"), "c"), (Some("a"), "b::c"), (Some("a:"), "b")]
                .map(|(agent, skill)| bucket_key(&agent_key(agent), skill));
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{key}");
        }
    }

    #[test]
    fn beyond_sixty_four_the_least_recently_used_goes() {
        let state = (0..70).fold(called(&State::default(), None, "x", 7, 0), |state, number| {
            called(&state, Some(&format!("a{number:02}")), "x", 7, 1 + number)
        });
        assert_eq!((state.buckets.len(), state.agents.len()), (MAX_ENTRIES, MAX_ENTRIES));
        assert!(!state.buckets.contains_key("main::x") && !state.buckets.contains_key("a05::x"));
        assert!(state.buckets.contains_key("a06::x") && state.buckets.contains_key("a69::x"));
        assert!(state.agent("main", 7).is_some(), "subagents ask for the main session's skill");
        let state = called(&state, Some("late"), "x", 7, -1000);
        assert!(state.buckets.contains_key("late::x"), "the clock went back");
    }
}
