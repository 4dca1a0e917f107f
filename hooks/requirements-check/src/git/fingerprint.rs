//! What the files under some globs contain, so that two moments can be compared.
//!
//! A fingerprint is HEAD's tree and what the work tree has otherwise: changed, new and missing files by content.
//! Committing exactly what was there keeps it the same; any other content, by whatever program, does not. A submodule counts
//! by the commit that is out in it, not by its files. Ignored files and what tools keep for themselves are no part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::path::Path;
use std::time::UNIX_EPOCH;

use git2::{ObjectType, Oid, Repository, Status, StatusEntry, StatusOptions, Tree};
use globset::GlobSet;
use serde::{Deserialize, Serialize};

use super::GitError;
use super::own::{Own, OwnPaths};
use super::repository::{head_tree, native, open, spelled};
use super::worktree::{Head, Worktree, first_line};

/// More changed files are an import or a missing `.gitignore`, and a record too large to keep.
const MAX_CHANGED: usize = 5_000;
/// Files looked at where there is no repository.
const MAX_PLAIN: usize = 20_000;
/// Larger files are told by size and time.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// Folders of tools, left out where no `.gitignore` can say so.
const NOT_SOURCES: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];
/// The content of a file that HEAD's tree has and the work tree has not.
const GONE: &str = "gone";
/// Before the commit of a submodule.
const SUBMODULE_MARK: &str = "m";

/// The modes git knows.
const EXECUTABLE: i32 = 0o100_755;
const LINK: i32 = 0o120_000;
const SUBMODULE: i32 = 0o160_000;
const FOLDER: i32 = 0o040_000;

/// The files of one moment. Two of them are compared by [`differing`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fingerprint {
    /// The object name of HEAD's tree; empty before the first commit and without a repository.
    pub(crate) tree: String,
    /// Content by path, of the files that are not as in the tree.
    pub(crate) changed: BTreeMap<String, String>,
}

/// A fingerprint, and how the index relates to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) fingerprint: Fingerprint,
    /// Files of which another version is staged than the one that lies there.
    pub(crate) staged_otherwise: Vec<String>,
}

/// Takes the fingerprint of the files under `paths`; `None` means all but what is `own`.
pub(crate) fn take(worktree: &Worktree, paths: Option<&GlobSet>, own: &Own) -> Result<Taken, GitError> {
    let repo = open(worktree)?;
    // What is hashed on its way through git's filters stays in memory.
    let odb = repo.odb()?;
    odb.add_new_mempack_backend(1_000)?;
    let tree = head_tree(&repo)?;
    let mut options = StatusOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).include_ignored(false);
    let statuses = repo.statuses(Some(&mut options))?;
    let taking = Taking { repo: &repo, root: &worktree.root, tree: tree.as_ref() };
    let own = own.within(&worktree.root);
    let (mut changed, mut staged_otherwise) = (BTreeMap::new(), Vec::new());
    for entry in statuses.iter().filter(|entry| counts(entry, paths, &own)) {
        let name = spelled(entry.path_bytes());
        if entry.status().intersects(STAGED) && entry.status().intersects(IN_WORK_TREE) {
            staged_otherwise.push(name.clone());
        }
        let content = taking.content(&entry)?;
        if content != in_tree(tree.as_ref(), entry.path_bytes()) {
            changed.insert(name, content.unwrap_or_else(|| GONE.to_owned()));
        }
        if changed.len() > MAX_CHANGED {
            return Err(GitError::TooMany(MAX_CHANGED));
        }
    }
    let tree = tree.as_ref().map(|tree| tree.id().to_string()).unwrap_or_default();
    Ok(Taken { fingerprint: Fingerprint { tree, changed }, staged_otherwise })
}

const STAGED: Status = Status::INDEX_NEW
    .union(Status::INDEX_MODIFIED)
    .union(Status::INDEX_DELETED)
    .union(Status::INDEX_TYPECHANGE);
const IN_WORK_TREE: Status =
    Status::WT_NEW.union(Status::WT_MODIFIED).union(Status::WT_DELETED).union(Status::WT_TYPECHANGE);

fn counts(entry: &StatusEntry<'_>, paths: Option<&GlobSet>, own: &OwnPaths) -> bool {
    let path = entry.path_bytes();
    let is_untracked = entry.status().contains(Status::WT_NEW);
    // A folder among the files is a repository of its own.
    let is_folder = path.ends_with(b"/");
    let is_own = own.is_never_counted(path) || (is_untracked && own.is_left_out(path));
    matches(paths, path) && !is_folder && !is_own
}

