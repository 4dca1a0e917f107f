//! The repository as libgit2 opens it, and how its paths are spelled.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use git2::{Diff, Index, Oid, Repository, RepositoryOpenFlags, Tree, TreeEntry};

use super::GitError;
use super::worktree::Worktree;

/// The modes git knows.
const FOLDER: u32 = 0o040_000;
pub(super) const REGULAR: u32 = 0o100_644;
pub(super) const EXECUTABLE: u32 = 0o100_755;
pub(super) const LINK: u32 = 0o120_000;
pub(super) const SUBMODULE: u32 = 0o160_000;

/// An open repository with the work tree it was opened for.
pub(super) struct Opened {
    pub(super) repo: Repository,
    pub(super) root: PathBuf,
    pub(super) index_file: PathBuf,
    /// `core.fileMode`: whether the executable bit on disk means anything.
    pub(super) file_mode: bool,
}

/// A file of a tree: its content and mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) id: Oid,
    pub(super) mode: u32,
}

/// Opens what lies in the work tree's folder: no search, and without `FROM_ENV` no `GIT_DIR`.
pub(super) fn open(worktree: &Worktree) -> Result<Opened, GitError> {
    let none: [&OsStr; 0] = [];
    let repo = Repository::open_ext(&worktree.root, RepositoryOpenFlags::NO_SEARCH, none)?;
    if repo.workdir().and_then(|folder| folder.canonicalize().ok()).as_ref() != Some(&worktree.root) {
        let root = worktree.root.display();
        return Err(GitError::Other(format!(
            "core.worktree of the repository in {root} names another folder"
        )));
    }
    let file_mode = repo.config().and_then(|config| config.get_bool("core.filemode")).unwrap_or(true);
    let index_file = worktree.git_dir.join("index");
    // Attributes are looked up in the index too, where a folder has no `.gitattributes`: reading it for that would cost
    // milliseconds on every call.
    repo.set_index(&mut Index::new()?)?;
    Ok(Opened { repo, root: worktree.root.clone(), index_file, file_mode })
}

impl Opened {
    /// The tree of HEAD's commit; `None` before the first commit.
    pub(super) fn head_tree(&self) -> Result<Option<Tree<'_>>, GitError> {
        match self.repo.head() {
            Ok(head) => Ok(Some(head.peel_to_tree()?)),
            Err(error) if error.code() == git2::ErrorCode::UnbornBranch => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn on_disk(&self, path: &[u8]) -> PathBuf {
        self.root.join(native(path))
    }

    /// What is stored under `id`; `None` if that is more than `limit` bytes, which are not loaded.
    pub(super) fn bytes(&self, id: Oid, limit: u64) -> Result<Option<Vec<u8>>, GitError> {
        let (size, _) = self.repo.odb()?.read_header(id)?;
        Ok(if size as u64 > limit { None } else { Some(self.repo.find_blob(id)?.content().to_owned()) })
    }

    /// The paths that differ between two trees, submodules among them.
    ///
    /// libgit2's own comparison walks through equal folders too: 50,000 files cost it 50 ms, this almost nothing.
    pub(super) fn between(
        &self,
        old: Option<&Tree<'_>>,
        new: Option<&Tree<'_>>,
    ) -> Result<Vec<Vec<u8>>, GitError> {
        let mut paths = Vec::new();
        if old.map(Tree::id) != new.map(Tree::id) {
            self.compare(old, new, &mut Vec::new(), &mut paths)?;
        }
        Ok(paths)
    }

    fn compare(
        &self,
        old: Option<&Tree<'_>>,
        new: Option<&Tree<'_>>,
        folder: &mut Vec<u8>,
        paths: &mut Vec<Vec<u8>>,
    ) -> Result<(), GitError> {
        for (name, (old, new)) in side_by_side(old, new) {
            if old == new {
                continue;
            }
            let length = folder.len();
            folder.extend_from_slice(&name);
            if [old, new].into_iter().flatten().any(|side| side.mode != FOLDER) {
                paths.push(folder.clone());
            }
            let (old, new) = (self.folder(old)?, self.folder(new)?);
            if old.is_some() || new.is_some() {
                folder.push(b'/');
                self.compare(old.as_ref(), new.as_ref(), folder, paths)?;
            }
            folder.truncate(length);
        }
        Ok(())
    }

    fn folder(&self, side: Option<Stored>) -> Result<Option<Tree<'_>>, GitError> {
        let folder = side.filter(|side| side.mode == FOLDER);
        Ok(folder.map(|folder| self.repo.find_tree(folder.id)).transpose()?)
    }

