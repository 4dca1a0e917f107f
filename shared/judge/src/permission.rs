//! The reasons to ask no model, and their messages.

use std::path::Path;
use std::time::Duration;

use super::Caller;
use super::settings::Settings;
use shared::host::{Clock, Environment, Host, display_path};
use shared::project_env::is_misled;
use shared::state::Store;
use shared::usage::line;

/// Hooks of one event run side by side: by then the cheap ones have left their marks.
const OTHERS_TAKE: Duration = Duration::from_millis(30);

/// The reason why no model was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAsked {
    /// No backend is chosen.
    #[error("no backend is chosen")]
    NoBackend,
    /// There is no state folder, so nothing can be counted.
    #[error("what a question costs cannot be counted")]
    NoState,
    /// The project's settings could lead the question elsewhere.
    #[error("this project's settings could lead the question elsewhere")]
    Misled,
    /// Usage is past its safe line.
    #[error("your usage is past its safe line")]
    Pacing,
    /// So many questions in an hour are enough.
    #[error("the limit of questions an hour is reached")]
    CallsSpent,
    /// So much money in a day is enough.
    #[error("it could cost more than is left for the day")]
    MoneySpent,
    /// Another hook has refused the call, or blocked the stop: what it costs would be for nothing.
    #[error("another hook has blocked it already")]
    RefusedElsewhere,
}

impl NotAsked {
    /// The setting behind it, as it stands in the global file.
    pub(super) const fn setting(self) -> Option<&'static str> {
        match self {
            Self::NoBackend => Some("judge.backend"),
            Self::Pacing => Some("judge.yield_to_pacing"),
            Self::CallsSpent => Some("judge.max_calls_per_hour"),
            Self::MoneySpent => Some("judge.max_cost_usd_per_day"),
            Self::NoState | Self::Misled | Self::RefusedElsewhere => None,
        }
    }

    /// The reason, and how to change it, in a line for the user. The same for as long as the settings are.
    pub(super) fn explained(self, settings: &Settings, file: &str) -> String {
        let limit = |limit: String| format!("the limit of {limit} is reached");
        let why = match self {
            Self::CallsSpent => limit(format!("{} questions an hour", settings.max_calls_per_hour.get())),
            Self::MoneySpent => limit(format!("{:.2} US dollars a day", settings.max_cost_usd_per_day.get())),
            _ => self.to_string(),
        };
        let hint = match self {
            Self::NoBackend => ": messages_api or claude_cli",
            Self::Pacing => ": false asks all the same; `credit-pacer status`",
            Self::NoState => ": judge.json in the state folder cannot be used (`req doctor`)",
            Self::Misled => " (`env` in its .claude/settings.json; `req doctor` names what it defines)",
            Self::CallsSpent | Self::MoneySpent | Self::RefusedElsewhere => "",
        };
        match self.setting() {
            Some(setting) => format!("{why} ({setting} in {file}{hint})"),
            None => format!("{why}{hint}"),
        }
    }
}

/// The obstacle to a question; what counts calls and money is `ledger`.
pub(super) fn obstacle(caller: &Caller<'_>) -> Option<NotAsked> {
    let standing = standing(caller.settings, caller.store, caller.host, caller.call.cwd.as_deref());
    standing.or_else(|| is_refused(caller).then_some(NotAsked::RefusedElsewhere))
}

/// As far as it does not depend on a call of a tool.
pub(super) fn standing(
    settings: &Settings,
    store: Option<&Store>,
    host: &Host,
    cwd: Option<&Path>,
) -> Option<NotAsked> {
    if settings.backend.is_none() {
        return Some(NotAsked::NoBackend);
    }
    let Some(store) = store else { return Some(NotAsked::NoState) };
    if is_misled(host, cwd) {
        return Some(NotAsked::Misled);
    }
    (settings.yield_to_pacing && line::is_past(store, host.now())).then_some(NotAsked::Pacing)
}

/// Looks when those that run beside this hook have had time. A test's clock stands still, and so do its
/// hooks.
fn is_refused(caller: &Caller<'_>) -> bool {
    if let Clock::System = caller.host.clock {
        std::thread::sleep(OTHERS_TAKE);
    }
    (caller.is_refused_elsewhere)()
}

/// The global file, as a person reads it.
pub(super) fn global_file(config_dir: Option<&Path>, environment: &Environment) -> String {
    let file = config_dir.map(|dir| dir.join("requirements.yaml"));
    file.map_or_else(
        || "~/.claude/requirements.yaml".to_owned(),
        |file| display_path(&file, environment.home.as_deref()),
    )
}

#[cfg(test)]
mod tests;
