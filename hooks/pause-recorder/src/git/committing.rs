//! The commit of a snapshot.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::git::{Failure, Git, Output};
use shared::host::Environment;

use crate::text::{MAX_CHARS, one_line};

/// The time that git gets to remove its lock files.
const GRACE: Duration = Duration::from_millis(250);

/// The time to undo what was begun.
const PATIENCE_TO_UNDO: Duration = Duration::from_millis(500);

/// Files in the repository's folder during an operation that a commit would end or become a part of. The last two have no head:
/// a commit would throw the message away that `merge --squash` and `cherry-pick --no-commit` have prepared.
#[rustfmt::skip]
const UNFINISHED: [&str; 9] = [
    "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer", "BISECT_LOG",
    "SQUASH_MSG", "MERGE_MSG",
];

/// Commits exactly these files, whatever the user has staged, without hooks and signatures.
pub(crate) fn commit(
    surroundings: &Environment,
    root: &Path,
    files: &[PathBuf],
    message: &str,
    patience: Duration,
) -> Result<(), String> {
    let name = |file: &PathBuf| file.strip_prefix(root).ok().map(|name| name.as_os_str().to_owned());
    let names: Option<Vec<OsString>> = files.iter().map(name).collect();
    let names = names.ok_or("the folder of sessions lies outside of the repository".to_owned())?;
    let git = Git::new(root, surroundings, patience).ok_or("there is no git command in PATH".to_owned())?;
    let mut git = git.with_grace(GRACE);
    let folder = must(&git, &["rev-parse", "--absolute-git-dir"], &[])?.stdout;
    let folder = PathBuf::from(String::from_utf8_lossy(&folder).trim_end_matches('\n'));
    if UNFINISHED.iter().any(|name| folder.join(name).symlink_metadata().is_ok()) {
        return Err("a merge, rebase, pick or bisection is going on in the repository".to_owned());
    }
    let commit =
        ["commit", "--only", "--no-verify", "--no-gpg-sign", "--quiet", "--no-status", "-m", message];
    let done = must(&git, &["add", "--force"], &names).and_then(|_| must(&git, &commit, &names));
    if done.is_err() {
        git.extend(PATIENCE_TO_UNDO);
        let _ = must(&git, &["reset", "--quiet"], &names);
    }
    done.map(drop)
}

/// Git's output, or the first line of its reason.
fn must(git: &Git<'_>, arguments: &[&str], names: &[OsString]) -> Result<Output, String> {
    let separator = (!names.is_empty()).then(|| "--".into());
    let arguments = arguments.iter().map(OsString::from).chain(separator).chain(names.iter().cloned());
    let said = git.run(arguments).map_err(|failure| match failure {
        Failure::NotStarted => "git cannot be started",
        Failure::Late => "git did not come back in time",
    })?;
    if said.code == Some(0) {
        return Ok(said);
    }
    let text = String::from_utf8_lossy(&said.stderr);
    let is_reason = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
    let reason = text.lines().find(is_reason).or_else(|| text.lines().next()).unwrap_or("nothing");
    Err(format!("git says: {}", one_line(reason, MAX_CHARS)))
}
