//! Paths as calls name them: of any length, with links and `..`, and often of what is not there yet.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use shared::host::flat;

/// No system opens a longer path, in bytes.
const MAX_PATH: usize = 4096;

/// So many files of a folder are looked at.
pub(crate) const MAX_FILES: usize = 20_000;

/// Folders of tools, left out where no `.gitignore` says so.
const OF_TOOLS: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];

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

/// What lies below `root` and is no folder, by its path from there, and whether that is all. Links are not followed: they may
/// lead round in a circle, or out of the project.
pub(crate) fn files_below(root: &Path, is_left_out: impl Fn(&Path) -> bool) -> (Vec<PathBuf>, bool) {
    let (mut folders, mut files) = (vec![PathBuf::new()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                _ if is_left_out(&path) => {}
                Ok(kind) if kind.is_dir() => {
                    let is_of_tools = OF_TOOLS.iter().any(|name| entry.file_name() == *name);
                    folders.extend((!is_of_tools).then_some(path));
                }
                Ok(_) if files.len() == MAX_FILES => return (files, false),
                Ok(_) => files.push(path),
                Err(_) => {}
            }
        }
    }
    (files, true)
}
