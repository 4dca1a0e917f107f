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

/// Files in the repository's folder during an operation that a commit would end or become a part of.
const GOING_ON: [(&str, &str); 9] = [
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("sequencer", "a series of picks"),
    ("BISECT_LOG", "a bisection"),
    // Without a head: `merge --squash`, `cherry-pick --no-commit`; a commit would throw the prepared message away.
    ("SQUASH_MSG", "a merge"),
    ("MERGE_MSG", "a merge or a pick"),
];

/// Commits exactly these files, whatever the user has staged, without hooks and signatures.
pub(crate) fn commit(
    surroundings: &Environment,
    root: &Path,
    files: &[PathBuf],
    message: &str,
    patience: Duration,
) -> Result<(), String> {
    let names = names(root, files)?;
    if names.is_empty() {
        return Ok(());
    }
    let git = Git::new(root, surroundings, patience).ok_or("there is no git command in PATH".to_owned())?;
    let mut git = git.with_grace(GRACE);
    is_free(&git)?;
    let done = must(&git, &["add", "--force"], &names).and_then(|_| commit_added(&git, &names, message));
    if done.is_err() {
        git.extend(PATIENCE_TO_UNDO);
        let _ = run(&git, &["reset", "--quiet"], &names);
    }
    done
}

/// The names of the files in the repository. Git adds nothing that lies behind a link.
fn names(root: &Path, files: &[PathBuf]) -> Result<Vec<OsString>, String> {
    let real_root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let name = |file: &PathBuf| {
        let real = || Some(file.parent()?.canonicalize().ok()?.join(file.file_name()?));
        let real = real().unwrap_or_else(|| file.clone());
        let inside = real.strip_prefix(&real_root).or_else(|_| real.strip_prefix(root)).ok()?;
        Some(inside.as_os_str().to_owned())
    };
    let names: Option<Vec<OsString>> = files.iter().map(name).collect();
    names.ok_or_else(|| "the folder of sessions lies outside of the repository".to_owned())
}

fn is_free(git: &Git<'_>) -> Result<(), String> {
    let said = git.run(["rev-parse", "--is-inside-work-tree", "--absolute-git-dir"]).map_err(told)?;
    let text = String::from_utf8_lossy(&said.stdout);
    let Some(folder) = text.strip_prefix("true\n").map(|folder| folder.trim_end_matches('\n')) else {
        let is_bare = said.code == Some(0);
        return Err(if is_bare {
            "the project is no work tree of a git repository".into()
        } else {
            why(&said)
        });
    };
    let is_there = |name: &str| Path::new(folder).join(name).symlink_metadata().is_ok();
    match GOING_ON.iter().find(|(name, _)| is_there(name)) {
        Some((_, what)) => Err(format!("{what} is going on in the repository")),
        None => Ok(()),
    }
}

fn commit_added(git: &Git<'_>, names: &[OsString], message: &str) -> Result<(), String> {
    let compared = run(git, &["diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv"], names)?;
    if compared.code == Some(0) {
        return Ok(());
    }
    let commit =
        ["commit", "--only", "--no-verify", "--no-gpg-sign", "--quiet", "--no-status", "-m", message];
    must(git, &commit, names).map(drop)
}

fn must(git: &Git<'_>, arguments: &[&str], names: &[OsString]) -> Result<Output, String> {
    let said = run(git, arguments, names)?;
    if said.code == Some(0) { Ok(said) } else { Err(why(&said)) }
}

fn run(git: &Git<'_>, arguments: &[&str], names: &[OsString]) -> Result<Output, String> {
    let arguments = arguments.iter().map(OsString::from).chain(["--".into()]);
    git.run(arguments.chain(names.iter().cloned())).map_err(told)
}

fn told(ended: Failure) -> String {
    match ended {
        Failure::NotStarted => "git cannot be started".to_owned(),
        Failure::Late => "git did not come back in time".to_owned(),
    }
}

/// Git's own reason, in a line.
fn why(said: &Output) -> String {
    let text = String::from_utf8_lossy(&said.stderr);
    if text.contains("tell me who you are") || text.contains("user.useConfigOnly") {
        return "git does not know who you are; set user.name and user.email".to_owned();
    }
    if text.contains("index.lock") {
        return "another git command is at work in the repository".to_owned();
    }
    let reason = text.lines().find_map(|line| line.strip_prefix("fatal: ").or(line.strip_prefix("error: ")));
    match reason.or_else(|| text.lines().find(|line| !line.trim().is_empty())) {
        Some(line) => format!("git says: {}", one_line(line, MAX_CHARS)),
        None => "git gave no reason".to_owned(),
    }
}
