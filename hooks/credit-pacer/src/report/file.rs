//! The report's file: a page in a folder of the user's, written beside and renamed. Never over something that is none of
//! ours, and never where Claude Code, Git or these hooks keep what they go by: a file in there can switch hooks off.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use shared::host::Places;

use crate::report::page::MARK;

/// Folders of these names are not written to, wherever they are.
const KEPT_NAMES: [&str; 2] = [".claude", ".git"];

/// How a page's name ends.
const EXTENSIONS: [&str; 2] = ["html", "htm"];

/// Writes the page and tells where it is. Another file is overwritten only by `force`, anything that is no file never.
pub(crate) fn write(path: &Path, page: &str, force: bool, places: &Places) -> Result<PathBuf, String> {
    let shown = path.display();
    if path.is_dir() {
        return Err(format!("{shown} is a folder; name a file in it"));
    }
    let is_page = |end: &str| EXTENSIONS.iter().any(|extension| end.eq_ignore_ascii_case(extension));
    let name =
        path.file_name().filter(|_| path.extension().and_then(|end| end.to_str()).is_some_and(is_page));
    let name = name.ok_or_else(|| format!("{shown} is no name of a page; it must end in .html or .htm"))?;
    let cannot = |error: io::Error| format!("{shown} cannot be written: {error}");
    let folder = fs::canonicalize(folder_of(path)).map_err(cannot)?;
    if is_kept(&folder, places) {
        let kept = "a folder of Claude Code, Git or these hooks";
        return Err(format!("{shown} is in {kept}, where no page is written; name a file elsewhere"));
    }
    let target = folder.join(name);
    match fs::symlink_metadata(&target) {
        Ok(there) if there.is_symlink() => {
            return Err(format!("{shown} is a link; name the file it leads to, or another one"));
        }
        Ok(there) if !there.is_file() => return Err(format!("{shown} is no file")),
        Ok(_) if !force && !is_report(&target) => {
            return Err(format!("{shown} is there and is no report of ours; --force overwrites it"));
        }
        _ => {}
    }
    replace(&target, page).map_err(cannot)?;
    Ok(target)
}

/// A bare name is in the working directory.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new("."))
}

/// The folder, which is spelled without links, belongs to Claude Code, Git or the hooks.
fn is_kept(folder: &Path, places: &Places) -> bool {
    let is_kept_name = |name: &str| KEPT_NAMES.iter().any(|kept| name.eq_ignore_ascii_case(kept));
    let mut names = folder.iter().filter_map(|name| name.to_str());
    let kept = [&places.config_dir, &places.state_dir, &places.default_state_dir];
    let real = kept.into_iter().flatten().filter_map(|kept| fs::canonicalize(kept).ok());
    names.any(is_kept_name) || real.into_iter().any(|kept| folder.starts_with(kept))
}

fn is_report(path: &Path) -> bool {
    let mut start = Vec::new();
    let length = u64::try_from(MARK.len()).unwrap_or(u64::MAX);
    let read = File::open(path).and_then(|file| file.take(length).read_to_end(&mut start));
    read.is_ok() && start == MARK.as_bytes()
}

fn replace(path: &Path, page: &str) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = PathBuf::from(beside);
    let file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
    let written = fill(file, page).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn fill(mut file: File, page: &str) -> io::Result<()> {
    file.write_all(page.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests;
