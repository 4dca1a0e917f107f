//! The state between two calls. File `<session>-delegation.json`, as in the Python hook that this one replaces.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::Timestamp;

/// More subagents at once are not told apart: the newest so many are remembered.
const MAX_SUBAGENTS: usize = 64;

/// The advised calls that the state keeps. The hook never hears of the end of a call that another hook denied.
const MAX_ADVISED_CALLS: usize = 8;

/// A call that begins sooner after a denial or an advice was made beside the denied one: no model answers so fast.
const READ_AFTER: Duration = Duration::from_millis(500);

/// The main session's streak and its latest advice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct State {
    /// Calls of the main session since the last delegation. Saturates.
    pub(crate) streak: u32,
    /// The first call since the last delegation was denied or advised on.
    pub(crate) block_fired: bool,
    /// Tools of the main session executed since the last delegation. Saturates.
    pub(crate) executed: u32,
    /// For so many executed tools there is no reminder.
    pub(crate) quiet_calls: u32,
    /// Ids of the calls that were advised on and have not ended, the newest last.
    pub(crate) advised_calls: VecDeque<String>,
    /// The starts of subagents whose calls carry no id, the oldest first.
    pub(crate) subagents: VecDeque<Timestamp>,
    /// The latest denial or advice, until the next call shows whether Claude followed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) open: Option<Open>,
}

/// A denial or an advice that the hook gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Open {
    pub(crate) rule: String,
    pub(crate) at: Timestamp,
}

impl Remembered for State {
    const FILE: &'static str = "*-delegation.json";

    /// The Python hook's object. Where it did not say whether it had blocked, a streak shows that it had.
    fn from_original(bytes: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Original {
            streak: i64,
            block_fired: Option<bool>,
        }
        let original: Original = serde_json::from_slice(bytes).ok()?;
        let streak = u32::try_from(original.streak.max(0)).unwrap_or(u32::MAX);
        Some(Self { streak, block_fired: original.block_fired.unwrap_or(streak > 0), ..Self::default() })
    }
}

impl State {
    /// The main session has delegated. What is still running from before stays known.
    pub(crate) fn delegated(&self) -> Self {
        Self { streak: 0, block_fired: false, executed: 0, open: None, ..self.clone() }
    }

    /// The first call has been spoken about.
    pub(crate) fn fired(self) -> Self {
        Self { block_fired: true, ..self }
    }

    /// The main session makes a call of its own.
    pub(crate) fn counted(self) -> Self {
        Self { streak: self.streak.saturating_add(1), ..self }
    }

    /// A call was advised on: no reminder comes for it, nor for the `quiet_calls` executed after it.
    pub(crate) fn advised(mut self, call: Option<&str>, quiet_calls: u32) -> Self {
        self.quiet_calls = quiet_calls;
        self.advised_calls.extend(call.map(ToOwned::to_owned));
        let surplus = self.advised_calls.len().saturating_sub(MAX_ADVISED_CALLS);
        self.advised_calls.drain(..surplus);
        self
    }

    /// The hook gives a denial or an advice. It replaces an open one, because it says the same, louder.
    pub(crate) fn asked(self, rule: &str, now: Timestamp) -> Self {
        Self { open: Some(Open { rule: rule.to_owned(), at: now }), ..self }
    }

    /// The open denial or advice, if the model can have read it by the time a call began.
    pub(crate) fn answered(mut self, started: Timestamp) -> (Self, Option<Open>) {
        match self.open.take() {
            Some(open) if started.since(open.at) >= READ_AFTER => (self, Some(open)),
            open => (Self { open, ..self }, None),
        }
    }

    /// A tool of the main session has run; and whether a reminder may follow it.
    pub(crate) fn executed(mut self, call: Option<&str>) -> (Self, bool) {
        self.executed = self.executed.saturating_add(1);
        let before = self.advised_calls.len();
        self.advised_calls.retain(|advised| Some(advised.as_str()) != call);
        let was_advised = self.advised_calls.len() < before;
        let may_remind = !was_advised && self.quiet_calls == 0;
        if !was_advised {
            self.quiet_calls = self.quiet_calls.saturating_sub(1);
        }
        (self, may_remind)
    }

    /// Without the subagents whose end nobody reported in time. One that began in the future did so before the clock was set
    /// back, and gets no more time than the others.
    pub(crate) fn at(&self, now: Timestamp, timeout: Duration) -> Self {
        let is_live = |began: &Timestamp| now.since(*began) < timeout && began.since(now) < timeout;
        let subagents = self.subagents.iter().copied().filter(is_live).collect();
        Self { subagents, ..self.clone() }
    }

    /// A subagent begins whose calls carry no id.
    pub(crate) fn with_subagent(mut self, now: Timestamp) -> Self {
        self.subagents.push_back(now);
        let surplus = self.subagents.len().saturating_sub(MAX_SUBAGENTS);
        self.subagents.drain(..surplus);
        self
    }

    /// The oldest of them has ended.
    pub(crate) fn without_oldest_subagent(mut self) -> Self {
        self.subagents.pop_front();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{Remembered as _, State};

    #[test]
    fn reads_a_file_of_the_original_tool() {
        let read =
            |text: &str| State::from_original(text.as_bytes()).map(|state| (state.streak, state.block_fired));
        for (text, expected) in [
            (r#"{"streak": 3, "block_fired": false}"#, Some((3, false))),
            (r#"{"streak": 3, "active_subagents": 1}"#, Some((3, true))),
            (r#"{"streak": -1}"#, Some((0, false))),
            (r#"{"streak": "3"}"#, None),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
