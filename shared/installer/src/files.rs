//! Files by their bytes.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, bail};
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
