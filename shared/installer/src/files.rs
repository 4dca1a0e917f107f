//! Files by their bytes, and by the end of their links.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use client_settings::UserFile;
use shared::digest::hex;

/// The hash of a file; `None` if there is none.
pub(crate) fn hash_of(path: &Path) -> anyhow::Result<Option<String>> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        bail!("{} is not a regular file; move it away and try again", path.display());
    }
    match fs::read(path) {
        Ok(bytes) => Ok(Some(hash(&bytes))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
    }
}

/// Both paths lead to one file, or to files with the same bytes.
pub(crate) fn is_same_file(left: &Path, right: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let hash = |path: &Path| hash_of(path).ok().flatten();
    real(left).is_some_and(|left| real(right) == Some(left))
        || hash(left).is_some_and(|left| hash(right) == Some(left))
}

pub fn hash(bytes: &[u8]) -> String {
    hex(bytes, 32)
}

/// A file of the project at `root`, whose backups are kept in this folder. A link may not lead out of the project: its text is somebody
/// else's.
pub fn file_of_project(path: &Path, root: &Path, backups: &Path) -> anyhow::Result<UserFile> {
    let file = UserFile::at(path)?;
    let is_inside = real(file.target()).zip(real(root)).is_some_and(|(file, root)| file.starts_with(root));
    ensure!(is_inside, "{} leads out of the project; it is not changed", path.display());
    Ok(file.of_a_project(backups))
}

/// The end of a path's links, whether something is there or not; `None` where that depends on what is made on the way.
pub(crate) fn real(path: &Path) -> Option<PathBuf> {
    let there = path.ancestors().find(|above| above.symlink_metadata().is_ok())?;
    let rest = path.strip_prefix(there).ok()?;
    let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
    is_plain.then(|| there.canonicalize().ok()).flatten().map(|there| there.join(rest))
}
