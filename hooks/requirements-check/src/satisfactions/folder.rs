//! The files on disk. Reading takes no lock, because a file is only ever replaced as a whole; a change reads the file
//! again inside the lock, and is durable when it returns.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::host::Timestamp;
use shared::state::{
    KEEP_DAYS, LOCK_DEADLINE, LockError, SharedMode, ensure_folder, ensure_private, file_key, read_regular,
    remove_durable, with_shared_lock, write_durable,
};

use super::satisfaction::epoch_secs;
use super::{Key, Satisfactions};
use crate::deadline::briefly;

/// The version that is written. Raised when a field is added, because an older writer would drop it.
const VERSION: u32 = 2;

/// A larger file is not read, and none is written; ten thousand satisfactions fit.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// So many files of a folder are looked at.
const MAX_LISTED: usize = 10_000;

/// A damaged file is set aside under a new name each time, so often.
const MAX_CORRUPT: u32 = 100;

/// A clean-up drops satisfactions of sessions this old.
const KEEP_SESSIONS_SECS: i64 = KEEP_DAYS.cast_signed() * 24 * 60 * 60;

/// The folder with the satisfactions of one repository, or of one project without git.
#[derive(Debug, Clone)]
pub struct Folder {
    dir: PathBuf,
    /// The work tree it is changed from.
    project: String,
    /// The repository's common folder; none for a folder in the state folder, whose parents may be made.
    common_dir: Option<PathBuf>,
    patience: Duration,
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Read {
    /// None if there is no file.
    pub(crate) satisfactions: Satisfactions,
    /// A damaged file stood in their place and is here now.
    pub(crate) corrupt: Option<PathBuf>,
}

/// One file of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub key: Key,
    /// How many requirements are satisfied.
    pub requirements: usize,
    /// How many sessions have satisfactions of their own.
    pub sessions: usize,
    /// When the file was changed last, in seconds since the epoch.
    pub updated_at: i64,
}

/// Why satisfactions are not read, or not changed: then they are as they were.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The lock was not had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A newer version wrote the file.
    #[error("{0} was written by a newer version of Barbless and is only read; update this one")]
    Newer(PathBuf),
    /// The file is damaged, or what is there is no file: a link above all.
    #[error("{0} is damaged")]
    Damaged(PathBuf),
    #[error("{0} {1}")]
    File(PathBuf, &'static str),
}

const UNREADABLE: &str = "cannot be read; check its permissions";
const UNWRITABLE: &str = "cannot be written; check its permissions";
const TOO_LARGE: &str = "would be larger than 4 MiB; remove satisfactions with `req prune` or `req clear`";

/// A file as it was read.
struct Loaded {
    satisfactions: Satisfactions,
    is_newer: bool,
}

#[derive(Deserialize)]
struct VersionOnly {
    version: String,
}

#[derive(Serialize, Deserialize)]
struct Versioned<S> {
    version: String,
    #[serde(flatten)]
    satisfactions: S,
}

impl Folder {
    /// That of a repository: `<git common dir>/requirements`. `root` is the work tree it is changed from.
    pub(crate) fn of_repository(common_dir: &Path, root: &Path) -> Self {
        let project = root.to_string_lossy().into_owned();
        let common_dir = common_dir.to_path_buf();
        let dir = common_dir.join("requirements");
        Self { dir, project, common_dir: Some(common_dir), patience: LOCK_DEADLINE }
    }

    /// That of a project without git, in the state folder.
    pub(crate) fn of_project(state_dir: &Path, root: &Path) -> Self {
        let project = root.to_string_lossy().into_owned();
        let dir = state_dir.join("requirements").join(file_key(&project));
        Self { dir, project, common_dir: None, patience: LOCK_DEADLINE }
    }

