//! The reasons to ask no model and to have no verdict, and the words for them.

use std::path::Path;
use std::time::Duration;

use super::{Caller, NoVerdict, Settings};
use shared::courier::is_misled;
use shared::host::{Clock, Host, display_path};
use shared::state::Store;
use shared::usage::is_past_line;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    // No model was asked.
    NoBackend,
    NoState,
    /// The project's settings could lead the question elsewhere.
    Misled,
    Pacing,
    CallsSpent,
    MoneySpent,
    BlockedElsewhere,
    NoKey,
    NotStarted,
    // A model was asked.
    Unreachable,
    Late,
    Unauthorized,
    /// Too many requests, or a usage limit is reached.
    Limited,
    Overloaded,
    Refused,
    InvalidResponse,
}

impl Silence {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::NoBackend => "no backend is chosen",
            Self::NoState => {
                "what a question costs cannot be counted: judge.json in the state folder cannot be used (`req doctor`)"
            }
            Self::Misled => {
                "this project's settings could lead the question elsewhere (`env` in its .claude/settings.json; \
                 `req doctor` names what it defines)"
            }
            Self::Pacing => "your usage is past its safe line",
            Self::CallsSpent => "the limit of questions an hour is reached",
            Self::MoneySpent => "the limit of US dollars a day is reached",
            Self::BlockedElsewhere => "another hook has blocked it already",
            Self::NoKey => "there is no ANTHROPIC_API_KEY in the environment",
            Self::NotStarted => "the program that asks cannot be started",
            Self::Unreachable => "the model cannot be reached",
            Self::Late => "the model did not answer in time",
            Self::Unauthorized => "the key or the login is refused",
            Self::Limited => "the model is limited for now",
            Self::Overloaded => "the model is overloaded, or its server fails",
            Self::Refused => "the request is refused; is the model's name right?",
            Self::InvalidResponse => "the model's answer is no verdict",
        }
    }

    pub(super) const fn setting(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::NoBackend => Some(("judge.backend", ": messages_api or claude_cli")),
            Self::Pacing => {
                Some(("judge.yield_to_pacing", ": false asks all the same; `credit-pacer status`"))
            }
            Self::CallsSpent => Some(("judge.max_calls_per_hour", "")),
            Self::MoneySpent => Some(("judge.max_cost_usd_per_day", "")),
            _ => None,
        }
    }

    /// The reason and the setting in the global file that changes it, in one line.
    pub(super) fn explained(self, file: &str) -> String {
        let words = self.words();
        match self.setting() {
            Some((setting, hint)) => format!("{words} ({setting} in {file}{hint})"),
            None => words.to_owned(),
        }
    }

    pub(super) fn was_asked(self) -> bool {
        self as u8 > Self::NotStarted as u8
    }

    /// The error behind a status of the API; `None`: the answer is worth reading.
    pub(super) const fn of_status(status: u64) -> Option<Self> {
        match status {
            200 => None,
            // 402: no other model pays a bill either.
            401..=403 => Some(Self::Unauthorized),
            429 => Some(Self::Limited),
            400 | 404 | 413 => Some(Self::Refused),
            500..=599 => Some(Self::Overloaded),
            // A redirect is among these: followed, it would take the key elsewhere.
            _ => Some(Self::Unreachable),
        }
    }
}

impl From<Silence> for NoVerdict {
    fn from(why: Silence) -> Self {
        match why {
            Silence::BlockedElsewhere => Self::BlockedElsewhere,
            Silence::Misled | Silence::NoKey | Silence::NotStarted => Self::Failed(why.words().to_owned()),
            why if why.was_asked() => Self::Failed(why.words().to_owned()),
            _ => Self::Unwanted,
        }
    }
}

/// Hooks of one event run side by side: by then the free ones have recorded their blocks.
const OTHERS_TAKE: Duration = Duration::from_millis(30);

pub(super) fn obstacle(caller: &Caller<'_>) -> Option<Silence> {
    let standing = standing(caller.settings, caller.store, caller.host, caller.call.cwd.as_deref());
    standing.or_else(|| is_refused(caller).then_some(Silence::BlockedElsewhere))
}

pub(super) fn standing(
    settings: &Settings,
    store: Option<&Store>,
    host: &Host,
    cwd: Option<&Path>,
) -> Option<Silence> {
    if settings.backend.is_none() {
        return Some(Silence::NoBackend);
    }
    let Some(store) = store else { return Some(Silence::NoState) };
    if is_misled(host, cwd) {
        return Some(Silence::Misled);
    }
    (settings.yield_to_pacing && is_past_line(store, host.now())).then_some(Silence::Pacing)
}

/// A test's clock stands still, and so do the hooks beside it.
fn is_refused(caller: &Caller<'_>) -> bool {
    if let Clock::System = caller.host.clock {
        std::thread::sleep(OTHERS_TAKE);
    }
    (caller.is_refused_elsewhere)()
}

pub(super) fn global_file(config_dir: Option<&Path>, home: Option<&Path>) -> String {
    let file = config_dir.map(|dir| display_path(&dir.join("requirements.yaml"), home));
    file.unwrap_or_else(|| "~/.claude/requirements.yaml".to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Silence, obstacle};
    use crate::tests::Scene;

    #[test]
    fn the_first_obstacle_counts() {
        let mut scene = Scene::new();
        assert_eq!(scene.with(obstacle), None);
        scene.is_refused = true;
        assert_eq!(scene.with(obstacle), Some(Silence::BlockedElsewhere));
        scene.past_the_line();
        assert_eq!(scene.with(obstacle), Some(Silence::Pacing));
        scene.settings.yield_to_pacing = false;
        assert_eq!(scene.with(obstacle), Some(Silence::BlockedElsewhere));
        let folder = scene.call.cwd.as_ref().unwrap().join(".claude");
        fs::create_dir(&folder).unwrap();
        let settings = r#"{"env":{"ANTHROPIC_BASE_URL":"https://example.com"}}"#;
        fs::write(folder.join("settings.json"), settings).unwrap();
        assert_eq!(scene.with(obstacle), Some(Silence::Misled));
        scene.has_state = false;
        assert_eq!(scene.with(obstacle), Some(Silence::NoState));
        scene.settings.backend = None;
        assert_eq!(scene.with(obstacle), Some(Silence::NoBackend));
    }
}
