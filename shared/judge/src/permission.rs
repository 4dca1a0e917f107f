//! When nobody is asked, and what is said of it.

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

/// Why nobody was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAsked {
    /// No backend is chosen.
    #[error("no way to a model is chosen")]
    NoBackend,
    /// There is no state folder, so nothing can be counted.
    #[error("what a question costs cannot be counted")]
    NoState,
    /// The project's settings could lead the question elsewhere.
    #[error("this project's settings could lead the question elsewhere")]
    Misled,
    /// The credits are used faster than they last.
    #[error("your credits are used faster than they last")]
    Pacing,
    /// So many questions in an hour are enough.
    #[error("there were enough questions in an hour")]
    CallsSpent,
    /// So much money in a day is enough.
    #[error("it could cost more than is left for a day")]
    MoneySpent,
    /// Another hook has refused the call, or blocked the stop: what it costs would be for nothing.
    #[error("another hook has refused it already")]
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

    /// Why, and how to change it, in a line for the user. The same for as long as the settings are.
    pub(super) fn explained(self, settings: &Settings, file: &str) -> String {
        match self {
            Self::NoBackend => {
                format!("no way to a model is chosen (judge.backend in {file}: messages_api or claude_cli)")
            }
            Self::NoState => format!("{self}: judge.json in the state folder cannot be used (`req doctor`)"),
            Self::Misled => {
                format!("{self} (`env` in its .claude/settings.json; `req doctor` names what it defines)")
            }
            Self::Pacing => {
                format!(
                    "{self} (`credit-pacer status`; judge.yield_to_pacing: false in {file} asks all the same)"
                )
            }
            Self::CallsSpent => format!(
                "{} questions in an hour are enough (judge.max_calls_per_hour in {file})",
                settings.max_calls_per_hour.get()
            ),
            Self::MoneySpent => format!(
                "{:.2} US dollars in a day are enough (judge.max_cost_usd_per_day in {file})",
                settings.max_cost_usd_per_day.get()
            ),
            Self::RefusedElsewhere => self.to_string(),
        }
    }
}

/// Why nobody may be asked now; what counts calls and money is `ledger`.
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
