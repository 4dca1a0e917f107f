//! Paths as calls name them: of any length, with links and `..`, and often of what is not there yet.

use std::path::{Path, PathBuf};

pub(crate) use shared::host::flat;

/// No system opens a longer path, in bytes.
const MAX_PATH: usize = 4096;

/// The path, and what lies above it, as far as a system could open it: the input of an edit may be a path of any length.
pub(crate) fn above(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().skip_while(|ancestor| ancestor.as_os_str().len() > MAX_PATH)
}

/// The path with links and `..` resolved as far as it exists, so that a link is no way in.
pub(crate) fn real(path: &Path) -> PathBuf {
    let flat = flat(path);
    let found = above(&flat).find_map(|existing| {
        let (real, rest) = (existing.canonicalize().ok()?, flat.strip_prefix(existing).ok()?);
        Some(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
    });
    found.unwrap_or(flat)
}
