//! Whole files: read up to a bound, replaced in one step, changed under a lock. A link is never followed, a pipe never waited for.
//! A lock is a file beside the data, never the data itself, which is renamed away.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fd_lock::RwLock;
#[cfg(unix)]
use rustix::fs::OFlags;
#[cfg(target_os = "linux")]
use rustix::fs::{CWD, RenameFlags};

/// Creates the folder if it is missing, but not the one it stands in. An existing folder stays as it is; a link is an error.
pub fn ensure_folder(dir: &Path) -> io::Result<()> {
    match fs::symlink_metadata(dir) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(ErrorKind::NotADirectory.into()),
        Err(_) => create_folder(dir),
    }
}

fn create_folder(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(dir) {
        // Another process was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return ensure_folder(dir),
        created => created?,
    }
    sync_folder_of(dir);
    Ok(())
}

/// Replaces `path` as a whole: written to `<path>.tmp`, which then takes its place. The caller holds the file's lock.
///
/// On systems that can exchange two names in one step, the old content stays behind as `<path>.tmp`. The next call writes into
/// it: renaming over an existing file makes ext4 allocate at once and costs four times as much. So does emptying a file first.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = beside(path, ".tmp");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let written = open_regular(&temporary, &mut options).and_then(|(mut file, _)| {
        file.write_all(bytes)?;
        file.set_len(bytes.len() as u64)
    });
    clean(&temporary, written.and_then(|()| exchange(&temporary, path)))
}

/// The same for a file that must outlive a loss of power: the content and the folder are synced.
pub fn write_durable(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = beside(path, ".tmp");
    // A killed process left it. Nobody writes into it, because it could be a link.
    let _ = fs::remove_file(&temporary);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let written = open_regular(&temporary, &mut options).and_then(|(mut file, _)| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    clean(&temporary, written.and_then(|()| fs::rename(&temporary, path)))?;
    sync_folder_of(path);
    Ok(())
}

fn clean(temporary: &Path, replaced: io::Result<()>) -> io::Result<()> {
    if replaced.is_err() {
        let _ = fs::remove_file(temporary);
    }
    replaced
}

/// Removes `path` for good, and what a killed writer left beside it. The caller holds the file's lock.
pub fn remove_durable(path: &Path) -> io::Result<()> {
    let _ = fs::remove_file(beside(path, ".tmp"));
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => sync_folder_of(path),
    }
    Ok(())
}

pub(super) fn remove(path: &Path) {
    let _ = fs::remove_file(path);
    let _ = fs::remove_file(beside(path, ".tmp"));
}

/// The path with this ending behind its own.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(ending);
    beside.into()
}

fn exchange(temporary: &Path, path: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if rustix::fs::renameat_with(CWD, temporary, CWD, path, RenameFlags::EXCHANGE).is_ok() {
        return Ok(());
    }
    // There is no old file, or this system cannot exchange.
    fs::rename(temporary, path)
}

/// Reads a whole file. Errors: `InvalidInput` for what is no regular file, `FileTooLarge` for more than `max` bytes.
pub fn read_regular(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open_regular(path, OpenOptions::new().read(true))?;
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(max)).unwrap_or_default() + 1);
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// Opens a regular file, and returns its length. New files are 0600, or on Windows as the profile folder's; a link is an error, a
/// pipe is never waited for.
pub fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<(File, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits()).unwrap_or_default();
        options.mode(0o600).custom_flags(flags);
    }
    // Systems differ in their error for a link.
    let is_link = |error: &io::Error| {
        error.kind() != ErrorKind::NotFound
            && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
    };
    let opened = options.open(path);
    let file =
        opened.map_err(|error| if is_link(&error) { ErrorKind::InvalidInput.into() } else { error })?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata.len())) } else { Err(ErrorKind::InvalidInput.into()) }
}

/// Makes what happened to the name `path` durable, where folders can be opened for syncing.
fn sync_folder_of(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}

/// How long a hook waits for another. After that it passes and says so in the journal.
pub const LOCK_DEADLINE: Duration = Duration::from_secs(1);

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("{0} was held by another process for too long")]
    Busy(PathBuf),
    #[error("{0} cannot be opened")]
    Unusable(PathBuf, #[source] io::Error),
}

/// Runs `critical` while holding the lock at `<data>.lock`. The lock file lives as long as the data: where there is none
/// at the end, it is removed, so that sessions leave nothing behind. After an error `critical` has not run.
pub fn with_lock<T>(data: &Path, patience: Duration, critical: impl FnOnce() -> T) -> Result<T, LockError> {
    let path = beside(data, ".lock");
    let deadline = Instant::now() + patience;
    let mut pause = Duration::from_micros(200);
    loop {
        let mut file = RwLock::new(open_lock(&path)?);
        if let Ok(guard) = file.try_write()
            && is_still_at(&guard, &path)
        {
            let result = critical();
            if !data.exists() {
                // The last act under the lock: whoever waits for this file finds it gone and takes the next one.
                let _ = fs::remove_file(&path);
            }
            return Ok(result);
        }
        if Instant::now() >= deadline {
            return Err(LockError::Busy(path));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

fn open_lock(path: &Path) -> Result<File, LockError> {
    let mut options = OpenOptions::new();
    let opened = open_regular(path, options.read(true).write(true).create(true).truncate(false));
    opened.map(|(file, _)| file).map_err(|source| LockError::Unusable(path.to_path_buf(), source))
}

/// A lock file that was removed while we waited guards nothing: the next process makes a new one. Windows cannot remove it.
#[cfg_attr(not(unix), expect(unused_variables, reason = "there it is always so"))]
fn is_still_at(locked: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let there = fs::metadata(path).map(identity);
        locked.metadata().map(identity).is_ok_and(|held| there.is_ok_and(|there| there == held))
    }
    #[cfg(not(unix))]
    true
}

#[cfg(test)]
mod tests;
