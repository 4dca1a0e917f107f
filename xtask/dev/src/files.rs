//! The files of a folder, for `bench` and `package`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// The files at every depth; a link is one, and a folder that is not there has none.
pub(crate) fn below(folder: &Path) -> anyhow::Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    if !folder.is_dir() {
        return Ok(files);
    }
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            files.extend(below(&entry.path())?);
        } else {
            files.insert(entry.path());
        }
    }
    Ok(files)
}
