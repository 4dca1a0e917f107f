//! What the files under some globs contain, so that two moments can be compared.
//!
//! A fingerprint is HEAD's tree and what the work tree has otherwise: changed, new and missing files by content.
//! Committing exactly what was there keeps it the same; any other content, by whatever program, does not. A submodule counts
//! by the commit that is out in it, not by its files. Ignored files and what tools keep for themselves are no part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use git2::{Oid, Tree};
use globset::GlobSet;
use serde::{Deserialize, Serialize};

use super::GitError;
use super::content::{MAX_BYTES, OnDisk, read};
use super::index::{Entry, Tracked, times};
use super::own::{Own, OwnPaths};
use super::repository::{EXECUTABLE, LINK, Opened, SUBMODULE, Stored, native, open, spelled, stored};
use super::walk::{Found, Next, walk};
use super::worktree::{Head, Worktree, first_line};

/// More changed files are an import or a missing `.gitignore`, and a record too large to keep.
const MAX_CHANGED: usize = 5_000;
/// Files looked at where there is no repository.
const MAX_PLAIN: usize = 20_000;
/// Folders of tools, left out where no `.gitignore` can say so.
const NOT_SOURCES: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];
/// The content of a file that HEAD's tree has and the work tree has not.
const GONE: &str = "gone";
/// Before the commit of a submodule.
const SUBMODULE_MARK: &str = "m";

/// The files of one moment. Two of them are compared by [`differing`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fingerprint {
    /// The object name of HEAD's tree; empty before the first commit and without a repository.
    pub(crate) tree: String,
    /// Content by path, of the files that are not as in the tree.
    pub(crate) changed: BTreeMap<String, String>,
}

/// Takes the fingerprint of the files under `paths`; `None` means all but what is `own`. It writes nothing.
pub(crate) fn take(worktree: &Worktree, paths: Option<&GlobSet>, own: &Own) -> Result<Fingerprint, GitError> {
    let opened = open(worktree)?;
    let tree = opened.head_tree()?;
    let tracked = Tracked::load(&opened)?;
    let own = own.within(&opened.root);
    let mut taking =
        Taking { opened: &opened, tree: tree.as_ref(), paths, own: &own, changed: BTreeMap::new() };
    for path in opened.staged(tree.as_ref(), &tracked.index)? {
        taking.look(&path, tracked.get(&path))?;
    }
    let mut visit = |path: &[u8], found: Found| {
        match found {
            Found::Touched | Found::Gone | Found::Submodule => taking.look(path, tracked.get(path))?,
            Found::Untracked => taking.look_at_disk(path, None)?,
        }
        Ok(Next::Continue)
    };
    walk(&opened, &tracked, &own, None, &mut visit)?;
    let changed = taking.changed;
    Ok(Fingerprint { tree: tree.map(|tree| tree.id().to_string()).unwrap_or_default(), changed })
}

struct Taking<'a> {
    opened: &'a Opened,
    tree: Option<&'a Tree<'a>>,
    paths: Option<&'a GlobSet>,
    own: &'a OwnPaths,
    changed: BTreeMap<String, String>,
}

impl Taking<'_> {
    fn look(&mut self, path: &[u8], listed: Option<&Entry>) -> Result<(), GitError> {
        match listed {
            Some(listed) if listed.stored.mode == SUBMODULE => {
                self.note(path, Some(self.checked_out(path, listed.stored)))
            }
            Some(listed) if listed.kept => self.note(path, Some(id(listed.stored))),
            Some(listed) => self.look_at_disk(path, Some(listed.stored)),
            // No longer tracked. If it lies there all the same and is not ignored, the walk comes across it.
            None => self.note(path, None),
        }
    }

    /// A submodule by the commit that is out in it; where none is, by the one it is listed with.
    fn checked_out(&self, path: &[u8], listed: Stored) -> String {
        let folder = self.opened.on_disk(path);
        let worktree = Worktree::find(&folder).ok().flatten().filter(|found| found.root == folder);
        match worktree {
            Some(worktree) => format!("{SUBMODULE_MARK}{}", commit_of(&worktree)),
            None => id(listed),
        }
    }

    fn look_at_disk(&mut self, path: &[u8], known: Option<Stored>) -> Result<(), GitError> {
        if !self.counts(path) {
            return Ok(());
        }
        let content = match read(self.opened, path, known, MAX_BYTES)? {
            OnDisk::Nothing => None,
            OnDisk::File(file) => Some(id(file.stored()?)),
            OnDisk::Large { size, mtime } => Some(format!("{size}@{}.{:09}", mtime.0, mtime.1)),
        };
        self.note(path, content)
    }

    fn counts(&self, path: &[u8]) -> bool {
        matches(self.paths, path) && !self.own.is_never_counted(path)
    }

    /// What is as in the tree is no change, so that the same files always have the same fingerprint.
    fn note(&mut self, path: &[u8], content: Option<String>) -> Result<(), GitError> {
        if !self.counts(path) {
            return Ok(());
        }
        let name = spelled(path);
        if content == in_tree(self.tree, path) {
            self.changed.remove(&name);
        } else {
            self.changed.insert(name, content.unwrap_or_else(|| GONE.to_owned()));
        }
        if self.changed.len() > MAX_CHANGED { Err(GitError::TooMany(MAX_CHANGED)) } else { Ok(()) }
    }
}