    /// The paths that differ between a tree and the index, submodules among them.
    pub(super) fn staged(&self, tree: Option<&Tree<'_>>, index: &Index) -> Result<Vec<Vec<u8>>, GitError> {
        let diff = self.repo.diff_tree_to_index(tree, Some(index), None)?;
        Ok(paths(&diff))
    }
}

type Sides = (Option<Stored>, Option<Stored>);

fn side_by_side(old: Option<&Tree<'_>>, new: Option<&Tree<'_>>) -> BTreeMap<Vec<u8>, Sides> {
    let mut sides: BTreeMap<Vec<u8>, Sides> = BTreeMap::new();
    for entry in old.iter().flat_map(|tree| tree.iter()) {
        sides.entry(entry.name_bytes().to_owned()).or_default().0 = entry_of(&entry);
    }
    for entry in new.iter().flat_map(|tree| tree.iter()) {
        sides.entry(entry.name_bytes().to_owned()).or_default().1 = entry_of(&entry);
    }
    sides
}

fn entry_of(entry: &TreeEntry<'_>) -> Option<Stored> {
    Some(Stored { id: entry.id(), mode: u32::try_from(entry.filemode()).ok()? })
}

/// Without rename detection both sides of a delta have the same path.
fn paths(diff: &Diff<'_>) -> Vec<Vec<u8>> {
    let path = |delta: git2::DiffDelta<'_>| {
        delta.new_file().path_bytes().or_else(|| delta.old_file().path_bytes()).map(<[u8]>::to_owned)
    };
    diff.deltas().filter_map(path).collect()
}

/// The file at `path` in `tree`. Folders are none, submodules are.
pub(super) fn stored(tree: Option<&Tree<'_>>, path: &[u8]) -> Option<Stored> {
    let entry = tree?.get_path(&native(path)).ok()?;
    entry_of(&entry).filter(|stored| stored.mode != FOLDER)
}

/// A path of git's as the system spells it.
#[cfg(unix)]
pub(super) fn native(path: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(OsStr::from_bytes(path)).to_owned()
}

/// A path of git's as the system spells it.
#[cfg(not(unix))]
pub(super) fn native(path: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(path).into_owned())
}

/// A path of git's as text. Bytes that are no UTF-8 are spelled out, so that different paths stay different.
pub(super) fn spelled(path: &[u8]) -> String {
    path.utf8_chunks().fold(String::new(), |mut text, chunk| {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.extend(["\\x", &format!("{byte:02x}")]);
        }
        text
    })
}

/// `path` relative to the work tree's folder, spelled as git does; `None` outside of it.
pub(super) fn relative(root: &Path, path: &Path) -> Option<Vec<u8>> {
    let inside =
        if path.is_relative() { path.to_owned() } else { real(path)?.strip_prefix(root).ok()?.to_owned() };
    let parts: Option<Vec<&[u8]>> = inside
        .components()
        .map(|part| match part {
            std::path::Component::Normal(name) => Some(name.as_encoded_bytes()),
            _ => None,
        })
        .collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join(&b'/'))
}

/// `path` with its folder's links resolved, as far as the folder exists; its own name is kept.
fn real(path: &Path) -> Option<PathBuf> {
    let parent = path.parent()?;
    let nearest = parent.ancestors().find(|ancestor| ancestor.is_dir())?;
    let rest = path.strip_prefix(nearest).ok()?;
    Some(nearest.canonicalize().ok()?.join(rest))
}
