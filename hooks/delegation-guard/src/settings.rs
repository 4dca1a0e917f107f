//! The settings. The defaults are in config/defaults.yaml, the common keys in `shared::config`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use shared::config::Bounded;

/// The section `delegation-guard`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// The answer to the first call of the main session after a delegation, or in a new session.
    pub(crate) first_call: FirstCall,
    /// Calls the main session may make before that happens.
    pub(crate) min_streak_before_block: Bounded<0, 1000>,
    /// The first advice comes at a streak of so many calls, the next ones each time it has doubled.
    pub(crate) advise_from: Bounded<1, 1000>,
    /// Tools that neither count nor reset the streak, by their exact names. Replaces the built-in list.
    pub(crate) exempt_tools: Vec<String>,
    /// More tools that neither count nor reset the streak, beside `exempt_tools`.
    pub(crate) exempt_tools_add: Vec<String>,
    /// The line that follows every few executed tools of the main session.
    pub(crate) reminder: Reminder,
    /// Seconds after which a subagent without a reported end counts as ended. Only versions of Claude Code whose subagent
    /// calls carry no id need it.
    pub(crate) subagent_timeout_secs: Bounded<1, 86_400>,
    /// Paths of your own texts by name: absolute, from `~`, or from the configuration folder.
    pub(crate) message_files: BTreeMap<String, PathBuf>,
}

/// The answer to the first call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FirstCall {
    /// The hook denies it once. Sent again, it runs.
    Deny,
    /// It runs, with advice.
    Advise,
    /// It is a call like any other.
    Off,
}

/// The line that follows every few executed tools.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reminder {
    /// The line is written.
    pub(crate) enabled: bool,
    /// After how many executed tools of the main session it is due, and due again.
    pub(crate) every: Bounded<1, 1000>,
    /// For how many executed tools after an advice it is left out, even if it is due.
    pub(crate) quiet_after_advice: Bounded<0, 1000>,
}

impl Settings {
    /// The time after which a subagent without a reported end counts as ended.
    pub(crate) fn subagent_timeout(&self) -> Duration {
        Duration::from_secs(self.subagent_timeout_secs.get().into())
    }

    /// The number of the advice at a streak, from 1; `None` at a silent streak.
    pub(crate) fn advice_at(&self, streak: u32) -> Option<u32> {
        let from = self.advise_from.get();
        let doublings = streak.is_multiple_of(from).then_some(streak / from);
        doublings.filter(|doublings| doublings.is_power_of_two()).map(|doublings| doublings.ilog2() + 1)
    }
}