fn matches(paths: Option<&GlobSet>, path: &[u8]) -> bool {
    paths.is_none_or(|paths| paths.is_match(native(path)))
}

/// The commit a submodule has out. A branch's is read by hand like HEAD, or by libgit2 where it is packed.
fn commit_of(worktree: &Worktree) -> String {
    let packed = || open(worktree).ok()?.repo.head().ok()?.target().map(|commit| commit.to_string());
    let commit = match worktree.head() {
        Ok(Head::Detached(commit)) => Some(commit),
        Ok(Head::Branch(name)) => {
            first_line(&worktree.common_dir.join("refs/heads").join(name)).or_else(packed)
        }
        Err(_) => packed(),
    };
    commit.unwrap_or_else(|| "unknown".to_owned())
}

/// The content of a file as text: its object name, marked where it is executable, a link or a submodule.
fn id(stored: Stored) -> String {
    let mark = match stored.mode {
        EXECUTABLE => "x",
        LINK => "l",
        SUBMODULE => SUBMODULE_MARK,
        _ => "",
    };
    format!("{mark}{}", stored.id)
}

fn in_tree(tree: Option<&Tree<'_>>, path: &[u8]) -> Option<String> {
    stored(tree, path).map(id)
}

/// The paths under `paths` that were not the same at both moments, sorted. An error where it cannot be told.
pub(crate) fn differing(
    worktree: Option<&Worktree>,
    one: &Fingerprint,
    other: &Fingerprint,
    paths: Option<&GlobSet>,
) -> Result<Vec<String>, GitError> {
    if one.tree != other.tree {
        let worktree =
            worktree.ok_or_else(|| GitError::Other("there is no repository any more".to_owned()))?;
        return across_trees(worktree, one, other, paths);
    }
    let names: BTreeSet<&String> = one.changed.keys().chain(other.changed.keys()).collect();
    let differs = |name: &&String| {
        matches(paths, name.as_bytes()) && one.changed.get(*name) != other.changed.get(*name)
    };
    Ok(names.into_iter().filter(differs).cloned().collect())
}

/// Only what differs between the trees or was changed on top of either can differ.
fn across_trees(
    worktree: &Worktree,
    one: &Fingerprint,
    other: &Fingerprint,
    paths: Option<&GlobSet>,
) -> Result<Vec<String>, GitError> {
    let opened = open(worktree)?;
    let (old, new) = (tree(&opened, one)?, tree(&opened, other)?);
    let between = opened.between(old.as_ref(), new.as_ref())?;
    let changed = one.changed.keys().chain(other.changed.keys()).map(String::as_bytes);
    let mut candidates: BTreeSet<&[u8]> = changed.chain(between.iter().map(Vec::as_slice)).collect();
    candidates.retain(|path| {
        matches(paths, path) && one.content(old.as_ref(), path) != other.content(new.as_ref(), path)
    });
    Ok(candidates.into_iter().map(spelled).collect())
}

fn tree<'r>(opened: &'r Opened, fingerprint: &Fingerprint) -> Result<Option<Tree<'r>>, GitError> {
    if fingerprint.tree.is_empty() {
        return Ok(None);
    }
    Ok(Some(opened.repo.find_tree(Oid::from_str(&fingerprint.tree)?)?))
}

impl Fingerprint {
    fn content(&self, tree: Option<&Tree<'_>>, path: &[u8]) -> Option<String> {
        match self.changed.get(&spelled(path)) {
            Some(content) => (content != GONE).then(|| content.clone()),
            None => in_tree(tree, path),
        }
    }
}

/// The fingerprint of a folder without a repository: sizes and times instead of contents.
pub(crate) fn take_plain(root: &Path, paths: Option<&GlobSet>, own: &Own) -> Result<Fingerprint, GitError> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut plain = Plain { paths, own: own.within(&root), files: 0, changed: BTreeMap::new() };
    plain.folder(&root, &mut Vec::new())?;
    Ok(Fingerprint { tree: String::new(), changed: plain.changed })
}

struct Plain<'a> {
    paths: Option<&'a GlobSet>,
    own: OwnPaths,
    files: usize,
    changed: BTreeMap<String, String>,
}

impl Plain<'_> {
    fn folder(&mut self, folder: &Path, path: &mut Vec<u8>) -> Result<(), GitError> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        for entry in entries.flatten() {
            let length = path.len();
            if length > 0 {
                path.push(b'/');
            }
            path.extend_from_slice(entry.file_name().as_encoded_bytes());
            self.entry(&entry, path)?;
            path.truncate(length);
        }
        Ok(())
    }

    fn entry(&mut self, entry: &fs::DirEntry, path: &mut Vec<u8>) -> Result<(), GitError> {
        if self.own.is_left_out(path) {
            return Ok(());
        }
        let Ok(metadata) = entry.metadata() else { return Ok(()) };
        if metadata.is_dir() {
            let of_tools = NOT_SOURCES.iter().any(|name| entry.file_name() == *name);
            return if of_tools { Ok(()) } else { self.folder(&entry.path(), path) };
        }
        self.files += 1;
        if self.files > MAX_PLAIN {
            return Err(GitError::TooMany(MAX_PLAIN));
        }
        if matches(self.paths, path) {
            let (secs, nanos) = times(&metadata).0;
            self.changed.insert(spelled(path), format!("{}@{secs}.{nanos:09}", metadata.len()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