    /// The same, waiting so long for others.
    #[must_use]
    pub(crate) fn patient(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The satisfactions as they are now. Nothing is locked or written, unless a damaged file is to be set aside.
    pub(crate) fn read(&self, key: &Key) -> Result<Read, Failure> {
        let (loaded, corrupt) = match load(&self.place(key)) {
            Err(Failure::Damaged(place)) => {
                let settled = self.locked(key, || self.settle(key)).map_err(Failure::from).flatten();
                settled.unwrap_or((None, Some(place)))
            }
            loaded => (loaded?, None),
        };
        let satisfactions = loaded.map_or_else(|| Satisfactions::none_of(key), |loaded| loaded.satisfactions);
        Ok(Read { satisfactions, corrupt })
    }

    /// Changes the satisfactions. Where nothing changes, nothing is written.
    pub(crate) fn change(
        &self,
        key: &Key,
        now: Timestamp,
        change: impl FnOnce(&mut Satisfactions),
    ) -> Result<(), Failure> {
        let made = match &self.common_dir {
            Some(_) => ensure_folder(&self.dir, self.mode()),
            None => ensure_private(&self.dir),
        };
        made.map_err(|_| Failure::File(self.dir.clone(), UNWRITABLE))?;
        self.locked(key, || {
            let before = match self.settle(key)?.0 {
                Some(Loaded { is_newer: true, .. }) => return Err(Failure::Newer(self.place(key))),
                Some(loaded) => loaded.satisfactions,
                None => Satisfactions::none_of(key),
            };
            let mut after = before.clone();
            change(&mut after);
            if after == before { Ok(()) } else { self.write(key, after, now) }
        })?
    }

    /// The files in order of their keys, without those that are not ours or not where they belong.
    pub(crate) fn list(&self) -> Vec<Listed> {
        let files = std::fs::read_dir(&self.dir).into_iter().flatten().flatten().take(MAX_LISTED);
        let mut listed: Vec<Listed> = files.filter_map(|file| listed(&file.path())).collect();
        listed.sort_by(|one, other| one.key.cmp(&other.key));
        listed
    }

    /// Removes the satisfactions of branches that do not exist any more, and those of sessions that are a month old. Files
    /// of a newer version stay. The error is the first, after all files were tried.
    pub(crate) fn prune(&self, now: Timestamp, exists: impl Fn(&Key) -> bool) -> Result<(), Failure> {
        let pruned: Vec<_> =
            self.list().into_iter().map(|listed| self.clean_up(&listed.key, now, &exists)).collect();
        pruned.into_iter().collect()
    }

    /// A branch may be back, so `exists` is called again inside the lock.
    fn clean_up(&self, key: &Key, now: Timestamp, exists: impl Fn(&Key) -> bool) -> Result<(), Failure> {
        if exists(key) {
            return match self.change(key, now, |kept| kept.forget_sessions(KEEP_SESSIONS_SECS, now)) {
                Err(Failure::Newer(_)) => Ok(()),
                other => other,
            };
        }
        let place = self.place(key);
        self.locked(key, || match load(&place)? {
            Some(Loaded { is_newer: false, .. }) if !exists(key) => {
                remove_durable(&place).map_err(|_| Failure::File(place.clone(), UNWRITABLE))
            }
            _ => Ok(()),
        })?
    }

    fn locked<T>(&self, key: &Key, critical: impl FnOnce() -> T) -> Result<T, LockError> {
        with_shared_lock(&self.place(key), self.patience, self.mode(), critical)
    }

    /// Files get the mode that the repository shares its own with. Its configuration may include a pipe, which has no end.
    fn mode(&self) -> SharedMode {
        let mode = self.common_dir.clone().and_then(|dir| briefly(move || shared_mode(&dir)));
        mode.unwrap_or_default()
    }

    fn place(&self, key: &Key) -> PathBuf {
        self.dir.join(key.file_name())
    }

    /// Loads the file, or sets a damaged one aside and returns its new place. The caller holds the lock.
    fn settle(&self, key: &Key) -> Result<(Option<Loaded>, Option<PathBuf>), Failure> {
        match load(&self.place(key)) {
            Err(Failure::Damaged(place)) => {
                let aside = set_aside(&place).map_err(|_| Failure::File(place, UNREADABLE))?;
                Ok((None, Some(aside)))
            }
            loaded => Ok((loaded?, None)),
        }
    }

    /// Satisfactions of sessions that are a month old make room before a change is denied.
    fn write(&self, key: &Key, mut kept: Satisfactions, now: Timestamp) -> Result<(), Failure> {
        let place = self.place(key);
        kept.project.clone_from(&self.project);
        kept.updated_at = epoch_secs(now);
        if kept.created_at == 0 {
            kept.created_at = kept.updated_at;
        }
        let is_too_large = |bytes: &[u8]| u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_BYTES);
        let mut bytes = to_bytes(&kept);
        if is_too_large(&bytes) {
            kept.forget_sessions(KEEP_SESSIONS_SECS, now);
            bytes = to_bytes(&kept);
        }
        if is_too_large(&bytes) {
            return Err(Failure::File(place, TOO_LARGE));
        }
        write_durable(&place, &bytes, self.mode()).map_err(|_| Failure::File(place, UNWRITABLE))
    }
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

fn load(place: &Path) -> Result<Option<Loaded>, Failure> {
    use io::ErrorKind::{FileTooLarge, InvalidInput, NotFound};
    let bytes = match read_regular(place, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == NotFound => return Ok(None),
        Err(error) if matches!(error.kind(), InvalidInput | FileTooLarge) => {
            return Err(Failure::Damaged(place.to_path_buf()));
        }
        Err(_) => return Err(Failure::File(place.to_path_buf(), UNREADABLE)),
    };
    let version = serde_json::from_slice(&bytes).ok().map(|VersionOnly { version }| version.parse::<u32>());
    let is_newer = matches!(version, Some(Ok(version)) if version > VERSION);
    match serde_json::from_slice::<Versioned<Satisfactions>>(&bytes) {
        Ok(file) => Ok(Some(Loaded { satisfactions: file.satisfactions, is_newer })),
        Err(_) if is_newer => Err(Failure::Newer(place.to_path_buf())),
        Err(_) => Err(Failure::Damaged(place.to_path_buf())),
    }
}

/// Every part has a form in JSON.
fn to_bytes(satisfactions: &Satisfactions) -> Vec<u8> {
    serde_json::to_vec(&Versioned { version: VERSION.to_string(), satisfactions }).unwrap_or_default()
}

fn listed(path: &Path) -> Option<Listed> {
    let name = path.file_name()?.to_str()?;
    if path.extension() != Some(OsStr::new("json")) {
        return None;
    }
    let found = load(path).ok()??.satisfactions;
    let key = Key::of_label(&found.branch);
    (name == key.file_name()).then(|| Listed {
        key,
        requirements: found.requirements.len(),
        sessions: found.sessions().len(),
        updated_at: found.updated_at,
    })
}

/// Nothing that was set aside before is overwritten.
fn set_aside(damaged: &Path) -> io::Result<PathBuf> {
    let aside = |number: u32| {
        let mut path = damaged.as_os_str().to_owned();
        path.push(if number > 1 { format!(".corrupt-{number}") } else { ".corrupt".to_owned() });
        PathBuf::from(path)
    };
    let is_free = |path: &PathBuf| std::fs::symlink_metadata(path).is_err();
    let free = (1..=MAX_CORRUPT).map(aside).find(is_free).ok_or(io::ErrorKind::AlreadyExists)?;
    std::fs::rename(damaged, &free)?;
    Ok(free)
}

#[cfg(test)]
mod tests;
