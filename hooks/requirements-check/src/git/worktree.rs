//! The work tree of a path and the branch that is out, found by plain file reads: every tool call pays for them. The
//! `git` command, which costs some milliseconds, answers where the files cannot be read (reftable).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::git::Git;
use shared::host::{Environment, ancestors, real};
use shared::state::read_regular;

use super::GitError;
use crate::satisfactions::Key;

/// HEAD and the pointer files of linked work trees hold one line; a longer file is none of them.
const MAX_LINE: u64 = 4096;
/// The time of the `git` command for all questions together.
const PATIENCE: Duration = Duration::from_millis(900);

/// A work tree: a main one, a linked one (`git worktree`) or a submodule's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// The top folder, links resolved.
    pub root: PathBuf,
    /// The folder of branches and objects, shared by all work trees of the repository.
    pub common_dir: PathBuf,
}

impl Worktree {
    /// The innermost work tree that holds `path`, which need not exist yet and has no links, and the branch or commit that is
    /// checked out; `None` outside of any.
    pub fn find(path: &Path) -> Result<Option<(Self, Key)>, GitError> {
        for folder in ancestors(path) {
            let dot_git = folder.join(".git");
            let Ok(metadata) = fs::symlink_metadata(&dot_git) else { continue };
            let pointed_to = || Some(folder.join(first_line(&dot_git)?.strip_prefix("gitdir:")?.trim()));
            let git_dir = if dot_git.is_dir() { Some(dot_git.clone()) } else { pointed_to() };
            let git_dir = git_dir.filter(|dir| dir.is_dir()).ok_or_else(|| unreadable(&dot_git))?;
            let head = git_dir.join("HEAD");
            // A stray `.git` without HEAD is no repository, to git neither.
            if head.exists() {
                let key = first_line(&head).and_then(|line| head_of(&line));
                let key = key.ok_or_else(|| unreadable(&head))?;
                let common_dir = match first_line(&git_dir.join("commondir")) {
                    None if metadata.is_dir() => git_dir,
                    shared => real(&git_dir.join(shared.unwrap_or_default())),
                };
                return Ok(Some((Self { root: folder.to_owned(), common_dir }, key)));
            }
        }
        Ok(None)
    }
}

fn unreadable(file: &Path) -> GitError {
    GitError(format!("{} cannot be read", file.display()))
}

/// The only line of a small text file, without the white space around it.
fn first_line(file: &Path) -> Option<String> {
    let text = String::from_utf8(read_regular(file, MAX_LINE).ok()?).ok()?;
    let line = text.trim();
    (!line.is_empty() && !line.contains('\n')).then(|| line.to_owned())
}

/// The line of HEAD, or what git says of it: the full name of a branch, else a commit. Reftable writes `.invalid`.
fn head_of(line: &str) -> Option<Key> {
    let name = line.strip_prefix("ref:").unwrap_or(line).trim();
    // 40 hexadecimal digits, or 64 in SHA-256 repositories.
    if matches!(name.len(), 40 | 64) && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Some(Key::Detached(name.to_owned()));
    }
    let branch = name.strip_prefix("refs/heads/").filter(|name| !matches!(*name, "" | ".invalid"))?;
    Some(Key::Branch(branch.to_owned()))
}

/// Asks git about the work tree around `folder`, which must exist, and what is out there.
pub(crate) fn ask_git(folder: &Path, environment: &Environment) -> Result<(Worktree, Key), GitError> {
    let answered = || {
        let git = Git::new(folder, environment, PATIENCE)?;
        let answer = |words: &[&str]| {
            let output = git.run(words).ok().filter(|output| output.status.success())?;
            String::from_utf8(output.stdout).ok()
        };
        let folders = answer(&["rev-parse", "--show-toplevel", "--git-common-dir"])?;
        let head = answer(&["symbolic-ref", "-q", "HEAD"]).or_else(|| answer(&["rev-parse", "HEAD"]))?;
        let [root, common_dir] = folders.lines().collect::<Vec<_>>()[..] else { return None };
        // Git names the common folder relative to the folder it was started in.
        let common_dir = folder.join(common_dir).canonicalize().ok()?;
        Some((Worktree { root: root.into(), common_dir }, head_of(&head)?))
    };
    answered().ok_or_else(|| GitError("the `git` command says nothing of it that is understood".to_owned()))
}

#[cfg(test)]
mod tests;
