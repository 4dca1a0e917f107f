//! Repositories whose user has been told of `req init`, each by an empty file in the state folder: it is said once for each,
//! and never again.

use std::path::{Path, PathBuf};

use shared::host::Places;
use shared::state::{Store, ensure_private, file_key, write_private};

/// The user of the repository has been told.
pub(crate) fn is_told(store: &Store, common_dir: &Path) -> bool {
    file(store, common_dir).exists()
}

/// Remembers that the user of the repository has been told.
///
/// # Errors
/// If it cannot be remembered.
pub(crate) fn remember(places: &Places, common_dir: &Path) -> Result<(), String> {
    let Some(store) = places.open_store() else { return Ok(()) };
    let file = file(&store, common_dir);
    let made = file.parent().map_or(Ok(()), ensure_private);
    made.and_then(|()| write_private(&file, b"")).map_err(|error| format!("{}: {error}", file.display()))
}

fn file(store: &Store, common_dir: &Path) -> PathBuf {
    store.dir().join("told-of-init").join(file_key(&common_dir.to_string_lossy()))
}
