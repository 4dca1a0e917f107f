//! The state of a session: recorded declarations, blocks, and verdicts that still hold. All of it is bounded.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::hook::{Reaction, ReactionKind, Remembered};
use shared::host::Timestamp;

use crate::checks::Finding;
use crate::form::Form;
use crate::review::Announced;

/// The newest so many of each are remembered.
const MAX_DECLARED: usize = 100;
const MAX_BLOCKED: usize = 100;
const MAX_VERDICTS: usize = 50;

/// A verdict that found fault holds for so long: what is around the change may be another by then.
const BLOCKED_HOLDS: Duration = Duration::from_secs(10 * 60);

/// After so many calls whose words were not to be had, nobody waits for them.
const WAITED_ENOUGH: u32 = 2;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct State {
    declared: VecDeque<Recorded>,
    blocked: VecDeque<Blocked>,
    reviews: VecDeque<Given<Vec<Finding>>>,
    answers: VecDeque<Given<Announced>>,
    /// Number of calls whose words were not to be had in time.
    missed: u32,
}

impl Remembered for State {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("{session}-intent.json"))
    }
}

/// A file, and who changes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    /// From the root of its repository, with `/`: what it is called. Two repositories of a project may call theirs the same.
    pub(crate) file: String,
    /// From the project's root, with `/`: which file it is.
    pub(crate) in_project: String,
    pub(crate) agent: Option<String>,
}

/// A declaration made with `declare`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recorded {
    /// The files that may be meant, from the project's root.
    pub(crate) names: Vec<String>,
    pub(crate) agent: Option<String>,
    pub(crate) form: Form,
    pub(crate) at: Timestamp,
}

/// The cause of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cause {
    Declaration,
    Test,
    Checks,
    /// A model's review.
    Review,
}

impl Cause {
    pub(crate) const fn is_of_stage1(self) -> bool {
        matches!(self, Self::Declaration | Self::Test)
    }

    pub(crate) const fn rule(self) -> &'static str {
        match self {
            Self::Declaration => "stage1",
            Self::Test => "tdd",
            Self::Checks => "checks",
            Self::Review => "stage2",
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Blocked {
    place: Place,
    prompt: Option<String>,
    cause: Option<Cause>,
    count: u32,
    /// Its outcome is not reported yet.
    is_open: bool,
}

/// The verdict of a model, by the digest of its question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Given<V> {
    key: String,
    verdict: V,
    at: Timestamp,
}

/// The verdict that still holds: for the session if it is good, else for a while.
fn holding<'a, V>(
    given: &'a VecDeque<Given<V>>,
    key: &str,
    now: Timestamp,
    is_good: impl Fn(&V) -> bool,
) -> Option<&'a V> {
    let newest = given.iter().rev().find(|given| given.key == key)?;
    (is_good(&newest.verdict) || now.since(newest.at) < BLOCKED_HOLDS).then_some(&newest.verdict)
}

fn keep<V>(given: &mut VecDeque<Given<V>>, key: &str, verdict: V, at: Timestamp) {
    given.retain(|other| other.key != key);
    push(given, Given { key: key.to_owned(), verdict, at }, MAX_VERDICTS);
}

impl State {
    /// A declaration of this agent for this file, from the project's root, that still holds; the newest.
    pub(crate) fn declared(
        &self,
        file: &str,
        agent: Option<&str>,
        now: Timestamp,
        ttl: Duration,
    ) -> Option<&Form> {
        let holds = |recorded: &&Recorded| {
            recorded.agent.as_deref() == agent
                && now.since(recorded.at) < ttl
                && recorded.names.iter().any(|name| name == file)
        };
        self.declared.iter().rev().find(holds).map(|recorded| &recorded.form)
    }

    pub(crate) fn declare(&mut self, recorded: Recorded) {
        self.declared.retain(|other| {
            other.agent != recorded.agent || !other.names.iter().any(|name| recorded.names.contains(name))
        });
        push(&mut self.declared, recorded, MAX_DECLARED);
    }

