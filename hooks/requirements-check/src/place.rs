//! Where a call acts: which work tree, which branch, and where its satisfactions are kept.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shared::host::{Environment, Timestamp};
use shared::state::{SharedMode, ensure_private, file_key, write_private};

use crate::git::{self, GitError, Head, Worktree};
use crate::paths::above;
use crate::satisfactions::{Key, MarkFolder};
use crate::settings::Scope;

/// Where a call acts.
#[derive(Debug, Clone)]
pub struct Here {
    /// Whose satisfactions count.
    pub key: Key,
    /// The work tree; none without git.
    pub worktree: Option<Worktree>,
    /// The folder of the satisfactions; none where nothing can be remembered.
    pub folder: Option<MarkFolder>,
    /// Why git, which is there, could not be read.
    pub trouble: Option<String>,
}

impl Default for Here {
    fn default() -> Self {
        Self { key: Key::NoGit, worktree: None, folder: None, trouble: None }
    }
}

/// What a place is found from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'a> {
    /// The state folder, for satisfactions without git.
    pub(crate) state_dir: Option<&'a Path>,
    /// The project's root, which satisfactions without git belong to.
    pub(crate) root: Option<&'a Path>,
    /// Where git is looked for, and whose configuration counts.
    pub(crate) environment: &'a Environment,
}

impl Here {
    /// The place of a file or folder, which need not exist. `ask` answers for what cannot be read by hand.
    pub(crate) fn find(
        path: &Path,
        around: Around<'_>,
        ask: impl FnOnce(&Path) -> Result<git::Answer, GitError>,
    ) -> Self {
        match Worktree::find(path) {
            Ok(None) => Self::without_git(around, None),
            Ok(Some(worktree)) => match worktree.head() {
                Ok(head) => Self::in_git(worktree, head),
                Err(_) => Self::asked(ask(path), around),
            },
            // Git would wait for what is no file.
            Err(error @ GitError::NotAFile(_)) => Self::without_git(around, Some(error.to_string())),
            Err(_) => Self::asked(ask(path), around),
        }
    }

    fn asked(answer: Result<git::Answer, GitError>, around: Around<'_>) -> Self {
        match answer {
            Ok(answer) => Self::in_git(answer.worktree, answer.head),
            Err(error) => Self::without_git(around, Some(error.to_string())),
        }
    }

    fn in_git(worktree: Worktree, head: Head) -> Self {
        let key = key_of(head);
        let folder = MarkFolder::of_repository(&worktree.common_dir, &worktree.root, SharedMode::Private);
        Self { key, worktree: Some(worktree), folder: Some(folder), trouble: None }
    }

    fn without_git(around: Around<'_>, trouble: Option<String>) -> Self {
        let folder =
            around.state_dir.zip(around.root).map(|(state, root)| MarkFolder::of_project(state, root));
        Self { key: Key::NoGit, worktree: None, folder, trouble }
    }

    /// The folder, for changes: its files get the mode the repository shares its own with.
    pub(crate) fn folder_to_change(&self) -> Option<MarkFolder> {
        match &self.worktree {
            Some(worktree) => {
                let mode = shared_mode(&worktree.common_dir);
                Some(MarkFolder::of_repository(&worktree.common_dir, &worktree.root, mode))
            }
            None => self.folder.clone(),
        }
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
    pub(crate) fn heads(&self) -> Option<BTreeSet<Key>> {
        let heads = git::heads(self.worktree.as_ref()?).ok()?;
        Some(heads.into_iter().map(key_of).collect())
    }

    /// The top folder of the work tree.
    pub(crate) fn root(&self) -> Option<&Path> {
        self.worktree.as_ref().map(|worktree| worktree.root.as_path())
    }
}

/// Whose satisfactions count where this is checked out.
pub(crate) fn key_of(head: Head) -> Key {
    match head {
        Head::Branch(name) => Key::Branch(name),
        Head::Detached(commit) => Key::Detached(commit),
    }
}

/// `git` asked about a folder.
pub(crate) fn ask(folder: &Path, around: Around<'_>) -> Result<git::Answer, GitError> {
    let nearest = above(folder).find(|ancestor| ancestor.is_dir()).unwrap_or(folder);
    git::ask_git(nearest, around.environment)
}

/// `core.sharedRepository`, as far as it gives others access.
fn shared_mode(common_dir: &Path) -> SharedMode {
    let config = git2::Config::open(&common_dir.join("config"));
    let value = config.and_then(|config| config.get_string("core.sharedRepository")).unwrap_or_default();
    match value.to_ascii_lowercase().as_str() {
        "group" | "true" | "1" | "yes" | "on" => SharedMode::Group,
        "all" | "world" | "everybody" | "2" => SharedMode::All,
        octal => match u32::from_str_radix(octal.trim_start_matches("0o"), 8) {
            Ok(mode) if octal.starts_with('0') && mode & 0o004 != 0 => SharedMode::All,
            Ok(mode) if octal.starts_with('0') && mode & 0o060 != 0 => SharedMode::Group,
            _ => SharedMode::Private,
        },
    }
}

/// The folder can be written to, or made where it is not there yet.
#[cfg(unix)]
pub(crate) fn is_writable(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    let nearest: Option<PathBuf> = above(folder).find(|ancestor| ancestor.exists()).map(Path::to_path_buf);
    nearest.is_some_and(|nearest| access(&nearest, Access::WRITE_OK).is_ok())
}

/// Whether it could be written to shows when it is.
#[cfg(not(unix))]
pub(crate) fn is_writable(_folder: &Path) -> bool {
    true
}

/// Folders that took no satisfaction lately, for whatever reason, remembered by an empty file each in the state folder: what cannot be
/// marked is not asked for, or the same call would be refused for ever.
#[derive(Debug)]
pub(crate) struct Refusals(Option<PathBuf>);

impl Refusals {
    /// A folder is tried again after this time.
    const HOLD_FOR: Duration = Duration::from_secs(10 * 60);

    pub(crate) fn new(state_dir: Option<&Path>) -> Self {
        Self(state_dir.map(|dir| dir.join("unmarkable")))
    }

    fn file(&self, folder: &Path) -> Option<PathBuf> {
        self.0.as_ref().map(|dir| dir.join(file_key(&folder.to_string_lossy())))
    }

    /// The folder took none lately.
    pub(crate) fn hold(&self, folder: &Path, now: Timestamp) -> bool {
        let last = self.file(folder).and_then(|file| std::fs::metadata(file).ok()?.modified().ok());
        last.is_some_and(|last| now.since(Timestamp::from(last)) < Self::HOLD_FOR)
    }

    pub(crate) fn remember(&self, folder: &Path) {
        if let (Some(dir), Some(file)) = (&self.0, self.file(folder)) {
            let _ = ensure_private(dir).and_then(|()| write_private(&file, b""));
        }
    }

    pub(crate) fn forget(&self, folder: &Path) {
        if let Some(file) = self.file(folder) {
            let _ = std::fs::remove_file(file);
        }
    }
}
