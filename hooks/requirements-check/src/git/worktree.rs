//! Which work tree a path belongs to and what is checked out there, by plain file reads.
//!
//! No library and no process: this runs on every tool call and costs some microseconds.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::GitError;
use crate::paths::above;

/// HEAD and the pointer files of linked worktrees hold one line; what is longer is none of them.
const LINE_BYTES: u64 = 4096;

/// A work tree: a main one, a linked one (`git worktree`) or a submodule's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    /// Its top folder, links resolved.
    pub root: PathBuf,
    /// Where its HEAD and its index lie.
    pub git_dir: PathBuf,
    /// Where branches and objects lie, shared by all worktrees of the repository.
    pub common_dir: PathBuf,
}

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Head {
    /// A branch by its short name (`feature/auth`), also one without a commit yet.
    Branch(String),
    /// A commit, by its full hexadecimal name.
    Detached(String),
}

impl Worktree {
    /// The innermost work tree that holds `path`, which need not exist yet; `None` outside of any.
    ///
    /// Links in the path are followed: a file behind a linked folder belongs to the repository it really lies in.
    pub fn find(path: &Path) -> Result<Option<Self>, GitError> {
        let Some(start) = existing_folder(path) else { return Ok(None) };
        for folder in start.ancestors() {
            if let Some(git_dir) = git_dir_of(folder)? {
                let common_dir = common_dir_of(&git_dir);
                let found = Self { root: folder.to_owned(), git_dir, common_dir };
                return found.check_files().map(|()| Some(found));
            }
        }
        Ok(None)
    }

    /// `path` lies in this work tree and in none within it.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        let Some(start) = existing_folder(path).filter(|start| start.starts_with(&self.root)) else {
            return false;
        };
        let mut inner = start.ancestors().take_while(|folder| *folder != self.root);
        !inner.any(|folder| folder.join(".git").exists())
    }

    /// What git opens first of all is a file where it is there.
    fn check_files(&self) -> Result<(), GitError> {
        let own = ["HEAD", "index"].map(|name| self.git_dir.join(name));
        let common = ["config", "packed-refs"].map(|name| self.common_dir.join(name));
        are_files(own.into_iter().chain(common))
    }

    /// So is what git reads before it looks at the work tree's files.
    pub(crate) fn check_rules(&self) -> Result<(), GitError> {
        let own = [".gitignore", ".gitattributes"].map(|name| self.root.join(name));
        let common = ["exclude", "attributes"].map(|name| self.common_dir.join("info").join(name));
        are_files(own.into_iter().chain(common))
    }

    /// The branch or commit that is checked out.
    pub(crate) fn head(&self) -> Result<Head, GitError> {
        let file = self.git_dir.join("HEAD");
        head_text(&file).and_then(|text| parse_head(&text)).ok_or(GitError::Head(file))
    }
}

/// Each is a file where it is there: git and libgit2 wait for a pipe.
fn are_files(mut files: impl Iterator<Item = PathBuf>) -> Result<(), GitError> {
    let odd = files.find(|file| fs::metadata(file).is_ok_and(|metadata| !metadata.is_file()));
    odd.map_or(Ok(()), |file| Err(GitError::NotAFile(file)))
}

/// The nearest folder at or above `path` that exists, links resolved.
fn existing_folder(path: &Path) -> Option<PathBuf> {
    let nearest = above(path).find(|ancestor| ancestor.is_dir())?;
    nearest.canonicalize().ok()
}

fn git_dir_of(folder: &Path) -> Result<Option<PathBuf>, GitError> {
    let dot_git = folder.join(".git");
    let Ok(metadata) = fs::metadata(&dot_git) else { return Ok(None) };
    if metadata.is_dir() {
        // A stray `.git` without HEAD is no repository, to git neither.
        return Ok(fs::symlink_metadata(dot_git.join("HEAD")).is_ok().then(|| resolved(&dot_git)));
    }
    let pointed = first_line(&dot_git).and_then(|line| Some(line.strip_prefix("gitdir:")?.trim().to_owned()));
    let target = pointed.map(|target| folder.join(target)).filter(|target| target.is_dir());
    target.map(|target| Some(resolved(&target))).ok_or_else(|| {
        GitError::Other(format!(
            "{} points to no git folder; `git worktree repair` mends it",
            dot_git.display()
        ))
    })
}

fn common_dir_of(git_dir: &Path) -> PathBuf {
    match first_line(&git_dir.join("commondir")) {
        Some(line) => resolved(&git_dir.join(line)),
        None => git_dir.to_owned(),
    }
}

fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// What HEAD says. Old repositories have a symbolic link there, whose target is the reference.
fn head_text(file: &Path) -> Option<String> {
    match fs::read_link(file) {
        Ok(target) => Some(format!("ref: {}", target.to_str()?)),
        Err(_) => first_line(file),
    }
}

/// The only line of a small text file, without the white space around it. What is no file is not opened: a pipe would be
/// waited for.
pub(super) fn first_line(file: &Path) -> Option<String> {
    if !fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let length = fs::File::open(file).ok()?.take(LINE_BYTES + 1).read_to_string(&mut text).ok()?;
    let line = text.trim();
    (length as u64 <= LINE_BYTES && !line.is_empty() && !line.contains('\n')).then(|| line.to_owned())
}

fn parse_head(line: &str) -> Option<Head> {
    match line.strip_prefix("ref:") {
        Some(reference) => branch_of(reference.trim()).map(Head::Branch),
        None => is_object_name(line).then(|| Head::Detached(line.to_owned())),
    }
}

/// The branch of a full reference name; `None` for what git would not take as one (reftable writes `.invalid`).
pub(super) fn branch_of(reference: &str) -> Option<String> {
    let name = reference.strip_prefix("refs/heads/")?;
    let legal_part = |part: &str| !part.is_empty() && !part.starts_with('.');
    let legal =
        name.split('/').all(legal_part) && !name.contains("..") && !name.chars().any(char::is_control);
    legal.then(|| name.to_owned())
}

/// 40 hexadecimal digits, or 64 in SHA-256 repositories.
pub(super) fn is_object_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;
