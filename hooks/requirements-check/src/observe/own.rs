//! Files that Barbless and Claude Code keep for themselves: they write there on every call, which is no change of the project.

use std::path::Path;

use shared::host::Places;

use super::look::Look;
use super::real;
use crate::git::Own;

/// What does not count where the call acts.
pub(super) fn own(look: &Look<'_, '_>) -> Own {
    let root = look.world.top().map(real);
    let home = look.context.host.environment.home.as_deref();
    root.map_or_else(Own::default, |root| within(&root, look.context.places, home))
}

/// State and backups never count. What else lies in the configuration folder counts if git tracks it.
fn within(root: &Path, places: &Places, home: Option<&Path>) -> Own {
    let beside = [Some(root.join(".claude/sessions")), home.map(|home| home.join(".claude.json"))];
    let mut own = Own {
        never: places.default_state_dir.iter().cloned().collect(),
        untracked: beside.into_iter().flatten().chain(places.state_dir.clone()).collect(),
    };
    let config_dir = places.config_dir.as_deref().map(real);
    if let Some(config_dir) = config_dir.filter(|config_dir| config_dir.starts_with(root)) {
        own.never.push(config_dir.join("hook-backups"));
        own.untracked.push(config_dir);
    }
    own
}

#[cfg(test)]
mod tests;
