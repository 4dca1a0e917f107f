//! The state of a session: recorded declarations, blocks, and verdicts of models that still hold. All lists are bounded.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::hook::{Reaction, ReactionKind, Remembered};
use shared::host::Timestamp;

use crate::checks::Finding;
use crate::form::{Form, Lack, Part};

const MAX_ENTRIES: usize = 200;
const MAX_VERDICTS: usize = 50;

/// After so many calls whose message did not come in time, the hook waits for none.
const WAITED_ENOUGH: u32 = 2;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct State {
    declared: VecDeque<Recorded>,
    blocks: VecDeque<Block>,
    /// The verdicts by the key of their question.
    answers: VecDeque<(String, Verdict)>,
    /// Number of calls whose message did not come in time.
    missed: u32,
}

impl Remembered for State {
    const FILE: &'static str = "*-intent.json";
}

/// A file, and who changes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    /// From the project's root, with `/`.
    pub(crate) file: String,
    pub(crate) agent: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recorded {
    /// The files that may be meant, from the project's root.
    pub(crate) names: Vec<String>,
    pub(crate) agent: Option<String>,
    pub(crate) form: Form,
    pub(crate) at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cause {
    Declaration,
    Checks,
    Review,
}

impl Cause {
    pub(crate) const fn rule(self) -> &'static str {
        match self {
            Self::Declaration => "stage1",
            Self::Checks => "checks",
            Self::Review => "stage2",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Block {
    place: Place,
    prompt: Option<String>,
    cause: Cause,
    is_open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Announced {
    Yes,
    /// Nothing was declared, or these parts are missing.
    No {
        #[serde(default)]
        missing: Vec<Part>,
    },
    /// Declared, but for the test.
    NoTdd,
}

impl Announced {
    /// The parts that the declaration lacks.
    pub(crate) fn lack(&self) -> Option<Lack> {
        match self {
            Self::Yes => None,
            Self::No { missing } if missing.is_empty() => Some(Lack::Form),
            Self::No { missing } => Some(Lack::Parts(missing.clone())),
            Self::NoTdd => Some(Lack::Test),
        }
    }
}

/// The findings of stage 2; without any the change is approved.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "OfStage2")]
pub(crate) struct Review(pub(crate) Vec<Finding>);

#[derive(Deserialize)]
#[serde(tag = "verdict", rename_all = "UPPERCASE")]
enum OfStage2 {
    Approved,
    Blocked {
        #[serde(default)]
        findings: Vec<Finding>,
    },
}

impl TryFrom<OfStage2> for Review {
    type Error = &'static str;

    fn try_from(verdict: OfStage2) -> Result<Self, Self::Error> {
        let OfStage2::Blocked { mut findings } = verdict else { return Ok(Self(Vec::new())) };
        findings.retain(|finding| !finding.why.trim().is_empty() || !finding.fix.trim().is_empty());
        if findings.is_empty() { Err("BLOCKED without a finding") } else { Ok(Self(findings)) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Verdict {
    OfStage1(Announced),
    OfStage2(Vec<Finding>),
}

impl State {
    /// The newest declaration that still holds here.
    pub(crate) fn declared(&self, place: &Place, now: Timestamp, ttl: Duration) -> Option<&Form> {
        let holds = |recorded: &&Recorded| recorded.is_of(place) && now.since(recorded.at) < ttl;
        self.declared.iter().rev().find(holds).map(|recorded| &recorded.form)
    }

    pub(crate) fn declare(&mut self, recorded: Recorded) {
        let is_other = |other: &Recorded| {
            other.agent != recorded.agent || !recorded.names.iter().any(|name| other.names.contains(name))
        };
        self.declared.retain(is_other);
        push(&mut self.declared, recorded, MAX_ENTRIES);
    }

    pub(crate) fn forget_declared(&mut self, place: &Place) {
        self.declared.retain(|recorded| !recorded.is_of(place));
    }

    /// The number of blocks for this cause: of the file and agent for stage 1, else of this prompt too.
    pub(crate) fn count(&self, place: &Place, prompt: Option<&str>, cause: Cause) -> usize {
        let counts = |block: &&Block| {
            let is_due = cause == Cause::Declaration || block.prompt.as_deref() == prompt;
            block.place == *place && block.cause == cause && is_due
        };
        self.blocks.iter().filter(counts).count()
    }

    pub(crate) fn block(&mut self, place: &Place, prompt: Option<&str>, cause: Cause) {
        let (place, prompt) = (place.clone(), prompt.map(ToOwned::to_owned));
        push(&mut self.blocks, Block { place, prompt, cause, is_open: true }, MAX_ENTRIES);
    }

    /// The call goes through: the outcome of the blocks before it, once for each cause. After a declared change stage 1 counts from
    /// the beginning again.
    pub(crate) fn settle(&mut self, place: &Place, why_allowed: Option<Cause>) -> Vec<Reaction> {
        let mut causes = Vec::new();
        for block in self.blocks.iter_mut().filter(|block| block.is_open && block.place == *place) {
            block.is_open = false;
            if !causes.contains(&block.cause) {
                causes.push(block.cause);
            }
        }
        if why_allowed != Some(Cause::Declaration) {
            self.blocks.retain(|block| block.place != *place || block.cause != Cause::Declaration);
        }
        let reaction = |cause: Cause| {
            let is_this = Some(cause) == why_allowed;
            let how = if is_this { ReactionKind::Overridden } else { ReactionKind::Followed };
            how.of(cause.rule())
        };
        causes.into_iter().map(reaction).collect()
    }

    /// The verdict on the very same question.
    pub(crate) fn verdict(&self, key: &str) -> Option<&Verdict> {
        self.answers.iter().find(|(known, _)| known == key).map(|(_, verdict)| verdict)
    }

    pub(crate) fn keep(&mut self, key: String, verdict: Verdict) {
        self.answers.retain(|(known, _)| *known != key);
        push(&mut self.answers, (key, verdict), MAX_VERDICTS);
    }

    /// Waiting for the message of a call is worth while.
    pub(crate) const fn is_heard(&self) -> bool {
        self.missed < WAITED_ENOUGH
    }

    pub(crate) const fn not_heard(&mut self) {
        self.missed = self.missed.saturating_add(1);
    }
}

impl Recorded {
    fn is_of(&self, place: &Place) -> bool {
        self.agent == place.agent && self.names.contains(&place.file)
    }
}

fn push<T>(list: &mut VecDeque<T>, item: T, max: usize) {
    list.push_back(item);
    let surplus = list.len().saturating_sub(max);
    list.drain(..surplus);
}

#[cfg(test)]
mod tests;
