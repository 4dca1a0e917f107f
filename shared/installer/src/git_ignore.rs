//! Whether git ignores a file, asked of the `git` command. A repository must not get to run anything by being asked about:
//! the program is never taken from it, and what it names as its hooks and file watchers is switched off.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::child;
use crate::places::executable;

/// It takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(3);

/// Whether git ignores a file of the repository around `project`; `None` where that cannot be told: there is no repository, or
/// no git.
pub(crate) fn is_ignored(file: &Path, project: &Path, home: &Path) -> Option<bool> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let folders = trusted_folders(&search, project);
    let program = folders.iter().map(|folder| folder.join(executable("git"))).find(|file| file.is_file())?;
    let mut git = Command::new(program);
    git.env_clear().env("PATH", std::env::join_paths(&folders).ok()?).env("HOME", home);
    git.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]);
    git.args(["check-ignore", "--quiet"]).arg(file).current_dir(project);
    let (status, _) = child::heard(&mut git, b"", PATIENCE).ok()?;
    match status.code() {
        Some(0) => Some(true),
        Some(1) => Some(false),
        _ => None,
    }
}

/// The folders of a search path that a repository cannot have filled: absolute, and outside of it.
fn trusted_folders(search: &OsStr, project: &Path) -> Vec<PathBuf> {
    let real = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let top = real.ancestors().filter(|folder| folder.join(".git").exists()).last().unwrap_or(&real);
    let is_outside = |folder: &PathBuf| {
        folder.is_absolute() && folder.canonicalize().is_ok_and(|folder| !folder.starts_with(top))
    };
    std::env::split_paths(search).filter(is_outside).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::trusted_folders;

    #[test]
    fn a_program_is_never_taken_from_the_repository() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        for folder in ["bin", "work/.git", "work/bin", "work/sub"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let search = [".", "", "bin", "../bin"].into_iter().map(Into::into);
        let absolute = ["work", "work/bin", "work/sub", "nowhere", "bin"].map(|folder| root.join(folder));
        let search = std::env::join_paths(search.chain(absolute)).unwrap();
        for project in ["work", "work/sub"] {
            assert_eq!(trusted_folders(&search, &root.join(project)), [root.join("bin")], "{project}");
        }
    }
}
