//! The repository's state, and the commit of a snapshot, by the user's own `git` as a child with a deadline. Never on a tool call.
//!
//! Nothing that the repository defines runs while it is looked at. A commit runs no hook, editor or signing. As with any `git add`,
//! a filter that is configured for our file names runs: without it a repository that keeps such files elsewhere would list them
//! as changed ever after.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::git::{Git, is_answer};
use serde::{Deserialize, Serialize};
use shared::child::ChildError;
use shared::host::{Environment, Timestamp};

use crate::text::{MAX_PATH_CHARS, one_line, shortened};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GitContext {
    /// The project lies in a work tree that `git` could read.
    pub(crate) is_git_repo: bool,
    /// None on a detached head.
    pub(crate) branch: Option<String>,
    /// At most five, newest first.
    pub(crate) recent_commits: Vec<Commit>,
    /// The differences from the last commit.
    pub(crate) status: Status,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Commit {
    pub(crate) sha: String,
    pub(crate) author: String,
    /// In UTC.
    pub(crate) timestamp: String,
    pub(crate) message: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Status {
    pub(crate) clean: bool,
    /// Tracked files that differ, staged or not.
    pub(crate) modified_files: Vec<String>,
    /// Files that git neither tracks nor ignores, without our own folder of sessions.
    pub(crate) untracked_files: Vec<String>,
}

const MAX_NAMES: usize = 500;

/// Our own folder in git's names.
const OWN_FOLDER: &str = ".claude/sessions/";

const STATUS: &str = "status --porcelain=v2 -z --branch --no-ahead-behind --untracked-files=normal --ignore-submodules=dirty --no-renames";

/// The fields of a commit, a NUL after each. The committer's time says when it was made here.
const LOG: &str =
    "log -z -n 5 --no-show-signature --no-color --encoding=UTF-8 --format=%h%x00%an%x00%ct%x00%s";

/// Reads the status. Where the output was cut, the last name is left out.
fn context(said: &[u8]) -> GitContext {
    let (mut branch, mut status) = (None, Status::default());
    for field in whole_fields(said) {
        // The name stands behind eight fields, behind ten where it is unmerged.
        let (list, behind) = match field.split_once(' ') {
            Some(("1", _)) => (&mut status.modified_files, 8),
            Some(("u", _)) => (&mut status.modified_files, 10),
            Some(("?", _)) => (&mut status.untracked_files, 1),
            _ => {
                let head = field.strip_prefix("# branch.head ").filter(|head| *head != "(detached)");
                branch = branch.or(head.map(|head| shortened(head, MAX_PATH_CHARS)));
                continue;
            }
        };
        let name = field.splitn(behind + 1, ' ').nth(behind).filter(|name| !name.starts_with(OWN_FOLDER));
        list.extend(name.filter(|_| list.len() < MAX_NAMES).map(|name| shortened(name, MAX_PATH_CHARS)));
    }
    status.clean = status.modified_files.is_empty() && status.untracked_files.is_empty();
    GitContext { is_git_repo: true, branch, status, ..GitContext::default() }
}

fn commits(said: &[u8]) -> Vec<Commit> {
    let fields: Vec<String> = whole_fields(said).collect();
    let commit = |fields: &[String]| {
        let [sha, author, secs, message] = fields else { return None };
        let at = secs.parse().ok().map(Timestamp::from_secs)?;
        let [author, message] = [author, message].map(|text| one_line(text));
        Some(Commit { sha: sha.clone(), author, timestamp: at.rfc3339(), message })
    };
    fields.chunks(4).filter_map(commit).collect()
}

fn whole_fields(said: &[u8]) -> impl Iterator<Item = String> {
    let whole = said.iter().rposition(|byte| *byte == 0).map_or(&[][..], |end| &said[..end]);
    let fields = whole.split(|byte| *byte == 0);
    fields.map(|field| String::from_utf8_lossy(field).into_owned())
}

/// Reads the state of the repository around `root`. `None`: git did not answer in time. No repository, or no `git`, is an answer.
pub(crate) fn look(environment: &Environment, root: &Path, patience: Duration) -> Option<GitContext> {
    let Some(mut git) = Git::new(root, environment, patience) else { return Some(GitContext::default()) };
    let mut look = || {
        if !git.disable_repository_filters()? {
            return Ok(GitContext::default());
        }
        let (status, log) = (git.run(STATUS.split(' '))?, git.run(LOG.split(' '))?);
        if !is_answer(&status) {
            return Ok(GitContext::default());
        }
        // Without a commit there is no log.
        let recent_commits = if is_answer(&log) { commits(&log.stdout) } else { Vec::new() };
        Ok(GitContext { recent_commits, ..context(&status.stdout) })
    };
    match look() {
        Err(ChildError::Late) => None,
        read => Some(read.unwrap_or_default()),
    }
}

/// The time that git gets to remove its lock files, and to undo what was begun.
const GRACE: Duration = Duration::from_millis(250);
const PATIENCE_TO_UNDO: Duration = Duration::from_millis(500);

/// Commits exactly these files, whatever the user has staged, without hooks and signatures.
pub(crate) fn commit(
    surroundings: &Environment,
    root: &Path,
    files: &[PathBuf],
    message: &str,
    patience: Duration,
) -> Result<(), String> {
    let git = Git::new(root, surroundings, patience).ok_or("there is no git command in PATH")?;
    let mut git = git.with_grace(GRACE);
    // A rebase and a bisection have no branch. During a merge git itself refuses to commit single files.
    must(&git, &["symbolic-ref", "HEAD"], &[])?;
    let commit =
        ["commit", "--only", "--no-verify", "--no-gpg-sign", "--quiet", "--no-status", "-m", message];
    let done = must(&git, &["add", "--force"], files).and_then(|()| must(&git, &commit, files));
    if done.is_err() {
        git.extend(PATIENCE_TO_UNDO);
        let _ = must(&git, &["reset", "--quiet"], files);
    }
    done
}

/// Runs git with these files. The error is the first line of its reason.
fn must(git: &Git<'_>, arguments: &[&str], files: &[PathBuf]) -> Result<(), String> {
    let arguments = arguments.iter().map(OsStr::new).chain([OsStr::new("--")]);
    let said = git.run(arguments.chain(files.iter().map(|file| file.as_os_str())));
    let said = said.map_err(|_| "git did not come back in time")?;
    let text = String::from_utf8_lossy(&said.stderr);
    let is_reason = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
    let reason = text.lines().find(is_reason).unwrap_or_default();
    if said.status.success() { Ok(()) } else { Err(format!("git says: {}", one_line(reason))) }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
