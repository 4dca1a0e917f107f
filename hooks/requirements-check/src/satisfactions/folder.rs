//! The files on disk. Reading takes no lock, because a file is only ever replaced as a whole; a change reads the file
//! again inside the lock, and is durable when it returns. A file without satisfactions is removed.

use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use shared::host::Timestamp;
use shared::state::{
    KEEP_DAYS, LOCK_DEADLINE, LockError, SharedMode, ensure_folder, ensure_private, file_key, read_regular,
    remove_durable, with_shared_lock, write_durable,
};

use super::{Key, Satisfactions};

/// The version that is written. Raised when a field comes or goes, because an older program would drop it or miss it.
const VERSION: u32 = 3;
/// A larger file is damaged; ten thousand satisfactions fit.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// So many files of a folder are looked at.
const MAX_LISTED: usize = 10_000;

/// The folder with the satisfactions of one repository, or of one project without git.
#[derive(Debug, Clone)]
pub struct Folder {
    dir: PathBuf,
    /// The repository's common folder; none for a folder in the state folder, whose parents may be made.
    common_dir: Option<PathBuf>,
}

/// Why satisfactions are not read, or not changed: then they are as they were.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("{0} was written by a newer version of Barbless and is only read; update this one")]
    Newer(PathBuf),
    /// The content is none of ours, or what is there is no file: a link above all.
    #[error("{0} is damaged")]
    Damaged(PathBuf),
    #[error("{0} cannot be {1}; check its permissions")]
    File(PathBuf, &'static str),
}

impl Folder {
    /// That of a repository: `<git common dir>/requirements`.
    pub(crate) fn of_repository(common_dir: &Path) -> Self {
        Self { dir: common_dir.join("requirements"), common_dir: Some(common_dir.to_path_buf()) }
    }

