//! The settings. The defaults are in config/defaults.yaml, the common keys in `shared::config`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use shared::config::{Decimal, ZeroOr};

use crate::state::Rate;

/// The section `rate-awareness`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// The bucket of each agent, for whatever skill has none of its own.
    pub(crate) global_default: Limits,
    /// Buckets of their own while a skill is at work, by its name: `deep-research`, a plugin's as `plugin:skill` or `skill`.
    /// A missing field is as in `global_default`. Outside of any skill the name is `ungated`.
    pub(crate) per_skill: BTreeMap<String, SkillLimits>,
    /// The reader of reports about calls past a limit. In headless runs Claude is one only with `headless: true`.
    pub(crate) audience: Audience,
    /// The treatment of a call past a limit.
    pub(crate) mode: Mode,
    /// Calls of the same tool with the same input in a row, by one agent for one prompt, from which on calls are past the limit.
    /// 0: never.
    pub(crate) repeat: ZeroOr<2, 1000>,
    /// Rounds of two different calls in turn, by one agent for one prompt, from which on calls are past the limit. 0: never.
    pub(crate) ping_pong: ZeroOr<2, 1000>,
    /// Tools whose repetition is normal, because they wait for something: never counted by `repeat` and `ping_pong`.
    pub(crate) polling_tools: Vec<String>,
}

/// One bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    /// Calls that may be made at once: the tokens of a full bucket.
    pub(crate) capacity: Decimal<1, 1_000_000>,
    /// Tokens that come back per second, up to `capacity`. 0: none ever does.
    pub(crate) refill_per_sec: Decimal<0, 1_000_000>,
}

/// One skill's bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SkillLimits {
    /// Calls that may be made at once. Empty: as in `global_default`.
    pub(crate) capacity: Option<Decimal<1, 1_000_000>>,
    /// Tokens that come back per second. Empty: as in `global_default`.
    pub(crate) refill_per_sec: Option<Decimal<0, 1_000_000>>,
}

/// The reader of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Audience {
    /// You.
    User,
    /// Claude, which may notice that it goes in a circle.
    Model,
    /// You and Claude.
    Both,
}

/// The treatment of a call past a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// The call runs.
    Advise,
    /// The call is denied, every time, and Claude reads why.
    Deny,
}

impl Settings {
    /// The limits under a skill, and the key of `per_skill` they come from, where there is one.
    pub(crate) fn rate_of<'a>(&'a self, skill: &str) -> (Rate, Option<&'a str>) {
        let own_name = skill.rsplit_once(':').map(|(_, name)| name);
        let mut named = [Some(skill), own_name].into_iter().flatten();
        let entry = named.find_map(|name| self.per_skill.get_key_value(name));
        let limits = entry.map(|(_, limits)| *limits).unwrap_or_default();
        let rate = Rate {
            capacity: limits.capacity.unwrap_or(self.global_default.capacity).get(),
            refill_per_sec: limits.refill_per_sec.unwrap_or(self.global_default.refill_per_sec).get(),
        };
        (rate, entry.map(|(name, _)| name.as_str()))
    }
}
