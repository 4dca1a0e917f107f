//! Folders of which something is remembered, by an empty file each in the state folder.

use std::path::{Path, PathBuf};

use shared::host::Timestamp;
use shared::state::{ensure_private, file_key, write_private};

/// Folders of one kind; none where there is no state folder.
#[derive(Debug)]
pub(crate) struct KnownFolders(Option<PathBuf>);

impl KnownFolders {
    /// Folders that took no satisfaction lately, for whatever reason: the hook does not ask for what cannot be kept, or it would
    /// deny the same call for ever.
    pub(crate) fn unwritable(state_dir: Option<&Path>) -> Self {
        Self(state_dir.map(|dir| dir.join("unmarkable")))
    }

    /// Repositories whose user has read of `req init`: the hook says it once for each.
    pub(crate) fn told_of_init(state_dir: Option<&Path>) -> Self {
        Self(state_dir.map(|dir| dir.join("told-of-init")))
    }

    fn file(&self, folder: &Path) -> Option<PathBuf> {
        Some(self.0.as_ref()?.join(file_key(&folder.to_string_lossy())))
    }

    pub(crate) fn since(&self, folder: &Path) -> Option<Timestamp> {
        Some(Timestamp::from(std::fs::metadata(self.file(folder)?).ok()?.modified().ok()?))
    }

    pub(crate) fn remember(&self, folder: &Path) -> Result<(), String> {
        let (Some(dir), Some(file)) = (&self.0, self.file(folder)) else { return Ok(()) };
        let made = ensure_private(dir).and_then(|()| write_private(&file, b""));
        made.map_err(|error| format!("{}: {error}", file.display()))
    }

    pub(crate) fn forget(&self, folder: &Path) {
        if let Some(file) = self.file(folder) {
            let _ = std::fs::remove_file(file);
        }
    }
}
