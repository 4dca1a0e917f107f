//! What tools keep for themselves in a work tree: it changes while they run, and is nobody's work on the project.

use std::path::{Path, PathBuf};

use super::repository::relative;

/// Places that do not count, wherever they lie; links resolved but for the last name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    /// Files and folders that do not count, tracked or not.
    pub(crate) never: Vec<PathBuf>,
    /// Files and folders of which only what is tracked counts.
    pub(crate) untracked: Vec<PathBuf>,
}

/// Those of them that lie in a work tree, as git spells their paths.
pub(super) struct OwnPaths {
    never: Vec<Vec<u8>>,
    untracked: Vec<Vec<u8>>,
}

impl Own {
    /// A place that is the work tree's folder, or that the work tree lies in, leaves out nothing: everything would be.
    pub(super) fn within(&self, root: &Path) -> OwnPaths {
        let inside = |places: &[PathBuf]| places.iter().filter_map(|place| relative(root, place)).collect();
        OwnPaths { never: inside(&self.never), untracked: inside(&self.untracked) }
    }
}

impl OwnPaths {
    /// The file or folder does not count, even if it is tracked.
    pub(super) fn is_never_counted(&self, path: &[u8]) -> bool {
        self.never.iter().any(|place| lies_in(place, path))
    }

    /// The file or folder does not count unless it is tracked.
    pub(super) fn is_left_out(&self, path: &[u8]) -> bool {
        self.is_never_counted(path) || self.untracked.iter().any(|place| lies_in(place, path))
    }
}

/// Beside a `.json` file its backups, locks and halves belong to it.
fn lies_in(place: &[u8], path: &[u8]) -> bool {
    match path.strip_prefix(place).map(<[u8]>::first) {
        Some(None | Some(b'/')) => true,
        Some(Some(b'.')) => place.ends_with(b".json"),
        _ => false,
    }
}