    /// That of a project without git, in the state folder.
    pub(crate) fn of_project(state_dir: &Path, root: &Path) -> Self {
        let dir = state_dir.join("requirements").join(file_key(&root.to_string_lossy()));
        Self { dir, common_dir: None }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The satisfactions as they are now, and a notice for the user where a file could not be read. Nothing is locked or written,
    /// unless a damaged file is to be set aside.
    pub(crate) fn read(&self, key: &Key) -> (Satisfactions, Option<String>) {
        match load(&self.file(key), key) {
            Ok(found) => (found, None),
            Err(Failure::Damaged(file)) => {
                let settled = self.locked(key, LOCK_DEADLINE, || self.settle(key));
                // A file that cannot be moved is reported where it is.
                let settled = settled.ok().and_then(Result::ok);
                let (found, aside) = settled.unwrap_or((Satisfactions::none_of(key), Some(file)));
                (found, aside.map(|aside| damaged(&aside)))
            }
            Err(error) => (Satisfactions::none_of(key), Some(format!("requirements-check: {error}"))),
        }
    }

    /// Changes the satisfactions, and forgets those of sessions a month old. Where nothing changes, nothing is written.
    pub(crate) fn change(
        &self,
        key: &Key,
        now: Timestamp,
        patience: Duration,
        change: impl FnOnce(&mut Satisfactions),
    ) -> Result<(), Failure> {
        let made = match &self.common_dir {
            Some(_) => ensure_folder(&self.dir, self.mode()),
            None => ensure_private(&self.dir),
        };
        made.map_err(|_| Failure::File(self.dir.clone(), "written"))?;
        self.locked(key, patience, || {
            let (before, _) = self.settle(key)?;
            if is_newer(&before.version) {
                return Err(Failure::Newer(self.file(key)));
            }
            let mut after = before.clone();
            after.forget_sessions(KEEP_DAYS * 24 * 60 * 60, now);
            change(&mut after);
            if after == before { Ok(()) } else { self.write(key, after, now) }
        })?
    }

    /// The satisfactions by their keys, without files that are not ours or not where they belong.
    pub fn list(&self) -> BTreeMap<Key, Satisfactions> {
        let files = std::fs::read_dir(&self.dir).into_iter().flatten().flatten().take(MAX_LISTED);
        let own = |file: DirEntry| {
            let found = load(&file.path(), &Key::NoGit).ok()?;
            let key = Key::of_label(&found.branch);
            (file.file_name() == *key.file_name()).then_some((key, found))
        };
        files.filter_map(own).collect()
    }

    /// Removes the satisfactions of branches that do not exist any more, and those of sessions that are a month old. Files
    /// of a newer version stay. The error is the first, after all files were tried.
    pub fn prune(&self, now: Timestamp, exists: impl Fn(&Key) -> bool) -> Result<(), Failure> {
        let mut pruned = Ok(());
        for key in self.list().keys() {
            let changed = self.change(key, now, LOCK_DEADLINE, |kept| {
                if !exists(key) {
                    kept.requirements.clear();
                }
            });
            if !matches!(changed, Err(Failure::Newer(_))) {
                pruned = pruned.and(changed);
            }
        }
        pruned
    }

    fn locked<T>(&self, key: &Key, patience: Duration, critical: impl FnOnce() -> T) -> Result<T, LockError> {
        with_shared_lock(&self.file(key), patience, self.mode(), critical)
    }

    /// Files get the mode that the repository shares its own with.
    fn mode(&self) -> SharedMode {
        self.common_dir.as_deref().map(shared_mode).unwrap_or_default()
    }

    fn file(&self, key: &Key) -> PathBuf {
        self.dir.join(key.file_name())
    }

    /// Loads the file, or sets a damaged one aside, and says where it is now. The caller holds the lock.
    fn settle(&self, key: &Key) -> Result<(Satisfactions, Option<PathBuf>), Failure> {
        match load(&self.file(key), key) {
            Err(Failure::Damaged(file)) => {
                let mut aside = file.clone().into_os_string();
                aside.push(".corrupt");
                std::fs::rename(&file, &aside).map_err(|_| Failure::File(file, "moved"))?;
                Ok((Satisfactions::none_of(key), Some(aside.into())))
            }
            loaded => Ok((loaded?, None)),
        }
    }

    fn write(&self, key: &Key, kept: Satisfactions, now: Timestamp) -> Result<(), Failure> {
        let file = self.file(key);
        let kept = Satisfactions { version: VERSION.to_string(), updated_at: now.secs(), ..kept };
        let written = if kept.requirements.is_empty() {
            remove_durable(&file)
        } else {
            let bytes = serde_json::to_vec(&kept).map_err(io::Error::from);
            bytes.and_then(|bytes| write_durable(&file, &bytes, self.mode()))
        };
        written.map_err(|_| Failure::File(file, "written"))
    }
}

fn damaged(aside: &Path) -> String {
    let aside = aside.display();
    format!(
        "requirements-check: a file of satisfactions was damaged and is now {aside}; what it held counts as not satisfied"
    )
}

/// The access that `git init --shared` has given to others: a folder whose files belong to its group.
#[cfg(unix)]
fn shared_mode(common_dir: &Path) -> SharedMode {
    use std::os::unix::fs::MetadataExt;
    match std::fs::metadata(common_dir).map_or(0, |metadata| metadata.mode()) {
        mode if mode & 0o2020 != 0o2020 => SharedMode::Private,
        mode if mode & 0o004 == 0 => SharedMode::Group,
        _ => SharedMode::All,
    }
}

#[cfg(not(unix))]
fn shared_mode(_common_dir: &Path) -> SharedMode {
    SharedMode::Private
}

fn is_newer(version: &str) -> bool {
    version.parse().is_ok_and(|version: u32| version > VERSION)
}

/// The satisfactions in a file; none if there is no file.
fn load(file: &Path, key: &Key) -> Result<Satisfactions, Failure> {
    #[derive(Deserialize)]
    struct Version {
        version: String,
    }

    let bytes = match read_regular(file, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            return match error.kind() {
                ErrorKind::NotFound => Ok(Satisfactions::none_of(key)),
                ErrorKind::InvalidInput | ErrorKind::FileTooLarge => {
                    Err(Failure::Damaged(file.to_path_buf()))
                }
                _ => Err(Failure::File(file.to_path_buf(), "read")),
            };
        }
    };
    serde_json::from_slice(&bytes).map_err(|_| match serde_json::from_slice(&bytes) {
        Ok(Version { version }) if is_newer(&version) => Failure::Newer(file.to_path_buf()),
        _ => Failure::Damaged(file.to_path_buf()),
    })
}

#[cfg(test)]
mod tests;
