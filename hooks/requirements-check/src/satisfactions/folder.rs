//! The files on disk. Reading takes no lock, because a file is only ever replaced as a whole; a change reads the file
//! again inside the lock, and is durable when it returns.

use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use shared::host::Timestamp;
use shared::state::{
    KEEP_DAYS, LOCK_DEADLINE, LockError, SharedMode, ensure_folder, ensure_private, file_key, read_regular,
    remove_durable, with_shared_lock, write_durable,
};

use super::{Key, Satisfactions, VERSION, is_newer};

/// A larger file is damaged; ten thousand satisfactions fit.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// So many files of a folder are looked at.
const MAX_LISTED: usize = 10_000;

/// The folder with the satisfactions of one repository, or of one project without git.
#[derive(Debug, Clone)]
pub struct Folder {
    dir: PathBuf,
    /// The work tree it is changed from.
    project: String,
    /// The repository's common folder; none for a folder in the state folder, whose parents may be made.
    common_dir: Option<PathBuf>,
}

/// Satisfactions, and where a damaged file is now that stood in their place.
type Read = (Satisfactions, Option<PathBuf>);

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
    /// That of a repository: `<git common dir>/requirements`. `root` is the work tree it is changed from.
    pub(crate) fn of_repository(common_dir: &Path, root: &Path) -> Self {
        let project = root.to_string_lossy().into_owned();
        let common_dir = common_dir.to_path_buf();
        let dir = common_dir.join("requirements");
        Self { dir, project, common_dir: Some(common_dir) }
    }

    /// That of a project without git, in the state folder.
    pub(crate) fn of_project(state_dir: &Path, root: &Path) -> Self {
        let project = root.to_string_lossy().into_owned();
        let dir = state_dir.join("requirements").join(file_key(&project));
        Self { dir, project, common_dir: None }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The satisfactions as they are now. Nothing is locked or written, unless a damaged file is to be set aside.
    pub(crate) fn read(&self, key: &Key) -> Result<Read, Failure> {
        match load(&self.place(key), key) {
            Err(Failure::Damaged(place)) => {
                let settled = self.locked(key, LOCK_DEADLINE, || self.settle(key));
                // A file that cannot be moved is reported where it is.
                Ok(settled.ok().and_then(Result::ok).unwrap_or((Satisfactions::none_of(key), Some(place))))
            }
            loaded => Ok((loaded?, None)),
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
                return Err(Failure::Newer(self.place(key)));
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
        let prune = |key: &Key| {
            if exists(key) { self.change(key, now, LOCK_DEADLINE, |_| {}) } else { self.remove(key) }
        };
        let list = self.list();
        let pruned = list.keys().map(prune);
        let pruned = pruned.filter(|pruned| !matches!(pruned, Err(Failure::Newer(_))));
        pruned.collect::<Vec<_>>().into_iter().collect()
    }

    fn remove(&self, key: &Key) -> Result<(), Failure> {
        let place = self.place(key);
        self.locked(key, LOCK_DEADLINE, || match load(&place, key)? {
            newer if is_newer(&newer.version) => Ok(()),
            _ => remove_durable(&place).map_err(|_| Failure::File(place.clone(), "written")),
        })?
    }

    fn locked<T>(&self, key: &Key, patience: Duration, critical: impl FnOnce() -> T) -> Result<T, LockError> {
        with_shared_lock(&self.place(key), patience, self.mode(), critical)
    }

    /// Files get the mode that the repository shares its own with.
    fn mode(&self) -> SharedMode {
        self.common_dir.as_deref().map(shared_mode).unwrap_or_default()
    }

    fn place(&self, key: &Key) -> PathBuf {
        self.dir.join(key.file_name())
    }

    /// Loads the file, or sets a damaged one aside. The caller holds the lock.
    fn settle(&self, key: &Key) -> Result<Read, Failure> {
        match load(&self.place(key), key) {
            Err(Failure::Damaged(place)) => {
                let mut aside = place.clone().into_os_string();
                aside.push(".corrupt");
                std::fs::rename(&place, &aside).map_err(|_| Failure::File(place, "moved"))?;
                Ok((Satisfactions::none_of(key), Some(aside.into())))
            }
            loaded => Ok((loaded?, None)),
        }
    }

    fn write(&self, key: &Key, mut kept: Satisfactions, now: Timestamp) -> Result<(), Failure> {
        let place = self.place(key);
        kept.version = VERSION.to_string();
        kept.project.clone_from(&self.project);
        kept.updated_at = now.secs();
        if kept.created_at == 0 {
            kept.created_at = kept.updated_at;
        }
        let written = serde_json::to_vec(&kept).map_err(io::Error::from);
        let written = written.and_then(|bytes| write_durable(&place, &bytes, self.mode()));
        written.map_err(|_| Failure::File(place, "written"))
    }
}

/// `core.sharedRepository`, as far as it gives others access.
fn shared_mode(common_dir: &Path) -> SharedMode {
    let config = git2::Config::open(&common_dir.join("config"));
    let value = config.and_then(|config| config.get_string("core.sharedRepository")).unwrap_or_default();
    match value.to_ascii_lowercase().as_str() {
        "group" | "true" | "1" | "yes" | "on" => SharedMode::Group,
        "all" | "world" | "everybody" | "2" => SharedMode::All,
        octal => match u32::from_str_radix(octal, 8) {
            Ok(mode) if mode & 0o004 != 0 => SharedMode::All,
            Ok(mode) if mode & 0o060 != 0 => SharedMode::Group,
            _ => SharedMode::Private,
        },
    }
}

/// The satisfactions in a file; none if there is no file.
fn load(place: &Path, key: &Key) -> Result<Satisfactions, Failure> {
    #[derive(Deserialize)]
    struct Version {
        version: String,
    }

    use io::ErrorKind::{FileTooLarge, InvalidInput, NotFound};
    let bytes = match read_regular(place, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == NotFound => return Ok(Satisfactions::none_of(key)),
        Err(error) if matches!(error.kind(), InvalidInput | FileTooLarge) => {
            return Err(Failure::Damaged(place.to_path_buf()));
        }
        Err(_) => return Err(Failure::File(place.to_path_buf(), "read")),
    };
    serde_json::from_slice(&bytes).map_err(|_| match serde_json::from_slice(&bytes) {
        Ok(Version { version }) if is_newer(&version) => Failure::Newer(place.to_path_buf()),
        _ => Failure::Damaged(place.to_path_buf()),
    })
}

#[cfg(test)]
mod tests;