struct Taking<'a> {
    repo: &'a Repository,
    root: &'a Path,
    tree: Option<&'a Tree<'a>>,
}

impl Taking<'_> {
    /// What lies at the entry's path; `None` where nothing does.
    fn content(&self, entry: &StatusEntry<'_>) -> Result<Option<String>, GitError> {
        let file = self.root.join(native(entry.path_bytes()));
        let Ok(metadata) = fs::symlink_metadata(&file) else { return Ok(None) };
        if metadata.is_dir() {
            return Ok(self.submodule(&file, entry.path_bytes()));
        }
        if metadata.is_symlink() {
            let target = fs::read_link(&file).map(|target| target.as_os_str().as_encoded_bytes().to_owned());
            let id = target.ok().map(|target| Oid::hash_object(ObjectType::Blob, &target)).transpose()?;
            return Ok(id.map(|id| text(id, LINK)));
        }
        if !metadata.is_file() {
            return Ok(None);
        }
        if metadata.len() > MAX_BYTES {
            return Ok(Some(by_time(&metadata)));
        }
        // One that cannot be read is as good as none.
        let id = self.repo.blob_path(&file).ok();
        Ok(id.map(|id| text(id, self.mode(&metadata, entry))))
    }

    fn mode(&self, metadata: &Metadata, entry: &StatusEntry<'_>) -> i32 {
        let has_modes =
            self.repo.config().and_then(|config| config.get_bool("core.filemode")).unwrap_or(cfg!(unix));
        match stored(self.tree, entry.path_bytes()) {
            Some((_, known)) if !has_modes => known,
            _ if is_executable(metadata) => EXECUTABLE,
            _ => 0,
        }
    }

    /// A submodule by the commit that is out in it; where none is, by the one it is listed with.
    fn submodule(&self, folder: &Path, path: &[u8]) -> Option<String> {
        let worktree = Worktree::find(folder).ok().flatten().filter(|found| found.root == folder);
        match worktree {
            Some(worktree) => Some(format!("{SUBMODULE_MARK}{}", commit_of(&worktree))),
            None => in_tree(self.tree, path),
        }
    }
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}

fn by_time(metadata: &Metadata) -> String {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let since = since.unwrap_or_default();
    format!("{}@{}.{:09}", metadata.len(), since.as_secs(), since.subsec_nanos())
}

fn matches(paths: Option<&GlobSet>, path: &[u8]) -> bool {
    paths.is_none_or(|paths| paths.is_match(native(path)))
}

/// The object and mode at `path`. Folders are none, submodules are.
fn stored(tree: Option<&Tree<'_>>, path: &[u8]) -> Option<(Oid, i32)> {
    let entry = tree?.get_path(&native(path)).ok()?;
    Some((entry.id(), entry.filemode())).filter(|(_, mode)| *mode != FOLDER)
}

/// The commit a submodule has out. A branch's is read by hand like HEAD, or by libgit2 where it is packed.
fn commit_of(worktree: &Worktree) -> String {
    let packed = || open(worktree).ok()?.head().ok()?.target().map(|commit| commit.to_string());
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
fn text(id: Oid, mode: i32) -> String {
    let mark = match mode {
        EXECUTABLE => "x",
        LINK => "l",
        SUBMODULE => SUBMODULE_MARK,
        _ => "",
    };
    format!("{mark}{id}")
}

fn in_tree(tree: Option<&Tree<'_>>, path: &[u8]) -> Option<String> {
    stored(tree, path).map(|(id, mode)| text(id, mode))
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
    let repo = open(worktree)?;
    let (old, new) = (tree(&repo, one)?, tree(&repo, other)?);
    let between = repo.diff_tree_to_tree(old.as_ref(), new.as_ref(), None)?;
    let between = between.deltas().filter_map(|delta| delta.new_file().path_bytes().map(<[u8]>::to_owned));
    let changed = one.changed.keys().chain(other.changed.keys()).map(|name| name.as_bytes().to_owned());
    let mut candidates: BTreeSet<Vec<u8>> = changed.chain(between).collect();
    candidates.retain(|path| {
        matches(paths, path) && one.content(old.as_ref(), path) != other.content(new.as_ref(), path)
    });
    Ok(candidates.iter().map(|path| spelled(path)).collect())
}

fn tree<'r>(repo: &'r Repository, fingerprint: &Fingerprint) -> Result<Option<Tree<'r>>, GitError> {
    if fingerprint.tree.is_empty() {
        return Ok(None);
    }
    Ok(Some(repo.find_tree(Oid::from_str(&fingerprint.tree)?)?))
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
            self.changed.insert(spelled(path), by_time(&metadata));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
