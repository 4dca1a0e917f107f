//! Files that Barbless and Claude Code keep in a work tree for themselves: they change on every call, and are nobody's work on
//! the project.

use std::path::{Path, PathBuf};

use shared::host::Places;

use crate::paths::real;

/// Those in one work tree, as paths from its top folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    /// Files and folders that do not count, tracked or not.
    pub(super) never: Vec<PathBuf>,
    /// Files and folders that count only if git tracks them.
    pub(super) untracked: Vec<PathBuf>,
}

impl Own {
    /// `root` is the work tree's top folder, links resolved. State and backups never count. Other files of the configuration folder count if git tracks them.
    pub(crate) fn of(root: &Path, places: &Places, home: Option<&Path>) -> Self {
        let config_dir = places.config_dir.as_deref();
        let real_config = config_dir.map(real);
        // One that is `root`, or that `root` lies in, leaves out nothing: everything would be.
        let inside = |place: PathBuf| {
            let in_config =
                config_dir.and_then(|dir| Some(real_config.as_ref()?.join(place.strip_prefix(dir).ok()?)));
            let place = match in_config {
                Some(place) => place,
                None => real(place.parent()?).join(place.file_name()?),
            };
            let inside = place.strip_prefix(root).ok()?;
            (!inside.as_os_str().is_empty()).then(|| inside.to_owned())
        };
        let never = [places.default_state_dir.clone(), config_dir.map(|dir| dir.join("hook-backups"))];
        let untracked = [
            config_dir.map(Path::to_owned),
            places.state_dir.clone(),
            home.map(|home| home.join(".claude.json")),
        ];
        let untracked = untracked.into_iter().flatten().filter_map(inside);
        Self {
            never: never.into_iter().flatten().filter_map(inside).collect(),
            untracked: untracked.chain([PathBuf::from(".claude/sessions")]).collect(),
        }
    }

    /// The file does not count.
    pub(crate) fn leaves_out(&self, path: &Path, is_tracked: impl FnOnce() -> bool) -> bool {
        let lies_in = |places: &[PathBuf]| places.iter().any(|place| lies_in(place, path));
        lies_in(&self.never) || (lies_in(&self.untracked) && !is_tracked())
    }
}

/// Beside a `.json` file its backups, locks and halves belong to it.
fn lies_in(place: &Path, path: &Path) -> bool {
    let is_beside = || path.to_str()?.strip_prefix(place.to_str()?)?.strip_prefix('.');
    path.starts_with(place) || (place.extension().is_some_and(|end| end == "json") && is_beside().is_some())
}

#[cfg(test)]
mod tests;
