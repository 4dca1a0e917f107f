//! One requirement as `req status` and `req ci` report it.

use schemars::JsonSchema;
use serde::Serialize;

use requirements_check::rule::Rule;
use requirements_check::settings::{Kind, Scope};
use requirements_check::wording::Origins;

/// A requirement.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Standing {
    /// Its name: the key under `requirements`.
    pub(crate) name: String,
    /// How it is satisfied.
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    /// Where a satisfaction of it counts.
    scope: Scope,
    /// How it stands.
    pub(crate) state: State,
    /// Why it stands so.
    why: String,
    /// When it is checked, in words: before which calls, at the end of a turn; null where it is off, and in CI.
    pub(crate) checked: Option<String>,
    /// What would satisfy it: a command or a sentence; null where it is satisfied or off, and in CI.
    pub(crate) remedy: Option<String>,
    /// File and line that set it; null where no file does.
    set_in: Option<String>,
}

/// How a requirement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It is satisfied.
    Met,
    /// It is not; where no session is live, it is not for the next one.
    Open,
    /// It cannot be told here; `why` says what is missing.
    Unknown,
    /// It is described and not in force.
    Off,
}

impl State {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Met => "satisfied",
            Self::Open => "not satisfied",
            Self::Unknown => "unknown",
            Self::Off => "off",
        }
    }
}

impl Standing {
    pub(crate) fn new(rule: &Rule<'_>, (state, why): (State, String), origin: &Origins<'_>) -> Self {
        Self {
            name: rule.name.to_owned(),
            kind: rule.kind(),
            scope: rule.set.scope,
            state,
            why,
            checked: None,
            remedy: None,
            set_in: origin(&rule.key()).map(|origin| origin.to_string()),
        }
    }

    /// Each as a line and what belongs below it.
    pub(crate) fn lines(all: &[Self], with_places: bool) -> Vec<String> {
        let width = all.iter().map(|one| one.name.chars().count()).max().unwrap_or(0);
        let mut lines = Vec::new();
        for Self { name, state, why, checked, remedy, set_in, .. } in all {
            let checked = checked.as_ref().map(|checked| format!("; checked {checked}")).unwrap_or_default();
            lines.push(format!("  {:13}  {name:width$}  {why}{checked}", state.word()));
            let remedy = remedy.as_ref().map(|remedy| format!("to satisfy it: {remedy}"));
            let place = set_in.as_ref().filter(|_| with_places).map(|place| format!("set in {place}"));
            let below = |line| format!("{:width$}  {line}", "", width = width + 17);
            lines.extend(remedy.into_iter().chain(place).map(below));
        }
        lines
    }
}
