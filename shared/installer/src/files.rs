//! Files by their bytes, and those of a project.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use client_settings::UserFile;
use shared::digest::hex;
use shared::host::real;

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

pub fn hash(bytes: &[u8]) -> String {
    hex(bytes, 32)
}

/// A file of the project at `root`, whose backups are kept in this folder. A link may not lead out of the project: its text is somebody
/// else's.
pub fn file_of_project(path: &Path, root: &Path, backups: &Path) -> anyhow::Result<UserFile> {
    let file = UserFile::at(path)?;
    ensure!(
        real(file.target()).starts_with(real(root)),
        "{} leads out of the project; it is not changed",
        path.display()
    );
    Ok(file.of_a_project(backups))
}
