//! The work tree of a path and what is checked out there, found by plain file reads: every tool call pays for it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use git2::{BranchType, Repository, RepositoryOpenFlags};

use super::GitError;
use crate::paths::above;
use crate::satisfactions::Key;

/// HEAD and the pointer files of linked worktrees hold one line; what is longer is none of them.
const LINE_BYTES: u64 = 4096;

/// A work tree: a main one, a linked one (`git worktree`) or a submodule's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// The top folder, links resolved.
    pub root: PathBuf,
    /// The folder of HEAD and index.
    pub git_dir: PathBuf,
    /// The folder of branches and objects, shared by all work trees of the repository.
    pub common_dir: PathBuf,
}

impl Worktree {
    /// The innermost work tree that holds `path`, which need not exist yet; `None` outside of any.
    ///
    /// Links in the path are followed: a file behind a linked folder belongs to the repository it really lies in.
    pub fn find(path: &Path) -> Result<Option<Self>, GitError> {
        let Some(start) = existing_folder(path) else { return Ok(None) };
        for folder in start.ancestors() {
            if let Some(git_dir) = git_dir_of(folder)? {
                let common_dir = first_line(&git_dir.join("commondir"));
                let common_dir = common_dir.map_or(git_dir.clone(), |line| resolved(&git_dir.join(line)));
                let own = ["HEAD", "index"].map(|name| git_dir.join(name));
                let common = ["config", "packed-refs"].map(|name| common_dir.join(name));
                are_files(own.into_iter().chain(common)).map_err(GitError::Final)?;
                return Ok(Some(Self { root: folder.to_owned(), git_dir, common_dir }));
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

    /// Each file that git reads before it looks at the work tree is a regular file, or missing.
    pub(crate) fn check_rules(&self) -> Result<(), GitError> {
        let own = [".gitignore", ".gitattributes"].map(|name| self.root.join(name));
        let common = ["exclude", "attributes"].map(|name| self.common_dir.join("info").join(name));
        are_files(own.into_iter().chain(common)).map_err(GitError::Other)
    }

    /// The branch or commit that is checked out. Old repositories have a symbolic link to the branch.
    pub(crate) fn head(&self) -> Result<Key, GitError> {
        let file = self.git_dir.join("HEAD");
        let line = match fs::read_link(&file) {
            Ok(target) => target.to_str().map(|target| format!("ref: {target}")),
            Err(_) => first_line(&file),
        };
        line.and_then(|line| parse_head(&line)).ok_or_else(|| {
            let file = file.display();
            GitError::Other(format!("{file} names no branch and no commit that could be read"))
        })
    }

    /// All local branches, and the HEAD of every work tree, which may be a commit or a branch without one. One that cannot be
    /// read may be anything, so that nothing can be said of the others either.
    pub(crate) fn heads(&self) -> Result<BTreeSet<Key>, GitError> {
        let linked = fs::read_dir(self.common_dir.join("worktrees")).into_iter().flatten().flatten();
        let git_dirs = linked.map(|entry| entry.path()).chain([self.common_dir.clone()]);
        let git_dirs = git_dirs.filter(|git_dir| fs::symlink_metadata(git_dir.join("HEAD")).is_ok());
        let mut heads: BTreeSet<Key> =
            git_dirs.map(|git_dir| Self { git_dir, ..self.clone() }.head()).collect::<Result<_, _>>()?;
        for branch in self.open()?.branches(Some(BranchType::Local))? {
            heads.extend(branch?.0.name()?.map(|name| Key::Branch(name.to_owned())));
        }
        Ok(heads)
    }

    /// Opens what lies in the work tree's folder: no search, and without `FROM_ENV` no `GIT_DIR`.
    pub(super) fn open(&self) -> Result<Repository, GitError> {
        self.check_rules()?;
        let none: [&OsStr; 0] = [];
        let repo = Repository::open_ext(&self.root, RepositoryOpenFlags::NO_SEARCH, none)?;
        if repo.workdir().and_then(|folder| folder.canonicalize().ok()).as_ref() != Some(&self.root) {
            let root = self.root.display();
            let why = format!("core.worktree of the repository in {root} names another folder");
            return Err(GitError::Other(why));
        }
        Ok(repo)
    }
}

/// Git and libgit2 wait for a pipe.
fn are_files(mut files: impl Iterator<Item = PathBuf>) -> Result<(), String> {
    let odd = files.find(|file| fs::metadata(file).is_ok_and(|metadata| !metadata.is_file()));
    odd.map_or(Ok(()), |file| {
        let file = file.display();
        let why = "is not a regular file, so the repository cannot be read; move it away or clone anew";
        Err(format!("{file} {why}"))
    })
}

/// The nearest folder at or above `path` that exists, links resolved.
fn existing_folder(path: &Path) -> Option<PathBuf> {
    above(path).find(|ancestor| ancestor.is_dir())?.canonicalize().ok()
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
        let dot_git = dot_git.display();
        GitError::Other(format!("{dot_git} points to no git folder; `git worktree repair` mends it"))
    })
}

fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
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

fn parse_head(line: &str) -> Option<Key> {
    match line.strip_prefix("ref:") {
        Some(reference) => branch_of(reference.trim()).map(Key::Branch),
        None => is_object_name(line).then(|| Key::Detached(line.to_owned())),
    }
}

/// The branch of a full reference name; `None` for what git would not take as one (reftable writes `.invalid`).
pub(super) fn branch_of(reference: &str) -> Option<String> {
    let name = reference.strip_prefix("refs/heads/")?;
    let is_legal = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains("..");
    let is_legal = name.split('/').all(is_legal) && !name.chars().any(char::is_control);
    is_legal.then(|| name.to_owned())
}

/// 40 hexadecimal digits, or 64 in SHA-256 repositories.
pub(super) fn is_object_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;
