//! A file that a command changes: the user's own, or a project's, out of which no link may lead, because what is behind it is
//! somebody else's.

use std::path::{Component, Path, PathBuf};

use client_settings::UserFile;

/// The file at `path`; `inside` is the project it belongs to, none for the user's own.
///
/// # Errors
/// It is none that is changed, and why.
pub(crate) fn user_file(path: &Path, inside: Option<&Path>) -> Result<UserFile, String> {
    let file = UserFile::at(path).map_err(|error| error.to_string())?;
    let Some(root) = inside else { return Ok(file) };
    let is_inside = real(file.target()).zip(real(root)).is_some_and(|(file, root)| file.starts_with(root));
    if !is_inside {
        return Err(format!("{} leads out of the project; it is not changed", path.display()));
    }
    // No backup is kept beside a project's file, where it would end up in somebody's commit.
    Ok(file.of_a_project(path.parent().unwrap_or(root)))
}

/// Where a path really leads, whether something is there or not; `None` where that depends on what is made on the way.
fn real(path: &Path) -> Option<PathBuf> {
    let there = path.ancestors().find(|above| above.symlink_metadata().is_ok())?;
    let rest = path.strip_prefix(there).ok()?;
    let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
    let there = is_plain.then(|| there.canonicalize().ok()).flatten()?;
    Some(if rest.as_os_str().is_empty() { there } else { there.join(rest) })
}