    /// What was recorded for this file no longer holds.
    pub(crate) fn forget_declared(&mut self, place: &Place) {
        self.declared
            .retain(|recorded| recorded.agent != place.agent || !recorded.names.contains(&place.in_project));
    }

    /// The number of blocks for this reason: for stage 1 of the file and agent, else in this prompt.
    pub(crate) fn count(&self, place: &Place, prompt: Option<&str>, cause: Cause) -> u32 {
        let counts = |blocked: &&Blocked| {
            blocked.place == *place
                && match blocked.cause {
                    Some(own) if own.is_of_stage1() => cause.is_of_stage1(),
                    own => own == Some(cause) && blocked.prompt.as_deref() == prompt,
                }
        };
        self.blocked.iter().filter(counts).map(|blocked| blocked.count).sum()
    }

    pub(crate) fn block(&mut self, place: &Place, prompt: Option<&str>, cause: Cause) {
        let mut blocked = match self.blocked.iter().position(|blocked| blocked.is(place, prompt, cause)) {
            Some(index) => self.blocked.remove(index).unwrap_or_default(),
            None => Blocked {
                place: place.clone(),
                prompt: prompt.map(ToOwned::to_owned),
                cause: Some(cause),
                ..Blocked::default()
            },
        };
        blocked.count = blocked.count.saturating_add(1);
        blocked.is_open = true;
        push(&mut self.blocked, blocked, MAX_BLOCKED);
    }

    /// A declared change passes: stage 1 counts from the beginning again.
    pub(crate) fn forget_asked(&mut self, place: &Place) {
        let is_of_stage1 = |blocked: &Blocked| blocked.cause.is_some_and(Cause::is_of_stage1);
        self.blocked.retain(|blocked| blocked.place != *place || !is_of_stage1(blocked));
    }

    /// The call goes through: what has become of the refusals before it, each told once.
    pub(crate) fn settle(&mut self, place: &Place, let_go: Option<Cause>) -> Vec<Reaction> {
        let open = self.blocked.iter_mut().filter(|blocked| blocked.is_open && blocked.place == *place);
        let told = open.filter_map(|blocked| {
            blocked.is_open = false;
            let cause = blocked.cause?;
            let how = if Some(cause) == let_go { ReactionKind::Overridden } else { ReactionKind::Followed };
            Some(how.of(cause.rule()))
        });
        told.collect()
    }

    /// A review of the very same change.
    pub(crate) fn review(&self, key: &str, now: Timestamp) -> Option<&[Finding]> {
        holding(&self.reviews, key, now, Vec::is_empty).map(Vec::as_slice)
    }

    pub(crate) fn reviewed(&mut self, key: &str, findings: &[Finding], at: Timestamp) {
        keep(&mut self.reviews, key, findings.to_vec(), at);
    }

    /// The verdict of stage 1 on the very same words.
    pub(crate) fn announced(&self, key: &str, now: Timestamp) -> Option<&Announced> {
        holding(&self.answers, key, now, |verdict| *verdict == Announced::Yes)
    }

    pub(crate) fn answered(&mut self, key: &str, verdict: Announced, at: Timestamp) {
        keep(&mut self.answers, key, verdict, at);
    }

    /// It is worth while to wait for the words of a call.
    pub(crate) const fn is_heard(&self) -> bool {
        self.missed < WAITED_ENOUGH
    }

    pub(crate) const fn not_heard(&mut self) {
        self.missed = self.missed.saturating_add(1);
    }
}

impl Blocked {
    fn is(&self, place: &Place, prompt: Option<&str>, cause: Cause) -> bool {
        self.place == *place && self.prompt.as_deref() == prompt && self.cause == Some(cause)
    }
}

fn push<T>(list: &mut VecDeque<T>, item: T, max: usize) {
    list.push_back(item);
    let surplus = list.len().saturating_sub(max);
    list.drain(..surplus);
}

#[cfg(test)]
mod tests;
