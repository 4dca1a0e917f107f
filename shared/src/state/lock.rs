//! An advisory lock with a deadline, on a file beside the data (never the data itself, which is renamed away).

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fd_lock::RwLock;

use super::files::{SharedMode, open_regular, share};

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
    with_shared_lock(data, patience, SharedMode::Private, critical)
}

/// As [`with_lock`], for data that others may change too: they must be able to open its lock.
pub fn with_shared_lock<T>(
    data: &Path,
    patience: Duration,
    mode: SharedMode,
    critical: impl FnOnce() -> T,
) -> Result<T, LockError> {
    let mut path = data.as_os_str().to_owned();
    path.push(".lock");
    let path = PathBuf::from(path);
    let deadline = Instant::now() + patience;
    let mut pause = Duration::from_micros(200);
    loop {
        let mut file = RwLock::new(open(&path, mode)?);
        if let Ok(guard) = file.try_write()
            && is_still_at(&guard, &path)
        {
            let result = critical();
            if !data.exists() {
                // The last act under the lock: whoever waits for this file finds it gone and takes the next one.
                let _ = std::fs::remove_file(&path);
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

fn open(path: &Path, mode: SharedMode) -> Result<File, LockError> {
    let mut options = OpenOptions::new();
    let opened = open_regular(path, options.read(true).write(true).create(true).truncate(false));
    let (file, _) = opened.map_err(|source| LockError::Unusable(path.to_path_buf(), source))?;
    // Fails where it is another user's, who has done it then.
    let _ = share(&file, mode, mode.bits().0);
    Ok(file)
}

/// A lock file that was removed while we waited guards nothing: the next process makes a new one. Windows cannot remove it.
#[cfg_attr(not(unix), expect(unused_variables, reason = "there it is always so"))]
fn is_still_at(locked: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let there = std::fs::metadata(path).map(identity);
        locked.metadata().map(identity).is_ok_and(|held| there.is_ok_and(|there| there == held))
    }
    #[cfg(not(unix))]
    true
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use super::{LockError, SharedMode, with_lock, with_shared_lock};

    const PATIENCE: Duration = Duration::from_secs(30);

    #[test]
    fn many_threads_never_meet_inside_while_the_lock_file_comes_and_goes_with_the_data() {
        let scratch = tempfile::tempdir().unwrap();
        let data = scratch.path().join("data");
        let inside = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for round in 0..50 {
                        with_lock(&data, PATIENCE, || {
                            assert!(!inside.swap(true, Ordering::SeqCst));
                            if round % 3 == 0 {
                                std::fs::write(&data, "").unwrap();
                            } else {
                                let _ = std::fs::remove_file(&data);
                            }
                            assert!(inside.swap(false, Ordering::SeqCst));
                        })
                        .unwrap();
                    }
                });
            }
        });
        assert_eq!(scratch.path().join("data.lock").exists(), data.exists());
    }

    #[test]
    fn gives_up_at_the_deadline_without_running() {
        let scratch = tempfile::tempdir().unwrap();
        let data = scratch.path().join("data");
        with_lock(&data, PATIENCE, || {
            let began = Instant::now();
            let second = with_lock(&data, Duration::from_millis(20), || unreachable!("the lock is held"));
            assert!(matches!(second, Err(LockError::Busy(_))));
            assert!(began.elapsed() >= Duration::from_millis(20));
        })
        .unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn the_lock_of_shared_data_can_be_opened_by_its_group() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().unwrap();
        let mode =
            || std::fs::metadata(scratch.path().join("data.lock")).unwrap().permissions().mode() & 0o777;
        for (shared, expected) in [(SharedMode::Private, 0o600), (SharedMode::Group, 0o660)] {
            let found = with_shared_lock(&scratch.path().join("data"), PATIENCE, shared, mode);
            assert_eq!(found.unwrap(), expected);
        }
    }
}
