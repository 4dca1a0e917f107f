//! Where a call acts: which work tree, which branch, and where its satisfactions are kept.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use shared::hook::Context;
use shared::host::Timestamp;
use shared::state::{Store, ensure_private, file_key, write_private};

use crate::git::{Worktree, ask_git};
use crate::paths::above;
use crate::satisfactions::{Folder, Key};
use crate::settings::{Scope, Settings};

/// Where a call acts.
#[derive(Debug, Clone, Default)]
pub struct Here {
    /// Whose satisfactions count.
    pub key: Key,
    /// The work tree; none without git.
    pub worktree: Option<Worktree>,
    /// The folder of the satisfactions; none where nothing can be remembered.
    pub folder: Option<Folder>,
    /// Why git, which is there, could not be read.
    pub trouble: Option<String>,
}

impl Here {
    /// The place of a file or folder, which need not exist, by a path without links. The `git` command answers for what cannot
    /// be read by hand.
    pub(crate) fn find(path: &Path, context: &Context<'_, Settings>) -> Self {
        let read = Worktree::around(path)
            .and_then(|found| found.map(|worktree| worktree.head().map(|key| (worktree, key))).transpose());
        let read = read.or_else(|_| {
            let folder = above(path).find(|ancestor| ancestor.is_dir()).unwrap_or(path);
            ask_git(folder, &context.host.environment).map(Some)
        });
        if let Ok(Some((worktree, key))) = read {
            let folder = Folder::of_repository(&worktree.common_dir, &worktree.root);
            return Self { key, worktree: Some(worktree), folder: Some(folder), trouble: None };
        }
        let folder = context.store.map(Store::dir).zip(context.places.root.as_deref());
        let folder = folder.map(|(state, root)| Folder::of_project(state, root));
        Self { folder, trouble: read.err().map(|error| error.to_string()), ..Self::default() }
    }

    /// The branch, where one is out.
    pub fn branch(&self) -> Option<&str> {
        match &self.key {
            Key::Branch(name) => Some(name),
            _ => None,
        }
    }

    /// The place in words: `main`, `commit 1a2b3c4d`, `this project (no git)`.
    pub fn shown(&self) -> String {
        match &self.key {
            Key::Branch(name) => name.clone(),
            Key::Detached(commit) => format!("commit {}", &commit[..commit.len().min(8)]),
            Key::NoGit | Key::Permanent => "this project (no git)".to_owned(),
        }
    }

    /// Where something is so, in words: `on main`, `in this project (no git)`.
    pub fn on(&self) -> String {
        let word = if matches!(self.key, Key::NoGit | Key::Permanent) { "in" } else { "on" };
        format!("{word} {}", self.shown())
    }

    /// The scope a satisfaction has here: without git there is no branch and no repository, only sessions.
    pub fn scope(&self, set: Scope) -> Scope {
        match (&self.key, set) {
            (Key::NoGit, Scope::Branch | Scope::Permanent) => Scope::Session,
            _ => set,
        }
    }

    /// The branches there are, and what is checked out in each work tree; none where that cannot be told.
    pub fn heads(&self) -> Option<BTreeSet<Key>> {
        self.worktree.as_ref()?.heads().ok()
    }

    /// The top folder of the work tree.
    pub fn root(&self) -> Option<&Path> {
        self.worktree.as_ref().map(|worktree| worktree.root.as_path())
    }
}

/// The folder can be written to, or made where it is not there yet.
#[cfg(unix)]
pub(crate) fn is_writable(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    use rustix::io::Errno;
    let answers = above(folder).map(|folder| access(folder, Access::WRITE_OK));
    answers.into_iter().find(|answer| *answer != Err(Errno::NOENT)).is_some_and(|answer| answer.is_ok())
}

/// Whether it could be written to shows when it is.
#[cfg(not(unix))]
pub(crate) fn is_writable(_folder: &Path) -> bool {
    true
}

/// Something that is remembered of a folder, by an empty file in the state folder; nothing is without that.
#[derive(Debug)]
pub(crate) struct Noted(Option<PathBuf>);

impl Noted {
    fn of(state_dir: Option<&Path>, what: &str, folder: &Path) -> Self {
        Self(state_dir.map(|dir| dir.join(what).join(file_key(&folder.to_string_lossy()))))
    }

    /// The folder took no satisfaction lately, for whatever reason: the hook does not ask for what cannot be kept, or it would
    /// deny the same call for ever.
    pub(crate) fn unwritable(state_dir: Option<&Path>, folder: &Path) -> Self {
        Self::of(state_dir, "unmarkable", folder)
    }

    /// The user of the repository has read of `req init`: the hook says it once for each.
    pub(crate) fn told_of_init(state_dir: Option<&Path>, common_dir: &Path) -> Self {
        Self::of(state_dir, "told-of-init", common_dir)
    }

    pub(crate) fn since(&self) -> Option<Timestamp> {
        Some(Timestamp::from(std::fs::metadata(self.0.as_ref()?).ok()?.modified().ok()?))
    }

    pub(crate) fn remember(&self) -> Result<(), String> {
        let Some((file, dir)) = self.0.as_ref().and_then(|file| Some((file, file.parent()?))) else {
            return Ok(());
        };
        let made = ensure_private(dir).and_then(|()| write_private(file, b""));
        made.map_err(|error| format!("{}: {error}", file.display()))
    }

    pub(crate) fn forget(&self) {
        let _ = self.0.as_ref().map(std::fs::remove_file);
    }
}
