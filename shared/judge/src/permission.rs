//! The reasons to ask no model.

use std::path::Path;
use std::time::Duration;

use super::Caller;
use super::settings::Settings;
use super::silence::Silence;
use shared::host::{Clock, Host, display_path};
use shared::project_env::is_misled;
use shared::state::Store;
use shared::usage::line;

/// Hooks of one event run side by side: by then the free ones have recorded their blocks.
const OTHERS_TAKE: Duration = Duration::from_millis(30);

/// The obstacle to this question; `ledger` counts calls and money.
pub(super) fn obstacle(caller: &Caller<'_>) -> Option<Silence> {
    let standing = standing(caller.settings, caller.store, caller.host, caller.call.cwd.as_deref());
    standing.or_else(|| is_refused(caller).then_some(Silence::BlockedElsewhere))
}

/// The obstacle to every question.
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
    (settings.yield_to_pacing && line::is_past(store, host.now())).then_some(Silence::Pacing)
}

/// A test's clock stands still, and so do the hooks beside it.
fn is_refused(caller: &Caller<'_>) -> bool {
    if let Clock::System = caller.host.clock {
        std::thread::sleep(OTHERS_TAKE);
    }
    (caller.is_refused_elsewhere)()
}

/// The global file, as a person reads it.
pub(super) fn global_file(config_dir: Option<&Path>, home: Option<&Path>) -> String {
    let file = config_dir.map(|dir| display_path(&dir.join("requirements.yaml"), home));
    file.unwrap_or_else(|| "~/.claude/requirements.yaml".to_owned())
}

#[cfg(test)]
mod tests;
